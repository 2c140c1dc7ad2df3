#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a policy of larger errors ever ranked above one of smaller? Studies of `cyclone_quick` with fp32 and tf32 of many seeds, numbers of
members and amplitudes; also whether anything is called equivalent without a test, and whether all outputs say the same.

    benchmarks/calibration/order_of_policies.py build/cpu/bin/ulpine --seeds 50
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

RANKS = ["equal", "equivalent", "undecided", "different"]
CODES = {"equal": 0, "equivalent": 0, "undecided": 4, "different": 1}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def study(program, folder, seed, members, epsilon, until):
    """Exit code and results of one study."""
    words = [program, "ensemble", ROOT / "cases/seaice/cyclone_quick.toml", "-o", folder, "--seed", seed, "--members", members, "--epsilons", epsilon,
             "--until", until, "--policies", "fp64,fp32,tf32", "--assemblies", "deterministic", "--quad-until", "0 s", "--quiet"]
    done = subprocess.run([str(word) for word in words], env=dict(os.environ, ULPINE_PYTHON="/bin/true"), capture_output=True, text=True, check=False)
    if done.returncode not in CODES.values():
        sys.exit(done.stderr)
    return done.returncode, json.loads((folder / "results.json").read_text(encoding="utf-8"))


def problems(code, results, folder):
    answers = {verdict["policy"]: verdict for verdict in results["verdicts"]}
    fp32, tf32 = answers["fp32"]["answer"], answers["tf32"]["answer"]
    if RANKS.index(fp32) > RANKS.index(tf32):
        yield f"fp32 {fp32}, tf32 {tf32}"
    for verdict in answers.values():
        tested = any(item["kind"] in ("error", "statistic", "curve") and item["answer"] == "equivalent" for item in verdict["evidence"])
        if verdict["answer"] == "equivalent" and not tested:
            yield f"{verdict['policy']} equivalent without a test"
    if code != CODES[results["answer"]] or results["passed"] != (code == 0):
        yield f"exit code {code}, answer {results['answer']}, passed {results['passed']}"
    junit = xml.etree.ElementTree.parse(folder / "junit.xml")
    if bool(list(junit.iter("failure"))) != (results["answer"] == "different"):
        yield "JUnit says otherwise"
    if f"**{results['answer']}**" not in (folder / "summary.md").read_text(encoding="utf-8"):
        yield "the summary says otherwise"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--until", default="10 min")
    options = parser.parse_args()
    draws = random.Random(1)
    seen, bad = collections.Counter(), 0
    for seed in range(1, options.seeds + 1):
        members = round(2 * 36 ** draws.random())  # 2 to 72, small numbers more often
        epsilon = draws.choice(["2^-53", "2^-23", "2^-10", "2^-7"])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder) / "study"
            code, results = study(options.program, folder, seed, members, epsilon, options.until)
            found = list(problems(code, results, folder))
        answers = ", ".join(f"{verdict['policy']} {verdict['answer']}" for verdict in results["verdicts"])
        seen[answers] += 1
        bad += len(found)
        print(f"seed {seed}: {members} members of {epsilon}: {answers}{''.join('; PROBLEM: ' + text for text in found)}", flush=True)
    for answers, count in seen.most_common():
        print(f"{count} x {answers}")
    print(f"{bad} problems in {options.seeds} studies")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
