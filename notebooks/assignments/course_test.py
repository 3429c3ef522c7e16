"""make course-test: the sheets, their keys, and the grade of every submission in testdata/, cell by cell.

A file of testdata/ is a submission: what it is, its sheet, from what it is made (the key's solutions or the released
stubs), how its file is edited (a function below), the grades that it must get, what its report must say, what its
feedback begins with, and the cells that differ. For each sheet two more are made here: the key's solutions, and the
sheet as it was handed out; they are all that a sheet of your own needs. Each number of its variants is graded by its
own solutions, which pass, and by those of the first, which do not.
All is done in a copy of this folder in .venv, which goes away. The random numbers of the checks are the
same each time; with DRAWS=20 all is graded with 19 others, too, and no grade may hang on them.
"""

import contextlib
import copy
import csv
import hashlib
import html
import http.client
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import traceback

import nbformat
from packaging.requirements import Requirement

import variants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = next(p for p in HERE.parents if (p / "go.mod").exists())
PYTHON = [sys.executable, "-B"]
PROGRAMS = "course.py", "judge.py", "variants.py", "nbgrader_config.py"


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began, passed, failed = time.monotonic(), 0, []
    work = pathlib.Path(tempfile.mkdtemp(prefix="course-test-", dir=ROOT / ".venv"))
    try:
        shutil.copytree(HERE / "source", work / "source", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        for name in PROGRAMS:
            shutil.copy(HERE / name, work)
        (work / "tmp").mkdir()
        os.environ["TMPDIR"] = str(work / "tmp")
        for name, check in checks(Course(work)):
            start = time.monotonic()
            try:
                check()
                passed += 1
                verdict = "ok"
            except Exception as e:
                failed.append(name)
                text = str(e) if isinstance(e, AssertionError) else traceback.format_exc()
                verdict = "FAILED\n" + textwrap.indent(text, "    ")
            print(f"{time.monotonic() - start:6.1f} s  {name}: {verdict}", flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if any(f.partition(":")[0] in {p.stem for p in HERE.glob("testdata/*.txt")} for f in failed):
        print("A submission in testdata/ fails that answers a task, or a sheet, that you changed? Give its file")
        print("the new answer or the new grades, or delete it.")
    print(f"{passed} passed, {len(failed)} failed, in {time.monotonic() - began:.0f} s")
    sys.exit(len(failed) > 0 or passed == 0)


class Course:
    def __init__(self, work):
        self.work = work
        self.names = sorted(p.parent.name for p in work.glob("source/*/*.ipynb") if p.stem == p.parent.name)
        self.rows = {}

    def run(self, *commands, **kw):
        """course.py, with all that it starts in a group of its own."""
        return subprocess.Popen(
            [*PYTHON, "course.py", *commands],
            cwd=self.work,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **kw,
        )

    def finish(self, *commands):
        p = self.run(*commands)
        try:
            out, _ = p.communicate()
        except BaseException:
            kill(p)
            raise
        return p.returncode, out

    def sheet(self, step, name):
        return nbformat.read(self.work / step / name / f"{name}.ipynb", as_version=4)

    def tasks(self, name):
        from course import judge  # of the copy

        return judge.tasks(name)

    def grades(self):
        with open(self.work / "grades.csv", newline="", encoding="utf-8") as f:
            self.rows = {r["student"]: r for r in csv.DictReader(f)}


def kill(p):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(p.pid, signal.SIGKILL)
    p.wait()


def checks(course):
    yield "faults in variants are named: file, cell, remedy", faults
    yield "the pins of nbgrader and those of JupyterLab are the same versions, and here", pins
    yield "make course: the sheets are released", lambda: released(course)
    for name in course.names:
        yield (
            f"{name}: nothing of a solution or a hidden check is in the release, and a planted leak is seen",
            lambda n=name: leak(course, n),
        )
    yield "README.md has the points, the answers and the hours of the sheets", lambda: counted(course)
    yield "a sheet that would show its solution is not released", lambda: refused(course)
    yield "make course: the keys run", lambda: keys(course)
    for name in course.names:
        of = variants.read(course.sheet("source", name), name)
        for i in range(1, max(of.values(), default=0)):
            yield (
                f"{name}: text {i + 1} of each variant: its solutions pass, and those of the first texts do not",
                lambda n=name, i=i: varied(course, n, i),
            )
    yield "make course SECRET=word, and make grade by what it made", lambda: worded(course)
    yield "a student's first cells and the last one, in a fresh folder, with no network", lambda: fresh(course)
    table = [Submission(f.stem, f.read_text()) for f in sorted((HERE / "testdata").glob("*.txt"))]
    table += [s for name in course.names for s in plain(course, name)]
    yield f"make grade: {len(table)} submissions, stopped twice by force", lambda: graded(course, table)
    for s in table:
        yield s.name, lambda s=s: s.check(course)
    yield "the points add up, and class.csv has each check and each part", lambda: summed(course, table)
    yield "submitted/ is as it was", lambda: untouched(course)
    yield "make grade again: nothing to do, the same grades", lambda: again(course)
    for n in range(1, int(os.environ.get("DRAWS", "1"))):
        yield f"the same grades with other random numbers, {n}", lambda n=n: redrawn(course, table, n)
    yield (
        "a grade and a comment by hand: in grades.csv and feedback, kept when the student hands in again",
        lambda: by_hand(course),
    )
    yield "a lost autograded/ and grades.csv: made again", lambda: lost(course)
    yield "files in the wrong place are named, the others graded", lambda: misplaced(course)
    yield "formgrader opens", lambda: formgrader(course)


def pins():
    def versions(file):
        lines = (ROOT / "docker" / file).read_text().splitlines()
        wanted = [Requirement(x.rstrip(" \\")) for x in lines if x and x[0] not in "# "]  # the hashes have lines of their own
        return {r.name: str(r.specifier) for r in wanted if r.marker is None or r.marker.evaluate()}

    lab, both = versions("requirements.txt"), versions("requirements-course.txt")
    assert not {n: (v, both.get(n)) for n, v in lab.items() if both.get(n) != v}, (
        "compile requirements-course.txt again"
    )
    assert "==" + importlib.metadata.version("nbgrader") == both["nbgrader"]


def released(course):
    status, out = course.finish("release")
    assert status == 0, out
    for name in course.names:
        source, nb = course.sheet("chosen", name), course.sheet("release", name)
        ids = [c.metadata.nbgrader.grade_id for c in source.cells if "nbgrader" in c.metadata]
        assert ids == [c.metadata.nbgrader.grade_id for c in nb.cells if "nbgrader" in c.metadata], name
        assert nb.metadata.kernelspec == source.metadata.kernelspec, name
        for c in nb.cells:
            mark = c.metadata.get("nbgrader", {})
            if mark.get("solution"):
                stub = 'panic("not implemented")' if c.cell_type == "code" else "YOUR ANSWER HERE"
                assert stub in c.source, f"{name}: no stub in {mark.grade_id}"
            assert not c.get("outputs"), f"{name}: an output"
            folded = c.metadata.get("jupyter", {}).get("source_hidden", False)
            if c.cell_type == "code" and mark:
                assert folded == mark.locked, f"{name}: {mark.grade_id} is to be {'folded' if mark.locked else 'open'}"
        assert f"GONB_DIR/{name}.ipynb" in nb.cells[-1].source, f"{name}: the last cell looks at another file"


def faults():
    """Each fault that the texts of a sheet can have, planted."""
    place = "// BEGIN VARIANT step\na\n/* OR\nb\nOR\nc\nEND VARIANT */"
    for two, says in (
        (place, None),
        (place.replace("OR\nc\n", ""), "cell 2 (two): the variant step has 2 texts here and 3 in cell 1: write those that are missing"),
        (place.replace("step", "stop"), "cell 1: the variant step has this place alone: "),
        ("", "cell 1: the variant step has this place alone: "),
        (place.replace("END VARIANT", "END"), "cell 2 (two): the line '// BEGIN VARIANT step' is half a variant: it begins"),
        (place.replace("b", place), "cell 2 (two): the line "),
        (place.replace("// BEGIN", "// begin"), "cell 2 (two): the line 'END VARIANT */' is half a variant"),
        ("x := /* BEGIN VARIANT step */1/* OR 2 END VARIANT */", "cell 2 (two): the variant step has 2 texts here"),
    ):
        nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (place, two)])
        nb.cells[1].metadata.nbgrader = {"grade_id": "two"}
        try:
            variants.read(nb, "source/x/x.ipynb")
            said = None
        except variants.Fault as e:
            said = str(e)
        assert (said or "") == (says or "") or says and said and said.startswith(f"source/x/x.ipynb, {says}"), (two, said)
        if not says:
            got = [[c.source for c in variants.choose(copy.deepcopy(nb), {"step": i}).cells] for i in range(3)]
            assert got == [["a", "a"], ["b", "b"], ["c", "c"]], got
    line = "so <!-- BEGIN VARIANT step -->$a$<!-- OR $b$ OR $c$ END VARIANT --> is\n"
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(line)])
    assert variants.choose(nb, {"step": 2}).cells[0].source == "so $c$ is\n"
    counts = {f"v{i}": 3 for i in range(40)}
    first, second = (variants.numbers(word, "x", counts) for word in ("alpha", "beta"))
    assert set(first.values()) == {1, 2} and first != second and set(variants.numbers("", "x", counts).values()) == {0}


def varied(course, name, i):
    """The solutions of text i of each variant pass its checks; those of the first, with the functions called as they
    should be, lose a part of each variant that is checked by code."""
    from course import judge

    source = course.sheet("source", name)
    of = variants.read(source, name)
    number = {v: min(i, n - 1) for v, n in of.items()}
    mine, first = (variants.choose(copy.deepcopy(source), n) for n in (number, {}))
    told = f"source/{name}/{name}.ipynb with " + variants.told({v: n + 1 for v, n in number.items()})

    def graded(answers):
        folder = course.work / "varied"
        folder.mkdir(exist_ok=True)
        for nb, step in (mine, "sheet"), (answers, "answers"):
            nbformat.write(nb, folder / f"{step}.ipynb")
        command = [judge.build(), "-seed", "7", "-source", folder / "sheet.ipynb", folder / "answers.ipynb"]
        ran = subprocess.run(command, capture_output=True, text=True)
        assert not ran.returncode, f"{told}: {ran.stderr}"
        return {c["grade_id"]: c for c in json.loads(ran.stdout)["cells"]}

    marks = graded(mine)
    wrong = [
        f"{variants.where(k, c)}: {p['what']}: {p['says']}"
        for k, c in enumerate(mine.cells)
        for p in marks.get(c.metadata.get("nbgrader", {}).get("grade_id"), {"parts": []})["parts"]
        if not p["passed"]
    ]
    assert not wrong, f"{told}: its solutions fail: " + "\n".join(wrong)
    for cell, asks in zip(first.cells, mine.cells):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            for had, wanted in zip(*(re.findall(r"^func (\w+)", c.source, re.MULTILINE) for c in (cell, asks))):
                cell.source = re.sub(rf"\b{had}\b", wanted, cell.source)
    marks = graded(first)
    for v in of:
        checks = [
            c.metadata.nbgrader.grade_id
            for c in source.cells
            if c.metadata.get("nbgrader", {}).get("grade_id") in marks and v in [variants.texts(p)[0] for p in variants.PLACE.finditer(c.source)]
        ]
        assert not checks or not all(marks[c]["passed"] for c in checks), f"{told}: {v} asks for nothing new: the first solutions pass {checks}"


def worded(course):
    """A course of one small sheet, from its secret to its grades."""
    work = course.work / "worded"
    (work / "source" / "mini").mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy(HERE / name, work)
    mini = Course(work)

    def write(wrong=False):
        nb = course.sheet("source", course.names[0])
        of = {c.metadata.get("nbgrader", {}).get("grade_id"): c for c in nb.cells}
        dot, check = of["ps0-dot"], of["ps0-dot-check"]
        sign = "// BEGIN VARIANT sign\n{}\n/* OR\n{}\nOR\n{}\nEND VARIANT */"
        dot.source = dot.source.replace("\treturn sum", sign.format("return sum", "return 2 * sum" if wrong else "return -sum", "return -sum"))
        check.source = "%%\n" + sign.format(*("must(Dot([]float64{2}, []float64{3}) == %d, \"%d\")" % (n, n) for n in (6, -6, -6))) + '\nfmt.Println("ok")'
        shown = nbformat.v4.new_markdown_cell("![a point](attachment:expected-1.png)", attachments={"expected-1.png": {"image/png": DOT % "P"}})
        draws = nbformat.v4.new_code_cell(
            '%%\nfwplot.Show(fwplot.Lines("", "x", "y", false, false, fwplot.Series{Name: "FW", X: []float64{0, 1}, Y: []float64{1, Dot([]float64{1}, []float64{2})}}))'
        )
        last = nb.cells[-1]
        last.source = last.source.replace("ps0", "mini")
        nb.cells = [nb.cells[0], of["ps0-setup"], of["ps0-helpers"], dot, check, shown, draws, last]
        nbformat.write(nb, work / "source" / "mini" / "mini.ipynb")

    def make(*commands, secret=None):
        p = mini.run(*commands, env=os.environ | ({} if secret is None else {"FWLAB_SECRET": secret}))
        try:
            return p.communicate()[0], p.returncode
        finally:
            kill(p)

    write(wrong=True)
    word, other = (
        next(w for w in map("quincunx{}".format, range(50)) if variants.numbers(w, "mini", {"sign": 3})["sign"] == i) for i in (1, 2)
    )
    out, status = make("release", secret=" ")
    assert status and "SECRET is empty: give a word" in out and not (work / "chosen").exists(), out
    out, status = make("release", "key", secret=word)
    assert status and "source/mini/mini.ipynb, cell 5 (ps0-dot-check): its solutions do not run, see above with the variants sign 2" in out, out
    assert not (work / "release" / "mini").exists()
    write()
    out, status = make("release", "key", secret=word)
    assert not status and (work / "gradebook.db.variants").read_text() == word, out
    handed, key, plain = mini.sheet("release", "mini"), mini.sheet("key", "mini"), mini.sheet("source", "mini")
    assert handed.metadata.fwlab.variants == {"sign": 2} and word not in json.dumps([handed, key])
    picture = handed.cells[5].attachments["expected-1.png"]["image/png"]
    drawn = next(o.data["image/png"] for o in key.cells[6].outputs if "data" in o)
    assert picture == drawn == key.cells[5].attachments["expected-1.png"]["image/png"] != DOT % "P"
    for student, nb, fwlab in ("key", key, handed.metadata.fwlab), ("first", variants.choose(plain, {}), {"stubs": {}}):
        folder = work / "submitted" / student / "mini"
        folder.mkdir(parents=True)
        nb.metadata.fwlab = fwlab
        nbformat.write(nb, folder / "mini.ipynb")
    out, status = make("grade")
    mini.grades()
    assert not status and mini.rows["key"]["points"] == "2" and mini.rows["first"]["points"] == "0", (out, mini.rows)
    assert "handed out with the variants the first of each, and this course has sign 2" in mini.rows["first"]["notes"], mini.rows
    before = sums(work / "release")
    out, status = make("grade", secret=other)
    told = "mini is not graded: release/mini was made with another secret, for it has the variants sign 2, and that of now chooses sign 3."
    assert status and told in out and "make grade SECRET=word with the word of then" in out and sums(work / "release") == before, out
    mini.grades()
    assert "not graded" in mini.rows["key"]["notes"], mini.rows
    out, status = make("grade", secret=word)
    mini.grades()
    assert not status and mini.rows["key"]["points"] == "2", out


def leak(course, name):
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(course.work))
    from course import leaks

    source, nb = course.sheet("chosen", name), course.sheet("release", name)
    found = leaks(source, nb)
    assert not found, found
    lines = [x for c in source.cells if c.metadata.get("nbgrader", {}).get("solution") for x in solution(c)]
    checks = [x for c in source.cells if c.metadata.get("nbgrader", {}).get("grade") for x in solution(c)]
    for line in max(lines, key=len), max(checks, key=len):
        assert line not in str(nb), f"the search for leaks missed {line!r}"
        for plant in PLANTS:
            planted = copy.deepcopy(nb)
            plant(planted, line)
            assert leaks(source, planted) == [line], "a planted leak is not seen"


PLANTS = (
    lambda nb, x: nb.cells.append(nbformat.v4.new_markdown_cell(f"so `{x}`")),
    lambda nb, x: nb.cells.append(nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("stream", text=x)])),
    lambda nb, x: nb.cells[0].metadata.update(kept=[{"x": x}]),
    lambda nb, x: nb.metadata.update({x: 1}),
)


def solution(cell):
    """The lines that a release leaves out, where they are long enough to be found nowhere else."""
    inside = re.findall(r"BEGIN (SOLUTION|HIDDEN TESTS)[^\n]*\n(.*?)\n[^\n]*END \1", cell.source, re.DOTALL)
    return [x.strip() for _, text in inside for x in text.split("\n") if len(x.strip()) > 30]


def counted(course):
    """The hours are the minutes at the tasks and 100 words of the sheet a minute, to half an hour."""
    for name in course.names:
        rows = re.findall(rf"^\| `{name}`.*", (HERE / "README.md").read_text(), re.MULTILINE)
        table = [[x.strip() for x in r.split("|")[4:-1]] for r in rows]
        cells = course.sheet("chosen", name).cells
        graded = [c for c in cells if c.metadata.get("nbgrader", {}).get("grade")]
        texts = [c for c in graded if c.cell_type == "markdown"]
        shown = "\n".join(c.source for c in cells if c.cell_type == "markdown" and "nbgrader" not in c.metadata)
        words = len(re.sub(r"\$\$?[^$]*\$\$?", "x", shown).split())
        minutes = sum(int(m) for m in re.findall(r"^## .*?(\d+) minutes", shown, re.MULTILINE)) + words / 100
        points = [sum(c.metadata.nbgrader.points for c in some) for some in ([c for c in graded if c not in texts], texts)]
        answers = sum(len(re.findall(r"^\d\. ", c.source, re.MULTILINE)) or 1 for c in texts)
        want = [f"{round(minutes / 30) / 2:g}", *(f"{x:g}" for x in (*points, answers))]
        have = [f"{sum(float(r[i]) for r in table):g}" for i in (1, 2, 3)]
        assert not table or [table[0][0].replace("½", ".5"), *have] == want, f"{name}: {want}, not {table}"


def refused(course):
    nb = course.sheet("chosen", course.names[0])
    line = max((x for c in nb.cells if c.metadata.get("nbgrader", {}).get("solution") for x in solution(c)), key=len)
    nb.cells[0].source += f"\n\nHint: {line}"
    folder = course.work / "source" / "leaky"
    folder.mkdir()
    try:
        nbformat.write(nb, folder / "leaky.ipynb")
        status, out = course.finish("release")
        assert status == 1 and "leaky is not released: it would show" in out, out
        assert not (course.work / "release" / "leaky").exists()
    finally:
        shutil.rmtree(folder)


def keys(course):
    status, out = course.finish("key")
    assert status == 0, out
    for name in course.names:
        cells = course.sheet("key", name).cells
        says = [o.get("text", "") for c in cells for o in c.get("outputs", [])]
        drawn = any("image/png" in o.get("data", {}) for c in cells for o in c.get("outputs", []))
        assert any("ok" in s for s in says) and drawn, name
        if any(c.get("attachments") for c in cells):
            file = course.work / "key" / name / f"{name}.ipynb"
    from course import pictures

    nb, planted = nbformat.read(file, as_version=4), course.work / "planted.ipynb"
    shown = next(c for c in nb.cells if c.get("attachments"))
    assert pictures(file) == []
    shown.attachments["expected-1.png"]["image/png"] = DOT % "P"
    nbformat.write(nb, planted)
    wrong = pictures(planted)
    planted.unlink()
    assert len(wrong) == 1 and "expected-1.png" in wrong[0], "a picture that the key draws otherwise is not seen"


def fresh(course):
    """The setup, the helpers, the first check on its stub, then on a solution, and the last cell of the sheet, which
    names what a graded cell has from one that is not. In an empty network, if there can be one."""
    name = course.names[0]
    nb, source = course.sheet("release", name), course.sheet("chosen", name)
    at = next(i for i, c in enumerate(nb.cells) if c.metadata.get("nbgrader", {}).get("grade"))
    stub = next(i for i, c in enumerate(nb.cells) if c.metadata.get("nbgrader", {}).get("solution"))
    nb.cells = nb.cells[: at + 1]
    nb.cells[at].metadata.tags = ["raises-exception"]
    nb.cells[stub].source += "\n\nfunc uses() { own() }"
    nb.cells += [nbformat.v4.new_code_cell(source.cells[stub].source), nbformat.v4.new_code_cell(nb.cells[at].source)]
    nb.cells.append(nbformat.v4.new_code_cell(source.cells[-1].source, metadata={"tags": ["raises-exception"]}))
    nb.cells.insert(stub, nbformat.v4.new_code_cell("func own() {}"))
    alone = shutil.which("unshare") and subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0
    if not alone:
        print("     (no network namespaces here: only GOPROXY=off keeps the network away)", flush=True)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        assert not any((p / "go.mod").exists() for p in [pathlib.Path(folder), *pathlib.Path(folder).parents])
        file = pathlib.Path(folder) / f"{name}.ipynb"
        nbformat.write(nb, file)
        p = subprocess.Popen(
            [*(["unshare", "-rn"] if alone else []), *PYTHON, "-c", FRESH, str(file)],
            cwd=folder,
            env={**os.environ, "GOPROXY": "off"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            out, _ = p.communicate(timeout=300)
        finally:
            kill(p)
        assert p.returncode == 0, out
        said = [
            "".join(o.get("text", "") + "".join(o.get("traceback", [])) for o in c.get("outputs", []))
            for c in nbformat.read(file, as_version=4).cells
        ]
        assert "not implemented" in said[at + 1], said[at + 1]
        assert "ok" in said[-2] and "panic" not in said[-2], said[-2]
        assert f"{nb.cells[stub + 1].metadata.nbgrader.grade_id}:" in said[-1] and "undefined: own" in said[-1], said[-1]
        marks = [c.metadata.nbgrader for c in source.cells if "nbgrader" in c.metadata]
        lost = [m.grade_id for m in marks if m.solution][1:]
        assert lost and all(f"cell {i}, with " in said[-1] for i in lost), said[-1]


FRESH = """
import fcntl, socket, struct, sys
import nbclient, nbformat
s = socket.socket()
if sys.platform == "linux":  # a new network's lo is down
    flags = fcntl.ioctl(s, 0x8913, struct.pack("16sh22x", b"lo", 0))
    up = struct.unpack("16sh22x", flags)[1] | 1
    try:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh22x", b"lo", up))
    except PermissionError:  # the machine's own, which is up
        pass
nb = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(nb, timeout=200, resources={"metadata": {"path": "."}}).execute()
nbformat.write(nb, sys.argv[1])
"""


# In a page: scripts of a student's, and all but links to his server.
HOSTILE = r"<script[^>]*>alert|<img src=x|href=.javascript|<(?!a )[^>]*tracker\.example"


class Submission:
    def __init__(self, student, text):
        head, *cells = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)
        lines = [x.split(": ", 1) for x in head.splitlines()[1:]]
        self.student, (self.about, self.fields) = student, (head.splitlines()[0].lstrip("# "), lines)
        self.name = f"{self.student}: {self.about}"
        self.cells = dict(zip(cells[::2], cells[1::2]))
        self.set = self.get("set")[0]

    def get(self, key):
        return [v for k, v in self.fields if k == key]

    def write(self, course):
        nb, source = course.sheet("release", self.set), course.sheet("chosen", self.set)
        key = {c.metadata.nbgrader.grade_id: c.source for c in source.cells if "nbgrader" in c.metadata}
        left = dict(self.cells)
        for c in nb.cells:
            mark = c.metadata.get("nbgrader")
            if mark and mark.solution:
                if self.get("from") == ["solutions"]:
                    c.source = key[mark.grade_id]
                c.source = left.pop(mark.grade_id, c.source).rstrip("\n")
        assert not left, f"{self.name}: no such cell: {list(left)}"
        data = nb
        for edit in self.get("edit"):
            function, *args = edit.split()
            changed = EDITS[function](data, *args, key=key, course=course)
            data = data if changed is None else changed
        folder = course.work / "submitted" / self.student / self.set
        folder.mkdir(parents=True)
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        (folder / f"{self.set}.ipynb").write_bytes(data)

    def check(self, course):
        def short(name):
            return name.removeprefix(self.set + "-").removesuffix("-check")

        row = course.rows[self.student]
        want, have = dict(x.split() for x in self.get("grades")[0].split(", ")), {}
        for name, points in row.items():
            if name.startswith(self.set + "-"):
                have[short(name)] = "waits" if re.search(rf"\b{name} \(", row["waits"]) else points
        report = row["notes"] + "\n" + course_report(course, self.student, self.set)
        assert have == want, (
            "\n".join(f"{k}: {have.get(k)}, not {want.get(k)}" for k in want | have if have.get(k) != want.get(k))
            + "\n"
            + report
        )
        for text in self.get("says"):
            assert text in report, f"{text!r} is not in:\n{report}"
        page = (course.work / "feedback" / self.student / self.set / f"{self.set}.html").read_text()
        for cell, (task, _) in course.tasks(self.set).items():
            assert f'<a href="#{cell}">{task}</a>' in page, f"{cell} is not called {task!r} in feedback"
        begin = page[page.index('<div id="look">') : page.index('<div id="toc">')]
        full = all(row[c] == f"{of:g}" for c, (_, of) in course.tasks(self.set).items() if have[short(c)] != "waits")
        assert full == ("<code>" not in begin), begin
        begin = html.unescape(re.sub("<[^>]*>", "", begin))
        for text in self.get("looks"):
            assert text in begin, f"{text!r} is not where feedback begins:\n{begin}"
        for edit, letter in ("figure", "P"), ("photograph", "Q"):
            assert (edit in str(self.get("edit"))) == (DOT % letter in page), f"{edit} in feedback"
        assert not re.search(HOSTILE, page), "a script in feedback, or what a browser fetches"


def plain(course, name):
    """The key's solutions, and what was handed out, as submissions."""
    checks, texts = {}, []
    for c in course.sheet("chosen", name).cells:
        mark = c.metadata.get("nbgrader", {})
        if mark.get("grade"):
            short = mark.grade_id.removeprefix(name + "-").removesuffix("-check")
            checks[short] = mark.points
            texts += [short] if mark.solution else []
    right = ", ".join(f"{i} waits" if i in texts else f"{i} {of:g}" for i, of in checks.items())
    none = ", ".join(f"{i} 0" for i in checks)
    yield Submission(f"{name}-right", f"# The key.\nset: {name}\nfrom: solutions\ngrades: {right}")
    text = f"# As it was handed out.\nset: {name}\nfrom: release\ngrades: {none}\nlooks: panic: not implemented"
    yield Submission(f"{name}-untouched", text)


def course_report(course, student, name):
    file = course.work / "autograded" / student / name / f"{name}.ipynb"
    cells = nbformat.read(file, as_version=4).cells
    return "\n".join(o.text for c in cells for o in c.get("outputs", []) if "text" in o)


# How a file is edited: a function gets the notebook and returns nothing, another notebook, or bytes.


def cell(nb, grade_id):
    return next(c for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def more_points(nb, **_):
    for c in nb.cells:
        if c.metadata.get("nbgrader", {}).get("grade") and c.cell_type == "code":
            c.metadata.nbgrader.points = 100


def empty_checks(nb, **_):
    for c in nb.cells:
        if c.metadata.get("nbgrader", {}).get("grade") and c.cell_type == "code":
            c.source = '%%\nfmt.Println("ok")'


def own_outputs(nb, **_):
    for c in nb.cells:
        if c.cell_type == "code":
            c.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "100"})]


def raw_html(nb, **_):
    page = "<script>alert(4)</script>"
    nb.cells.append(nbformat.v4.new_raw_cell(page, metadata={"raw_mimetype": "text/html"}))
    nb.cells.append(nbformat.v4.new_markdown_cell(page, attachments={"x.png": {"text/html": page}}))
    nb.cells.append(nbformat.v4.new_markdown_cell("![x](attachment:x.png)"))


def lone_surrogate(nb, **_):
    cell(nb, "ps1-certificate").source += "\n\ud800\x00\x1b[31m"


def big_output(nb, **_):
    c = next(c for c in nb.cells if c.cell_type == "code")
    c.outputs = [nbformat.v4.new_output("stream", text="a line of output without end\n" * (50_000_000 // 29))]


def figure(nb, **_):
    out = nbformat.v4.new_output("display_data", {"image/png": DOT % "P", "text/html": "<script>alert(5)</script>"})
    nb.cells.append(nbformat.v4.new_code_cell("%%\nfig.Show()", outputs=[out]))


def photograph(nb, grade_id, **_):
    c = cell(nb, grade_id)
    c.source += "\n\n![my figure](attachment:my%20photo.png)"
    c.attachments = {"my photo.png": {"image/png": DOT % "Q"}}


# A PNG of one dot, up to its colour.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9%sDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def malformed(nb, **_):
    nb.cells[3:3] = [None, {"cell_type": "code"}, {"cell_type": "code", "source": {"x": 1}, "metadata": []}]


def repeat(nb, grade_id, text, key, **_):
    c = copy.deepcopy(cell(nb, grade_id))
    if text == "right":
        c.source = key[grade_id]
    nb.cells.append(c)


def to_text(nb, grade_id, **_):
    cell(nb, grade_id).cell_type = "markdown"


def rename(nb, grade_id, **_):
    cell(nb, grade_id).metadata.nbgrader.grade_id = "mine"


def data(nb):
    return json.dumps(nb).encode()


EDITS = {
    f.__name__: f
    for f in (
        more_points,
        empty_checks,
        own_outputs,
        raw_html,
        lone_surrogate,
        big_output,
        figure,
        photograph,
        malformed,
        repeat,
        to_text,
        rename,
    )
} | {
    "delete": lambda nb, grade_id, **_: nb.cells.remove(cell(nb, grade_id)),
    "python_kernel": lambda nb, **_: nb.metadata.kernelspec.update(name="python3", language="python"),
    "another_sheet": lambda nb, course, **_: course.sheet("release", course.names[-1]),
    "no_bytes": lambda nb, **_: b"",
    "not_utf8": lambda nb, **_: data(nb).replace(b"ArgminL1", b"Argmin\xff", 1),
    "half": lambda nb, **_: data(nb)[: len(data(nb)) // 2],
    "deep": lambda nb, **_: b"[" * 1_000_000,
}


def graded(course, table):
    for s in table:
        s.write(course)
    course.sums = sums(course.work / "submitted")
    draw(course, 0)
    p = course.run("grade")  # killed after some submissions
    try:
        done = [line for line, _ in zip((x for x in p.stdout if "/" in x), range(4))]
    finally:
        kill(p)
    assert len(done) == 4, "it ended by itself"
    have = set(course.work.glob("autograded/*/*/*.ipynb"))
    p = course.run("grade")  # killed while the judge has the next
    try:
        while not set(course.work.glob("autograded/*/*/*.ipynb")) - have:
            assert p.poll() is None, p.stdout.read()
            time.sleep(0.1)
        time.sleep(0.5)  # it takes longer
    finally:
        kill(p)
    status, out = course.finish("grade")
    course.grades()
    assert status == 0, out
    assert set(course.rows) == {s.student for s in table}


def draw(course, n):
    (course.work / "gradebook.db.secret").write_text(f"draw {n}")


def redrawn(course, table, n):
    draw(course, n)
    shutil.rmtree(course.work / "autograded")
    status, out = course.finish("grade")
    course.grades()
    assert status == 0, out
    for s in table:
        s.check(course)


def sums(folder):
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


def untouched(course):
    assert sums(course.work / "submitted") == course.sums


def class_lines(course):
    with open(course.work / "class.csv", newline="", encoding="utf-8") as f:
        return {(r["cell"], r["part"]): r for r in csv.DictReader(f)}


def summed(course, table):
    lines = class_lines(course)
    for name in course.names:
        rows = [r for r in course.rows.values() if r["set"] == name]
        tasks = course.tasks(name)
        whole = sum(points for _, points in tasks.values())
        assert {float(r["of"]) + float(r["waiting"]) for r in rows} == {whole}, name
        for r in rows:
            assert float(r["points"]) == sum(float(r[c] or 0) for c in tasks), r
        for c, (task, of) in tasks.items():
            line, points = lines[c, ""], [float(r[c]) for r in rows if r[c]]
            assert task and line["task"] == task and float(line["of"]) == of, line
            assert int(line["graded"]) == len(points) == sum(int(line[k]) for k in ("all", "some", "none")), line
            assert int(line["all"]) == points.count(of) and int(line["none"]) == points.count(0), line
            parts = [x for (cell, part), x in lines.items() if cell == c and part]
            assert not parts or sum(float(x["of"]) for x in parts) == of, parts
            # No part gives itself away, and none is out of reach.
            assert all(int(x["all"]) > 0 < int(x["none"]) and int(x["graded"]) == len(rows) for x in parts), parts
            mean = sum(float(x["mean"]) for x in parts) if parts else float(line["mean"] or 0)
            assert abs(mean - float(line["mean"] or 0)) < 0.02 * (1 + len(parts)), (line, parts)
    for name in course.names:
        r = course.rows[f"{name}-right"]
        waits = sum(float(x) for x in re.findall(r"\((.*?)\)", r["waits"]))
        assert r["points"] == r["of"] and float(r["waiting"]) == waits, r


def again(course):
    before = (course.work / "grades.csv").read_bytes(), sums(course.work / "autograded"), sums(course.work / "feedback")
    status, out = course.finish("grade")
    assert status == 0 and out.count("\n") == 1, out
    assert before == (
        (course.work / "grades.csv").read_bytes(),
        sums(course.work / "autograded"),
        sums(course.work / "feedback"),
    )


def by_hand(course):
    from nbgrader.api import Gradebook

    def texts(name):
        cells = [c for c in course.sheet("chosen", name).cells if c.cell_type == "markdown" and "nbgrader" in c.metadata]
        return {c.metadata.nbgrader.grade_id: c.metadata.nbgrader.points for c in cells if c.metadata.nbgrader.grade}

    name = next(n for n in course.names if texts(n))
    student, hand, tasks = f"{name}-right", texts(name), course.tasks(name)
    whole, first = sum(of for _, of in tasks.values()), next(iter(hand))
    page = course.work / "feedback" / student / name / f"{name}.html"
    text, waits = page.read_text(), sum(hand.values())
    auto = f"{whole - waits:g}"
    assert "Not graded yet" in text and f"<h4>{name}: {auto} of {auto}, {waits:g} points wait</h4>" in text
    assert f"({hand[first]:g} points: waits for a hand)" in text and "Score: 0.0" not in text
    with Gradebook(f"sqlite:///{course.work / 'gradebook.db'}", "fwlab") as gb:
        for cell, of in hand.items():
            grade = gb.find_grade(cell, name, name, student)
            grade.manual_score, grade.needs_manual_grade = of - 0.5, False
        gb.find_comment(first, name, name, student).manual_comment = "Convexity? <script>x</script> gap<f"
        gb.db.commit()
    status, out = course.finish("grade")
    had, given = f"{whole - 0.5 * len(hand):g}", f"{hand[first] - 0.5:g}"
    assert status == 0 and out.startswith(f"{student}/{name}: {had} of {whole:g},") and "wait" not in out, out
    assert out.count("\n") == 2, out
    course.grades()
    row = course.rows[student]
    assert (row["points"], row[first], row["waits"]) == (had, given, ""), row
    line = class_lines(course)[first, ""]
    mean = f"{(hand[first] - 0.5) / int(line['graded']):.2f}"  # of the others only those left as they were
    assert (line["task"], line["of"], line["mean"]) == (tasks[first][0], f"{hand[first]:g}", mean), line
    text = page.read_text()
    assert "Convexity?" in text and "gap&lt; f" in text and "<script>x" not in text and "Not graded yet" not in text
    file = course.work / "submitted" / student / name / f"{name}.ipynb"
    file.write_bytes(file.read_bytes() + b"\n")
    status, out = course.finish("grade")
    assert status == 0 and out.count("\n") == 2, out
    course.grades()
    row = course.rows[student]
    assert (row["points"], row["of"], row["waiting"], row[first]) == (had, f"{whole:g}", "0", given), row
    assert first in row["waits"] and "Not graded yet" in page.read_text(), row


def lost(course):
    name = course.names[0]
    student = f"{name}-untouched"
    before = course.rows[student]

    def seed():
        page = course.work / "feedback" / student / name / f"{name}.html"
        return re.search(r"FWLAB_SEED=\d+", page.read_text())[0]

    drawn = seed()
    shutil.rmtree(course.work / "autograded" / student)
    (course.work / "grades.csv").unlink()
    status, out = course.finish("grade")
    # a feedback of the same words and seconds stands as it is, so that out need not name the student
    assert status == 0 and (course.work / "autograded" / student / name / f"{name}.ipynb").exists(), out
    course.grades()
    assert course.rows[student] | {"notes": ""} == before | {"notes": ""} and seed() == drawn


def misplaced(course):
    folder, name = course.work / "submitted", course.names[0]
    right = f"{name}-right"
    (folder / f"{name}.ipynb").write_text("{}")
    (folder / right / "ps99").mkdir()
    (folder / "lena" / name).mkdir(parents=True)
    (folder / "..ann" / name).mkdir(parents=True)
    (folder / "lena" / name / f"{name} (1).ipynb").write_text("{}")
    (folder / "tom" / name / f"{name}.ipynb").mkdir(parents=True)
    status, out = course.finish("grade")
    assert status == 1, out
    for text in (
        f"submitted/{name}.ipynb: not a folder",
        "submitted/..ann: not a folder named",
        "ps99: not one of the sheets",
        f"lena/{name}: no {name}.ipynb in its folder",
        "not a plain file",
    ):
        assert text in out, out
    before = course.rows[right]["points"]
    course.grades()
    assert "rename" in course.rows["lena"]["notes"] and course.rows["tom"]["points"] == "0"
    assert course.rows[right]["points"] == before != "0"


def formgrader(course):
    bin = os.path.dirname(sys.executable)
    env = {
        **os.environ,
        "PATH": bin + os.pathsep + os.environ["PATH"],
        "JUPYTER_TOKEN": "t",
        "JUPYTER_CONFIG_DIR": str(course.work / "tmp"),
    }
    flags = [
        "--ServerApp.ip=127.0.0.1",
        "--no-browser",
        "--allow-root",
        "--LabApp.default_url=/formgrader",
    ]
    log = course.work / "tmp" / "log"
    with open(log, "w") as f:
        p = subprocess.Popen(
            [*PYTHON, "-m", "jupyterlab", *flags], cwd=course.work, env=env, stdout=f, stderr=f, start_new_session=True
        )

    def get(path):
        c = http.client.HTTPConnection("127.0.0.1", int(at[1]), timeout=60)
        c.request("GET", path, headers={"Authorization": "token t"})
        r = c.getresponse()
        return r.status, r.read().decode()

    try:
        page = None
        while page is None:
            assert p.poll() is None, log.read_text()
            time.sleep(0.2)
            if at := re.search(r"http://127\.0\.0\.1:(\d+)/", log.read_text()):
                with contextlib.suppress(ConnectionRefusedError):  # its address is printed before it listens
                    status, page = get("/formgrader/manage_assignments")
        assert status == 200 and "Manage Assignments" in page, page
        shown = [("prints", "debug: to stderr"), ("cheat-page", "How this was graded"), ("bad-empty", "no bytes in it")]
        shown += [(f"{course.names[-1]}-right", "How this was graded")]
        for student, text in shown:
            if student not in course.rows:  # its file is not in testdata/
                continue
            name = course.rows[student]["set"]
            _, page = get(f"/formgrader/api/submitted_notebooks/{name}/{name}")
            notebooks = {x["student"]: x for x in json.loads(page)}
            row = course.rows[student]
            assert f"{notebooks[student]['score']:g}" == row["points"], row
            assert notebooks[student]["needs_manual_grade"] == bool(row["waits"]), row
            status, page = get(f"/formgrader/submissions/{notebooks[student]['id']}/")
            assert status == 200 and text in page, page[:2000]
            assert not re.search(HOSTILE, page), "a script in the page, or what a browser fetches"
    finally:
        kill(p)


if __name__ == "__main__":
    main()
