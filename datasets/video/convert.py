"""aeroplane_data_small.mat as text: python3 convert.py aeroplane_data_small.mat aeroplane.csv.gz

The file is FW_video_colocalization/data/aeroplane_data_small.mat of
https://github.com/Simon-Lacoste-Julien/linearFW, commit a3e045c; COPYING, beside this script, is
its licence. It was run once, with numpy 2.4.6 and scipy 1.17.1. A line is a box: its video, its
frame, b_j, and A_j1, ..., A_jj, for f(w) = w'Aw/2 + b'w, with ten significant digits.

The script fails unless the file is that one, A is symmetric, the boxes are in the order of
videos and frames, 20 a frame, and each of a frame leads to each of the next one, so that the
arcs need not be written down.
"""
import gzip
import hashlib
import sys

import numpy as np
import scipy.io

SHA256 = "c45527c33ef3d0016b6f8df29e69c3cb9f823cbcfa45a58a0042a5928789eb95"


def main(source, target):
    with open(source, "rb") as f:
        assert hashlib.sha256(f.read()).hexdigest() == SHA256, "another file"
    mat = scipy.io.loadmat(source)
    a, b, box = mat["A"], np.ravel(mat["b"]), mat["var_index"].astype(int)
    assert np.abs(a - a.T).max() < 1e-17
    frames = [8, 7, 7, 4, 7]
    assert box.tolist() == [[v + 1, f + 1, k + 1] for v, n in enumerate(frames) for f in range(n) for k in range(20)]
    for n, arcs in zip(frames, np.ravel(mat["edge_index"])):
        all_to_next = np.kron(np.eye(n, k=1), np.ones((20, 20)))
        assert (np.asarray(arcs.todense() != 0) == all_to_next).all()
    text = "".join(f"{v},{f}," + ",".join(f"{x:.10g}" for x in [b[j], *a[j, :j + 1]]) + "\n"
                   for j, (v, f, _) in enumerate(box))
    with open(target, "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))


main(*sys.argv[1:])
