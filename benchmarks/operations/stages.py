#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the floating-point instructions that are predicted of a step's stages against the counters of a GPU.

Stages are told apart in the second step, whose launches are not recorded as a graph. Nsight Compute counts a run of one
step and one of two, each kernel under the name of its stage, and the difference is the second step:

    for n in 1 2; do
      ncu --nvtx --print-nvtx-rename kernel --csv --page raw --metrics $(stages.py --metrics) --log-file $n.csv \\
        ulpine run CASE.toml --policy fp64 --device cuda --steps $n --trace -o out-$n
    done
    ulpine cases --stages CASE.toml --on CARD --policy fp64 --steps 1 --json > predicted.json
    stages.py 1.csv 2.csv predicted.json

Two numbers bound what a prediction means by instructions in double. Additions, multiplications and fma of threads leave
comparisons out; 32 times what warps gave to the FP64 pipe has comparisons, and threads that had nothing to do. A
prediction between the two is off by nothing, another by its distance from the nearer one.
"""
import argparse
import collections
import csv
import json
import pathlib

LANES = 32  # threads of a warp
THREADS = {width: tuple(f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum" for name in names)
           for width, names in {"FP64": ("dadd", "dmul", "dfma"), "FP32": ("fadd", "fmul", "ffma")}.items()}
WARPS = "smsp__inst_executed_pipe_fp64.sum"


def counted(path):
    """Counters by stage, summed over all kernels in the profiler's table; lines before it are the program's."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        raise SystemExit(f'{path}: no table of ncu (its first column is "ID") write it with --csv --page raw')

    def number(row, name):
        if not row.get(name):
            raise SystemExit(f"{path}: no {name} of {row['Kernel Name']} (it was not measured) ask ncu for the metrics of --metrics")
        return float(row[name].replace(",", ""))

    sums = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(lines[first:]):
        if row["ID"].isdigit():  # not that of units
            stage = sums[row["Kernel Name"].partition("/")[0]]  # STAGE/KERNEL
            stage["kernels"] += 1
            for width, names in THREADS.items():
                stage[width] += sum(number(row, name) for name in names)
            stage["warps"] += LANES * number(row, WARPS)
    return sums


def off_by(guess, least, most):
    """"+4.1 %": how far a prediction is from the nearer end of what was counted, "0" where it lies between."""
    if least <= guess <= most:
        return "0"
    nearer = least if guess < least else most
    return f"{100 * (guess / nearer - 1):+.1f} %" if nearer else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="counters of one step, of two, and predictions")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to ask ncu for")
    given = parser.parse_args()
    if given.metrics:
        print(",".join((*THREADS["FP64"], *THREADS["FP32"], WARPS)))
        return
    if len(given.files) != 3:
        parser.error("give counters of one step, of two, and predictions, or --metrics")
    one, two = counted(given.files[0]), counted(given.files[1])
    predicted = json.loads(given.files[2].read_text(encoding="utf-8"))
    loads = {load["name"]: load["instructions"] for load in predicted["loads"]}
    print(f"{predicted['core']}, {predicted['case']}, {predicted['policy']}: instructions of the second step, the dearest stages first")
    print(f"{'stage':28} {'kernels':>7} {'FP64 of threads':>16} {'of warps':>12} {'predicted':>12} {'off by':>9} {'FP32 of threads':>16} {'predicted':>12} {'off by':>9}")
    for stage in sorted(predicted["step"]["stages"], key=lambda stage: -stage["seconds"]):
        name = stage["name"]
        step = {key: two[name][key] - one[name][key] for key in ("kernels", "FP64", "warps", "FP32")}
        if step["kernels"] == 0:
            print(f"{name:28} (in a fused kernel)")
            continue
        wide, narrow = loads[name]["FP64"], loads[name]["FP32"]
        print(f"{name:28} {step['kernels']:7} {step['FP64']:16.5g} {step['warps']:12.5g} {wide:12.5g} {off_by(wide, step['FP64'], step['warps']):>9} "
              f"{step['FP32']:16.5g} {narrow:12.5g} {off_by(narrow, step['FP32'], step['FP32']):>9}")


if __name__ == "__main__":
    main()
