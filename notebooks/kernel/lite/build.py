"""A JupyterLab without a server: build.py KERNEL OUT. It has the kernel, the pages and the problem sets as students get them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "notebooks/kernel"))
from reads import NAMED, reads  # noqa: E402
SOURCE = "https://github.com/projection-free/fwlab/blob/main/"
CONFIG = {"jupyter-config-data": {"appName": "fwlab", "defaultKernelName": "gonb"}}


def main(kernel, out):
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        (top / "jupyter-lite.json").write_text(json.dumps(CONFIG))
        notebooks = ROOT / "notebooks"
        for name in {name for page in notebooks.glob("*.ipynb") for name in stage(page, top / "pages" / page.name)}:
            to = top / "pages" / name.removeprefix("../")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(notebooks / name, to)
        for sheet in sorted((notebooks / "assignments/release").glob("*/*.ipynb")):
            stage(sheet, top / "pages/problem sets" / sheet.name)
        subprocess.run([sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", top, "--contents", top / "pages", "--output-dir", out.resolve(),
                        "--apps", "lab", "--no-sourcemaps", f"--LiteBuildApp.federated_extensions={kernel.resolve()}",
                        "--LiteBuildApp.ignore_sys_prefix=True"], cwd=top, check=True, stdout=subprocess.DEVNULL)  # fmt: skip


def stage(notebook, to):
    """A copy with links to files of the repository made absolute, and each text in one piece, as JupyterLab's server hands it out.
    What its cells read above its folder they find in it; it returns the names of all files that they read."""
    nb = nbformat.read(notebook, as_version=4)
    names = reads(nb.cells, notebook.parent)
    for c in nb.cells:
        if c.cell_type == "markdown":
            up = os.path.relpath(notebook.parent, ROOT) + "/"
            c.source = re.sub(r"\]\((\.\./[^)\s]*)", lambda m: "](" + SOURCE + os.path.normpath(up + m[1]), c.source)
        elif c.cell_type == "code" and any(name.startswith("../") for name in names):
            c.source = NAMED.sub(lambda m: m[0].replace("../", ""), c.source)
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(json.dumps(nb, ensure_ascii=False))
    return names


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
