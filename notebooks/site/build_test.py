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
        (self.books / "assignments").mkdir()
        for readme in self.books, self.books / "assignments":
            (readme / "README.md").write_text("# Title\n\nText.\n")
        for name in "quickstart", "frank-wolfe", "theorem-3", "theorem-1", "theorem-2", "untuned":  # the live page leads to them
            self.page(name, new_code_cell("1"), shown(plain="one"))
        (self.books / "live.txt").write_text("quickstart\n")
        (self.books / "site/moved.tsv").write_text("# heading\n00-first\tquickstart\n")
        (self.out / "kernel").mkdir(parents=True)
        (self.out / "kernel" / "index.json").write_text(json.dumps({"tools": {"compile": {"size": 9e6}}, "packages": {
            p: {"size": size, "deps": deps} for p, size, deps in [("runtime", 1e6, []), ("fmt", 5e5, ["runtime", "unsafe"]), ("os", 7e7, [])]}}))
        for name in "live.wasm", "wasm_exec.js":
            (self.out / name).touch()

    def page(self, name, *cells):
        nbformat.write(new_notebook(cells=[new_markdown_cell("# Title\n\nA sentence."), *cells]), self.books / f"{name}.ipynb")

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
        self.assertEqual(re.findall(r'<p [^>]*id="(.*?)"', read), ["figure-1", "figure-3"])
        self.assertNotIn("as SVG", read)  # where there is none

    def test_leads(self):
        self.page("01-leads", new_markdown_cell("`f` is short."), new_code_cell("f"), new_markdown_cell("`g` has an output."), shown(plain="g"),
                  new_markdown_cell("Two.\n\nParagraphs."), new_code_cell("h"), new_markdown_cell("## A title"), new_code_cell("i"))
        self.assertEqual(self.build().returncode, 0)
        self.assertEqual(re.findall(r'"text lead"><p>(.*?)</p>', (self.out / "01-leads.html").read_text()), ["<code>f</code> is short."])

    def test_run(self):
        self.page("quickstart", new_code_cell('import (\n\t"fmt"\n\t"no/such"\n)\n// the package "os"'))
        self.page("01-still", new_code_cell('import "fmt"'))
        self.assertEqual(self.build().returncode, 0)
        self.assertIn('data-imports="fmt runtime" data-size="10.5"', (self.out / "quickstart.html").read_text())
        self.assertNotIn("run.js", (self.out / "01-still.html").read_text())

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
        (self.books / "README.md").write_text("# Title\n\n[a](untuned.ipynb) and [b](frank-wolfe.ipynb#Title), [a](untuned.ipynb)\n")
        self.assertEqual(self.build().returncode, 0)
        self.assertEqual(re.findall(r'rel="next">(.*?) →', "".join((self.out / f"{n}.html").read_text() for n in ("index", "untuned"))), ["untuned", "frank-wolfe"])
        self.assertIn("url=quickstart.html", (self.out / "00-first.html").read_text())
        (self.books / "site/moved.tsv").write_text("# heading\n00-first\tnowhere\n")
        self.assertIn("00-first.html: nowhere.html", self.build().stderr)


if __name__ == "__main__":
    unittest.main()
