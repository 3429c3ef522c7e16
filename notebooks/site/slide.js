// The sliders of a page: once one is drawn by Vega-Lite it takes the place of the still picture,
// which otherwise remains, with a line that says so.
'use strict';
addEventListener('DOMContentLoaded', () => {
  for (const slide of document.querySelectorAll('.slide')) {
    const live = document.createElement('div');
    const start = async () => {
      const spec = JSON.parse(slide.querySelector('script').textContent);
      const config = { axis: { labelFontSize: 14, titleFontSize: 14 } }; // if the figure has none; for a telephone
      await vegaEmbed(live, spec, { mode: 'vega-lite', actions: false, defaultStyle: false, renderer: 'svg', config });
      live.setAttribute('aria-label', slide.querySelector('img').alt);
      slide.replaceChildren(live);
    };
    start().catch(e => { slide.querySelector('.still').textContent += ` ${e.message}`; });
  }
});
