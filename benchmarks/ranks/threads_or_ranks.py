#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ranks cost against threads (docs/results/ranks.md): ms of a step of a case on N cores by N threads of one process, by N ranks of a thread each under mpirun, and as `--device mpi:N` starts these, by turns; the state's hash has to be the same each time. With --part also N processes at once that know nothing of each other, each bound to a core, of the case with one rank's cells: what a step takes without messages."""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

from beside import read_run, text


def run(commands, folder):
    """ms of a step of the slowest of these commands, which run at once, and a state's hash. Each writes to a folder of its own."""
    processes = [subprocess.Popen([str(word) for word in [*words, "-o", folder / str(n)]]) for n, words in enumerate(commands)]
    if any([process.wait() for process in processes]):
        raise SystemExit("a run failed")
    runs = [read_run(folder / str(n)) for n in range(len(commands))]
    return max(took for took, _ in runs), runs[0][1]


def sets_of(keys):
    return [word for key in keys for word in ("--set", key)]


def kinds_of(program, case, n, part):
    """Commands by what they are called, each but for the options that all have."""
    start = [program, "run", case]
    kinds = {
        f"{n} threads": [[*start, "--device", "cpu", "--threads", n]],
        f"{n} ranks": [["mpirun", "--quiet", "-n", n, *start, "--device", "cpu", "--threads", 1]],
        f"mpi:{n}": [[*start, "--device", f"mpi:{n}", "--threads", 1]],
    }
    if part:
        cores = sorted(os.sched_getaffinity(0))[:n]
        kinds["parts alone"] = [["taskset", "-c", core, *start, "--device", "cpu", "--threads", 1] for core in cores]
    return kinds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("case")
    parser.add_argument("--cores", type=int, default=2, metavar="N")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="keys of the case")
    parser.add_argument("--part", nargs="+", default=[], metavar="KEY=VALUE", help="keys that give the case one rank's cells")
    parser.add_argument("--policies", nargs="+", default=["fp64"])
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--runs", type=int, default=5)
    a = parser.parse_args()
    print(f"{a.case} {' '.join(a.set)}, ms a step: median of {a.runs} runs of {a.steps} steps (least to most), against the first")
    for policy in a.policies:
        common = ["--policy", policy, "--steps", a.steps, "--quiet", *sets_of(a.set)]
        kinds = kinds_of(a.program, a.case, a.cores, a.part)
        times, hashes = {kind: [] for kind in kinds}, set()
        for _ in range(a.runs):
            for kind, commands in kinds.items():
                with tempfile.TemporaryDirectory() as folder:
                    own = sets_of(a.part) if kind == "parts alone" else []
                    took, state = run([[*words, *common, *own] for words in commands], pathlib.Path(folder))
                times[kind].append(took)
                if kind != "parts alone":
                    hashes.add(state)
        first = statistics.median(next(iter(times.values())))
        for kind, all_times in times.items():
            print(f"{policy:6} {kind:12} {text(all_times)} {100 * (statistics.median(all_times) / first - 1):+6.1f} %", flush=True)
        if len(hashes) > 1:
            raise SystemExit(f"{policy}: not the same state each time")
