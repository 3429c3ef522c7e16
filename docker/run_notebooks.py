"""Runs notebooks from top to bottom, two at once, and prints the seconds of each; with --write one after the other.

A notebook fails on an error in any cell, on a cell whose shell command ended badly or whose special command
is unknown (GoNB says so in stderr only), when it runs longer than --limit, and when a file or a figure is too big.
Its file stays as it is; with --write it keeps the outputs, if nothing failed, and one figure goes to pictures/ beside it:
that of the cell with the tag "picture", or the first. What fwnb.Committed is to show goes to committed/.
"""

import argparse
import base64
import concurrent.futures
import copy
import os
import pathlib
import re
import signal
import sys
import time
import uuid

import nbclient
import nbformat
import psutil
from jupyter_client.kernelspec import KernelSpecManager

MARK, RUN = "FWLAB_NOTEBOOK_RUN", uuid.uuid4().hex  # in the environment of all that a kernel starts
FILE_LIMIT, FIGURE_LIMIT = 1_000_000, 100_000  # bytes
COMMITTED = re.compile(r'^\t*fwnb\.Committed\("([^"]+)"', re.MULTILINE)  # of a cell whose data may be missing
FORGOTTEN = re.compile(r"`%%`; without it, Go reports `([^`…]+) …`")  # the quick start
ENDED_BADLY = re.compile(r'^(exit status|signal: |"%.*" unknown)', re.MULTILINE)


def kill(mark):
    """Kills all that the kernels with this mark have started."""
    for p in psutil.process_iter():
        try:
            if p.environ().get(MARK, "").startswith(mark):
                p.kill()
        except psutil.Error:
            pass


def execute(nb, folder, seconds):
    """Runs nb in place, in its folder. What its kernel leaves behind is killed."""
    mark = f"{RUN}-{uuid.uuid4().hex}"
    end = time.monotonic() + seconds
    try:
        nbclient.NotebookClient(
            nb,
            resources={"metadata": {"path": str(folder)}},
            timeout_func=lambda cell: max(1, int(end - time.monotonic())),
            record_timing=False,
        ).execute(env={**os.environ, MARK: mark})
    except nbclient.exceptions.CellExecutionError:
        pass  # the cell's outputs say it
    except (nbclient.exceptions.CellTimeoutError, nbclient.exceptions.DeadKernelError) as e:
        return [f"{type(e).__name__}: {e}"]
    finally:
        kill(mark)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = joined(cell.outputs)
    return []


def joined(outputs):
    """One output for stdout and one for stderr, as a terminal leaves them after each carriage return.

    nbclient's coalesce_streams does this in time quadratic in the longest line.
    """
    streams, rest = {}, []
    for out in outputs:
        if out.output_type == "stream" and out.name in streams:
            streams[out.name].text += out.text
            continue
        if out.output_type == "stream":
            streams[out.name] = out
        rest.append(out)
    for out in streams.values():
        out.text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in out.text.split("\n"))
    return rest


def faults(nb):
    """What is wrong in the outputs of nb."""
    for i, cell in enumerate(c for c in nb.cells if c.cell_type == "code"):
        where = f"code cell {i + 1}"
        errors = [line for out in cell.outputs if out.output_type == "error" for line in out.traceback or [out.evalue]]
        stderr = "".join(out.text for out in cell.outputs if out.output_type == "stream" and out.name == "stderr")
        if errors or ENDED_BADLY.search(stderr):
            yield "\n".join([where, cell.source, stderr, *errors])
        for out in cell.outputs:
            for kind, size in figures(out):
                if size > FIGURE_LIMIT:
                    yield f"{where}: {kind} of {size} bytes, more than {FIGURE_LIMIT}"
    size = len(nbformat.writes(nb).encode())
    if size > FILE_LIMIT:
        yield f"{size} bytes, more than {FILE_LIMIT}"


def forgotten(nb, folder, seconds):
    """What is wrong with what nb says of a forgotten %%: its first six cells that have one are run without."""
    said = FORGOTTEN.search("\n".join(c.source for c in nb.cells if c.cell_type == "markdown"))
    if not said:
        return
    setup, *code = [copy.deepcopy(c) for c in nb.cells if c.cell_type == "code"]
    code = [c for c in code if re.search("^%%\n", c.source, re.MULTILINE)][:6]
    for cell in code:
        cell.source = re.sub("^%%\n", "", cell.source, flags=re.MULTILINE)
        cell.metadata.tags = ["raises-exception"]
    yield from execute(nbformat.v4.new_notebook(cells=[setup, *code], metadata=nb.metadata), folder, seconds)
    for cell in code:
        got = [out.evalue for out in cell.outputs if out.output_type == "error"]
        if not got or said[1] not in got[0]:
            yield f"without its %% a cell says {got}, and the page {said[1]!r}:\n{cell.source}"


def figures(out):
    data = out.get("data", {})
    if "image/png" in data:
        yield "image/png", len(base64.b64decode(data["image/png"]))
    if "image/svg+xml" in data:
        yield "image/svg+xml", len(data["image/svg+xml"].encode())


def picture(nb):
    """The PNG that stands for nb, or None."""
    cells = [c for c in nb.cells if c.cell_type == "code"]
    cells.sort(key=lambda c: "picture" not in c.metadata.get("tags", []))  # stable
    pngs = (out.get("data", {}).get("image/png") for c in cells for out in c.outputs)
    png = next(filter(None, pngs), None)
    return png and base64.b64decode(png)


def committed(nb):
    """The files of what nb shows in the cells that call fwnb.Committed: names and texts."""
    for cell in nb.cells:
        if cell.cell_type != "code" or not (call := COMMITTED.search(cell.source)):
            continue
        tables = []
        for out in cell.outputs:
            data = out.get("data", {})
            if "image/svg+xml" in data:
                yield f"{call[1]}.svg", data["image/svg+xml"]
            if "text/markdown" in data:
                tables.append(data["text/markdown"])
            elif out.output_type == "stream":
                tables.append(f"```\n{out.text}```\n")
        if tables:
            yield f"{call[1]}.md", "\n".join(tables)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep the outputs")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one notebook")
    parser.add_argument("paths", nargs="+", type=pathlib.Path, help="notebooks or folders")
    args = parser.parse_args()

    spec = KernelSpecManager().get_kernel_spec("gonb")
    if not spec.resource_dir.startswith(sys.prefix):
        sys.exit(f"the kernel in {spec.resource_dir} is not the pinned one: unset JUPYTER_PATH, then make setup")

    files = []
    for p in args.paths:
        files += sorted(f for f in p.rglob("*.ipynb") if ".ipynb_checkpoints" not in f.parts) if p.is_dir() else [p]
    if not files:
        sys.exit(f"no notebook in {', '.join(map(str, args.paths))}")
    here = {os.getcwd(), str(pathlib.Path.home())} - {"/"}

    def run(file):
        """Runs one file: the seconds, and what is wrong."""
        nb = nbformat.read(file, as_version=4)
        wrong = [] if args.write else list(faults(nb))  # as committed
        start = time.monotonic()
        wrong += execute(nb, file.parent, args.limit)
        seconds = time.monotonic() - start
        wrong += faults(nb)
        wrong += forgotten(nb, file.parent, args.limit)
        text = nbformat.writes(nb)
        if args.write:
            wrong += [f"an output names this machine's folder {p}" for p in here if p in text]
            if any("**Not on this machine: " in t for _, t in committed(nb)):
                wrong.append("its data is not on this machine: set FWLAB_DATA")
        if args.write and not wrong:
            nbformat.write(nb, file)
            if png := picture(nb):
                (file.parent / "pictures").mkdir(exist_ok=True)
                (file.parent / "pictures" / f"{file.stem}.png").write_bytes(png)
            for name, shown in committed(nb):
                to = file.parent / "committed" / name
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_text(shown, encoding="utf-8")
        return seconds, wrong

    def stop(*_):
        kill(RUN)
        print("stopped", file=sys.stderr, flush=True)
        os._exit(1)  # the threads wait for kernels that are gone

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    bad = []
    # threads of one process, for it gives no port to two kernels; what is kept is measured alone
    with concurrent.futures.ThreadPoolExecutor(1 if args.write else 2) as pool:
        for file, (seconds, wrong) in zip(files, pool.map(run, files)):
            print(f"{seconds:7.1f} s  {file}  {'FAILED' if wrong else 'ok'}", flush=True)
            for w in wrong:
                print(f"  {w}".replace("\n", "\n  "), file=sys.stderr, flush=True)
            if wrong:
                bad.append(f"{file} FAILED:\n  {wrong[0][-1500:]}".replace("\n", "\n  "))
    # each fault once more, where a reader of the end of a log looks
    print(f"{len(files) - len(bad)} of {len(files)} notebooks passed", *bad, sep="\n")
    sys.exit(len(bad) > 0)


if __name__ == "__main__":
    main()
