"""Traffic equilibria by AequilibraE, on one core."""

import logging
import os
import warnings

import numpy as np
import pandas as pd

from forms_sums import clock

os.environ["AEQ_SHOW_PROGRESS"] = "FALSE"  # read when the package is imported; bars take time


def network(path, zones, thru):
    """The graph and the demands, with AequilibraE's own columns."""
    from aequilibrae.matrix import AequilibraeMatrix
    from aequilibrae.paths import Graph

    links = np.fromfile(path + ".links").reshape(-1, 7)
    net = pd.DataFrame({
        "link_id": np.arange(1, len(links) + 1), "a_node": links[:, 0].astype(np.int64) + 1,
        "b_node": links[:, 1].astype(np.int64) + 1, "direction": 1,
        "free_flow_time": np.maximum(links[:, 2], 1e-9),  # 0 is refused
        "capacity": links[:, 3], "b": links[:, 4], "power": links[:, 5], "fixed": links[:, 6],
    })
    graph = Graph()
    graph.network = net
    graph.mode = "c"
    graph.prepare_graph(np.arange(1, zones + 1))
    graph.set_graph("free_flow_time")
    graph.set_blocked_centroid_flows(thru >= zones)
    matrix = AequilibraeMatrix()
    matrix.create_empty(zones=zones, matrix_names=["trips"], memory_only=True)
    matrix.index[:] = np.arange(1, zones + 1)
    demands = np.fromfile(path + ".demands").reshape(-1, 3)
    matrix.matrices[:, :, 0] = 0
    matrix.matrices[demands[:, 0].astype(int), demands[:, 1].astype(int), 0] = demands[:, 2]
    matrix.computational_view(["trips"])
    return net, graph, matrix, demands


def conserved(net, demands, v):
    """Refuses flows of which a node loses or makes some, or has less than what begins or ends there."""
    size = int(max(net.a_node.max(), net.b_node.max()))
    out, into = (np.bincount(x - 1, v, size) for x in (net.a_node.values, net.b_node.values))
    begin, end = (np.bincount(x.astype(int), demands[:, 2], size) for x in demands[:, :2].T)
    lost = into + begin - out - end
    tol = 1e-9 * demands[:, 2].sum()
    off = ~((np.abs(lost) <= tol) & (out >= begin - tol) & (into >= end - tol))
    if off.any():
        raise ValueError(f"vehicles lost at {off.sum()} nodes: {lost[off][:3]} at {np.flatnonzero(off)[:3] + 1}")


def beckmann(net, v):
    p = net.power.values
    time = net.free_flow_time.values * (v + net.b.values * v * (v / net.capacity.values) ** p / (p + 1))
    return float((time + net.fixed.values * v).sum())


def traffic(path, zones, nodes, thru, algorithm, gap):
    from aequilibrae.paths import TrafficAssignment, TrafficClass

    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="aequilibrae")  # 0/0 in a conjugate step that it then leaves out
    net, graph, matrix, demands = network(path, zones, thru)

    def work():
        cars = TrafficClass("cars", graph, matrix)
        if net.fixed.any():
            cars.set_fixed_cost("fixed")
        run = TrafficAssignment()
        run.set_classes([cars])
        run.set_vdf("BPR")
        run.set_vdf_parameters({"alpha": "b", "beta": "power"})
        run.set_capacity_field("capacity")
        run.set_time_field("free_flow_time")
        run.set_cores(1)  # before the algorithm, which remembers it
        run.set_algorithm(algorithm)
        run.max_iter, run.rgap_target = 10000, gap
        began = clock()
        run.execute()
        work.seconds = clock() - began
        flow = run.results().sort_index()["trips_ab"].values
        conserved(net, demands, flow)
        for wrong in (flow + (np.arange(len(flow)) == 7), 0 * flow):  # so that the check is seen to fail
            try:
                conserved(net, demands, wrong)
            except ValueError:
                continue
            raise AssertionError("a vehicle more on a link, or none at all, passes for conserved")
        return beckmann(net, flow)

    work.seconds = 0.0
    return {"AequilibraE": work}


ITEMS = {"traffic": traffic}
