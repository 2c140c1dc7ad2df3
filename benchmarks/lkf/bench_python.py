#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Features of one field by ulpine.lkf and by lkf_tools, in turns: bench_python.py LKF_TOOLS [CELLS] [TURNS]. LKF_TOOLS is the folder of its source; it needs scipy and scikit-image.

The field is cracks of random places and directions in log-normal noise, white in space and smoothed over two cells. Both detect with the set `multday_use_eps`, which is one of lkf_tools', and by its rules.
"""
import contextlib
import io
import sys
import time
import warnings

import numpy as np
import scipy.ndimage

import ulpine


def cracks(cells, chance):
    rows, columns = np.mgrid[:cells, :cells]
    field = 0.004 * np.exp(0.5 * scipy.ndimage.gaussian_filter(chance.normal(size=(cells, cells)), 2) * 7)
    for _ in range(cells * cells // 4000):
        row, column, angle, length = *chance.uniform(0, cells, 2), chance.uniform(0, np.pi), chance.uniform(15, 120)
        box = np.s_[max(0, int(row - length)):int(row + length), max(0, int(column - length)):int(column + length)]
        y, x = rows[box] - row, columns[box] - column
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        field[box] += chance.uniform(0.1, 1) * np.exp(-across**2 / 1.5) * (np.abs(along) < length / 2)
    for edge in (np.s_[:2], np.s_[-2:], np.s_[:, :2], np.s_[:, -2:]):
        field[edge] = np.nan
    return field


def main():
    sys.path.insert(0, sys.argv[1])
    warnings.simplefilter("ignore")
    from lkf_tools.detection import lkf_detect_eps_multday

    cells, turns = (int(sys.argv[2]) if len(sys.argv) > 2 else 1000), (int(sys.argv[3]) if len(sys.argv) > 3 else 3)
    field = cracks(cells, np.random.default_rng(1))

    def theirs():
        with contextlib.redirect_stdout(io.StringIO()):
            return lkf_detect_eps_multday([field], dog_thres=0.01, dis_thres=4, ellp_fac=2, angle_thres=45, eps_thres=1.25, lmin=3, use_eps=True)

    calls = {"lkf_tools": theirs, "ulpine.lkf, one orientation": lambda: ulpine.lkf(field, rules="lkf_tools", parameters="multday_use_eps", orientations=False),
             "ulpine.lkf, and eight orientations": lambda: ulpine.lkf(field, rules="lkf_tools", parameters="multday_use_eps")}
    ulpine.lkf(field[:50, :50])  # loads the library
    seconds, found = {name: [] for name in calls}, {}
    for _ in range(turns):
        for name, call in calls.items():
            begin = time.perf_counter()
            found[name] = call()
            seconds[name].append(time.perf_counter() - begin)
            print(f"{name}: {seconds[name][-1]:.2f} s", flush=True)
    theirs_by_cells = {str(np.asarray(segment).astype(int).T.tolist()) for segment in found["lkf_tools"]}
    ours = {str(feature["cells"].tolist()) for feature in found["ulpine.lkf, one orientation"]["features"]}
    print(f"{len(theirs_by_cells)} features of lkf_tools, {len(ours)} of ulpine.lkf, {len(ours & theirs_by_cells)} with the same cells")
    for name, all_seconds in seconds.items():
        print(f"{name}: median {np.median(all_seconds):.2f} s, {np.median(seconds['lkf_tools']) / np.median(all_seconds):.1f} times as fast as lkf_tools")


if __name__ == "__main__":
    main()
