"""Renders the pages and the sheets of the course as a site of plain files. `make site` runs it.

    build.py OUT    with KaTeX, Vega and marked in node_modules, and live.wasm, wasm_exec.js and the folder kernel in OUT already

Nothing is run and nothing comes from the network: what a page shows is what its notebook keeps.
"""
import html
import json
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import nbformat
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbconvert.filters import markdown2html
from nbconvert.preprocessors import ExtractOutputPreprocessor
from traitlets.config import Config

HERE = Path(__file__).resolve().parent
BOOKS = HERE.parent
REPO = BOOKS.parent
SOURCE = "https://github.com/projection-free/fwlab/blob/main/"
FIGURES = {"image/png", "image/svg+xml"}
CAPTION = re.compile(r"\*\*Figure (\w+)\.\*\*")
HOST, BASE = "https://projection-free.github.io", "/fwlab/"  # where the site is published, with a JupyterLite in lite/
SLIDE = "application/vnd.vegalite.v5+json"


def main(out):
    out = Path(out)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    pages = [Page(p) for p in in_order()]
    sheets = [Page(p, sheet=True) for p in sorted(BOOKS.glob("assignments/source/*/*.ipynb"))]
    index = Page(BOOKS / "README.md", "index")
    course = Page(BOOKS / "assignments" / "README.md", "course")
    live = Page(HERE / "live" / "live.html", "live")
    none = Page(HERE / "404.html")
    links = Links([index, live, course, none, *pages, *sheets])
    kernel = json.loads((out / "kernel" / "index.json").read_text())
    for name in (BOOKS / "live.txt").read_text().split():
        page = next(p for p in pages if p.name == name)
        page.brings = brought(page.cells, kernel)

    exporter = HTMLExporter(template_file=str(HERE / "page.html.j2"), filters={"to_source": to_source(declared()), "short": short}, config=Config({
        "HTMLExporter": {"preprocessors": [Figures], "exclude_input_prompt": True, "exclude_output_prompt": True}}))
    for walk in [index, *pages], [course, *sheets], [live], [none]:  # each from its first page to its last
        for before, page, after in zip([None, *walk], walk, [*walk[1:], None]):
            body, made = exporter.from_notebook_node(page.book(links), {
                "output_files_dir": "figures", "unique_key": page.name, "page": page, "pages": pages, "sheets": sheets,
                "before": before, "after": after, "base": page is none and BASE, "source": SOURCE + str(page.path.relative_to(REPO))})
            (out / f"{page.name}.html").write_text(body)
            for name, data in made["outputs"].items():
                (out / name).write_bytes(data)

    for line in (HERE / "moved.tsv").read_text().splitlines()[1:]:
        was, now = line.split("\t")
        (out / f"{was}.html").write_text(f'<!DOCTYPE html><title>{now}</title><meta http-equiv="refresh" content="0; url={now}.html">'
                                         f'<link rel="canonical" href="{now}.html"><script>location.replace("{now}.html" + location.hash)</script>\n')
    shutil.copytree(BOOKS / "pictures", out / "pictures", dirs_exist_ok=True)
    katex(out)
    vega(out)
    (out / "marked").mkdir(exist_ok=True)
    for name in "lib/marked.umd.js", "LICENSE":
        shutil.copy(HERE / "node_modules" / "marked" / name, out / "marked")
    for name in "style.css", "page.js", "run.js", "offline.js", "live/live.js", "live/worker.js":
        shutil.copy(HERE / name, out)
    (out / ".nojekyll").touch()  # GitHub leaves the files as they are
    faults = links.faults + broken(out)
    if faults:
        sys.exit("fwlab: the site has links that lead nowhere:\n  " + "\n  ".join(faults))
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"fwlab: {len(list(out.glob('*.html')))} pages, {size / 1e6:.1f} MB in {out}")


def in_order():
    """The notebooks as the folder's README lists them, and then those that it does not."""
    listed = [BOOKS / f"{name}.ipynb" for name in re.findall(r"\]\(([\w-]+)\.ipynb\)", (BOOKS / "README.md").read_text())]
    return [p for p in dict.fromkeys([*listed, *sorted(BOOKS.glob("*.ipynb"))]) if p.exists()]


def welcome():
    """The lines that the index has and the folder's README has not."""
    return ("fwlab makes the paper [Variance-Reduced and Projection-Free Stochastic Optimization]"
            "(https://arxiv.org/abs/1602.02101) (Hazan and Luo, ICML 2016) into something one can run, read and "
            "teach from: a Go package and the pages below. [**Try it here**](site/live/live.html), in the browser and without "
            f"an installation, open [a JupyterLab in the browser]({HOST}{BASE}lite/lab/index.html), with Go in it, or read how to "
            f"[install it]({SOURCE}README.md).\n")


class Page:
    """A notebook, a Markdown file or a piece of HTML, and how it is called on the site."""

    def __init__(self, path, name=None, sheet=False):
        self.path, self.name, self.sheet, self.run, self.slides = path, name or path.stem, sheet, True, False
        self.brings = None
        if path.suffix == ".ipynb":
            self.cells = nbformat.read(path, 4).cells
        else:
            new = nbformat.v4.new_markdown_cell if path.suffix == ".md" else nbformat.v4.new_raw_cell
            self.cells = [new(path.read_text())]
        self.title = html.unescape(re.search(r"(?:^# |<h1>)(.*?)(?:</h1>)?$", self.cells[0].source, re.M)[1])

    def book(self, links):
        """The notebook for the site; it changes the cells, and can be asked for once."""
        cells = self.cells
        if self.sheet:
            cells = [c for c in map(statement, cells) if c]
        elif self.path.suffix == ".ipynb":
            self.run = any(c.get("outputs") for c in cells)
        if self.name == "index":
            cells[0].source = cells[0].source.replace("\n", "\n\n" + welcome() + "\n", 1)
        lead = self.title
        for cell, after in zip(cells, [*cells[1:], None]):
            cell.metadata["lead"] = leads(cell, after)
            figures = [o for o in cell.get("outputs", []) if FIGURES & set(o.get("data", {}))]
            if number := after and after.cell_type == "markdown" and CAPTION.match(after.source):
                for letter, figure in zip("abcdefgh", figures):
                    figure.metadata["filename"] = f"{self.name}-figure-{number[1]}{letter if len(figures) > 1 else ''}"
            if cell.cell_type == "markdown":
                cell.source = lead = links.rewrite(cell.source, self.path)
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/markdown" in data:
                    data["text/markdown"] = links.rewrite(data["text/markdown"], self.path)
                if FIGURES & set(data):
                    output.metadata["alt"] = words(lead)
                    if SLIDE in data:
                        output.metadata["slide"], self.slides = json.dumps(data[SLIDE]).replace("<", r"\u003c"), True
        return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "go", "pygments_lexer": "go"}})


def brought(cells, kernel):
    """What a page imports, and the megabytes that the kernel brings for it."""
    code, packages = "\n".join(c.source for c in cells if c.cell_type == "code"), kernel["packages"]
    paths = sorted({p for p in re.findall(r'^(?:import |\t)(?:\w+ )?"([\w./-]+)"$', code, re.M) if p in packages} | {"runtime"})
    whole = {d for p in paths for d in [p, *packages[p]["deps"]] if d in packages}
    size = sum(t["size"] for t in kernel["tools"].values()) + sum(packages[p]["size"] for p in whole)
    return paths, f"{size / 1e6:.1f}"


def statement(cell):
    """A cell of a sheet as students see it: without solutions and hidden tests, or None."""
    def between(what):  # a pattern that is no such line itself: the image is searched for them
        return rf"(?ms)^([ \t]*)// BEGIN\s{what}.*?^[ \t]*// END\s{what}"
    cell.source = re.sub(between(r"HIDDEN\sTESTS") + r"\n?", "", cell.source)
    cell.source = re.sub(between("SOLUTION"), r"\1// YOUR CODE HERE", cell.source)
    if cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("solution"):
        cell.source = "*Your answer.*"
    return cell if cell.source.strip() else None


def words(markdown):
    """The last sentence before a figure, as its alternative text."""
    text = BeautifulSoup(markdown2html(markdown), "html.parser").get_text(" ", strip=True).replace("$", "")
    return re.split(r"(?<=[.!?])\s+", text)[-1].rstrip(":") if text else "figure"


def leads(cell, after):
    """Whether a cell is but a line that says what the code after it is for: small where that code is folded."""
    return (cell.cell_type == "markdown" and after and after.cell_type == "code" and not after.outputs
            and bool(re.fullmatch(r"`.*|[A-Z].{,159}", cell.source.strip())))


class Figures(ExtractOutputPreprocessor):
    """Figures become files: PNG to see, SVG to take along."""

    extract_output_types = FIGURES


class Links:
    """Where the links of the notebooks lead on the site."""

    def __init__(self, pages):
        self.names, self.faults = {p.path: p.name + ".html" for p in pages}, []

    def rewrite(self, markdown, path):
        def new(target):
            if re.match(r"[a-z]+:|#", target):
                return target
            file, _, part = target.partition("#")
            to = (path.parent / file).resolve()
            part = "#" + part if part else ""
            if to in self.names:
                if part and to.suffix == ".md":  # GitHub writes a heading small in its address, nbconvert does not
                    part = next((f"#{h.replace(' ', '-')}" for h in re.findall(r"^#+ (.*)", to.read_text(), re.M)
                                 if re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") == part[1:]), part)
                return self.names[to] + part
            if to.parent == BOOKS / "pictures":
                return f"pictures/{to.name}"
            if not to.exists():
                self.faults.append(f"{path.relative_to(REPO)}: {target}")
            return SOURCE + str(to.relative_to(REPO)) + part
        markdown = re.sub(r"(\]\()([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?=[)\s])", lambda m: m[1] + new(m[2]), markdown)
        return re.sub(r'(<(?:img|a)\b[^>]*?\b(?:src|href)=")([^"]+)', lambda m: m[1] + new(m[2]), markdown)


def declared():
    """Where each exported name is declared: "fwopt.Run" in "fwopt/run.go#L52"."""
    name, where = re.compile(r"(?:func|type|var|const) ([A-Z]\w*)|\t([A-Z]\w*)(?:, [A-Z]\w*)*\s.*=|([)}])"), {}
    for file in sorted((REPO / "fwopt").rglob("*.go")):
        if file.name.endswith("_test.go") or "internal" in file.parts:
            continue
        group = False  # in "var (", whose names are indented as those of a function's body are
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = name.match(line)
            if found and (found[1] or found[2] and group):
                where.setdefault(f"{file.parent.name}.{found[1] or found[2]}", f"{file.relative_to(REPO)}#L{number}")
            group = line in ("var (", "const (") or group and not (found and found[3])
    return where


def to_source(where):
    """A filter that links "package.Name", in the code of text and of cells, to its line."""
    text = re.compile(r"(<code>)((fw\w+)\.([A-Z]\w*))(?=[^<]*</code>)")
    cell = re.compile(r'(<span class="\w+">(fw\w+)</span><span class="p">\.</span>)(<span class="\w+">([A-Z]\w*)</span>)')

    def link(before, shown, package, name):
        to = where.get(f"{package}.{name}")
        return before + (f'<a class="declared" href="{SOURCE}{to}">{shown}</a>' if to else shown)

    def page(body):
        body = text.sub(lambda m: link(m[1], m[2], m[3], m[4]), body)
        body = cell.sub(lambda m: link(m[1], m[3], m[2], m[4]), body)
        body = re.sub(r"<p>(?=<strong>Figure (\w+)\.</strong>)", r'<p class="caption" id="figure-\1">', body)
        body = re.sub(r"1/(?:ε|&#949;)(?=[^<>]*<)", "1/\u2060ε", body)  # in no two lines
        return re.sub(r"(// from )(fwopt/[\w/]+\.go)", rf'\1<a class="declared" href="{SOURCE}\2">\2</a>', body)
    return page


def short(table):
    """A filter that keeps short cells of a table and numbers in a line, as 5.28e-01, 4 / 0.163 / 0.753, [2.9, 3.0]
    and (54 to 115), and says of the others how many letters they have: style.css gives them room by it."""
    def letters(m):
        number = len(html.unescape(re.sub(r"<[^>]*>|\\[A-Za-z]+|[\\${}^_]", "", m[3])))
        return f'<{m[1]} style="--letters: {number}; {m[2] or ""}">{m[3]}' if number > 16 else m[0]
    table = re.sub(r'<(td|th)(?: style="([^"]*)")?>(.*?)(?=</\1>)', letters, table)
    table = re.sub(r"\([\d.e-]+ to [\d.e-]+\)(?: /)?", lambda m: m[0].replace(" ", "\u00a0"), table)
    table = re.sub(r"(<td[^>]*>[^<$]*\[[\d.e-]+,) (?=[\d.e-]+\])", "\\1\u00a0", table)
    table = re.sub(r"<td([^>]*)>(?=[^<$]{1,16}</td>)", r'<td class="short"\1>', table)
    return re.sub(r"<(td|th)( style[^>]*)?>(?=[\d\s/.,e+−–-]{1,26}</)", r'<\1 class="short"\2>', table)


def broken(out):
    """Links between the pages of the site to what is not there."""
    ids, faults = {}, []
    soups = {p.name: BeautifulSoup(p.read_text(), "html.parser") for p in sorted(out.glob("*.html"))}
    for name, soup in soups.items():
        ids[name] = {e["id"] for e in soup.select("[id]")}
    for name, soup in soups.items():
        for element in soup.select("[href]:not(base), [src]"):
            target = element.get("href") or element.get("src")
            if re.match(r"[a-z]+:", target):
                continue
            file, _, part = target.partition("#")
            if file and not (out / file).exists():
                faults.append(f"{name}: {target}")
            elif part and not {part, unquote(part)} & ids.get(file or name, set()):
                faults.append(f"{name}: {target} (no such heading)")
    return faults


def katex(out):
    dist = HERE / "node_modules" / "katex" / "dist"
    to = out / "katex"
    shutil.copytree(dist / "fonts", to / "fonts", dirs_exist_ok=True, ignore=lambda _, names: [n for n in names if not n.endswith(".woff2")])
    for name in ("katex.min.css", "katex.min.js", "contrib/auto-render.min.js"):
        shutil.copy(dist / name, to / Path(name).name)
    shutil.copy(dist.parent / "LICENSE", to)


def vega(out):
    """One script for the pages with a slider, and the licences of all that is in it."""
    modules = HERE / "node_modules"
    scripts = [modules / n / "build" / f"{n}.min.js" for n in ("vega", "vega-lite", "vega-embed")] + [HERE / "slide.js"]
    to = out / "vega"
    to.mkdir(exist_ok=True)
    (to / "slide.js").write_text("\n;".join(re.sub(r"//# sourceMappingURL=.*", "", s.read_text()) for s in scripts))
    (to / "LICENSE").write_text("\n".join(f"{f.parent.name}\n\n{f.read_text()}" for f in sorted(modules.glob("*/LICENSE*"))
                                          if f.parent.name not in ("katex", "marked")))


if __name__ == "__main__":
    main(sys.argv[1])
