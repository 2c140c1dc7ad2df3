#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes devices/operation_costs.toml: what each operation and elementary function is in instructions of a GPU.

Reads the counters of bench_operations, as Nsight Compute writes them:

    ncu --csv --page raw --metrics METRICS build/bin/bench_operations > counters.csv
    benchmarks/operations/read.py counters.csv > devices/operation_costs.toml

with the METRICS that `read.py --metrics` prints. Numbers are means over the calls of 2^20 threads, less those of a
kernel that loads and stores alone. Instructions of pipes are counted by warps, so that a branch that one thread of a
warp takes is one for all of them, as it is in time.
"""
import argparse
import csv
import pathlib
import re
import sys

CALLS = 1 << 20
LANES = 32  # threads of a warp
PIPES = ("fp64", "fma", "alu", "xu")
FLOAT = ("fadd", "fmul", "ffma")
COUNTED = {name: f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum" for name in FLOAT}
COUNTED |= {name: f"smsp__inst_executed_pipe_{name}.sum" for name in PIPES}
OPERATIONS = ("add", "multiply", "fma", "divide", "sqrt", "compare", "convert", "exp", "exp2", "log", "log2", "pow", "sin", "cos", "tan", "atan2",
              "sinh", "cosh", "tanh", "cbrt", "hypot")
TYPES = {"double": "double", "float": "float", "DoubleFloat": "double_float"}
KERNEL = re.compile(r"\bcall<(?:\w+::)*(double|float|DoubleFloat), *(?:[\w<>() ]+::)*(\w+)>")


def rows_of(lines):
    """The rows of the table, which follows lines of the profiler's and of the program's; the row of units is none."""
    lines = list(lines)
    first = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        raise SystemExit("read.py: no table of ncu (its first column is \"ID\") write it with --csv --page raw")
    return [row for row in csv.DictReader(lines[first:]) if row["ID"].isdigit()]


def number(row, name):
    text = row.get(COUNTED[name]) or ""
    if not text:
        raise SystemExit(f"read.py: no {COUNTED[name]} of kernel {row['Kernel Name']} (it was not measured) ask ncu for the metrics of --metrics")
    return float(text.replace(",", ""))


def instructions(row):
    """Of a launch, for each call: of the FP64 pipe, in float, of the special-function pipe, and others (integers, moves, comparisons of floats)."""
    warps = {pipe: LANES * number(row, pipe) / CALLS for pipe in PIPES}
    floats = sum(number(row, name) for name in FLOAT) / CALLS
    return {"fp64": warps["fp64"], "fp32": floats, "special": warps["xu"], "other": warps["fma"] + warps["alu"] - floats}


def costs(rows):
    """By type and operation, less what a kernel of none has."""
    all_of = {}
    for row in rows:
        if found := KERNEL.search(row["Kernel Name"]):
            all_of[TYPES[found[1]], found[2].lower()] = instructions(row)
    result = {}
    for number_type in TYPES.values():
        for operation in OPERATIONS:
            if (number_type, operation) not in all_of or (number_type, "nothing") not in all_of:
                raise SystemExit(f"read.py: no launch of {operation} of {number_type}, or of nothing (the counters are of another program) measure bench_operations")
            nothing = all_of[number_type, "nothing"]
            result[number_type, operation] = {kind: max(value - nothing[kind], 0.0) for kind, value in all_of[number_type, operation].items()}
    return result


def text_of(table, device):
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             "# Instructions a call of operations and elementary functions on a GPU, by benchmarks/operations" + (f" on {device}." if device else "."),
             "# fp64: of the FP64 pipe; fp32: additions, multiplications and fma in float; special: of the special-function pipe; other: integers, moves, comparisons."]
    for (number_type, operation), kinds in table.items():
        lines += ["", f"[{number_type}.{operation}]", *(f"{kind} = {value:.2f}" for kind, value in kinds.items())]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counters", nargs="?", type=pathlib.Path, help="the CSV that ncu has written")
    parser.add_argument("--metrics", action="store_true", help="print the metrics to ask ncu for")
    given = parser.parse_args()
    if given.metrics:
        print(",".join(COUNTED.values()))
        return
    if given.counters is None:
        parser.error("give the file of counters, or --metrics")
    rows = rows_of(given.counters.read_text().splitlines())
    device = next((row["device__attribute_display_name"] for row in rows if row.get("device__attribute_display_name")), "")
    sys.stdout.write(text_of(costs(rows), device))


if __name__ == "__main__":
    main()
