"""Slides of a page: its title and its figures, large, as one file that a browser opens from a disk. `make slides` runs it.

    slides.py OUT PAGE...    as in slides.py _slides lesson-3-batches
"""
import base64
import html
import json
import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup
from nbconvert.filters import markdown2html

from build import BOOKS, CAPTION, FIGURES, HERE, SLIDE, Page, licences, moving, words

STYLE = """
:root { color-scheme: light; font: 22px/1.4 system-ui, "DejaVu Sans", sans-serif; color: #1b1f24; background: #fff; }
body { margin: 0; }
section { box-sizing: border-box; min-height: 100vh; padding: 3vh 5vw 6vh; display: flex; flex-direction: column; justify-content: center; gap: 2vh; }
.on section:not(.now) { display: none; }
h1 { font-size: 2.4rem; line-height: 1.2; margin: 0; text-wrap: balance; }
h2 { font-size: 1.3rem; margin: 0; }
p { margin: 0; }
b.number { font-size: 4rem; line-height: 1; }
.caption { font-size: .75rem; color: #57606a; }
figure { margin: 0; text-align: center; }
figure :is(img, svg) { display: block; margin: auto; width: 100%; height: 56vh; object-fit: contain; }
.still { display: none; }
.vega-bindings { font-size: 1rem; display: grid; gap: .3em; justify-content: center; }
.vega-bind label { display: flex; gap: .6em; align-items: center; }
.vega-bind input { width: min(24rem, 50vw); accent-color: #0550ae; }
nav { position: fixed; right: 1rem; bottom: .5rem; font-size: .75rem; color: #57606a; }
nav button { font: inherit; padding: .2em .8em; }
@media (max-width: 700px) { :root { font-size: 17px; } figure :is(img, svg) { height: auto; } }
@page { size: 320mm 180mm; margin: 0; }
@media print { .on section, section { display: flex !important; height: 180mm; min-height: 0;  } nav, .vega-bindings { display: none; } }
"""

SCRIPT = """
const slides = [...document.querySelectorAll('section')], place = document.querySelector('nav span');
let now = 0, from;
function go(n) {
  now = Math.max(0, Math.min(slides.length - 1, n));
  slides.forEach((s, i) => s.classList.toggle('now', i === now));
  place.textContent = `${now + 1} / ${slides.length}`;
  history.replaceState(null, '', `#${now + 1}`);
}
const keys = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e9, End: 1e9 };
addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, select')) return; // a slider has its own arrows
  if (e.key === 'f') document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  if (!(e.key in keys) || e.key === ' ' && e.target.closest('button')) return;
  e.preventDefault();
  go(now + (e.key === ' ' && e.shiftKey ? -1 : keys[e.key]));
});
addEventListener('touchstart', e => { from = e.target.closest('input') ? null : e.touches[0]; });
addEventListener('touchend', e => {
  const x = from ? e.changedTouches[0].clientX - from.clientX : 0, y = from ? e.changedTouches[0].clientY - from.clientY : 0;
  if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) go(now - Math.sign(x));
});
document.querySelectorAll('nav button').forEach((b, i) => { b.onclick = () => go(now + 2 * i - 1); });
document.documentElement.className = 'on';
go((parseInt(location.hash.slice(1)) || 1) - 1);
renderMathInElement(document.body, { delimiters: [{ left: '$$', right: '$$', display: true }, { left: '$', right: '$', display: false }], throwOnError: false });
"""


def main(out, names):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = BOOKS / f"{name}.ipynb"
        if not path.exists():
            sys.exit(f"fwlab: {path} is missing: PAGE is the name of a page, as lesson-3-batches")
        page = Page(path)
        figures = list(slides(page.cells))
        if not figures:
            sys.exit(f"fwlab: {path} has no figure to show")
        (out / f"{name}.html").write_text(document(page.plain, [front(page), *figures]))
        print(f"{out / name}.html: {1 + len(figures)} slides, {(out / f'{name}.html').stat().st_size / 1e6:.1f} MB")


def text(markdown):
    """Markdown without the links, which lead to what is not in the file."""
    soup = BeautifulSoup(markdown2html(markdown), "html.parser")
    for a in soup.find_all("a"):
        a.unwrap()
    return str(soup).replace("¶", "")


def front(page):
    """The first slide: the title, a sentence, and the numbers of the card."""
    title, *rest = re.split(r"\n\s*\n", page.cells[0].source.strip())
    about = next((p for p in rest if not p.startswith(("[", "|", "**", "#"))), "")
    rows = [r.strip("|").split(" | ") for r in page.cells[0].source.splitlines() if r.startswith("|")][2:]
    numbers = "".join(f'<div><b class="number">{html.escape(r[0].strip())}</b>{text(r[1])}</div>' for r in rows)
    return f"<h1>{text(title.lstrip('# ')).removeprefix('<p>').removesuffix('</p>')}</h1>{text(about)}{numbers}"


def slides(cells):
    """A slide for each figure, or row of one: the heading that it is under, the sentence before it, and its caption."""
    heading = lead = ""
    for cell, after in zip(cells, [*cells[1:], None]):
        if cell.cell_type == "markdown":
            heading = next(reversed(re.findall(r"^##+ (.*)", cell.source, re.M)), heading)
            part = re.split(r"\n\s*\n", cell.source.strip())[-1]
            lead = "" if part.startswith(("#", "|", "`", ">", "-")) else part if len(part) < 200 else re.split(r"(?<=[.!?:])\s+(?=[A-Z*“])", part)[-1]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if not FIGURES & set(data):
                continue
            caption = after.source.split("\n\n")[0] if after and CAPTION.match(after.source) else ""
            svg = data.get("image/svg+xml")
            sources = [f"data:image/svg+xml;base64,{base64.b64encode(r.encode()).decode()}" for r in rows(svg)] if svg else [f"data:image/png;base64,{data['image/png']}"]
            pictures = [f'<img src="{s}" alt="{html.escape(words(lead))}">' for s in sources]
            if SLIDE in data:
                spec = json.dumps(data[SLIDE]).replace("<", r"\u003c")
                pictures = [f'<div class="slide">{"".join(pictures)}<p class="still"></p><script type="application/json">{spec}</script></div>']
            for picture in pictures:
                yield f'<h2>{text(heading).removeprefix("<p>").removesuffix("</p>")}</h2>{text(lead)}<figure>{picture}</figure><div class="caption">{text(caption)}</div>'


def rows(svg):
    """The rows of a figure that is higher than wide, each for a slide, which is wide."""
    head = re.search(r'width="[^"]*" height="[^"]*" viewBox="0 0 (\S+) (\S+)"', svg)
    w, h = float(head[1]), float(head[2])
    n = round(h / w / 0.45) if h > 0.8 * w else 1
    return [svg.replace(head[0], f'viewBox="0 {i * h / n} {w} {h / n}"', 1) for i in range(n)]


def document(title, all):
    katex = HERE / "node_modules" / "katex" / "dist"
    fonts = re.sub(r",url\([^)]*\.(?:woff|ttf)\)[^,;}]*", "", (katex / "katex.min.css").read_text())
    fonts = re.sub(r"url\((fonts/[^)]*)\)", lambda m: f"url(data:font/woff2;base64,{base64.b64encode((katex / m[1]).read_bytes()).decode()})", fonts)
    scripts = [(katex / "katex.min.js").read_text(), (katex / "contrib" / "auto-render.min.js").read_text(), SCRIPT]
    if any('class="slide"' in s for s in all):
        scripts.append(moving())
    body = "\n".join(f"<section>{s}</section>" for s in all)
    code = "\n".join("<script>" + s.replace("</script", r"<\/script") + "</script>" for s in scripts)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{html.escape(title)}</title>'
            f'<link rel="icon" href="data:,"><style>{fonts}{STYLE}</style></head><body>\n{body}\n<nav><button>←</button> <span></span> <button>→</button></nav>\n{code}\n'
            f"<template>{html.escape(licences())}</template></body></html>\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
