"""Which files the cells of a page read: what they are to find where the page runs in a browser."""

import os
import pathlib
import re

NAMED = re.compile(r'"((?:\.\./)?[\w/-]+(?:\.[\w.]+|/))"')


def reads(cells, folder):
    """The files of the repository that cells name in quotes, by these names, with the races and committed outputs that they
    name by their data sets. Runs are a reader's own."""
    code, folder = "\n".join(c.source for c in cells if c.cell_type == "code"), pathlib.Path(folder)
    found = [folder / name for name in NAMED.findall(code) if not name.startswith("runs/")]
    found += [folder / "committed" / page for page in re.findall(r'fwnb\.Committed\("([\w-]+)/', code)]
    found += [folder / "races"] if "fwrace.Page{" in code else []
    files = {f for p in found for f in ([p] if p.is_file() else p.rglob("*"))}
    return sorted(os.path.relpath(f, folder) for f in files if f.is_file())
