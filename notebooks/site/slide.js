// The sliders of a page: once one is drawn by Vega-Lite it takes the place of the still picture,
// which otherwise remains, with a line that says so.
'use strict';
function slide(place) {
  const live = document.createElement('div');
  const start = async () => {
    const spec = JSON.parse(place.querySelector('script').textContent);
    const config = { axis: { labelFontSize: 14, titleFontSize: 14 } }; // if the figure has none; for a telephone
    await vegaEmbed(live, spec, { mode: 'vega-lite', actions: false, defaultStyle: false, renderer: 'svg', config });
    live.setAttribute('aria-label', place.querySelector('img').alt);
    place.replaceChildren(live);
  };
  start().catch(e => { place.querySelector('.still').textContent += ` ${e.message}`; });
}
addEventListener('DOMContentLoaded', () => document.querySelectorAll('.slide').forEach(slide));
