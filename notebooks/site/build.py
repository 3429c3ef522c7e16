"""Renders the pages and the sheets of the course as a site of plain files. `make site` runs it.

    build.py OUT    with KaTeX, Vega and marked in node_modules, and live.wasm.gz, wasm_exec.js, api.json and the folder kernel in OUT already

Nothing is run and nothing comes from the network: what a page shows is what its notebook keeps.
"""
import html
import json
import re
import shutil
import sys
import unicodedata
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
sys.path += [str(BOOKS / "assignments"), str(BOOKS / "kernel")]
import variants  # noqa: E402
from reads import reads  # noqa: E402
REPO = BOOKS.parent
SOURCE = "https://github.com/projection-free/fwlab/blob/main/"
FIGURES = {"image/png", "image/svg+xml"}
CAPTION = re.compile(r"\*\*Figure (\w+)\.\*\*")
HOST, BASE = "https://projection-free.github.io", "/fwlab/"  # where the site is published, with a JupyterLite in lite/
LITE = f"{HOST}{BASE}lite/lab/index.html"
HERO = "theorem-1"  # the picture of a page that has none
SLIDE = "application/vnd.vegalite.v5+json"
DOORS = "Learn", "Use", "Research", "Teach"


def main(out):
    out = Path(out)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    api = json.loads((out / "api.json").read_text())
    (out / "api.json").unlink()
    menu = {door: [Page(path, under=under) for path, under in some] for door, some in listed().items()}
    index, none = Page(BOOKS / "README.md", "index", front()), Page(HERE / "404.html")
    live = Page(HERE / "live" / "live.html", text=raced((HERE / "live" / "live.html").read_text(), out))
    packages = [Page(HERE / "api", "api", overview(api)), *(Page(REPO / p["dir"], f"api-{p['name']}", p["html"], p["synopsis"]) for p in api)]
    teach, pages = menu["Teach"], [p for door in menu for p in menu[door]]
    menu["Use"] += [live, packages[0]]
    index.cells = [nbformat.v4.new_markdown_cell(front()), nbformat.v4.new_raw_cell(raced(doors(menu), out)),
                   nbformat.v4.new_markdown_cell(titled(index.path.read_text().replace("# ", "## ", 1), pages))]
    links = Links([index, live, none, *packages, *pages])
    kernel = json.loads((out / "kernel" / "index.json").read_text())
    for page in pages:
        if page.path.suffix != ".ipynb" or page.sheet:
            continue
        page.brings = brought(page.cells, kernel)
        for file in page.brings[2]:  # out/files/../bench is out/bench, as fetch of files/../bench reads
            (out / "files" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(BOOKS / file, out / "files" / file)

    where = {f"{p['name']}.{name}": f"api-{p['name']}.html#{name}" for p in api for name in re.findall(r' id="([A-Z][\w.]*)"', p["html"])}
    exporter = HTMLExporter(template_file=str(HERE / "page.html.j2"), filters={"to_source": to_source(where), "short": short}, config=Config({
        "HTMLExporter": {"preprocessors": [Figures], "exclude_input_prompt": True, "exclude_output_prompt": True}}))
    for walk in [index, *(p for p in pages if p not in teach)], teach, [live], [none], packages:  # each from its first page to its last
        for before, page, after in zip([None, *walk], walk, [*walk[1:], None]):
            body, made = exporter.from_notebook_node(page.book(links), {
                "output_files_dir": "figures", "unique_key": page.name, "page": page, "menu": [(d, some) for d, some in menu.items() if some],
                "before": before, "after": after, "base": page is none and BASE, "source": SOURCE + str(page.path.relative_to(REPO)), "lite": LITE})
            (out / f"{page.name}.html").write_text(opened(page, body).replace("<!--contents-->", contents(body), 1))
            for name, data in made["outputs"].items():
                (out / name).write_bytes(data)
            if re.search(r"[$\\]", page.plain):
                links.faults.append(f"{page.path.relative_to(REPO)}: TeX in the title: {page.plain}")

    moved = [line.split("\t") for line in (HERE / "moved.tsv").read_text().splitlines()[1:]]
    for was, now in moved:
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
    soups = {p.name: BeautifulSoup(p.read_text(), "html.parser") for p in sorted(out.glob("*.html"))}
    faults = links.faults + broken(out, soups)
    if faults:
        sys.exit("fwlab: the site has links that lead nowhere, or titles that cannot be:\n  " + "\n  ".join(faults))
    found = [[p.name, p.plain, sections(soups[f"{p.name}.html"], p.plain)] for p in [index, *pages, live, *packages]]
    (out / "search.js").write_text(f"const pages = {json.dumps(found, ensure_ascii=False, separators=(',', ':'))};\n{(HERE / 'search.js').read_text()}")
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"fwlab: {len(soups) - len(moved)} pages, {size / 1e6:.1f} MB in {out}")


def listed():
    """The files below each door in the folder's README, each with the heading there: first what its lines begin with, then what they
    name besides, and at the end what it does not name."""
    found, at, door, under = {door: [] for door in (*DOORS, "More")}, [], "", ""
    for line in (BOOKS / "README.md").read_text().splitlines():
        if heading := re.match(r"##(#*) ((\w*).*)", line):
            door, under = (door, heading[2]) if heading[1] else (heading[3], "")
        if door in DOORS:
            at += [(min(i, 1), door, name, under) for i, name in enumerate(re.findall(r"\]\(([\w./-]+\.(?:ipynb|md))[#)]", line))]
    at.append((2, "Teach", "assignments/README.md", ""))
    at += [(2, door, p.relative_to(BOOKS), "") for door, glob in (("Teach", "assignments/source/*/*.ipynb"), ("More", "*.ipynb")) for p in sorted(BOOKS.glob(glob))]
    seen = {BOOKS / "README.md"}
    for _, door, name, under in sorted(at, key=lambda one: one[0]):
        path = (BOOKS / name).resolve()
        if path not in seen and path.exists() and path.is_relative_to(BOOKS):
            found[door].append((path, under))
            seen.add(path)
    return found


def front():
    """What the first page has above the folder's README."""
    return ("# Variance-reduced, projection-free optimisation\n\n"
            "fwlab turns the paper [Variance-Reduced and Projection-Free Stochastic Optimization](https://arxiv.org/abs/1602.02101) "
            "(Hazan and Luo, ICML 2016) into code you can run, read and teach from: a Go package, and notebooks with figures.\n")


def doors(menu):
    """The four doors, and the race below them."""
    say = {"Learn": "Eight lessons in order, each with a figure that moves.", "Use": "What to use when, a quick start, recipes for real tasks, and the API.",
           "Research": "The paper’s claims, measured, and what is proven beyond it.", "Teach": "Lectures, problem sets with hidden checks, an exam and a project."}
    to = {"Use": "lesson-8-what-to-use.html"}
    items = "".join(f'<li><a href="{to.get(d) or menu[d][0].name + ".html"}"><b>{d}</b> <span>{say[d]}</span></a></li>' for d in DOORS if menu[d])
    return (f'<nav aria-label="four doors"><ul class="doors">{items}</ul></nav>\n<p>Below, five methods fit 1,797 handwritten digits in your browser. '
            'Down is better, left is cheaper. <a href="live.html#the-methods">What you see</a></p>\n<!--race-->\n'
            '<p><i>Projection-free</i>: the task is to find the best point of a convex set, by asking the set for nothing but its best corner in a '
            'direction. On problems built to show them the paper’s orders hold: half the gap costs SVRF 4 times the samples, where plain SFW pays 8; on these digits twice. But methods '
            'that do project are often faster, for an ℓ1 logistic regression scikit-learn is (<a href="benchmarks.html">measured</a>), and against tuned rivals STORC without constants needs the fewest gradients on only 2 of 36 problems '
            '(<a href="untuned-data.html">where it loses</a>).</p>\n'
            f'<p><a href="{SOURCE}README.md">Install it</a>, or open <a href="{LITE}">a JupyterLab in the browser</a>, with Go in it.</p>')


def titled(text, pages):
    """The list of pages, which calls them by their files' names, by their titles."""
    titles = {p.name: re.sub(r"([|\[\]])", r"\\\1", p.plain) for p in pages}
    return re.sub(r"\[([\w-]+)\](?=\(\1\.ipynb\))", lambda m: f"[{titles.get(m[1], m[1])}]", text)


def raced(page, out):
    """A page with the race in it."""
    race = (HERE / "live" / "race.html").read_text()
    return page.replace("<!--race-->", race.replace("{MB}", f"{(out / 'live.wasm.gz').stat().st_size / 1e6:.1f}"))


def overview(api):
    """The page that leads to the packages."""
    rows = ["".join(f'<tr><td><a href="api-{p["name"]}.html">{p["name"]}</a></td><td>{html.escape(p["synopsis"])}</td></tr>\n' for p in api if p["command"] == c)
            for c in (False, True)]
    return ("<h1>The API</h1>\n<p>What each package exports, with examples, made from the sources of this version.</p>\n"
            f'<div class="table"><table><tbody>\n{rows[0]}</tbody></table></div>\n<h2 id="commands">Commands</h2>\n<div class="table"><table><tbody>\n{rows[1]}</tbody></table></div>\n')


SIGNS = {"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "ll": "≪", "gg": "≫", "sim": "~", "approx": "≈", "gtrsim": "≳", "lesssim": "≲", "pm": "±", "nabla": "∇",
         "partial": "∂", "ell": "ℓ", "cdot": "·", "times": "×", "to": "→", "infty": "∞", "in": "∈", "setminus": "∖", "sum": "Σ", "sqrt": "√", "|": "‖", "Vert": "‖", "lVert": "‖",
         "rVert": "‖", "lvert": "|", "rvert": "|", "langle": "⟨", "rangle": "⟩", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "ldots": "…", "dots": "…", "star": "*",
         "top": "ᵀ", "colon": ":", "blacksquare": "", ",": " ", ";": " ", "!": "", "quad": " ", "qquad": " ", "tag": " ", "{": "{", "}": "}",
         **{name: name for name in ("ln", "log", "min", "max", "argmin", "cos", "sin", "exp")}}
SMALL = {"^": str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ"), "_": str.maketrans("0123456789+-−aeijkmnpstx", "₀₁₂₃₄₅₆₇₈₉₊₋₋ₐₑᵢⱼₖₘₙₚₛₜₓ")}


def plain(text):
    """A text with its formulas in letters; what cannot be remains TeX."""
    def sign(m):
        greek = f"GREEK {'CAPITAL' if m[1][0].isupper() else 'SMALL'} LETTER {m[1].replace('var', '').upper()}"
        try:
            return SIGNS[m[1]] if m[1] in SIGNS else unicodedata.lookup(greek.replace("LAMBDA", "LAMDA"))
        except KeyError:
            return m[0]

    def small(m):
        inner = m[2].strip("{}")
        moved = inner.translate(SMALL[m[1]])
        if all(ord(c) > 127 for c in moved):
            return moved
        return inner if m[1] == "^" and len(inner) == 1 else f"{m[1]}({inner})" if re.search("[-+]", inner) else m[1] + inner

    def over(m):
        return "/".join(f"({x})" if re.search(r"[^\\][-+]|\s", x) else x for x in (m[1].strip("{}"), m[2].strip("{}")))

    def formula(m):
        group = r"(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|\w)"
        tex = re.sub(r"\\(?:(?:text|math|operator)\w+|text|tilde|hat|bar|left|right|[bB]ig+[lr]?)(?![A-Za-z])|\\(?:begin|end)\{\w+\}|\\\\|&", " ", m[1])
        tex = re.sub(rf"\\[dt]?frac\s*{group}\s*{group}", over, tex)
        tex = re.sub(r"\\([A-Za-z]+|[|,;!{}]) ?", sign, re.sub(r"\s+", " ", tex))
        return re.sub(r"[{}]", "", re.sub(r"([\^_]) ?(\{[^{}]*\}|[^\s{}])", small, tex))
    return re.sub(r"\s+", " ", re.sub(r"\$\$?([^$]+)\$\$?", formula, text)).strip()


class Page:
    """A notebook, a Markdown file or a piece of HTML, and how it is called on the site."""

    def __init__(self, path, name=None, text=None, about=None, under=""):
        course = path == BOOKS / "assignments" / "README.md"
        self.path, self.name, self.run, self.slides, self.brings = path, name or ("course" if course else path.stem), True, False, None
        self.sheet = path.parent.parent == BOOKS / "assignments" / "source"
        if path.suffix == ".ipynb":
            self.cells = variants.choose(nbformat.read(path, 4), {}).cells
        else:
            text = path.read_text() if text is None else text
            self.cells = [(nbformat.v4.new_markdown_cell if text.startswith("# ") else nbformat.v4.new_raw_cell)(text)]
        title = re.search(r"(?:^# |<h1>)(.*?)(?:</h1>)?$", self.cells[0].source, re.M)[1]
        lesson = re.match(r"lesson-(\d+)", self.name)
        self.plain = (f"Lesson {lesson[1]}: " if lesson else "") + plain(BeautifulSoup(markdown2html(title), "html.parser").get_text())
        self.about, self.under = about, under
        if not about:
            self.about = f"{self.plain}. A sheet of the course, in Go, with hidden checks." if self.sheet else first(self.cells)
        self.url = f"{HOST}{BASE}{'' if self.name == 'index' else f'{self.name}.html'}"
        pictures = [p for p in (BOOKS / "pictures" / f"{n}.png" for n in (self.name, HERO)) if p.exists()]
        self.picture = pictures and f"{HOST}{BASE}pictures/{pictures[0].name}"

    def book(self, links):
        """The notebook for the site; it changes the cells, and can be asked for once."""
        cells = self.cells
        if self.sheet:
            cells = [c for c in map(statement, cells) if c]
        elif self.path.suffix == ".ipynb":
            self.run = any(c.get("outputs") for c in cells)
        lead = self.plain
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


def first(cells):
    """The first sentence of a page: of its verdict, or else of no statement, caption or line of links."""
    found = [""]
    for cell in cells:
        if cell.cell_type == "code":
            continue
        soup = BeautifulSoup(markdown2html(re.sub(r"!\[", "[", cell.source)) if cell.cell_type == "markdown" else cell.source, "html.parser")
        for p in soup.find_all("p"):
            label, _, text = re.match(r"((Verdict|Statement|Question|Figure)\b.*?(?:\.\s|$))?(.*)", p.get_text().strip(), re.S).groups()
            own = "".join(c.get_text() for c in p.children if c.name not in ("a", "code"))
            if re.search(r"\w{2}", own) and not p.find_parent(["blockquote", "noscript", "table", "form"]) and (not label or label.startswith("Verdict")):
                found.insert(0 if label else len(found), re.split(r"(?<=[\w)][.!?])\s+(?=[A-Z“\"])", plain(text))[0])
    return next(filter(None, found), "")


def brought(cells, kernel):
    """What a page imports, the megabytes that the kernel brings for it, and the files that its cells read."""
    code, packages = "\n".join(c.source for c in cells if c.cell_type == "code"), kernel["packages"]
    paths = sorted({p for p in re.findall(r'^(?:import |\t)(?:\w+ )?"([\w./-]+)"$', code, re.M) if p in packages} | {"runtime"})
    whole = {d for p in paths for d in [p, *packages[p]["deps"]] if d in packages}
    size = sum(t["size"] for t in kernel["tools"].values()) + sum(packages[p]["size"] for p in whole)
    return paths, f"{size / 1e6:.1f}", reads(cells, BOOKS)


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
    """Whether a cell is but a line on what the code after it is for: small where that code is folded."""
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


def to_source(where):
    """A filter that links "package.Name", in the code of text and of cells, to the API."""
    text = re.compile(r"(<code>)((fw\w+)\.([A-Z]\w*)(\.[A-Z]\w*)?)(?=[^<]*</code>)")
    cell = re.compile(r'(<span class="\w+">(fw\w+)</span><span class="p">\.</span>)(<span class="\w+">([A-Z]\w*)</span>)')

    def link(before, shown, package, name, member=""):
        to = where.get(f"{package}.{name}{member or ''}") or where.get(f"{package}.{name}")
        return before + (f'<a class="declared" href="{to}">{shown}</a>' if to else shown)

    def page(body):
        body = text.sub(lambda m: link(m[1], m[2], m[3], m[4], m[5]), body)
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
    table = re.sub(r"<(td|th)( style[^>]*)?>(?=[\d\s/.,e+−–-]{1,26}</)", r'<\1 class="short"\2>', table)
    return re.sub(r"(?<=\de)-(?=\d)", "-\u2060", table)  # no break within 5.7e-05


def opened(page, body):
    """The page with a figure in its first window: its first one is under the title, small, too; where a lesson begins with
    a figure that moves, what is above it is short, and the card's numbers are below."""
    body = re.sub(r'(<img [^>]*height="(\d+)"(?:(?!<img|class="caption").)*)(?=class="caption")', lambda m: f'{m[1]}style="--high: {m[2]}px" ', body, flags=re.S)
    body = re.sub(r'<p>(?=<a href="index.html">all pages</a>)', f"<p>Lesson {page.name[7]} · " if page.name.startswith("lesson-") else "<p>", body, count=1)
    figure, caption = re.search(r'<a class="figure".*?</a>', body, re.S), re.search(r'<p [^>]*class="caption" id="([^"]+)".*?</p>', body, re.S)
    if page.path.suffix != ".ipynb" or page.sheet or not figure or not caption:
        return body
    if not page.slides or not page.name.startswith("lesson-"):
        small = re.sub(r'class="figure" href="[^"]*"( title="[^"]*")?', f'class="opens" href="#{caption[1]}"', figure[0]).replace(' loading="lazy"', "")
        return re.sub(r'<h1.*?</h1>\s*(<p><a href="index.html">.*?</p>)?', lambda m: f"{m[0]}\n{small}", body, count=1, flags=re.S)
    card = re.search(r"<table.*?</table>", body, re.S)
    if card and card.end() < figure.start():
        body = body[:card.start()] + body[card.end():caption.end()] + card[0] + body[caption.end():]
    return body


def contents(body):
    """The headings of a page, to go to."""
    heads = re.findall(r'<h2 id="([^"]+)"[^>]*>(.*?)</h2>', body, re.S)
    if len(heads) < 2:
        return ""
    lines = [(to, html.unescape(re.sub(r"<(a|small)\b.*?</\1>|<[^>]*>", "", head))) for to, head in heads]
    return ('<details class="contents"><summary>on this page</summary><nav aria-label="on this page">\n'
            + "".join(f'<a href="#{to}">{html.escape(plain(head))}</a>\n' for to, head in lines) + "</nav></details>")


def sections(soup, title):
    """The text of a page, without its code and outputs, for the search: a heading's address, the heading and the text below it."""
    found, main = [], soup.main
    for e in main.select("section.code, pre, form, script, noscript, #counts, .never, .anchor-link, .source, small"):
        e.decompose()
    for e in main.find_all(["p", "li", "td", "th", "h1", "h2", "h3", "h4"]):
        e.insert_after(" ")
        if e.name in ("h1", "h2", "h3"):
            found.append([e.get("id", ""), title if e.name == "h1" else plain(e.get_text()), ""])
            e.replace_with("\x00")
    for text, one in zip(main.get_text().split("\x00")[1:], found):
        one[2] = plain(text).replace("\\", "")
    return found


def broken(out, soups):
    """Links between the pages of the site to what is not there."""
    ids, faults = {}, []
    for name, soup in soups.items():
        ids[name] = {e["id"] for e in soup.select("[id]")}
        for picture in soup.select("meta[property='og:image']"):
            if not (out / picture["content"].removeprefix(HOST + BASE)).exists():
                faults.append(f"{name}: {picture['content']}")
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


def moving():
    """One script for figures with a slider."""
    scripts = [HERE / "node_modules" / n / "build" / f"{n}.min.js" for n in ("vega", "vega-lite", "vega-embed")] + [HERE / "slide.js"]
    return "\n;".join(re.sub(r"//# sourceMappingURL=.*", "", s.read_text()) for s in scripts)


def licences():
    """The licences of all that is in it, and of KaTeX."""
    return "\n".join(f"{f.parent.name}\n\n{f.read_text()}" for f in sorted((HERE / "node_modules").glob("*/LICENSE*")) if f.parent.name != "marked")


def vega(out):
    to = out / "vega"
    to.mkdir(exist_ok=True)
    (to / "slide.js").write_text(moving())
    (to / "LICENSE").write_text(licences())


if __name__ == "__main__":
    main(sys.argv[1])
