"""Renders the pages and the sheets of the course as a site of plain files. `make site` runs it.

    build.py OUT    with KaTeX in node_modules, and live.wasm and wasm_exec.js in OUT already

Nothing is run and nothing comes from the network: what a page shows is what its notebook keeps.
"""
import html
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


def main(out):
    out = Path(out)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    pages = [Page(p) for p in sorted(BOOKS.glob("[0-9]*.ipynb"))]
    sheets = [Page(p, sheet=True) for p in sorted(BOOKS.glob("assignments/source/*/*.ipynb"))]
    index = Page(BOOKS / "README.md", "index")
    course = Page(BOOKS / "assignments" / "README.md", "course")
    live = Page(HERE / "live" / "live.html", "live")
    links = Links([index, live, course, *pages, *sheets])

    exporter = HTMLExporter(template_file=str(HERE / "page.html.j2"), config=Config({
        "HTMLExporter": {"preprocessors": [Figures], "exclude_input_prompt": True, "exclude_output_prompt": True}}))
    for walk in [index, *pages], [course, *sheets], [live]:  # each from its first page to its last
        for before, page, after in zip([None, *walk], walk, [*walk[1:], None]):
            body, made = exporter.from_notebook_node(page.book(links), {
                "output_files_dir": "figures", "unique_key": page.name, "page": page, "pages": pages, "sheets": sheets,
                "before": before, "after": after, "source": SOURCE + str(page.path.relative_to(REPO))})
            (out / f"{page.name}.html").write_text(body)
            for name, data in made["outputs"].items():
                (out / name).write_bytes(data)

    shutil.copytree(BOOKS / "pictures", out / "pictures", dirs_exist_ok=True)
    katex(out)
    for name in "style.css", "page.js", "live/live.js", "live/worker.js":
        shutil.copy(HERE / name, out)
    (out / ".nojekyll").touch()  # GitHub leaves the files as they are
    faults = links.faults + broken(out)
    if faults:
        sys.exit("fwlab: the site has links that lead nowhere:\n  " + "\n  ".join(faults))
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"fwlab: {len(list(out.glob('*.html')))} pages, {size / 1e6:.1f} MB in {out}")


def welcome():
    """The lines that the index has and the folder's README has not."""
    return ("fwlab makes the paper [Variance-Reduced and Projection-Free Stochastic Optimization]"
            "(https://arxiv.org/abs/1602.02101) (Hazan and Luo, ICML 2016) into something one can run, read and "
            "teach from: a Go package and the pages below. [**Try it here**](site/live/live.html), in the browser and without "
            f"an installation, or read how to [install it]({SOURCE}README.md).\n")


class Page:
    """A notebook, a Markdown file or a piece of HTML, and how it is called on the site."""

    def __init__(self, path, name=None, sheet=False):
        self.path, self.name, self.sheet, self.run = path, name or path.stem, sheet, True
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
        for cell in cells:
            if cell.cell_type == "markdown":
                cell.source = lead = links.rewrite(cell.source, self.path)
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/markdown" in data:
                    data["text/markdown"] = links.rewrite(data["text/markdown"], self.path)
                if FIGURES & set(data):
                    output.metadata["alt"] = words(lead)
        return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "go", "pygments_lexer": "go"}})


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


def broken(out):
    """Links between the pages of the site to what is not there."""
    ids, faults = {}, []
    soups = {p.name: BeautifulSoup(p.read_text(), "html.parser") for p in sorted(out.glob("*.html"))}
    for name, soup in soups.items():
        ids[name] = {e["id"] for e in soup.select("[id]")}
    for name, soup in soups.items():
        for element in soup.select("[href], [src]"):
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


if __name__ == "__main__":
    main(sys.argv[1])
