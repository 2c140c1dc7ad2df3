#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the study of a core of another kind: make_toy_study.py DIR. Fields on a mesh and in space, profiles, several statistics.

Made by this file for tests of the report; no value comes from a model.
"""

import json
import sys
from pathlib import Path

import netCDF4
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "analysis"))
from ulpine_report import seal  # noqa: E402

FILL = 9.969209968386869e36
ERRORS = {"fp64": 0.0, "fp32": 2e-6, "bf16": 3e-3}  # policy -> relative error at the end
TIMES = np.arange(0, 4321.0, 480)
HEIGHTS = 50 * (np.arange(20) + 0.5)
STATISTICS = [{"name": "tke", "evaluation": "energy", "long_name": "turbulent kinetic energy", "units": "m2 s-2", "resolution": 0},
              {"name": "w_max", "evaluation": "updraught", "long_name": "largest vertical speed", "units": "m s-1", "resolution": 0},
              {"name": "heat", "evaluation": "heat", "long_name": "heat content", "units": "J", "resolution": 0},
              {"name": "wet_share", "evaluation": "wet", "long_name": "share of wet points", "units": "1", "resolution": 0}]
VALUES = {"tke": 0.321, "w_max": 4.2, "heat": 3.1e15, "wet_share": 2.4e-5}
FIGURES = [{"kind": "map", "field": "tracer"}, {"kind": "section", "field": "w", "scale": "diverging", "axis": "y", "index": 3},
           {"kind": "curve", "curve": "temperature_profile"}, {"kind": "curve", "curve": "energy_spectrum"}]


def curves(error, rng):
    wavenumber = np.arange(1, 33) / 3200.0
    return {"temperature_profile": {"x": list(HEIGHTS), "y": list(290 + 0.006 * HEIGHTS + 2 * np.tanh((HEIGHTS - 600) / 80) + error * rng.normal(size=HEIGHTS.size))},
            "energy_spectrum": {"x": list(wavenumber), "y": list(1e-3 * (wavenumber * 3200) ** (-5 / 3) * np.exp(3 * error * rng.normal(size=wavenumber.size)))}}


def disc(rings=24):
    """Nodes (x, y) and faces of a disc: triangles in the middle, quadrilaterals around it."""
    sectors = 6 * rings // 2
    angles = 2 * np.pi * np.arange(sectors) / sectors
    radius = np.arange(1, rings + 1) * 250.0
    x = np.r_[0, np.outer(radius, np.cos(angles)).ravel()]
    y = np.r_[0, np.outer(radius, np.sin(angles)).ravel()]
    at = lambda ring, sector: 1 + ring * sectors + sector % sectors  # noqa: E731
    faces = [[0, at(0, s), at(0, s + 1), -1] for s in range(sectors)]
    faces += [[at(r, s), at(r + 1, s), at(r + 1, s + 1), at(r, s + 1)] for r in range(rings - 1) for s in range(sectors)]
    return x, y, np.array(faces)


def write_output(path, error, rng):
    """A tracer on the faces of a disc, partly missing, and w in space."""
    x, y, faces = disc()
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", None), ("node", x.size), ("face", len(faces)), ("corner", 4), ("z", HEIGHTS.size), ("y", 8), ("x", 48)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "seconds since 2000-01-01"
        time[:] = [TIMES[0], TIMES[-1]]
        for name, values in (("z", HEIGHTS), ("y", 100.0 * np.arange(8)), ("x", 100.0 * np.arange(48))):
            axis = file.createVariable(name, "f8", (name,))
            axis.units, axis.axis = "m", name.upper()
            axis[:] = values
        file["z"].setncatts({"positive": "up", "standard_name": "height"})
        topology = file.createVariable("mesh", "i4")
        topology.setncatts({"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "node_x node_y", "face_node_connectivity": "face_nodes"})
        for name, values in (("node_x", x), ("node_y", y)):
            coordinate = file.createVariable(name, "f8", ("node",))
            coordinate.units = "m"
            coordinate[:] = values
        nodes = file.createVariable("face_nodes", "i4", ("face", "corner"), fill_value=-1)
        nodes.start_index = 0
        nodes[:] = faces
        centre_x, centre_y = (np.where(faces >= 0, values[faces], 0).sum(axis=1) / (faces >= 0).sum(axis=1) for values in (x, y))
        tracer = np.exp(-((centre_x - 1500) ** 2 + centre_y**2) / 4e6) + 0.3 * np.exp(-((centre_x + 2500) ** 2 + (centre_y - 2000) ** 2) / 1e6)
        made = file.createVariable("tracer", "f8", ("time", "face"), fill_value=FILL)
        made.setncatts({"long_name": "concentration of the tracer", "units": "kg m-3", "mesh": "mesh", "location": "face"})
        hole = (centre_x + 3000) ** 2 + (centre_y + 2500) ** 2 < 1.2e6
        w = 4 * np.sin(np.arange(48) / 5)[None, None, :] * np.sin(np.pi * HEIGHTS / 1000)[:, None, None] * np.ones((1, 8, 1))
        upward = file.createVariable("w", "f8", ("time", "z", "y", "x"))
        upward.setncatts({"long_name": "upward speed of the air", "units": "m s-1"})
        for record in range(2):
            made[record] = np.where(hole, FILL, tracer * (1 + 5 * error * rng.normal(size=tracer.size)))
            upward[record] = w * (1 + 5 * error * rng.normal(size=w.shape))


def results():
    rng = np.random.default_rng(5)
    runs, ensembles = [], []
    for policy, error in ERRORS.items():
        for assembly in ("deterministic", "atomic"):
            size = max(error, 1e-15 * (assembly == "atomic"))
            statistics = {name: value * (1 + size * rng.normal()) for name, value in VALUES.items()}
            runs.append({
                "id": f"{policy}/{assembly}", "path": f"runs/{policy}-{assembly}", "policy": policy, "assembly": assembly, "device": "cpu", "epsilon": None, "member": None,
                "wall_s": 12 / (1 + (policy != "fp64")), "steps": 90, "cells": 7680, "memory_bytes": 4_000_000, "hash": f"{rng.integers(2**60):016x}", "failed": None,
                "metrics": {name: {"l2_relative": size, "linf": 9 * size, "rmse": size} for name in ("tracer", "w", "temperature")}, "undefined": {},
                "statistics": statistics, "curves": curves(size, rng),
                "series": {"time_s": list(TIMES), "fields": {name: {"l2_relative": list(size * (TIMES / TIMES[-1]) ** 2)} for name in ("w", "tracer")},
                           "statistics": {name: list(value * (0.2 + 0.8 * TIMES / TIMES[-1])) for name, value in statistics.items()}},
                "integrals": {"heat (J)": {"initial": 3e15, "final": 3.1e15}}})
        for text, epsilon in (("2^-30", 2.0**-30), ("2^-20", 2.0**-20)):
            spread = max(error, 60 * epsilon)
            given = curves(spread, rng)
            ensembles.append({
                "policy": policy, "assembly": "deterministic", "epsilon": epsilon, "epsilon_text": text, "members": 8,
                "statistics": {name: {"mean": value * (1 + spread * rng.normal()), "sd": abs(value) * spread} for name, value in VALUES.items()},
                "curves": {name: {"x": values["x"], "mean": values["y"], "sd": list(0.02 * np.abs(values["y"]) if "spectrum" in name else 0.4 + 0 * np.array(values["y"]))}
                           for name, values in given.items()},
                "spread": {"w": {"l2_relative_mean": spread, "l2_relative_sd": spread / 4}},
                "growth": {"time_s": list(TIMES), "fields": {"w": {"mean": list(spread * np.exp((TIMES - TIMES[-1]) / 900)), "sd": list(spread * np.exp((TIMES - TIMES[-1]) / 900) / 4)}}}})
    gates = [{"name": "w_max.relative", "subject": {"kind": "statistic", "name": "w_max"}, "metric": "relative", "time": 4320, "runs": "*/deterministic", "run": run["id"],
              "value": abs(run["statistics"]["w_max"] / VALUES["w_max"] - 1), "limit": 0.01, "passed": True, "skipped": None, "reason": None}
             for run in runs[2:] if run["assembly"] == "deterministic"]
    return {
        "schema": "ulpine.results/1", "case": {"core": "toy", "name": "warm-bubble", "hash": "77"}, "provenance": {"version": "0.1.0", "seed": 3},
        "reference": "fp64/deterministic", "runs": runs, "ensembles": ensembles, "gates": gates,
        "evaluations": [{"name": "energy", "kind": "mean", "field": "e"}, {"name": "updraught", "kind": "extremum", "field": "w"},
                        {"name": "heat", "kind": "integral", "field": "temperature"}, {"name": "wet", "kind": "quantile", "field": "q", "detail": "every 5th percentile"},
                        {"name": "profile", "kind": "profile", "field": "temperature"}, {"name": "spectrum", "kind": "spectrum", "field": "w"}],
        "statistics": STATISTICS, "figures": [dict(figure) for figure in FIGURES],
        "curves": [{"name": "temperature_profile", "evaluation": "profile", "long_name": "profile of temperature", "x": {"name": "height", "units": "m", "scale": "linear"},
                    "y": {"name": "temperature", "units": "K", "scale": "linear"}},
                   {"name": "energy_spectrum", "evaluation": "spectrum", "long_name": "spectrum of vertical speed", "x": {"name": "wavenumber", "units": "m-1", "scale": "log"},
                    "y": {"name": "power", "units": "m2 s-2", "scale": "log"}}],
        "verdicts": [{"configuration": run["id"], "policy": run["policy"], "assembly": run["assembly"], "device": "cpu", "answer": "undecided", "would_decide": "24 members",
                      "evidence": []} for run in runs[1:]],
        "answer": "undecided", "would_decide": "24 members", "bitwise": [], "notes": []}


def write(folder):
    """The whole folder; returns what results.json holds."""
    folder, data = Path(folder), results()
    rng = np.random.default_rng(4)
    for run in data["runs"]:
        (folder / run["path"]).mkdir(parents=True, exist_ok=True)
        if run["assembly"] == "deterministic":
            write_output(folder / run["path"] / "output.nc", ERRORS[run["policy"]], rng)
    (folder / "results.json").write_text(seal.sealed(json.dumps(data)), encoding="utf-8")
    return data


if __name__ == "__main__":
    write(sys.argv[1])
