"""make course: source/ by way of chosen/ into release/ and key/. make grade: submitted/ into grades.csv, class.csv and feedback/.

Both can be stopped and started again at any time: what is finished and still true is not done twice. What a grader
typed is in gradebook.db, in transactions, and nothing here deletes it.
"""

import argparse
import contextlib
import csv
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from html import escape

import nbformat
from nbgrader.api import MissingEntry
from nbgrader.apps import NbGraderAPI
from sqlalchemy.exc import SAWarning
from traitlets.config import PyFileConfigLoader

import judge
import variants

HERE = judge.HERE
WORD = HERE / "gradebook.db.variants"  # the secret that chooses among the variants; none: the first of each
STUDENT = re.compile(r"\w[\w.@+ -]*")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["release", "key", "grade"], nargs="+")
    commands = parser.parse_args().command
    os.environ["PATH"] = os.pathsep.join(
        [os.path.dirname(sys.executable), os.environ["PATH"]]
    )  # nbgrader calls alembic
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    warnings.simplefilter("ignore", SAWarning)  # nbgrader's own
    lock = os.open(HERE, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"course: {HERE} is being released or graded already: wait for it")
    names = sorted(p.parent.name for p in HERE.glob("source/*/*.ipynb") if p.stem == p.parent.name)
    if not names:
        sys.exit(f"course: no sheet in {HERE}/source/NAME/NAME.ipynb")
    secret = os.environ.get("FWLAB_SECRET")
    if secret is not None:
        if not secret.strip():
            sys.exit("course: SECRET is empty: give a word that students do not guess, as make course SECRET=word, or leave it out")
        if not (WORD.exists() and WORD.read_text() == secret.strip()):
            WORD.write_text(secret.strip())
            WORD.chmod(0o600)
    if WORD.exists():
        print(f"course: variants by the secret in {WORD.name}; delete that file for the first of each", flush=True)
    api = NbGraderAPI(config=PyFileConfigLoader("nbgrader_config.py", path=str(HERE)).load_config())
    try:
        failed = [f for c in commands for f in globals()[c](api, names)]
    except KeyboardInterrupt:
        sys.exit("course: stopped; the same command goes on")
    sys.exit("\n".join(f"course: {f}" for f in failed) if failed else 0)


def run(step, *args, **kw):
    """A step of nbgrader; returns what it logged if it failed."""
    result = step(*args, **kw)
    if "KeyboardInterrupt" in result.get("error", ""):
        raise KeyboardInterrupt
    if not result["success"]:
        log = result.get("log", result["error"]).splitlines()
        log = [x for x in log if x.strip() and not x.startswith((" " * 5, "[INFO]"))]  # no frames of a trace
        return "\n".join(log[-15:]) or "nbgrader failed"
    return None


def newer(file, *than):
    """Whether file was not made before the others."""
    return file.exists() and all(file.stat().st_mtime >= p.stat().st_mtime for p in than)


def choose(name):
    """chosen/: the sheet with one text for each variant. Returns the file, and the numbers of those that are not the
    first, as a reader counts them."""
    source, out = (HERE / step / name / f"{name}.ipynb" for step in ("source", "chosen"))
    nb = nbformat.read(source, as_version=4)
    of = variants.read(nb, f"source/{name}/{name}.ipynb")
    number = variants.numbers(WORD.read_text() if WORD.exists() else "", name, of)
    variants.choose(nb, number)
    others = {v: n + 1 for v, n in number.items() if n}
    if others:
        nb.metadata.fwlab = {"variants": others}

    def but_pictures(nb):  # in chosen/ those that the key draws
        return [{**c, "attachments": None} for c in nb.cells], nb.metadata

    if not newer(out, source) or but_pictures(nbformat.read(out, as_version=4)) != but_pictures(nb):
        out.parent.mkdir(parents=True, exist_ok=True)
        write(nb, out)
    return out, others


def write(nb, file):
    """A notebook that is there as a whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=HERE, prefix=".chosen", delete=False, encoding="utf-8") as f:
        nbformat.write(nb, f)
    os.replace(f.name, file)


def made_with(name):
    """The variants of a sheet that is released already; None if it is not."""
    try:
        fwlab = nbformat.read(HERE / "release" / name / f"{name}.ipynb", as_version=4).metadata.get("fwlab", {})
    except OSError:
        return None
    return dict(fwlab.get("variants", {}))


def release(api, names):
    """The students' sheets."""
    with api.gradebook as gb:
        known = {a.name for a in gb.assignments}
    for name in names:
        out = HERE / "release" / name / f"{name}.ipynb"
        try:
            source, others = choose(name)
        except variants.Fault as e:
            yield f"{name} is not released: {e}"
            continue
        if name in known and newer(out, source, HERE / "nbgrader_config.py"):
            continue
        if others:  # its pictures are those that its key draws
            failed = [*key(api, [name])]
            if failed:
                yield f"{name} is not released: {failed[0]}"
                continue
        why = run(api.generate_assignment, name, force=True)
        if why is None:
            found = leaks(nbformat.read(source, as_version=4), nbformat.read(out, as_version=4))
            why = f"it would show a solution or a hidden check: {found[0]!r}" if found else None
        if why is None:
            print(f"release/{name}", flush=True)
            continue
        shutil.rmtree(out.parent, ignore_errors=True)
        if "Cannot add or remove cells" in why:
            why += (
                "\nsubmissions were graded by the old cells: keep their names, or forget those submissions and "
                f"their grades: in {HERE}: {sys.executable} -m nbgrader db assignment remove {name} --force"
            )
        yield f"{name} is not released: {why}"


def leaks(source, released):
    """Lines of source's solutions and hidden checks that are in released, anywhere."""
    secret, never, public = set(), set(), []  # a short line, or a check's, may well be said elsewhere
    for cell in source.cells:
        hidden = None
        for line in cell.source.split("\n"):
            begin = re.search(r"BEGIN (SOLUTION|HIDDEN TESTS)", line)
            if begin:
                hidden = f"END {begin[1]}"
                secret.add(begin[0])
            elif hidden and hidden in line:
                hidden = None
            elif hidden:
                secret.add(line.strip())
                if hidden == "END SOLUTION" and len(line.strip()) > 30:
                    never.add(line.strip())
            else:
                public.append(line)
        if cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("solution"):
            secret.update(line.strip() for line in cell.source.split("\n"))
    public = "\n".join([*public, "YOUR ANSWER HERE", '// YOUR CODE HERE\npanic("not implemented")'])
    texts = list(strings({**released, "cells": [{**c, "attachments": None} for c in released.cells]}))
    return sorted(s for s in secret if s and (s in never or s not in public) and any(s in t for t in texts))


def strings(x):
    if isinstance(x, str):
        yield x
    elif isinstance(x, (list, dict)):
        for y in [*x, *x.values()] if isinstance(x, dict) else x:
            yield from strings(y)


def key(api, names):
    """The teacher's sheets: the solutions with all that they print and draw."""
    for name in names:
        out = HERE / "key" / name / f"{name}.ipynb"
        try:
            source, others = choose(name)
        except variants.Fault as e:
            yield f"{name} has no key: {e}"
            continue
        if newer(out, source):
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent) as tmp:
            file = pathlib.Path(tmp) / out.name
            shutil.copyfile(source, file)
            if why := solved(name, file, others):
                yield f"{name} has no key: {why}"
                continue
            wrong = pictures(file)
            if wrong and others:
                redraw(source, file)
                wrong = pictures(file)
            drawn = out.with_stem(f"{name}-drawn")
            os.replace(file, drawn if wrong else out)
        if wrong:
            yield f"{name} has no key: " + "; ".join(wrong) + f"; copy it from {drawn} and attach it under that name"
            continue
        drawn.unlink(missing_ok=True)
        print(f"key/{name}", flush=True)


def solved(name, file, others):
    """Runs a key; returns the first cell that fails and what to do, if one does."""
    runner = [sys.executable, str(judge.ROOT / "docker" / "run_notebooks.py"), "--write", str(file)]
    ran = subprocess.run(runner, cwd=judge.ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    print(ran.stderr, end="", file=sys.stderr, flush=True)
    if not ran.returncode:
        return None
    code = [(i, c) for i, c in enumerate(nbformat.read(file, as_version=4).cells) if c.cell_type == "code"]
    found = re.search(r"^ *code cell (\d+)", ran.stderr, re.MULTILINE)
    place = f", {variants.where(*code[int(found[1]) - 1])}" if found else ""
    mend = f" with the variants {variants.told(others)}: correct the texts of these numbers" if others else ": correct them"
    return f"source/{name}/{name}.ipynb{place}: its solutions do not run, see above{mend}"


def redraw(sheet, file):
    """Attaches to the texts of a key, and of the sheet it is of, the pictures that the key draws below them."""
    nb, of = (nbformat.read(f, as_version=4) for f in (file, sheet))
    for i, (cell, same) in enumerate(zip(nb.cells, of.cells)):
        below = next((c for c in nb.cells[i:] if c.cell_type == "code"), {})
        drawn = [o.data["image/png"] for o in below.get("outputs", []) if "image/png" in o.get("data", {})]
        for picture in cell.get("attachments", {}) if drawn else []:
            cell.attachments[picture] = same.attachments[picture] = {"image/png": drawn[0]}
    write(of, sheet)
    write(nb, file)


def pictures(file):
    """The pictures of a key's texts that are not those that its cells draw."""
    out = subprocess.run([judge.build(), "-pictures", str(file)], check=True, capture_output=True, text=True)
    return out.stdout.splitlines()


def grade(api, names):
    """Grades what is new in submitted/, writes feedback/, grades.csv and class.csv."""
    fit = []
    for name in names:
        try:
            have, want = made_with(name), choose(name)[1]
        except variants.Fault as e:
            yield f"{name} is not graded: {e}"
            continue
        if have is None or have == want:
            fit.append(name)
            continue
        yield (
            f"{name} is not graded: release/{name} was made with another secret, for it has the variants {variants.told(have)}, and "
            f"that of now chooses {variants.told(want)}. If students have that release, make grade SECRET=word with the word of "
            f"then{'' if have else f', or delete {WORD.name}'}; if not, make course"
        )
    yield from release(api, fit)
    rows = []
    for folder in sorted(HERE.glob("submitted/*")):
        student = folder.name
        if student.startswith(".") and (student == ".ipynb_checkpoints" or not folder.is_dir()):
            continue
        if not folder.is_dir() or not STUDENT.fullmatch(student):
            yield f"{folder}: not a folder named after a student (letters, digits, . @ + - _ and spaces)"
            continue
        for place in sorted(p for p in folder.iterdir() if not p.name.startswith(".")):
            if place.name not in names:
                yield f"{place}: not one of the sheets {', '.join(names)}: put each into {folder}/NAME/NAME.ipynb"
                continue
            if place.name not in fit:
                rows.append({"student": student, "set": place.name, "notes": "not graded: see what make grade says of the sheet"})
                continue
            row, why = grade_one(api, student, place.name, place / f"{place.name}.ipynb")
            rows.append(row)
            if why:
                yield f"{student}/{place.name}: {why}"
    write_grades(rows, fit)
    write_class(rows, fit)
    print(f"{len(rows)} submissions: grades.csv, class.csv")


def grade_one(api, student, name, file):
    """One line of grades.csv; why it is not graded, if so."""
    row = {"student": student, "set": name}
    out = HERE / "autograded" / student / name / file.name
    if not os.path.lexists(file):
        row["notes"] = why = f"no {file.name} in its folder: rename or ask for it"
        return row, why
    info = judged(api, student, name, out)
    if info is None or info.key != judge.key(file, name, name):
        why = run(api.autograde, name, student, force=True)
        info = judged(api, student, name, out)
        if why or info is None:
            row["notes"] = f"not graded: {why or 'its result is missing'}"
            return row, row["notes"]
    html = HERE / "feedback" / student / name / f"{name}.html"
    with api.gradebook as gb:
        notebook = gb.find_submission_notebook(name, name, student)
        comments = [c.comment for c in notebook.comments]
        grades = {g.name: g for g in notebook.grades}
        for cell, g in grades.items():
            row[cell] = "" if g.auto_score is None and g.manual_score is None else f"{g.score:g}"
        waits = [g for g in notebook.grades if g.needs_manual_grade]
        waiting = sum(g.max_score for g in waits if g.manual_score is None)  # points once given stay
        row |= {
            "points": f"{notebook.score:g}",
            "of": f"{notebook.max_score - waiting:g}",
            "waiting": f"{waiting:g}",
            "waits": " ".join(sorted(f"{g.name} ({g.max_score:g})" for g in waits)),
        }
    row |= {"notes": " | ".join(info.notes), "parts": info.parts}
    stamp = hashlib.sha256(repr([info.key, info.seconds, row, comments]).encode()).hexdigest()
    stamp = f"<!-- {stamp} -->\n"
    if not (html.exists() and html.read_text().endswith(stamp)):
        why = run(api.generate_feedback, name, student, force=True)
        if why:
            return row, f"no feedback: {why}"
        html.write_text(named(html.read_text(), name, row, info) + stamp)
        print(
            f"{student}/{name}: {score(row)}, {info.seconds} s",
            "".join(f"\n  {n}" for n in info.notes),
            flush=True,
        )
    return row, None


def score(row):
    """What is graded so far; what waits for a hand is not lost."""
    return f"{row['points']} of {row['of']}" + ("" if row["waiting"] == "0" else f", {points(row['waiting'])} wait")


def points(n):
    return f"{float(n):g} point{'s' * (float(n) != 1)}"


def named(page, name, row, info):
    """A page of feedback that begins with what to look at, and calls the cells by their tasks; nbgrader calls each of
    them a test cell, and says of one that waits that it had 0 points."""
    tasks = judge.tasks(name)
    waits = dict(re.findall(r"(\S+) \(([\d.]+)\)", row["waits"]))

    def line(m):
        had = f"({points(waits[m[2]])}: waits for a hand)" if m[2] in waits else m[3]
        return f"{m[1]}{escape(tasks[m[2]][0])}</a> {had}" if m[2] in tasks else m[0]

    page = re.sub(r'(<a href="#([\w-]+)">)[^<]*</a> (\(Score: [^)]*\))', line, page)
    for cell in waits:
        page = re.sub(rf'(<a name="{cell}"></a>.*?)Score: [\d.]+ /', r"\1waits: of", page, count=1, flags=re.DOTALL)
    return re.sub(r"<h4>[^<]*</h4>", lambda _: f"<h4>{name}: {score(row)}</h4>\n{look(tasks, info)}", page, count=1)


def look(tasks, info):
    """The parts of checks that were not passed, with links to them, after what the notes say of cells."""
    lines = [escape(n) for n in info.notes if n.startswith("cell ") and "not compile" not in n]  # a part says it
    lines += [f"<code>{escape(info.unusable)}</code>"] if "unusable" in info else []
    for cell, parts in info.parts.items():
        for p in parts:
            if not p["passed"]:
                what = f" for {p['what']}" if p["what"] else ""
                link = f'<a href="#{cell}">{escape(tasks[cell][0])}</a>'
                lines.append(f"{link}, {points(p['points'])}{escape(what)}: <code>{escape(p['says'])}</code>")
    if not lines:
        return '<div id="look">The checks are all passed.</div>\n'
    return '<div id="look">Look at this first:<ul>' + "".join(f"<li>{x}</li>" for x in lines) + "</ul></div>\n"


def judged(api, student, name, out):
    """What is known of a finished grading; None if there is none. The file is written after the gradebook."""
    try:
        info = nbformat.read(out, as_version=4).metadata.fwlab
        with api.gradebook as gb:
            gb.find_submission(name, student)
        return info if info.judged else None
    except (OSError, ValueError, AttributeError, MissingEntry):
        return None


def write_grades(rows, names):
    """A line for each submission."""
    columns = ["student", "set", "points", "of", "waiting", "waits", "notes"]
    columns += [cell for name in names for cell in judge.tasks(name)]
    with table("grades.csv") as f:
        out = csv.DictWriter(f, columns, extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)


def write_class(rows, names):
    """A line for each cell that is graded and for each of its parts: how many had all of it, some, nothing."""
    with table("class.csv") as f:
        out = csv.writer(f)
        out.writerow(["set", "task", "cell", "part", "of", "graded", "all", "some", "none", "mean"])
        for name in names:
            graded = [r for r in rows if r["set"] == name and "of" in r]
            for cell, (task, of) in judge.tasks(name).items():

                def line(part, of, points):
                    full, none = sum(p >= of for p in points), points.count(0)
                    mean = f"{sum(points) / len(points):.2f}" if points else ""
                    out.writerow([name, task, cell, part, f"{of:g}", len(points), full, len(points) - full - none, none, mean])

                line("", of, [float(r[cell]) for r in graded if r.get(cell)])
                had = [{p["what"]: p for p in r["parts"].get(cell, [])} for r in graded]
                for what, p in next((h for h in had if h), {}).items():
                    if what:
                        line(what, p["points"], [p["points"] * h.get(what, {"passed": False})["passed"] for h in had])


@contextlib.contextmanager
def table(name):
    """A CSV file that is there as a whole or not at all."""
    tmp = HERE / f".{name}"
    with open(tmp, "w", newline="", encoding="utf-8") as f:
        yield f
    os.replace(tmp, HERE / name)


if __name__ == "__main__":
    main()
