#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often verdicts on any executable are wrong: studies of `lorenz96.c` by the command itself, each with its own start and noise, whose truth is
known. Needs a C compiler, libnetcdf and numpy.

    benchmarks/calibration/programs.py build/cpu/bin/ulpine --equal 300 --faulty 60 --folder out

equal: variants that are equal but for rounding. member: a variant that is off by noise as large as that of the members, so that it is at the
margin. fault-D: one whose forcing is 8 (1 + D); whether it is beyond the margin is decided by 512 members of its start, computed here.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
AMPLITUDE, END = 1e-3, 6.0
FAULTS = ["1e-6", "2e-5", "1e-4", "5e-4", "1e-2"]
CODES = {"equal": 0, "equivalent": 0, "undecided": 4, "different": 1}
CASE = """core = "program"
name = "lorenz96"
time.end = "{end} s"
[program]
fill = ["settings.txt"]
output = ["state.nc"]
success = ["the model has ended"]
noise.kind = "fill"
values = {{ start = {start}, own = 0, forcing = 8 }}
[program.variants]
O2 = "O2"
{variants}
"""
SETTINGS = "end {end_s} start {start} noise {amplitude} {seed} own {own} forcing {forcing}\n"
EQUAL = """Ofast = "Ofast"
noise = { program = "O2", values = { own = 1e-13 } }
single = { program = "single", precision = "fp32" }"""


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, flags in {"O2": ["-O2"], "Ofast": ["-Ofast"], "single": ["-O2", "-DREAL=float"]}.items():
        subprocess.run(["cc", *flags, HERE / "lorenz96.c", "-o", folder / name, "-lnetcdf", "-lm"], check=True)
    (folder / "settings.txt").write_text(SETTINGS, encoding="utf-8")


def study(options, start, variants):
    """Answers by variant."""
    case, out = options.folder / f"case-{os.getpid()}.toml", options.folder / f"study-{os.getpid()}"
    case.write_text(CASE.format(end=END, start=start, variants=variants), encoding="utf-8")
    words = [options.program, "ensemble", case, "-o", out, "--seed", start, "--members", options.members, "--epsilons", AMPLITUDE, "--quiet"]
    done = subprocess.run([str(word) for word in words], env=dict(os.environ, ULPINE_PYTHON="/bin/true"), capture_output=True, text=True, check=False)
    if done.returncode not in CODES.values():
        sys.exit(done.stderr)
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert done.returncode == CODES[results["answer"]], (done.returncode, results["answer"])
    shutil.rmtree(out)
    return {verdict["configuration"]: verdict["answer"] for verdict in results["verdicts"]}


def uniform(seed, indices):
    """As in lorenz96.c."""
    with numpy.errstate(over="ignore"):
        z = (numpy.uint64(seed) << numpy.uint64(20)) + (numpy.asarray(indices, numpy.uint64) + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> numpy.uint64(31))) >> numpy.uint64(11)).astype(float) / 2.0**52 - 1


def step(x, forcing):
    def tendency(y):
        return (numpy.roll(y, -1, -1) - numpy.roll(y, 2, -1)) * numpy.roll(y, 1, -1) - y + forcing

    h = 0.01
    a = tendency(x)
    b = tendency(x + h / 2 * a)
    c = tendency(x + h / 2 * b)
    return x + h / 6 * (a + 2 * b + 2 * c + tendency(x + h * c))


def ratios(start, members=512):
    """Of each fault the largest ratio of its error to the members' root mean square distance, at outputs before these have grown to 1 of some 5.1 at
    which trajectories have nothing in common."""
    x = 8 + 4 * uniform(start, range(40))
    for _ in range(500):
        x = step(x, 8)
    noise = AMPLITUDE * numpy.random.default_rng(start).uniform(-1, 1, (members, 40))
    states = numpy.concatenate([x + numpy.zeros((1 + len(FAULTS), 40)), x + noise])
    forcing = numpy.array([8.0] + [8 * (1 + float(fault)) for fault in FAULTS] + [8.0] * members)[:, None]
    largest = numpy.zeros(len(FAULTS))
    for number in range(1, round(END / 0.01) + 1):
        states = step(states, forcing)
        if number % 25 == 0:
            distances = numpy.sqrt(((states - states[0]) ** 2).mean(1))
            spread = math.sqrt((distances[1 + len(FAULTS):] ** 2).mean())
            if spread < 1:
                largest = numpy.maximum(largest, distances[1 : 1 + len(FAULTS)] / spread)
    return largest


def clopper_pearson(count, total):
    """95 % interval of a rate, in per cent."""
    def tail(rate, counts):
        return sum(math.comb(total, k) * rate**k * (1 - rate) ** (total - k) for k in counts)

    def bisect(function):
        low, high = 0.0, 1.0
        for _ in range(50):
            low, high = ((low + high) / 2, high) if function((low + high) / 2) else (low, (low + high) / 2)
        return 100 * low

    return 0.0 if count == 0 else bisect(lambda rate: tail(rate, range(count, total + 1)) < 0.025), 100.0 if count == total else bisect(lambda rate: tail(rate, range(count + 1)) > 0.025)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where models and studies lie")
    for name, value in {"equal": 300, "at-margin": 300, "faulty": 60, "members": 8}.items():
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    options.folder, options.program = options.folder.resolve(), options.program.resolve()
    build(options.folder)
    seen = collections.defaultdict(collections.Counter)
    for start in range(1, options.faulty + 1):
        for fault, ratio in zip(FAULTS, ratios(start)):
            variant = f'fault = {{ program = "O2", values = {{ forcing = {8 * (1 + float(fault))!r} }} }}'
            answer = study(options, start, variant)["fault"]
            seen[f"fault-{fault} {'beyond' if ratio > 1 else 'inside'}"][answer] += 1
            print(f"start {start}: fault {fault}, ratio {ratio:.3g}: {answer}", flush=True)
    for start in range(1001, 1001 + max(options.equal, options.at_margin)):
        answers = study(options, start, EQUAL) if start <= 1000 + options.equal else {}
        if start <= 1000 + options.at_margin:
            answers |= study(options, start, f'member = {{ program = "O2", values = {{ own = {AMPLITUDE} }} }}')
        for name in answers:
            seen[name][answers[name]] += 1
        print(f"start {start}: {answers}", flush=True)
    for name, answers in sorted(seen.items()):
        total = sum(answers.values())
        rates = ("{} {} ({:.1f} to {:.1f} %)".format(answer, answers[answer], *clopper_pearson(answers[answer], total)) for answer in CODES)
        print(f"{name}, {total} studies: {', '.join(rates)}")


if __name__ == "__main__":
    main()
