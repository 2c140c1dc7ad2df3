#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stages beside messages gain (docs/results/ranks.md): ms of a step of a case on N GPUs with and without (ranks.overlap), by turns, and on one GPU with the cells of one."""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

CASES = pathlib.Path(__file__).resolve().parents[2] / "cases"
CORES = {"fdm": ("fdm/supercell.toml", 40), "les": ("les/convective.toml", 48)}  # case, levels


def read_run(folder):
    """ms of a step of the run that wrote to `folder`, and its state's hash."""
    record = json.loads(pathlib.Path(folder, "run.json").read_text())
    return 1e3 * record["model_wall_s"] / record["steps"], record["hash"]


def run(program, case, ranks, nx, ny, policy, steps, device, *more):
    """ms of a step, and the state's hash."""
    with tempfile.TemporaryDirectory() as folder:
        start = ["mpirun", "--quiet", "-n", str(ranks)] if ranks > 1 else []
        words = [*start, program, "run", CASES / case, "--device", device, "--policy", policy, "--steps", steps, "--quiet", "-o", f"{folder}/run", "--set", f"grid.nx={nx}", "--set", f"grid.ny={ny}", *more]
        subprocess.run([str(word) for word in words], check=True)
        return read_run(f"{folder}/run")


def text(times):
    return f"{statistics.median(times):8.3f} ({min(times):.3f} to {max(times):.3f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("ranks", type=int)
    parser.add_argument("nx", type=int, help="columns of the whole grid")
    parser.add_argument("ny", type=int)
    parser.add_argument("--core", choices=CORES, default="fdm")
    parser.add_argument("--parts", type=int, nargs=2, default=None, metavar=("X", "Y"), help="into which it is cut: adds one GPU with one of them")
    parser.add_argument("--policies", nargs="+", default=["fp64", "fp32", "mixed"])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    a = parser.parse_args()
    case, levels = CORES[a.core]
    print(f"{case}, {a.nx} x {a.ny} x {levels} on {a.ranks}, ms a step: median of {a.runs} runs of {a.steps} steps (least to most)")
    for policy in a.policies:
        kinds = {"one after the other": (a.ranks, a.nx, a.ny, "--set", "ranks.overlap=false"), "beside": (a.ranks, a.nx, a.ny)}
        if a.parts:
            kinds["a block on one"] = (1, a.nx // a.parts[0], a.ny // a.parts[1])
        times, hashes = {kind: [] for kind in kinds}, {}
        for _ in range(a.runs):
            for kind, (ranks, nx, ny, *more) in kinds.items():
                took, state = run(a.program, case, ranks, nx, ny, policy, a.steps, a.device, *more)
                times[kind].append(took)
                hashes.setdefault((nx, ny), set()).add(state)
        for kind, all_times in times.items():
            print(f"{policy:6} {kind:20} {text(all_times)}")
        for (nx, ny), states in hashes.items():
            print(f"{policy:6} {nx} x {ny}: state {', '.join(sorted(states))}")
        if any(len(states) > 1 for states in hashes.values()):
            raise SystemExit(f"{policy}: not the same state each time")
