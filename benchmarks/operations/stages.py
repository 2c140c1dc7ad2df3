#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the floating-point instructions that are predicted of a step's stages against the counters of a GPU.

Stages are told apart in the second step, whose launches are not recorded as a graph. Nsight Compute counts a run of one
step and one of two, each kernel under the name of its stage, and the difference is the second step:

    for n in 1 2; do
      ncu --nvtx --print-nvtx-rename kernel --csv --page raw --metrics $(stages.py --metrics) --log-file $n.csv \\
        ulpine run CASE.toml --policy fp64 --device cuda --steps $n -o out-$n
    done
    ulpine cases --stages CASE.toml --on CARD --policy fp64 --steps 1 --json > predicted.json
    stages.py 1.csv 2.csv predicted.json

A stage that a fused kernel does on the GPU has no counters of its own and is named as such.
"""
import argparse
import collections
import csv
import json
import pathlib

WIDTHS = {"FP64": ("dadd", "dmul", "dfma"), "FP32": ("fadd", "fmul", "ffma")}
COUNTERS = {name: f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum" for names in WIDTHS.values() for name in names}


def counted(path):
    """Instructions by stage and width, of all kernels in the profiler's table; lines before it are the program's."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        raise SystemExit(f'{path}: no table of ncu (its first column is "ID") write it with --csv --page raw')
    sums = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(lines[first:]):
        if not row["ID"].isdigit():
            continue  # units
        of_stage = sums[row["Kernel Name"]]
        of_stage["kernels"] += 1
        for width, names in WIDTHS.items():
            for name in names:
                if not row.get(COUNTERS[name]):
                    raise SystemExit(f"{path}: no {COUNTERS[name]} of {row['Kernel Name']} (it was not measured) ask ncu for the metrics of --metrics")
                of_stage[width] += float(row[COUNTERS[name]].replace(",", ""))
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="counters of one step, of two, and predictions")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to ask ncu for")
    given = parser.parse_args()
    if given.metrics:
        print(",".join(COUNTERS.values()))
        return
    if len(given.files) != 3:
        parser.error("give counters of one step, of two, and predictions, or --metrics")
    one, two = counted(given.files[0]), counted(given.files[1])
    predicted = json.loads(given.files[2].read_text(encoding="utf-8"))
    loads = {load["name"]: load["instructions"] for load in predicted["loads"]}
    print(f"{predicted['core']}, {predicted['case']}, {predicted['policy']}: instructions of the second step, the dearest stages first")
    print(f"{'stage':28} {'kernels':>7}" + "".join(f" {width + ' counted':>14} {'predicted':>14} {'off by':>8}" for width in WIDTHS))
    for stage in sorted(predicted["step"]["stages"], key=lambda stage: -stage["seconds"]):
        name = stage["name"]
        of_step = {key: two[name][key] - one[name][key] for key in ("kernels", *WIDTHS)}
        line = f"{name:28} {of_step['kernels']:7}"
        for width in WIDTHS:
            count, guess = of_step[width], loads[name][width]
            off = f"{100 * (guess / count - 1):+.1f} %" if count else "-"
            line += f" {count:14.6g} {guess:14.6g} {off:>8}"
        print(line if of_step["kernels"] else f"{name:28} (in a fused kernel)")


if __name__ == "__main__":
    main()
