"""Which of the long sections of .ci/run have to run: those with a file that changed since the commit in .ci/green.

.ci/run passed on that commit. What is not known makes everything run: a file that no rule names, no .ci/green, a commit
that is not in HEAD's history, a shallow clone; and so does FULL=1. After a change of the library only some pages run, by
turns: a fourth of them, and the next fourth after the next commit.
Prints a line for each section: its name, yes or no, why and, for pages, which, with tabs between.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECTIONS = ("bench-short", "pages", "browser", "site-check", "live-check", "image", "course-test", "flink-test")
FIRST = "quickstart"  # runs each time
TURNS = 4
# The first rule that fits a whole path says what the file is part of. "go" stands for all pages, of which a fourth runs;
# test.py holds these rules against what Go imports. A file without a rule (go.mod, docker/setup.sh, …) is part of everything.
RULES = [
    (r"fwopt/fwbeam/(flink/.*|[^/]*\.(go|mod|sum))", "flink-test"),
    # What calls the sections: see recipes. A page is the same, whoever runs it.
    (r"Makefile", "recipes"),
    # What only the sections see that run each time.
    (r"\.ci/(green|run|choose\.py|test\.py)|\.github/.*|\.gitignore|(fwopt/|docker/)?[A-Z]+\.md|LICENSE|CITATION\.cff|\.zenodo\.json|(bench|datasets)/(.*\.md|video/COPYING)", ""),
    (r"(fwopt|datasets|notebooks/assignments/fwgrade)/(.*/)?(testdata/.*|[^/]*_test\.go)", ""),
    (r"fwopt/(fwbeam|fwverify|fwfetch|fwlab|fwmin|internal/kern/gen)/.*|docker/lint/.*|docker/(celltime|report)\.py|docker/release-test\.sh|datasets/video/convert\.py", ""),
    # The library.
    (r"fwopt/fw(race|test)/.*\.go", "go"),
    (r"fwopt/fwinst/[^/]*\.go", "go course-test"),
    (r"fwopt/fw(nb|plot|keep)/[^/]*\.go", "go course-test browser"),
    (r"fwopt/([^/]*|fw(set|sum|more|data|rate|road)/[^/]*|internal/.*)\.(go|s)|datasets/[^/]*\.go", "go course-test site-check bench-short"),
    (r"datasets/.*\.(gz|json)", "all-pages course-test site-check bench-short"),
    # The peers.
    (r"bench/results/.*", "readers"),
    (r"bench/.*\.(go|s|py|mod|sum|in|txt|sh)", "bench-short"),
    # The pages and what is made of them.
    (r"notebooks/quickstart\.ipynb", "page site-check browser image"),
    (r"notebooks/[^/]*\.ipynb", "page site-check browser"),
    (r"notebooks/committed/[^/]*/.*", "folder"),
    (r"notebooks/(races|passes|committed)/README\.md", "site-check"),
    (r"notebooks/claims\.tsv", ""),
    (r"notebooks/(races|passes)/.*|notebooks/projections\.csv", "readers"),
    (r"notebooks/(site|pictures|note)/.*|docker/requirements-note\.(in|txt)|notebooks/[^/]*\.md", "site-check"),
    (r"notebooks/kernel/.*|notebooks/live\.txt|docker/requirements-lite\.(in|txt)", "site-check live-check"),
    (r"notebooks/assignments/(source/.*|[^/]*\.md|variants\.py)", "course-test site-check"),
    (r"notebooks/assignments/.*", "course-test"),
    # What runs them.
    (r"docker/run_notebooks\.py", "all-pages"),
    (r"docker/browser/test\.mjs", "browser"),
    (r"docker/browser/site\.mjs", "site-check"),
    (r"docker/browser/package(-lock)?\.json", "browser site-check live-check"),
    (r"docker/requirements-course\.(in|txt)", "course-test"),
    (r"docker/(Dockerfile|image[-_].*|jupyter_server_config\.py|requirements-image\.(in|txt))|\.dockerignore|\.binder", "image"),
]


class Unknown(Exception):
    """Why nobody can say what changed."""


def git(*args):
    ran = subprocess.run(["git", "-C", ROOT, *args], capture_output=True)
    if ran.returncode:
        raise Unknown(f"git {args[0]} fails")
    return os.fsdecode(ran.stdout)


def changed():
    """The files that are not as they were when .ci/green passed: both names of a renamed one, and those that git does not have yet."""
    if os.environ.get("FULL") == "1":
        raise Unknown("FULL=1")
    try:
        green = (ROOT / ".ci/green").read_text().strip()
    except (OSError, UnicodeDecodeError):
        raise Unknown("no .ci/green") from None
    if not re.fullmatch("[0-9a-f]{40}", green):
        raise Unknown(".ci/green holds no hash")
    if git("rev-parse", "--is-shallow-repository").strip() != "false":
        raise Unknown("a shallow clone")
    try:
        git("merge-base", "--is-ancestor", green, "HEAD")
    except Unknown:
        raise Unknown(f"{green} of .ci/green is not in HEAD's history") from None
    names = git("diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z", green, "--")
    names += git("ls-files", "--others", "--exclude-per-directory=.gitignore", "-z")
    return sorted(set(names.split("\0")) - {""})


def recipes():
    """The sections of which make would now run other commands."""
    made = [s for s in SECTIONS if s != "pages"]

    def commands(text):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        ran = [subprocess.run(["make", "-n", "-f", "-", s], cwd=ROOT, env=env, input=text, capture_output=True, text=True)
               for s in made]  # fmt: skip
        return [r.stdout if r.returncode == 0 else None for r in ran]

    try:
        was, now = commands(git("show", (ROOT / ".ci/green").read_text().strip() + ":Makefile")), commands((ROOT / "Makefile").read_text())
    except (OSError, Unknown):
        return set(made)
    return {s for s, a, b in zip(made, was, now, strict=True) if a is None or a != b}


def parts(file, texts):
    """What a file is part of, or None if no rule names it."""
    found = next((what for rule, what in RULES if re.fullmatch(rule, file)), None)
    if found is None:
        return None
    name, needs = pathlib.PurePath(file), set(found.split())
    if "page" in needs:
        needs |= {f"page {name.stem}"}
    if "folder" in needs:  # its page's
        needs |= {f"page {name.parent.name}"}
    if "readers" in needs:  # the pages that read it
        named = re.compile(rf'{re.escape(name.name)}|\b{re.escape(name.parent.name)}(/|\\?")')
        readers = [page for page, text in texts.items() if named.search(text)]
        needs |= {f"page {page}" for page in readers} or {"all-pages"}
    if "recipes" in needs:
        needs |= recipes()
    if not (ROOT / file).exists():
        needs.add("site-check")  # it finds links that lead nowhere
    return needs - {"page", "folder", "readers", "recipes"}


def choose(files, texts, turn):
    """For each section why it runs, or None; and the pages to run."""
    why, pages = dict.fromkeys(SECTIONS), {FIRST} & set(texts)
    for file in files:
        needs = parts(file, texts)
        if needs is None:
            raise Unknown(f"{file} may touch everything")
        for need in sorted(needs):
            if need == "go":
                pages |= set(sorted(texts)[turn % TURNS :: TURNS])
                why["pages"] = why["pages"] or f"a fourth for {file}"
            elif need == "all-pages":
                pages |= set(texts)
                why["pages"] = file
            elif need.startswith("page "):
                pages |= {need[5:]} & set(texts)
            else:
                why[need] = why[need] or file
    return why, pages


def main():
    texts = {f.stem: f.read_text(encoding="utf-8", errors="replace") for f in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    try:
        why, pages = choose(changed(), texts, int(git("rev-list", "--count", "HEAD")))
    except Unknown as e:
        why, pages = dict.fromkeys(SECTIONS, str(e)), set(texts)
    for name in SECTIONS:
        if name == "pages":
            count = f"{len(pages)} of {len(texts)} pages" + (f": {why[name]}" if why[name] else "")
            line("pages", "yes", count, " ".join(f"notebooks/{p}.ipynb" for p in sorted(pages)))
        else:
            line(name, "yes" if why[name] else "no", why[name] or "no file of it changed since .ci/green")


def line(*columns):
    print(*(re.sub(r"\s", " ", c).encode("ascii", "replace").decode() for c in columns), sep="\t")


if __name__ == "__main__":
    sys.exit(main())
