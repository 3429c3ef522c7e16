"""In a container: a notebook's first cell and a figure in a fresh kernel; with --whole a test, a completion and the page too.

usage: python3 image_check.py NOTEBOOK [--whole]
"""

import pathlib
import re
import sys
import time

import nbformat
from jupyter_client.manager import start_new_kernel

file, whole = pathlib.Path(sys.argv[1]), sys.argv[2:] == ["--whole"]
# A figure after three steps: what most cells link.
FIGURE = """%%
data, _ := fwdata.Load("digits")
o := fwopt.NewOracle(data.Logistic(), fwset.TraceNorm{H: 10, M: 64, Tau: 50}, 1)
fwplot.Show(fwplot.Traces(fwrate.Steps, fwplot.Loss(), fwnb.Run(o, &fwopt.FW{Rule: fwopt.Short{L: 1}}, fwopt.Budget{Steps: 3})))
"""
TEST = """%test
func TestCalls(t *testing.T) { _ = fwopt.Calls{} }
"""
LIMIT = 10  # seconds for a first cell of its kind, on a machine that does other things too
cells = [c.source for c in nbformat.read(file, as_version=4).cells if c.cell_type == "code"]
errors = []


def hook(msg):
    """An error, or a shell command that ended badly: GoNB tells that in stderr only."""
    content = msg["content"]
    if msg["msg_type"] == "error":
        errors.extend(content["traceback"])
    elif content.get("name") == "stderr" and re.search(r"^(exit status|signal: )", content["text"], re.MULTILINE):
        errors.append(content["text"])


def run(source):
    start = time.monotonic()
    reply = client.execute_interactive(source, timeout=300, output_hook=hook)
    if errors or reply["content"]["status"] != "ok":
        sys.exit("\n".join([source, *errors]))
    return time.monotonic() - start


def complete():
    """Seconds until Tab after fwopt. gives names that no cell has."""
    code, start = "%%\nfwopt.", time.monotonic()
    while time.monotonic() < start + 60:
        client.complete(code, len(code))
        names = client.get_shell_msg(timeout=60)["content"]["matches"]
        new = [n for n in names if not any(n in source for source in [FIGURE, *cells])]
        if new:
            return time.monotonic() - start
        time.sleep(0.2)
    sys.exit(f"no completion of fwopt.: {names}")


manager, client = start_new_kernel(kernel_name="gonb", cwd=str(file.parent))
try:
    seconds = {"first cell": run(cells[0]), "first figure": run(FIGURE)}
    if whole:
        seconds |= {"first test": run(TEST), "first Tab": complete(), "page": sum(map(run, cells[1:]))}
finally:
    client.stop_channels()
    manager.shutdown_kernel()
print("   " + ", ".join(f"{name} {s:.1f} s" for name, s in seconds.items()))
if max(seconds.get(name, 0) for name in ("first cell", "first figure", "first test")) > LIMIT:
    sys.exit(f"a first cell took more than {LIMIT} s: the caches are not warm")
