"""The site of a small folder of pages: what build.py says where a page was never run, has a slider, or has links
that lead nowhere. `make site-check` runs it."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

HERE = Path(__file__).resolve().parent
PNG = base64.b64encode(next((HERE.parent / "pictures").glob("*.png")).read_bytes()).decode()
SLIDE = {"mark": "point", "title": "</script>"}


def shown(**data):
    data = {{"vega": "application/vnd.vegalite.v5+json", "png": "image/png", "plain": "text/plain", "markdown": "text/markdown"}[k]: v for k, v in data.items()}
    return new_code_cell("show()", outputs=[new_output("display_data", data)])


class Site(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.books, self.out = Path(temp.name) / "notebooks", Path(temp.name) / "_site"
        shutil.copytree(HERE, self.books / "site", ignore=lambda *_: ["node_modules"])
        os.symlink(HERE / "node_modules", self.books / "site" / "node_modules")
        (self.books / "pictures").mkdir()
        (self.books / "pictures" / "theorem-1.png").write_bytes(base64.b64decode(PNG))
        (self.books / "assignments").mkdir()
        shutil.copy(HERE.parent / "assignments" / "variants.py", self.books / "assignments")
        for readme in self.books, self.books / "assignments":
            (readme / "README.md").write_text("# Title\n\nText.\n")
        for name in "quickstart", "benchmarks", "lesson-8-what-to-use", "frank-wolfe", "theorem-3", "theorem-1", "theorem-2", "untuned", "untuned-data":  # the live page and the start page lead to them
            self.page(name, new_code_cell("1"), shown(plain="one"))
        (self.books / "kernel").mkdir()
        shutil.copy(HERE.parent / "kernel" / "reads.py", self.books / "kernel")
        (self.books / "site/moved.tsv").write_text("# heading\n00-first\tquickstart\n")
        (self.out / "kernel").mkdir(parents=True)
        (self.out / "kernel" / "index.json").write_text(json.dumps({"tools": {"compile": {"size": 9e6}}, "packages": {
            p: {"size": size, "deps": deps} for p, size, deps in [("runtime", 1e6, []), ("fmt", 5e5, ["runtime", "unsafe"]), ("os", 7e7, [])]}}))
        for name in "live.wasm.gz", "wasm_exec.js":
            (self.out / name).touch()
        self.api('<h1>fwopt</h1><p><code>import "x/fwopt"</code></p><p>Package fwopt runs. It has methods.</p><h2 id="Run"><small>func</small> Run '
                 '<a class="source" href="https://x/run.go#L1">source</a></h2><p>A run.</p><h2 id="Budget">Budget</h2><span id="Budget.Record"></span>')

    def api(self, body):
        (self.out / "api.json").write_text(json.dumps([{"name": "fwopt", "dir": "fwopt", "command": False, "synopsis": "Package fwopt runs.", "html": body}]))

    def page(self, name, *cells, title="Title", text="A sentence."):
        nbformat.write(new_notebook(cells=[new_markdown_cell(f"# {title}\n\n{text}"), *cells]), self.books / f"{name}.ipynb")

    def build(self):
        return subprocess.run([sys.executable, "-B", self.books / "site" / "build.py", self.out], capture_output=True, text=True)

    def test_shown(self):
        self.page("01-never", new_code_cell("1"), new_code_cell("2"))
        self.page("03-slide", shown(vega=SLIDE, png=PNG, plain="a picture"))
        self.page("04-without", shown(vega=SLIDE, plain="a picture in words"))
        folded = new_code_cell("3", metadata={"jupyter": {"source_hidden": True}})
        self.page("05-table", folded, shown(markdown="| a | b |\n|:--|--:|\n| 4 / 0.163 / 0.753 | 8.05 (7.7 to 8.38) / 75, a text of more than a few words |\n"))
        done = self.build()
        self.assertEqual(done.returncode, 0, done.stderr)
        read = {f.stem: f.read_text() for f in self.out.glob("*.html")}
        self.assertEqual([n for n in read if "has not been run yet" in read[n]], ["01-never"])
        self.assertEqual([n for n in read if "vega/slide.js" in read[n]], ["03-slide"])
        slide = read["03-slide"][read["03-slide"].index('<div class="slide">'):]
        self.assertRegex(slide, r'(?s)<img [^>]*src="figures/.*class="still">.*"\\u003c/script>".*</script></div>')
        self.assertIn("a picture in words", read["04-without"])
        self.assertEqual([read["05-table"].count(tag) for tag in ('class="short"', "<details>", "<details open")], [1, 1, 1])
        self.assertIn('<td style="--letters: 56; text-align:right">8.05 (7.7\u00a0to\u00a08.38)\u00a0/ 75, a text', read["05-table"])
        self.assertIn("Redistribution", (self.out / "vega" / "LICENSE").read_text())

    def test_figures(self):
        figure = shown(png=PNG).outputs[0]
        self.page("01-figures", shown(png=PNG), new_markdown_cell("**Figure 1.** The first."), shown(png=PNG), new_markdown_cell("Not **Figure 2.** yet."),
                  new_code_cell("two()", outputs=[figure, figure]), new_markdown_cell("**Figure 3.** Two."))
        done = self.build()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(f.name for f in (self.out / "figures").iterdir()), ["01-figures-figure-1.png", "01-figures-figure-3a.png", "01-figures-figure-3b.png", "01-figures_3_0.png"])
        read = (self.out / "01-figures.html").read_text()
        self.assertEqual(re.findall(r'<p [^>]*id="(figure.*?)"', read), ["figure-1", "figure-3"])
        self.assertNotIn("as SVG", read)  # where there is none
        self.assertRegex(read, r'(?s)</h1>\s*<a class="opens" href="#figure-1"><img [^>]*src="figures/01-figures-figure-1.png".*<p>A sentence')

    def test_lesson(self):  # its figure that moves comes before the numbers
        for name in "lesson-9-last", "01-first":
            self.page(name, shown(vega=SLIDE, png=PNG), new_markdown_cell("**Figure 1.** A line.\n\nMore."), text="A sentence.\n\n| number |\n|---|\n| sixty |")
        self.assertEqual(self.build().returncode, 0)
        order = [re.findall(r'A sentence|class="opens"|class="slide"|A line|sixty|More', re.sub('alt="[^"]*"', "", (self.out / f"{n}.html").read_text().split("<main")[1])) for n in ("lesson-9-last", "01-first")]
        self.assertEqual(order, [["A sentence", 'class="slide"', "A line", "sixty", "More"], ['class="opens"', "A sentence", "sixty", 'class="slide"', "A line", "More"]])

    def test_leads(self):
        self.page("01-leads", new_markdown_cell("`f` is short."), new_code_cell("f"), new_markdown_cell("`g` has an output."), shown(plain="g"),
                  new_markdown_cell("Two.\n\nParagraphs."), new_code_cell("h"), new_markdown_cell("## A title"), new_code_cell("i"))
        self.assertEqual(self.build().returncode, 0)
        self.assertEqual(re.findall(r'"text lead"><p>(.*?)</p>', (self.out / "01-leads.html").read_text()), ["<code>f</code> is short."])

    def test_run(self):
        self.page("quickstart", new_code_cell('import (\n\t"fmt"\n\t"no/such"\n)\n// the package "os"'))
        for name in "quickstart.csv", "runs/own.csv", "../data/a.csv":
            file = self.books / name
            file.parent.mkdir(exist_ok=True)
            file.write_text("1")
        self.page("01-reads", new_code_cell('read("quickstart.csv", "../data/", "runs/own.csv", "none.csv")'))
        self.assertEqual(self.build().returncode, 0)
        self.assertIn('data-imports="fmt runtime" data-size="10.5"', (self.out / "quickstart.html").read_text())
        self.assertIn('data-files="../data/a.csv quickstart.csv"', (self.out / "01-reads.html").read_text())
        self.assertEqual((self.out / "data" / "a.csv").read_text(), "1")

    def test_variants(self):
        sheet = self.books / "assignments" / "source" / "ps9" / "ps9.ipynb"
        sheet.parent.mkdir(parents=True)
        nbformat.write(new_notebook(cells=[new_markdown_cell("# Set 9\n\nIt <!-- BEGIN VARIANT x -->asks<!-- OR hides END VARIANT -->.")]), sheet)
        self.assertEqual(self.build().returncode, 0)
        self.assertIn("It asks.", (self.out / "ps9.html").read_text())
        self.assertNotIn("run.js", (self.out / "ps9.html").read_text())
        self.assertNotIn("hides", (self.out / "ps9.html").read_text())

    def test_links(self):
        links = {"99-none.ipynb": "notebooks/01-links.ipynb: 99-none.ipynb",
                 "../fwopt/none.go": "notebooks/01-links.ipynb: ../fwopt/none.go",
                 "pictures/none.png": "01-links.html: pictures/none.png",
                 "quickstart.ipynb#None": "01-links.html: quickstart.html#None (no such heading)"}
        self.page("01-links", new_markdown_cell(" ".join(f"[link]({to})" for to in links) + " [link](quickstart.ipynb#Title)"))
        done = self.build()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sorted(done.stderr.strip().split("\n  ")[1:]), sorted(links.values()))

    def test_order(self):
        (self.books / "README.md").write_text("# Title\n\n[z](quickstart.ipynb)\n\n## Learn\n\n- [a](untuned.ipynb), [c](theorem-3.ipynb)\n- [b](frank-wolfe.ipynb#The-page-frank-wolfe), [a](untuned.ipynb)\n\n"
                                              "## Use: all\n\n- [d](theorem-2.ipynb), [e](../README.md), [f](none.ipynb)\n\n### Behind\n\n- [lemma-1](lemma-1.ipynb)\n\n## Teach\n\n- [g](assignments/plan.md)\n")
        self.page("lemma-1", title="A [lemma]")
        self.page("lesson-1-it", title="It")
        (self.books / "assignments" / "plan.md").write_text("# A plan\n\nOf hours.\n")
        for name in "untuned", "frank-wolfe", "theorem-3", "theorem-2":
            self.page(name, shown(plain="one"), title=f"The page {name}")
        self.assertIn("README.md: none.ipynb", self.build().stderr)
        (self.out / "api.json").write_text("[]")
        (self.books / "README.md").write_text((self.books / "README.md").read_text().replace(", [f](none.ipynb)", "").replace(", [e](../README.md)", ""))
        done = self.build()
        self.assertEqual(done.returncode, 0, done.stderr)
        read = (self.out / "untuned.html").read_text()
        self.assertEqual(re.findall(r'rel="next">(.*?) →', "".join((self.out / f"{n}.html").read_text() for n in ("index", "untuned", "frank-wolfe"))),
                         ["The page untuned", "The page frank-wolfe", "The page theorem-3"])
        menu = {door: re.findall(r'href="(.*?)\.html"', rest) for door, rest in re.findall(r'(?s)<section aria-label="(\w+)">(.*?)</section>', read)}
        self.assertEqual(menu, {"Learn": ["untuned", "frank-wolfe", "theorem-3"], "Use": ["theorem-2", "lemma-1", "live", "api"], "Teach": ["plan", "course"], "More": ["benchmarks", "lesson-1-it", "lesson-8-what-to-use", "quickstart", "theorem-1", "untuned-data"]})
        self.assertIn('<a aria-current="page" href="untuned.html">The page untuned</a>', read)
        self.assertIn('<i>Behind</i>\n<a href="lemma-1.html">A [lemma]</a>', read)
        self.assertIn('<a href="lesson-1-it.html">Lesson 1: It</a>', read)
        front = (self.out / "index.html").read_text()
        self.assertIn('<li><a href="lemma-1.html">A [lemma]</a></li>', front)
        self.assertEqual(re.findall(r'<li><a href="(\S+)"><b>(\w+)</b>', front), [("untuned.html", "Learn"), ("lesson-8-what-to-use.html", "Use"), ("plan.html", "Teach")])
        self.assertEqual([front.count(tag) for tag in ("<h1", 'id="chart"', "{MB}")], [1, 1, 0])
        self.assertIn("url=quickstart.html", (self.out / "00-first.html").read_text())
        (self.books / "site/moved.tsv").write_text("# heading\n00-first\tnowhere\n")
        (self.out / "api.json").write_text("[]")
        self.assertIn("00-first.html: nowhere.html", self.build().stderr)

    def test_head(self):
        text = "[all pages](README.md) · [next: it](quickstart.ipynb)\n\n> A quotation.\n\n**Verdict.** With $m_k=k$ and \"one\" term, say $\\frac1\\epsilon$ of them, it ends. More."
        self.page("01-head", new_markdown_cell(text + "\n\n## The $D_t\\le D$\n\nText of `the` $\\nabla f$.\n\n## Two *words*"), new_code_cell("hidden()"), title="What $800N_t/\\epsilon^2$ *is*", text="")
        self.page("02-one", new_markdown_cell("## One"))
        shutil.copy(self.books / "pictures/theorem-1.png", self.books / "pictures/01-head.png")
        done = self.build()
        self.assertEqual(done.returncode, 0, done.stderr)
        read = (self.out / "01-head.html").read_text()
        self.assertIn("<title>What 800Nₜ/ε² is · fwlab</title>", read)
        said = {m.get("name") or m.get("property"): m["content"] for m in BeautifulSoup(read, "html.parser").select("meta[content]")}
        about = 'With mₖ=k and "one" term, say 1/ε of them, it ends.'
        for name, what in {"description": about, "og:description": about, "og:title": "What 800Nₜ/ε² is", "og:url": "https://projection-free.github.io/fwlab/01-head.html",
                           "og:image": "https://projection-free.github.io/fwlab/pictures/01-head.png"}.items():
            self.assertEqual(said[name], what)
        self.assertIn("pictures/theorem-1.png", (self.out / "02-one.html").read_text())
        contents = [re.findall(r'class="contents".*?</nav>', (self.out / f"{n}.html").read_text(), re.S) for n in ("01-head", "02-one")]
        self.assertEqual(re.findall(r'<a href="#.*?">(.*?)</a>', contents[0][0]), ["The Dₜ≤D", "Two words"])
        self.assertEqual(contents[1], [])
        pages = json.loads((self.out / "search.js").read_text().split("\n")[0].removeprefix("const pages = ").removesuffix(";"))
        said = next(p for n, _, p in pages if n == "01-head")
        self.assertEqual([h for _, h, _ in said], ["What 800Nₜ/ε² is", "The Dₜ≤D", "Two words"])
        self.assertEqual(said[1][2], "Text of the ∇f.")
        self.assertNotIn("hidden()", json.dumps(pages))
        (self.out / "api.json").write_text("[]")
        self.page("01-head", title="A $\\mystery{x}$")
        self.assertIn("TeX in the title", self.build().stderr)

    def test_api(self):
        self.page("01-api", new_markdown_cell("`fwopt.Run(o)`, `fwopt.Budget.Record`, `fwopt.Budget.None` and `fwopt.None`"), new_code_cell("x := fwopt.Run(fwopt.None)"))
        done = self.build()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r'class="declared" href="(.*?)"', (self.out / "01-api.html").read_text()),
                         [f"api-fwopt.html#{n}" for n in ("Run", "Budget.Record", "Budget", "Run")])
        self.assertFalse((self.out / "api.json").exists())
        read = (self.out / "api-fwopt.html").read_text()
        self.assertIn('content="Package fwopt runs."', read)
        self.assertEqual(re.findall(r'<a href="#(\w+)">(\w+)</a>', read), [("Run", "Run"), ("Budget", "Budget")])
        self.assertIn('["Run","Run","A run."]', (self.out / "search.js").read_text())
        self.api('<h1>fwopt</h1><p>See <a href="#None">it</a>.</p>')
        self.assertIn("api-fwopt.html: #None (no such heading)", self.build().stderr)


if __name__ == "__main__":
    unittest.main()
