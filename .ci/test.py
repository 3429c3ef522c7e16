"""What .ci/run stands on: choose.py, on planted changes in throwaway repositories, .ci/run itself with its commands
replaced, and that whatever comes from outside is pinned. Needs git and Go, no network."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import choose  # noqa: E402

ROOT = choose.ROOT
LONG = set(choose.SECTIONS) - {"pages"}
TURN = object()
PAGES = {"quickstart": "", "theorem-3": "", "benchmarks": '"../bench/results/" + name', "large-data": 'filepath.Join("passes", x)'}
FILES = """README.md fwopt/svrf.go fwopt/svrf_test.go fwopt/fwset/l1.go fwopt/fwset/testdata/l1.txt fwopt/fwnb/show.go fwopt/fwverify/main.go
fwopt/internal/kern/simd_amd64.s datasets/digits.csv.gz bench/main.go bench/setup.sh bench/results/ratios.csv docker/Dockerfile docker/setup.sh
docker/browser/test.mjs notebooks/site/style.css notebooks/passes/race.csv notebooks/assignments/judge.py notebooks/assignments/source/ps1/ps1.ipynb
Makefile go.mod .ci/run .gitignore""".split()


class Repository:
    """A small tree with a commit that is green."""

    def __init__(self, case):
        self.top = pathlib.Path(tempfile.mkdtemp())
        case.addCleanup(shutil.rmtree, self.top)
        self.root = self.top / "tree"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        for name in FILES:
            self.write(name, name + "\n" * 9)
        for name, text in PAGES.items():
            self.write(f"notebooks/{name}.ipynb", text)
        self.write(".gitignore", "__pycache__/\nruns/\n")
        shutil.copy(ROOT / ".ci/choose.py", self.root / ".ci")
        self.green = self.commit()
        self.write(".ci/green", self.green + "\n")
        self.commit()

    def git(self, *args):
        who = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always"]
        return subprocess.run(["git", *who, *args], cwd=self.root, env=environment(), check=True, capture_output=True, text=True).stdout.strip()

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def add(self, name):
        self.write(name, (self.root / name).read_text() + "more\n" if (self.root / name).exists() else "new\n")

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def chosen(self, cwd=".", **env):
        """The sections that run, the pages besides the first; and what was printed."""
        out = subprocess.run([sys.executable, "-B", self.root / ".ci/choose.py"], cwd=self.root / cwd, env=environment() | env,
                             check=True, capture_output=True, text=True).stdout  # fmt: skip
        rows = {r[0]: r[1:] for r in (line.split("\t") for line in out.splitlines())}
        assert list(rows) == [*choose.SECTIONS], out
        pages = {pathlib.Path(p).stem for p in rows["pages"][2].split()}
        return {s for s in LONG if rows[s][0] == "yes"}, pages - {"quickstart"}, out


def environment():
    """Without what a git that calls this would hand down, and without anyone's settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "FULL"}
    return env | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Choice(unittest.TestCase):
    def setUp(self):
        self.r = Repository(self)

    def expect(self, sections, pages="", **how):
        got = self.r.chosen(**how)
        self.assertEqual(got[:2], (set(sections.split()), set(pages.split())), got[2])

    def everything(self, reason, **how):
        sections, pages, out = self.r.chosen(**how)
        self.assertEqual((sections, pages | {"quickstart"}), (LONG, {f.stem for f in self.r.root.glob("notebooks/*.ipynb")}), out)
        self.assertIn(reason, out)

    def turn(self):
        """The page whose turn it is, by the number of commits."""
        return sorted(PAGES)[int(self.r.git("rev-list", "--count", "HEAD")) % 4].replace("quickstart", "")

    def test_turns(self):
        """After four commits each page has run once."""
        self.r.add("fwopt/svrf.go")
        seen = []
        for _ in range(4):
            self.r.commit()
            self.expect("bench-short site-check course-test", self.turn())
            seen += self.r.chosen()[1] or {"quickstart"}
            self.r.add("README.md")
        self.assertEqual(sorted(seen), sorted(PAGES))

    def test_rules(self):
        for name, sections, pages in (
            ("README.md", "", ""),
            ("fwopt/svrf_test.go", "", ""),
            ("fwopt/fwset/testdata/l1.txt", "", ""),
            ("fwopt/fwverify/main.go", "", ""),
            ("fwopt/svrf.go", "bench-short site-check course-test", TURN),
            ("fwopt/fwset/new.go", "bench-short site-check course-test", TURN),
            ("fwopt/internal/kern/simd_amd64.s", "bench-short site-check course-test", TURN),
            ("fwopt/fwnb/show.go", "browser course-test", TURN),
            ("datasets/digits.csv.gz", "bench-short site-check course-test", "theorem-3 benchmarks large-data"),
            ("bench/main.go", "bench-short", ""),
            ("bench/results/ratios.csv", "", "benchmarks"),
            ("notebooks/passes/README.md", "site-check", ""),
            ("notebooks/claims.tsv", "", ""),
            ("notebooks/passes/race.csv", "", "large-data"),
            ("notebooks/passes/nobody.csv", "", "large-data"),
            ("notebooks/races/news20.csv", "", "theorem-3 benchmarks large-data"),  # which page reads it nobody says
            ("notebooks/theorem-3.ipynb", "site-check browser", "theorem-3"),
            ("notebooks/03-new.ipynb", "site-check browser", "03-new"),
            ("notebooks/committed/theorem-3/days.svg", "", "theorem-3"),
            ("notebooks/quickstart.ipynb", "site-check browser image", ""),
            ("notebooks/site/style.css", "site-check", ""),
            ("notebooks/kernel/worker.js", "site-check live-check", ""),
            ("notebooks/assignments/judge.py", "course-test", ""),
            ("notebooks/assignments/variants.py", "course-test site-check", ""),
            ("notebooks/assignments/source/ps1/ps1.ipynb", "course-test site-check", ""),
            ("fwopt/fwbeam/flink/pom.xml", "flink-test", ""),
            ("fwopt/fwbeam/pass.go", "flink-test", ""),
            ("fwopt/fwbeam/README.md", "", ""),
            ("docker/Dockerfile", "image", ""),
            ("docker/browser/test.mjs", "browser", ""),
        ):
            with self.subTest(name):
                self.r.add(name)
                self.expect(sections, self.turn() if pages is TURN else pages)  # not committed, and then
                self.r.commit()
                self.expect(sections, self.turn() if pages is TURN else pages)
                self.r.git("reset", "-q", "--hard", "HEAD~")

    def test_nothing_changed(self):
        self.expect("")

    def test_part_of_everything(self):
        for name in "go.mod", "docker/setup.sh", "tools/new.py", "fwopt/new.c", "new", "fwopt/fwnew/new.go":
            with self.subTest(name):
                self.r.write(name, "other\n")
                self.everything(name)
                self.r.commit()
                self.everything(name)
                self.r.git("reset", "-q", "--hard", "HEAD~")

    def test_callers(self):
        """.ci/run and its plan are tested here, and start no section."""
        for name in ".ci/run", ".ci/choose.py":
            with self.subTest(name):
                self.r.write(name, (ROOT / name).read_text() + "\n")
                self.expect("")
                self.r.git("checkout", "-q", ".")

    def test_makefile(self):
        """A section runs where make would run other commands for it."""
        self.r.add("Makefile")  # no makefile yet
        self.expect(" ".join(LONG))
        recipes = "X = 1\n" + "".join(f"{s}: {s}-setup\n\t@echo {s} {'$(X)' if s == 'image' else ''}\n{s}-setup:\n\techo one\n" for s in LONG)
        self.r.write("Makefile", recipes)
        self.r.write(".ci/green", self.r.commit())
        self.r.commit()
        for old, new, sections in (("X = 1", "X = 2", "image"), ("course-test-setup:\n\techo one", "course-test-setup:\n\techo two", "course-test"),
                                   ("@echo browser", "@echo other", "browser"), ("X = 1", "# why\nX = 1", ""), ("\t", " ", " ".join(LONG))):
            with self.subTest(new):
                self.r.write("Makefile", recipes.replace(old, new))
                self.expect(sections)

    def test_odd_names(self):
        for name in "ü.txt", "a b", "a\tyes\tb", "a\nimage\tno\t":
            with self.subTest(name):
                self.r.write(name, "x")
                self.everything("may touch everything")
                (self.r.root / name).unlink()

    def test_two_at_once(self):
        self.r.add("bench/main.go")
        self.r.commit()
        self.r.add("docker/Dockerfile")
        self.r.commit()
        self.r.add("notebooks/theorem-3.ipynb")
        self.expect("bench-short image site-check browser", "theorem-3")

    def test_undone(self):
        self.r.add("bench/main.go")
        self.r.commit()
        self.r.git("revert", "--no-edit", "HEAD")
        self.expect("")

    def test_deleted(self):
        (self.r.root / "bench/main.go").unlink()
        self.expect("bench-short site-check")  # that finds a link to it
        self.r.commit()
        self.expect("bench-short site-check")
        (self.r.root / "notebooks/theorem-3.ipynb").unlink()
        self.expect("bench-short site-check browser")
        (self.r.root / "go.mod").unlink()
        self.everything("go.mod")

    def test_renamed(self):
        """To a name that needs nothing: what the old one was part of still runs."""
        self.r.git("mv", "bench/main.go", "fwopt/fwverify/other.go")
        self.expect("bench-short site-check")
        self.r.commit()
        self.expect("bench-short site-check")
        self.r.git("mv", "docker/setup.sh", "fwopt/fwverify/more.go")
        self.everything("docker/setup.sh")

    def test_mode_and_kind(self):
        (self.r.root / "bench/setup.sh").chmod(0o755)
        self.expect("bench-short")
        (self.r.root / "docker/Dockerfile").unlink()
        (self.r.root / "docker/Dockerfile").symlink_to("setup.sh")
        self.expect("bench-short image")

    def test_merge(self):
        self.r.git("checkout", "-q", "-b", "side", self.r.green)
        self.r.add("bench/main.go")
        self.r.commit()
        self.r.git("checkout", "-q", "main")
        self.r.add("notebooks/theorem-3.ipynb")
        self.r.commit()
        self.r.git("merge", "-q", "--no-commit", "side")
        self.r.add("docker/Dockerfile")  # in neither parent
        self.r.commit()
        self.expect("bench-short image site-check browser", "theorem-3")

    def test_settings_of_git(self):
        """Nobody's settings hide a change, and it may be asked from any folder."""
        for key, value in ("diff.relative", "true"), ("diff.renames", "copies"), ("status.showUntrackedFiles", "no"), ("core.quotePath", "true"):
            self.r.git("config", key, value)
        self.r.write("../ignore", "*\n")
        self.r.git("config", "core.excludesFile", "../ignore")
        (self.r.root / ".git/info/exclude").write_text("*\n")
        self.r.write("fwopt/fwset/new.go", "x")
        self.expect("bench-short site-check course-test", self.turn(), cwd="notebooks")

    def test_ignored(self):
        self.r.write("notebooks/runs/a", "x")
        self.expect("")

    def test_shallow(self):
        for depth in "1", "2":
            clone = self.r.top / f"shallow{depth}"
            self.r.git("clone", "-q", "--depth", depth, f"file://{self.r.root}", str(clone))
            home, self.r.root = self.r.root, clone
            self.everything("shallow")
            self.r.root = home

    def test_full_clone(self):
        self.r.add("bench/main.go")
        self.r.commit()
        self.r.git("clone", "-q", str(self.r.root), str(self.r.top / "clone"))
        self.r.root = self.r.top / "clone"
        self.expect("bench-short")

    def test_green(self):
        tree = self.r.git("rev-parse", "HEAD^{tree}")
        self.r.git("checkout", "-q", "-b", "side", self.r.green)
        self.r.add("README.md")
        side = self.r.commit()
        self.r.git("checkout", "-q", "main")
        for text, reason in ((side, "history"), (tree, "history"), ("0" * 40, "history"), ("", "no hash"), ("HEAD", "no hash"), (self.r.green[:12], "no hash")):
            self.r.write(".ci/green", text)
            self.everything(reason)
        (self.r.root / ".ci/green").write_bytes(b"\xff")
        self.everything("no .ci/green")
        (self.r.root / ".ci/green").unlink()
        self.everything("no .ci/green")

    def test_no_git(self):
        shutil.rmtree(self.r.root / ".git")
        self.everything("git rev-parse fails")

    def test_all_asked_for(self):
        self.everything("FULL=1", FULL="1")

    def test_what_go_imports(self):
        """What the sections are made of, by go list, is in their rules."""

        def deps(*packages, **env):
            form = "{{$d := .Dir}}{{with .Module}}{{if .Main}}{{$d}}/x.go{{range $.EmbedFiles}}\n{{$d}}/{{.}}{{end}}{{end}}{{end}}"
            out = subprocess.run([os.environ.get("GO", "go"), "list", "-deps", "-f", form, *packages], cwd=ROOT, env=os.environ | env,
                                 check=True, capture_output=True, text=True).stdout  # fmt: skip
            return {os.path.relpath(f, ROOT) for f in out.split("\n") if f}

        def imported(pattern):
            text = "".join(f.read_text() for f in ROOT.glob(pattern))
            return set(re.findall(r'github\.com/projection-free/fwlab/[\w/]+', text))

        for section, files in (
            ("bench-short", deps("./bench")),
            ("site-check", deps("./notebooks/site/live", GOOS="js", GOARCH="wasm")),
            ("course-test", deps(*imported("notebooks/assignments/source/*/*.ipynb"), "./notebooks/assignments/fwgrade")),
            ("go", deps(*imported("notebooks/*.ipynb"))),
        ):
            self.assertGreater(len(files), 5)
            for file in files:
                needs = choose.parts(file, {})
                enough = {section, "all-pages"} if section == "go" else {section}
                self.assertTrue(needs is None or enough & needs, (section, file, needs))

    def test_the_first_page_is_there(self):
        self.assertTrue((ROOT / f"notebooks/{choose.FIRST}.ipynb").exists())


class Run(unittest.TestCase):
    """.ci/run with commands that only write down what was asked of them."""

    def setUp(self):
        self.r = Repository(self)
        shutil.copy(ROOT / ".ci/run", self.r.root / ".ci")
        self.r.write(".ci/test.py", "")
        self.r.write(".gitignore", ".venv/\n")
        for name in "fwopt/fwbeam/separate.sh", ".venv/bin/python":
            self.r.write(name, "#!/bin/sh\n")
            (self.r.root / name).chmod(0o755)
        self.r.write(".ci/green", self.r.commit())
        self.r.commit()
        self.bin = self.r.top / "bin"
        self.bin.mkdir()
        for name in "make", "cc", "go", "chromium", "firefox-esr", "node", "npm", "qemu-aarch64", "apt-get":
            (self.bin / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{self.r.top}/log\n[ "$*" != "$BAD" ]\n')
            (self.bin / name).chmod(0o755)

    def run_it(self, **env):
        with contextlib.suppress(FileNotFoundError):
            (self.r.top / "log").unlink()
        ran = subprocess.run(["bash", self.r.root / ".ci/run"], env=environment() | {"PATH": f"{self.bin}:{os.environ['PATH']}"} | env,
                             capture_output=True, text=True)  # fmt: skip
        made = [line[5:] for line in (self.r.top / "log").read_text().splitlines() if line.startswith("make ")]
        return ran.returncode, made, ran.stdout

    ALWAYS = ["test", "fused", "emulate", "verify", "soak SOAK=0.1", "beam", "release-test", "setup", "note"]

    def test_sample(self):
        code, made, out = self.run_it()
        self.assertEqual((code, made), (0, [*self.ALWAYS, "notebooks PAGES=notebooks/quickstart.ipynb"]), out)
        for section in LONG:
            self.assertIn(f"make {section} is left out: no file of it changed", out)
        self.assertRegex(out, r"\n +\d+ s  make soak\n")
        self.assertIn(f"{self.r.git('rev-parse', 'HEAD')} may be written to .ci/green", out)

    def test_one(self):
        self.r.add("bench/main.go")
        code, made, out = self.run_it()
        self.assertEqual((code, set(made) - set(self.ALWAYS)), (0, {"bench-short", "notebooks PAGES=notebooks/quickstart.ipynb"}), out)
        self.assertNotIn("may be written", out)  # HEAD is not what ran

    def test_all(self):
        code, made, out = self.run_it(FULL="1")
        pages = " ".join(f"notebooks/{p}.ipynb" for p in sorted(PAGES))
        want = {f"{s} PAGES={pages}" if s in ("browser", "site-check") else s for s in LONG}
        self.assertEqual((code, set(made)), (0, {*self.ALWAYS, *want, f"notebooks PAGES={pages}"}), out)

    def test_no_plan(self):
        for text in "raise SystemExit(1)", "syntax error", "", "print('image\\tno')":
            with self.subTest(text):
                self.r.write(".ci/choose.py", text)
                code, made, out = self.run_it()
                want = {*self.ALWAYS, *LONG, "notebooks"} - ({"image"} if "image" in text else set())
                self.assertEqual((code, set(made)), (0, want), out)
                self.assertNotIn("may be written", out)

    def test_late(self):
        code, made, out = self.run_it(FULL="1", LATE="-1")
        pages = " ".join(f"notebooks/{p}.ipynb" for p in sorted(PAGES))
        self.assertEqual((code, set(made)), (0, {*self.ALWAYS, f"notebooks PAGES={pages}"}), out)
        for section in LONG:
            self.assertIn(f"NOT RUN   make {section}: ", out)
        self.assertNotIn("may be written", out)

    def test_failed(self):
        for bad in "verify", "bench-short", "course-test":
            code, made, out = self.run_it(FULL="1", BAD=bad)
            self.assertEqual((code, made[-1]), (1, bad), out)
            self.assertIn(f"make {bad}: FAILED (1)", out)
            self.assertNotIn("may be written", out)
            self.assertNotIn("all passed", out)


# What comes from outside.

REQUIREMENTS = [ROOT / f"{f}.txt" for f in ("docker/requirements", "docker/requirements-course", "docker/requirements-image", "docker/requirements-lite",
                                             "docker/requirements-note", "bench/requirements")]  # fmt: skip
INSTALLERS = [ROOT / f for f in ("Makefile", "docker/setup.sh", "docker/Dockerfile", "bench/setup.sh")]


def unpinned_packages(text):
    lines = [x for x in text.replace(" \\\n", " ").splitlines() if x and not x.startswith("#")]
    return [x for x in lines if not re.fullmatch(r"[\w.-]+==[\w.]+( ; [^\\:]*?)?( +--hash=sha256:[0-9a-f]{64})+", x)]


def unhashed_installs(text):
    lines = text.replace("\\\n", " ").splitlines()
    return [x for x in lines if re.search(r"\bpip install\b", x) and "--require-hashes" not in x]


def unpinned_actions(text):
    uses = re.findall(r"\buses:.*", text)
    return [x for x in uses if not re.fullmatch(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", x)]


def writers_that_run(text):
    """The jobs that may write and run code of the repository."""
    head, *jobs = re.split(r"^  (?=\w+:$)", text, flags=re.M)
    wide = [] if re.search(r"^permissions: \{(contents: read)?\}$", head, re.M) else ["all"]
    return wide + [j.split(":")[0] for j in jobs if re.search(r": write\b|write-all", j) and re.search(r"\brun:|actions/checkout", j)]


class Pins(unittest.TestCase):
    def check(self, files, find, *faults):
        for file in files:
            self.assertEqual(find(file.read_text()), [], file)
        text = files[0].read_text()
        for old, new in faults:
            self.assertRegex(text, old)
            self.assertTrue(find(re.sub(old, new, text, count=1)), (old, new))

    def test_packages(self):
        self.check(REQUIREMENTS, unpinned_packages, (r"sha256:.", "sha256:"), (r" \\\n +--hash=\S+( \\\n +--hash=\S+)*", ""), ("==", ">="),
                   (r"\Z", "--extra-index-url https://example.org/simple\n"))  # fmt: skip
        for file in REQUIREMENTS:
            pinned = re.findall(r"^([\w-]+)==", file.read_text(), re.M)
            wanted = re.findall(r"^([a-z][\w-]*)", file.with_suffix(".in").read_text(), re.M)
            self.assertLessEqual(set(wanted), set(pinned), file)

    def test_installs(self):
        self.check(INSTALLERS, unhashed_installs, (" --require-hashes", ""))
        for file in INSTALLERS:
            self.assertIn("--require-hashes", file.read_text(), file)

    def test_actions(self):
        files = sorted((ROOT / ".github/workflows").glob("*.yml"))
        self.assertEqual([f.name for f in files], ["ci.yml", "site.yml"])
        self.check(files, unpinned_actions, (r"@[0-9a-f]+ # v", "@v"), (" # v[0-9.]+", ""))
        self.check(files[::-1], writers_that_run, ("needs: build", "run: make site"), (r"permissions: \{\}", "permissions: {contents: write}"),
                   (r"\{contents: read\}", "{pages: write}"))  # fmt: skip
        self.assertRegex(files[1].read_text(), r"(?m)^  deploy:\n    needs: build\n")


if __name__ == "__main__":
    unittest.main()
