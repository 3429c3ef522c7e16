"""What nbgrader grades Go with: a reader that no file can stop, and the judge (fwgrade/) in place of a kernel."""

import base64
import binascii
import copy
import functools
import hashlib
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.parse

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import v4
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor

import variants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = next(p for p in HERE.parents if (p / "go.mod").exists())
JUDGE = pathlib.Path(sys.prefix) / "bin" / "fwgrade"
SECRET = HERE / "gradebook.db.secret"  # what the random numbers of grades come from

FILE_LIMIT = 100_000_000  # bytes, outputs and all
CELL_LIMIT = 250_000  # characters
OWN_LIMIT = 500  # cells that are not the sheet's
PRINT_LIMIT = 10_000  # characters of a cell
PICTURE_LIMIT = 20_000_000  # characters of base64, in all

MARKS = "grade", "solution", "locked", "points"  # of nbgrader's metadata


class Unusable(Exception):
    """Why a file cannot be graded."""


def sheet(step, assignment, notebook):
    return nbformat.read(HERE / step / assignment / f"{notebook}.ipynb", as_version=4)


def tasks(name):
    """The cells of a sheet that are graded, with the heading that they stand under and their points.

    Where several stand under one heading, their own names tell them apart.
    """
    heading, found = "", {}
    for cell in sheet("chosen", name, name).cells:
        mark = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and not mark:
            for line in re.findall(r"^##+ (.+)$", cell.source, re.MULTILINE):
                heading = re.sub(r" \([^()]*\)$", "", line)
        if mark.get("grade"):
            found[mark.grade_id] = heading, mark.points
    several = [h for h, _ in found.values()]
    return {
        i: (h + (f": {i.removeprefix(name + '-').removesuffix('-check')}" if several.count(h) > 1 else ""), points)
        for i, (h, points) in found.items()
    }


def key(file, assignment, notebook):
    """What a grade is of: this file, by this sheet."""
    h = hashlib.sha256((HERE / "chosen" / assignment / f"{notebook}.ipynb").read_bytes())
    if not unusable(file):
        with open(file, "rb") as f:
            for block in iter(lambda: f.read(1 << 20), b""):
                h.update(block)
    return h.hexdigest()


def unusable(file):
    """Why a file cannot be read; "" if it can."""
    if not file.is_file() or file.is_symlink():
        return "not a plain file"
    if not os.access(file, os.R_OK):
        return "you may not read it"
    size = file.stat().st_size
    if size == 0:
        return "no bytes in it"
    return f"{size} bytes, more than {FILE_LIMIT}" if size > FILE_LIMIT else ""


def read_cells(file):
    """The cells of a file, its kernel's name and the variants of the sheet that it was, as they are."""
    if why := unusable(file):
        raise Unusable(why)
    try:
        book = json.loads(file.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as e:
        raise Unusable(f"not UTF-8 (byte {e.start})") from None
    except (ValueError, RecursionError) as e:
        raise Unusable(f"not a notebook: {e}") from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unusable("not a notebook: it has no cells")
    kernel = get(book, "metadata", "kernelspec", "name")
    fwlab = get(book, "metadata", "fwlab")
    return cells, kernel if isinstance(kernel, str) else "none", fwlab.get("variants", {}) if isinstance(fwlab, dict) else None


def get(d, *keys):
    for k in keys:
        d = d.get(k) if isinstance(d, dict) else None
    return d


CONTROL = {i: None for i in [*range(32), *range(127, 160)] if i not in b"\n\t"}


def text_of(s, limit=CELL_LIMIT + 1):
    """A source or an output as a text that any file or page can hold; None if it is none."""
    if isinstance(s, list) and all(isinstance(x, str) for x in s):
        s = "".join(s)
    if not isinstance(s, str):
        return None
    return s[:limit].encode("utf-8", "replace").decode().replace("\r\n", "\n").translate(CONTROL)


class Pictures:
    """The pictures of a submission, as far as there is room."""

    kinds = "image/png", "image/jpeg", "image/gif"

    def __init__(self):
        self.left, self.refused = PICTURE_LIMIT, 0

    def of(self, data):
        """The picture among the forms that data has; None if there is none."""
        for kind in self.kinds:
            b64 = text_of(get(data, kind), PICTURE_LIMIT + 1)
            if b64:
                self.left -= len(b64)
                try:
                    if self.left >= 0:
                        return {kind: base64.b64encode(base64.b64decode(b64)).decode()}
                except (binascii.Error, ValueError):
                    pass
                self.refused += 1
        return None

    def attached(self, cell):
        """By the names in a cell's text; the names of a page are others."""
        found = get(cell, "attachments")
        found = {n: self.of(data) for n, data in found.items()} if isinstance(found, dict) else {}
        return {n: (f"picture-{i}", p) for i, (n, p) in enumerate(found.items()) if p}


PICTURE = r'!\[([^][\n]*)\]\(attachment:((?:[^\s()]|\([^\s()]*\))*)(?:\s+"[^"\n]*")?\)'  # as JupyterLab writes it


def harmless(text, pictures):
    """Markdown for the one who grades: no HTML of its own, links to the web only, the pictures that are there.

    A picture on the web would tell its owner who looks, and when; what is left of it is a link.
    """

    def shown(m):
        if m[2] is not None:
            name = pictures.get(m[2], pictures.get(urllib.parse.unquote(m[2])))
            alt = re.sub(r"[^\w .,:;-]", " ", m[1])  # nothing that could swallow the bracket
            return f"![{alt}](attachment:{name[0]})" if name else f"! [{alt}] ({m[2]})"
        return "! [" if m[0] == "![" else m[0] if m[3] else "] ("

    text = re.sub(r"<(?=[A-Za-z/!?])", "< ", text).replace("]:", "] :")
    text = re.sub(PICTURE + r"|!\[|\]\((https?://)?", shown, text)
    text = re.sub(r"\\(?=(?:style|href|class|cssId|require|includegraphics)\b)", r"\\ ", text)  # MathJax's way to HTML
    return re.sub(r"(?i)(script|data)\s*:", r"\1 :", text)


def outputs_of(cell, pictures):
    """What a cell of the student's own printed and drew, cut short; nobody vouches for it."""
    texts, shown, outputs = "", [], get(cell, "outputs")
    for o in outputs if isinstance(outputs, list) else []:
        picture = pictures.of(get(o, "data"))
        if picture:
            shown.append(v4.new_output("display_data", picture))
        elif len(texts) < PRINT_LIMIT:
            texts += text_of(get(o, "text"), PRINT_LIMIT) or text_of(get(o, "data", "text/plain"), PRINT_LIMIT) or ""
    if len(texts) >= PRINT_LIMIT:
        texts = texts[:PRINT_LIMIT] + "\n[... cut]\n"
    return ([v4.new_output("stream", name="stdout", text=texts)] if texts else []) + shown


def tidy(file, assignment, notebook):
    """A submission with each cell of the sheet once: the answers are the student's, all else the sheet's."""
    released, source = sheet("release", assignment, notebook), sheet("chosen", assignment, notebook)
    whole = {c.metadata.nbgrader.grade_id: c.source for c in source.cells if "nbgrader" in c.metadata}
    asked = {c.metadata.nbgrader.grade_id: c for c in released.cells if "nbgrader" in c.metadata}
    texts = {c.source: c for c in released.cells if "nbgrader" not in c.metadata and c.cell_type == "markdown"}
    answers = {i for i, c in asked.items() if c.metadata.nbgrader.solution}
    notes, cells, at, long, own = [], [], {}, set(), 0

    def ours(grade_id):
        """A cell of the sheet, as it is to be graded."""
        cell = copy.deepcopy(asked[grade_id])
        if grade_id not in answers:
            cell.source = whole[grade_id]  # with hidden tests
        return cell

    spec = source.metadata.kernelspec
    info = {"key": key(file, assignment, notebook)}
    nb = v4.new_notebook(metadata={"kernelspec": spec, "language_info": {"name": spec.language}, "fwlab": info})
    try:
        theirs, kernel, others = read_cells(file)
        ids = [get(c, "metadata", "nbgrader", "grade_id") for c in theirs]
        if not any(isinstance(i, str) and i in answers for i in ids):
            raise Unusable("none of the cells to be graded is in it: is it the right sheet?")
        if others not in (None, want := released.metadata.get("fwlab", {}).get("variants", {})):
            others = text_of(variants.told(others) if isinstance(others, dict) else "none that can be read", 200)
            raise Unusable(f"it was handed out with the variants {others}, and this course has {variants.told(want)}")
    except Unusable as e:
        nb.metadata.fwlab.unusable = f"{file.name}: {e}"
        nb.cells = [ours(c.metadata.nbgrader.grade_id) if "nbgrader" in c.metadata else c for c in released.cells]
        return nb
    if kernel != spec.name:
        notes.append(f"the kernel is {text_of(kernel, 40)!r}; graded as Go")

    pictures = Pictures()

    def fill(new, cell, text):
        if new.cell_type == "code":
            new.source, new.outputs = text, outputs_of(cell, pictures)
        else:
            attached = pictures.attached(cell)
            new.source, new.attachments = harmless(text, attached), dict(attached.values())

    for i, (cell, grade_id) in enumerate(zip(theirs, ids)):
        text, is_text = text_of(get(cell, "source")), get(cell, "cell_type") == "markdown"
        want = asked.get(grade_id) if isinstance(grade_id, str) else None
        if text is None:
            notes.append(f"cell {i + 1} is malformed and left out")
            continue
        if len(text) > CELL_LIMIT:
            notes.append(f"cell {i + 1} has more than {CELL_LIMIT} characters and is left out")
            if want is not None:
                long.add(grade_id)
            continue
        if want is not None and grade_id not in at:
            new = ours(grade_id)
            if is_text != (want.cell_type == "markdown"):
                notes.append(f"cell {grade_id} has become {'text' if is_text else 'code'}; graded as it was")
            if any(get(cell, "metadata", "nbgrader", k) != want.metadata.nbgrader.get(k) for k in MARKS):
                notes.append(f"cell {grade_id}: changed metadata do not count")
            if grade_id in answers:
                fill(new, cell, text)
            elif text != want.source:
                notes.append(f"cell {grade_id} is locked: its change does not count")
            at[grade_id] = new
        elif text in texts and is_text:
            new = copy.deepcopy(texts[text])
        else:
            if want is not None and (want.cell_type == "markdown" or grade_id not in answers):
                notes.append(f"cell {grade_id} is there again: the first counts")
            elif isinstance(grade_id, str) and want is None:
                notes.append(f"cell {i + 1} has a name that the sheet does not know, {text_of(grade_id, 40)!r}")
            if (own := own + 1) > OWN_LIMIT:
                continue
            new = v4.new_markdown_cell() if is_text else v4.new_code_cell()
            fill(new, cell, text)
            if want is not None and want.cell_type == "code" and grade_id in answers:
                new.metadata.fwlab_copy = grade_id
        new.id = f"cell-{i + 1}"
        cells.append(new)
    if own > OWN_LIMIT:
        notes.append(f"{own} cells more than the sheet's: those after {OWN_LIMIT} are left out")

    if pictures.refused:
        notes.append(f"{pictures.refused} pictures are damaged or too large, and left out")

    before = -1
    for n, grade_id in enumerate(asked):
        if grade_id in at:
            before = next(k for k, c in enumerate(cells) if c is at[grade_id])
            continue
        if grade_id not in long:
            notes.append(f"cell {grade_id} is missing: deleted, or its metadata changed")
        before += 1
        cells.insert(before, ours(grade_id))
        cells[before].id = f"missing-{n}"
    nb.cells, nb.metadata.fwlab.notes = cells, notes
    return nb


def seed_of(what):
    """The random numbers of a grade: the same when it is given again, and nobody's guess."""
    if not SECRET.exists():
        with tempfile.NamedTemporaryFile("w", dir=HERE, prefix=SECRET.name, delete=False) as f:
            f.write(secrets.token_hex())
        os.replace(f.name, SECRET)  # whole or not at all: without the secret they could be guessed
    return 1 + int(hashlib.sha256((SECRET.read_text() + what).encode()).hexdigest()[:15], 16)


class Grades(GetGrades):
    """What feedback has from the gradebook: comments with no HTML of their own; what waits for a hand says so."""

    def _get_comment(self, cell, resources):
        super()._get_comment(cell, resources)
        cell.metadata.nbgrader.comment = harmless(cell.metadata.nbgrader.comment or "", {})

    def _get_score(self, cell, resources):
        super()._get_score(cell, resources)
        mark = cell.metadata.nbgrader
        found = self.gradebook.find_grade(mark.grade_id, self.notebook_id, self.assignment_id, self.student_id)
        if found.needs_manual_grade and "comment" in mark:
            mark.comment = f"Not graded yet: this waits for a hand. {mark.comment}"


class Stubs(NbGraderPreprocessor):
    """Keeps in a release what its cells ask for: the last cell of a sheet reads it in a file that is filled in."""

    def preprocess(self, nb, resources):
        marks = [(c, c.metadata.get("nbgrader", {})) for c in nb.cells if c.cell_type == "code"]
        nb.metadata.fwlab = nb.metadata.get("fwlab", {}) | {"stubs": {m["grade_id"]: c.source for c, m in marks if m.get("solution")}}
        return nb, resources


class Submission(NotebookExporter):
    """nbgrader's reader: of submitted/ it takes what tidy makes of a file."""

    def from_filename(self, filename, resources=None, **kw):
        file = pathlib.Path(filename)
        if (HERE / "submitted") not in file.parents:
            return super().from_filename(filename, resources=resources, **kw)
        where = resources["nbgrader"]
        return self.from_notebook_node(tidy(file, where["assignment"], where["notebook"]), resources=resources, **kw)


@functools.cache
def build():
    """The judge's program, of the source as it is."""
    command = [os.environ.get("GO", "go"), "build", "-o", str(JUDGE), "./notebooks/assignments/fwgrade"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "CGO_ENABLED": "0"})
    return str(JUDGE)


class Judge(NbGraderPreprocessor):
    """Asks the judge, and writes his verdict where a kernel's outputs would be."""

    def preprocess(self, nb, resources):
        where, info = resources["nbgrader"], nb.metadata.fwlab
        began = time.monotonic()
        if "unusable" in info:
            info.notes, wall, seed, verdict, info.parts = [info.unusable], [], None, {}, {}
        else:
            said = self.ask(nb, HERE / "chosen" / where["assignment"] / f"{where['notebook']}.ipynb")
            info.notes, seed = info.notes + said["notes"], said["seed"]
            wall = [said["wall"]] if said["wall"] else []
            verdict = {c["grade_id"]: c for c in said["cells"]}
            info.parts = {i: c["parts"] for i, c in verdict.items()}
        for cell in nb.cells:
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
                cell.outputs = []
                c = verdict.get(cell.metadata.nbgrader.grade_id, {"points": 0, "report": info.get("unusable")})
                if c["report"]:
                    cell.outputs.append(v4.new_output("stream", name="stdout", text=c["report"].strip() + "\n"))
                if not c["points"]:
                    cell.outputs.append(v4.new_output("error", ename="failed", evalue="", traceback=["failed"]))
                elif not c["passed"]:  # nbgrader takes a result that is a number for points
                    points = {"text/plain": f"{c['points']:g}"}
                    cell.outputs.append(v4.new_output("execute_result", points, execution_count=None))
        head = [] if seed is None else [f"The random numbers of these grades: FWLAB_SEED={seed}"]
        out = v4.new_output("stream", name="stdout", text="\n".join(head + info.notes) + "\n")
        nb.cells.insert(0, v4.new_code_cell("// How this was graded", outputs=[out], id="grading"))
        info.notes = info.notes + wall  # the teacher's concern, not on the student's page
        info.judged, info.seconds = True, round(time.monotonic() - began, 1)
        return nb, resources

    def ask(self, nb, source):
        cells = []
        for c in nb.cells:
            mark = c.metadata.get("nbgrader")
            if "fwlab_copy" in c.metadata:
                mark = {"grade_id": c.metadata.fwlab_copy, "solution": True}
            if mark:
                cells.append({"cell_type": c.cell_type, "source": c.source, "metadata": {"nbgrader": mark}})
        with tempfile.TemporaryDirectory(prefix="fwgrade") as tmp:
            file = pathlib.Path(tmp) / "submission.ipynb"
            file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
            judge = subprocess.Popen(
                [build(), "-seed", str(seed_of(nb.metadata.fwlab.key)), "-source", str(source), str(file)],
                env={**os.environ, "TMPDIR": tmp},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            try:
                out, err = judge.communicate()
            except BaseException:  # Ctrl-C: he cleans up
                judge.terminate()
                judge.wait()
                raise
        if judge.returncode != 0:
            raise RuntimeError(f"the judge failed ({judge.returncode}): {err.decode(errors='replace').strip()}")
        return json.loads(out)
