"""The image's JupyterLab, whoever starts it: its settings, and the reader's own copy of the project in HOME."""

import os
import shutil
import sys
import tempfile

from jupyter_core.migrate import migrate

c = get_config()  # noqa: F821
c.MultiKernelManager.default_kernel_name = "gonb"
c.LabApp.extension_manager = "readonly"
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"


def copy_once(source, target):
    """Copies the folder whole or not at all; what is there is the reader's and stays."""
    if os.path.lexists(target):
        return
    part = tempfile.mkdtemp(prefix=".fwlab-", dir=os.path.dirname(target))
    try:
        os.rename(shutil.copytree(source, os.path.join(part, "fwlab"), symlinks=True), target)
        migrate()  # else the second start does, and if it cannot write in HOME by then, no server comes up
    except OSError:
        if not os.path.lexists(target):  # else another server was first
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


source, target = os.environ["FWOPT_DIR"], os.path.expanduser("~/fwlab")
try:
    copy_once(source, target)
    with tempfile.TemporaryFile(dir=target) as f:
        f.write(bytes(1 << 20))
except OSError as e:
    reason = e.strerror or e.args[0][0][2].split(":")[0]  # of the first file
    print(
        f"fwlab: cannot write in {target}: {reason}. Pages open, but nothing is saved. "
        f"Make HOME and all in it writable for uid {os.getuid()}, with 20 MB free, and start again.",
        file=sys.stderr,
    )
    # Else JupyterLab writes these to HOME when a page is opened, and where that fails it opens none.
    c.NotebookNotary.secret = os.urandom(1024)
    c.NotebookNotary.db_file = ":memory:"
    c.FileCheckpoints.checkpoint_dir = c.LabApp.workspaces_dir = tempfile.mkdtemp()
    if not os.path.isdir(target):  # the same address then shows the image's own pages
        c.ServerApp.root_dir = os.path.dirname(source)
