"""What setup.sh leaves: it names its steps, a killed kernel's gopls ends, JupyterLab shows no menu of nbgrader.

.ci/run runs it, with the Python of .venv, after make setup.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import psutil
from jupyter_client.manager import start_new_kernel

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
# Stands for Go and for Python: it says which of the long commands is asked for, and leaves the files that the next one needs.
STUB = """#!/bin/sh
case "$*" in
"env GOFLAGS" | "-c"* | "- "* | "list -m" | "mod init"* | "work init"*) ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo LONG venv ;;
"-m pip install"*) echo LONG pip ;;
"install "*) mkdir -p "$GOBIN" && printf '#!/bin/sh\\nmkdir -p "$JUPYTER_DATA_DIR/kernels/gonb"\\n' >"$GOBIN/gonb" && chmod +x "$GOBIN/gonb" && echo LONG "${@##*/}" ;;
"build "*) [ ! -f ../slow ] || sleep 7; echo LONG build ;;
*) echo "what is $*?" && exit 1 ;;
esac
"""


class Setup(unittest.TestCase):
    def test_steps(self):
        """Before each long command stands its step with its share, and there are no others; a second run has none."""
        top = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, top)
        shutil.copytree(ROOT / "docker", top / "tree/docker", ignore=shutil.ignore_patterns("node_modules"))
        stub = top / "stub"
        stub.write_text(STUB)
        stub.chmod(0o755)
        (top / "slow").touch()
        env = os.environ | {"GO": str(stub), "PYTHON": str(stub), "TMPDIR": str(top)}

        def run():
            p = subprocess.run([top / "tree/docker/setup.sh"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(p.returncode, 0, p.stdout)
            return re.findall(r"LONG|step .*", p.stdout), p.stdout

        lines, out = run()
        steps = [re.fullmatch(r"step (\d) of (\d), (\d+) % of a first run's time: .+", x) for x in lines[::2]]
        self.assertTrue(all(steps) and set(lines[1::2]) == {"LONG"} and len(lines) == 2 * len(steps), out)
        self.assertEqual([(int(m[1]), int(m[2])) for m in steps], [(i + 1, len(steps)) for i in range(len(steps))], out)
        self.assertEqual(sum(int(m[3]) for m in steps), 100, out)
        (top / "slow").unlink()
        self.assertEqual(run()[0], ["LONG"], "only the build, which finds all compiled")

    def test_gopls(self):
        """It ends with its kernel, however that ends; while the kernel lives it stays."""
        os.environ["JUPYTER_PATH"] = str(VENV / "share/jupyter")
        ends = []
        for how in "killed", "shut down", "alive":
            manager, client = start_new_kernel(kernel_name="gonb")
            client.execute_interactive("1", timeout=60, output_hook=lambda _: None)
            client.stop_channels()
            kernel = psutil.Process(manager.provisioner.pid)
            for _ in range(300):
                gopls = [p for p in kernel.children() if "-listen" in p.cmdline()]
                if gopls:
                    break
                time.sleep(0.1)
            self.assertEqual(len(gopls), 1, kernel.children())
            ends.append(gopls[0])
            if how == "killed":
                kernel.kill()
            elif how == "shut down":
                manager.shutdown_kernel()
            else:
                self.addCleanup(manager.shutdown_kernel)
        _, left = psutil.wait_procs(ends[:2], timeout=90)
        for p in left:
            p.kill()
        self.assertEqual(left, [], "gopls goes on without its kernel")
        time.sleep(30)  # longer than gopls waits
        self.assertTrue(ends[2].is_running() and ends[2].status() != psutil.STATUS_ZOMBIE, "gopls ended beside its kernel")

    def test_menus(self):
        """nbgrader's and Notebook's parts of JupyterLab are off, be they there or not."""
        top = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, top)
        names = "@jupyter/nbgrader", "@jupyter-notebook/lab-extension", "another"
        for name in names:
            (top / "labextensions" / name).mkdir(parents=True)
            about = {"name": name, "version": "1.0.0", "jupyterlab": {"_build": {"load": "x.js"}}}
            (top / "labextensions" / name / "package.json").write_text(json.dumps(about))
        env = os.environ | {"JUPYTER_PATH": str(top), "JUPYTER_CONFIG_DIR": str(VENV / "etc/jupyter")}
        p = subprocess.run([VENV / "bin/jupyter-labextension", "list"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        found = {m[1]: m[2] for m in re.finditer(r"(\S+) v1\.0\.0 \S*?(enabled|disabled)", p.stdout)}
        self.assertEqual(found, dict(zip(names, ("disabled", "disabled", "enabled"))), p.stdout)


if __name__ == "__main__":
    if not sys.prefix == str(VENV):
        sys.exit(f"run it with {VENV}/bin/python, after make setup")
    unittest.main()
