"""What the pages and the Go files have more of than is good to read. It warns; nothing fails by it."""

import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPTION = re.compile(r"^\*\*Figure (\d+)\.\*\*", re.MULTILINE)


def text(cell):
    return "".join(cell["source"])


def drawn(cell):
    return any("image/png" in out.get("data", {}) for out in cell.get("outputs", []))


def page(cells, lesson):
    """What is to be said of a page; TestLessons says more of a lesson."""
    code = [c for c in cells if c["cell_type"] == "code"]
    if [c["execution_count"] for c in code] != list(range(1, len(code) + 1)):
        yield "it is not committed as it ran, once, from top to bottom: make notebooks WRITE=1"
    if len(code) > 25:
        yield f"{len(code)} code cells, more than 25"
    card = text(cells[0])
    for part in ("[all pages](README.md)",) if lesson else ("**Verdict", "**In practice", "[all pages](README.md)"):
        if part not in card:
            yield f"its first cell has no {part}"
    if (numbers := card.count("\n| ") - 1) > 3:
        yield f"{numbers} numbers on its card, more than 3"
    if (first := next((i for i, c in enumerate(cells) if drawn(c)), 0)) > 5:
        yield f"its first figure is in cell {first + 1}, not one of the first six"
    for before, cell in zip(cells, cells[1:]):
        lines = text(cell).rstrip("\n").split("\n")
        if cell["cell_type"] == "code" and cell is not code[0]:
            if len(lines) > 25 and not cell["metadata"].get("jupyter", {}).get("source_hidden"):
                yield f"{len(lines)} lines, more than 25, in the cell that begins with {lines[0]!r}"
            if before["cell_type"] != "markdown":
                yield f"no text before the cell that begins with {lines[0]!r}"
            yield from (f"more than 78 columns: {line.strip()}" for line in lines if len(line.expandtabs(4)) > 78)
        if drawn(before) and not CAPTION.match(text(cell)):
            yield f"no caption right under the figure of the cell that begins with {text(before)[:40]!r}"
    figures = [int(m[1]) for c in cells for m in CAPTION.finditer(text(c))]
    if figures != list(range(1, len(figures) + 1)):
        yield f"its figures count {figures}"


def file(lines):
    """What is to be said of a Go file."""
    if len(lines) > 400:
        yield f"{len(lines)} lines, more than 400"
    start = 0
    for i, line in enumerate(lines):
        if line.startswith("func "):
            start = i
        if line == "}" and lines[start].startswith("func ") and i - start >= 80:
            yield f"{i - start + 1} lines, more than 80, in {lines[start]}"


# What a native editor would write otherwise; then the words that only this house knows. KEPT: hits that stay, each with its reason.
WORDS = re.compile(
    r"\b(?:[Tt]he|[Tt]his) (?:\w+ )?(?:table|figure|cell|column)s? ha(?:s|ve)\b|\b[Tt]he pages? ha(?:s|ve)\b|\bwhat [^.,;:]{1,40} is is\b|\bone['’]s\b|\band no rate\b|\b[Bb]eside\b"
    r"|\b[Ss]ome (?:\d|(?:two|three|four|five|six|ten|twenty|fifty|hundred|thousand|million)\b)|\b[Dd]ear(?:er|est|ly)?\b"
    r"|(?<!paper )(?<!as it )\b(?:says|knows)\b|\b(?:[Bb]elow|[Aa]bove|[Hh]ere|[Tt]here) stand\b|\b(?:stands|stood)\b(?! (?:for|in|still)\b)|\b(?:table|figure|theorem|page|proof|method|lemma|bound|file)s? (?:say|know|stand)\b"
    r"|(?:^|[.:;] )(?:With|By) which\b|(?:^|[.:;] )Who \w+ [^.?]*\.(?=\s|$)"
    r"|\b[Rr]ooms?\b|\b(?:the paper['’]s|STORC['’]s|SVRF['’]s|its|both) box(?:es)?\b|\bbox (?:by box|as written)\b|\btwin(?:s|ned)?\b|\b(?:flip(?:s|ped)?|ledgers?|[Ss]lips?|opponents?)\b"
    r"|\b(?:[Aa]|[Oo]ne|each|every|per|another|first|\d|two|five|ten|of|over|between|all|other|random) draws?(?! (?:the|a|an|what|from|it|one)\b)\b|\b(?:a|first|each|every|per) look\b"
    r"|\b[Ll]ate windows?\b|(?<![-\w])(?<![Ss]et by the )[Ss]chedules?\b|\bruns alike\b", re.MULTILINE)
KEPT = {
    "## Five schedules, one slope": "an address that other pages link to",
    "## What a verdict says": "an address that other pages link to",
    "## Where it stands": "English of a rank",
    "[where it stands](#Where-it-stands)": "the same",
    "schedules %016x to step %d": "the form of files that are kept",
    "aloi's twin": "a name in files that are kept",
    "LIBSVM's page say 53 classes": "a page may say what is on it",
}
MAIN = re.compile(r"README\.md|notebooks/(?:README\.md|lesson-\d.*|quickstart\.ipynb|site/.*)")  # what a newcomer reads first


def english(text):
    """The words in a text, apart from code, formulas and quotations, at which a native reader stumbles."""
    for kept in KEPT:
        text = text.replace(kept, " ")
    text = re.sub(r"(?s)```.*?```|\$\$.*?\$\$|`[^`]*`|\$[^$]*\$|\[([\w-]+)\]\(\1\.ipynb[^)]*\)|\]\([^)]*\)|“[^”]*”|\"[^\"\n]{,60}\"|<[^<>]*>|^>.*?$", " ", text, flags=re.MULTILINE)
    return [" ".join(m[0].split()) for m in WORDS.finditer(text)]


DECLARED = re.compile(r"\s*(?:func (?:\([^)]*\) )?[A-Z]|type [A-Z]|(?:var|const) (?:[A-Z]|\()|package |[A-Z]\w*\b)")
SAID = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')


def comments(go):
    """The comments of a Go file that its documentation shows: those of exported names and of the package."""
    block = []
    for line in go.split("\n"):
        if line.lstrip().startswith("//"):
            block.append(line.lstrip()[2:].strip())
            continue
        if DECLARED.match(line):
            yield " ".join(block)
            yield line.partition(" // ")[2]
        block = []


def strings(code):
    """The texts in a piece of Go: literals of two words and more, and the pieces of one that is broken joined."""
    code = re.sub(r"(?m)^\s*//.*$|\s// .*$", "", code)
    code = re.sub(r'"\s*\+\s*"', "", code)
    return [s for m in SAID.finditer(code) if " " in (s := m[1] or m[2] or "").strip()]


def texts(path):
    """What a reader meets of a file: the text of a page and of its outputs, comments and messages of Go files, the rest as it is."""
    raw = path.read_text()
    if path.suffix == ".go":
        said = strings(raw)
        return said if "internal" in path.parts or "package main" in raw.split("\n") and "fwopt" not in path.parts else [*comments(raw), *said]
    if path.suffix in (".md", ".html", ".j2"):
        return [raw]
    if path.suffix != ".ipynb":
        return ["".join(m) for m in re.findall(r""""([^"\n]*)"|'([^'\n]*)'|`([^`]*)`""", raw)]
    found = []
    for c in json.loads(raw)["cells"]:
        if c["cell_type"] == "markdown":
            found.append(text(c))
        if c["cell_type"] == "code":
            found += strings(text(c))
        for out in c.get("outputs", []):
            data = out.get("data", {})
            found += ["".join(t) for t in (out.get("text"), data.get("text/markdown") or data.get("text/plain")) if t]
    return found


LITERAL = re.compile(r"`[^`]*`?|\"(?:[^\"\\]|\\.)*\"")


def wide(name, text):
    """The lines of code that are wider than 110 columns, a tab being 4, without the comment at their ends."""
    for i, line in enumerate(text.split("\n"), 1):
        code = re.sub(r"\s+// .*$", "", line.expandtabs(4))
        if len(code) > 110 and not code.lstrip().startswith("//") and all(len(s) < 40 for s in LITERAL.findall(code)):  # a long literal cannot be broken well
            yield f"{name}:{i}: {len(code)} columns, more than 110"


def columns():
    """make fmt asks this, and fails if there are any."""
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    texts = {name: (ROOT / name).read_text() for name in files if (ROOT / name).exists()}
    found = [what for name, text in texts.items() if "DO NOT EDIT" not in text[:400] for what in wide(name, text)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


# One of each kind that nothing else uses: the files that name it are those which one more would touch.
PLACES = (
    ("a method", "GarberHazan", 5, ["fwopt/*.go"]),
    ("a set", "KSparse", 3, ["fwopt/*.go", ":!fwopt/fwset/exact_test.go"]),
    ("a data set", "aloi", 3, ["datasets"]),
    ("a page", "large-data", 4, ["notebooks", ":!notebooks/pictures", ":!notebooks/site/moved.tsv"]),
)


def places():
    for kind, name, most, where in PLACES:
        def git(*args):
            return subprocess.run(["git", *args, "--", *where], cwd=ROOT, capture_output=True, text=True).stdout.split()

        named = sorted({*git("grep", "-l", name), *(path for path in git("ls-files") if name in path)})
        yield f"{kind} ({name}) has {len(named)} places{', more than ' + str(most) if len(named) > most else ''}: {' '.join(named)}"


def main():
    files = subprocess.run(["git", "ls-files", "notebooks/*.ipynb", "*.go"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in files.stdout.split():
        path = ROOT / name
        if path.suffix == ".ipynb":
            said = page(json.loads(path.read_text())["cells"], path.name.startswith("lesson-")) if path.parent.name == "notebooks" else ()
        else:
            said = () if name.endswith("_test.go") else file(path.read_text().split("\n"))
        for what in said:
            print(f"{name}: {what}")
    stumbles, seen = collections.Counter(), set()
    read = subprocess.run(["git", "ls-files", "*.md", "*.ipynb", "fwopt/*.go", "notebooks/*.go", "notebooks/site/*.html", "notebooks/site/*.js", "notebooks/site/*.j2", "notebooks/site/build.py", ":!*_test.go", ":!*/testdata/*",
                           ":!fwopt/internal/kern/gen"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in sorted(read):
        said = texts(ROOT / name)
        seen |= {kept for kept in KEPT if any(kept in t for t in said)}
        if found := [w for t in said for w in english(t)]:
            stumbles[bool(MAIN.match(name))] += len(found)
            print(f"{name}: {len(found)} to read again: {', '.join(sorted({f'{w} ({found.count(w)})' for w in found}))}")
    print(f"{stumbles[True]} places of English to read again on the main line, {stumbles[False]} in the rest")
    if len(KEPT) > 30 or seen != set(KEPT):
        print(f"KEPT has {len(KEPT)} entries, at most 30, and nothing has {sorted(set(KEPT) - seen)}")
    print(*places(), sep="\n")


if __name__ == "__main__":
    sys.exit(columns() if sys.argv[1:] == ["columns"] else main())
