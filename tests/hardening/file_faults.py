#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills and errors at each file operation: whatever one of them meets, a folder has its earlier results or the new ones, whole, and the same command ends with those of an undisturbed one.

    tests/hardening/file_faults.py [--sample N]      of build/cpu/bin/ulpine, or the program in ULPINE_PROGRAM

The library of file_faults.c (ULPINE_FILE_FAULTS) is preloaded. Each scenario runs once undisturbed, which counts its operations;
then for each operation, or N of them, once for each of: the process is killed before it, it fails with EIO, it and all later ones
that need room fail with ENOSPC."""
import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import CASE, PROGRAM, SMALL, SOURCE  # noqa: E402

LIBRARY = os.environ.get("ULPINE_FILE_FAULTS", str(SOURCE / "build/cpu/tests/lib/libulpine_file_faults.so"))
ENVIRONMENT = dict(os.environ, ULPINE_PYTHON="/bin/true", SOURCE_DATE_EPOCH="1000000000")
RUN = (CASE, *SMALL, "--until", "4 min", "--quiet")
STUDY = ("ensemble", *RUN, "--policies", "fp64,fp32", "--assemblies", "deterministic", "--members", "1", "--epsilons", "2^-23", "--quad-until", "0 s", "--jobs", "1", "--resume")
SEARCH = ("search", *RUN, "--jobs", "1", "--members", "8", "--precisions", "fp32", "--confirm", "1", "--resume")
RESTART = ("restart", CASE, *SMALL, "--spinup", "2 min", "--until", "4 min", "--quiet", "--tests")
# What may differ between two undisturbed calls: how long something took, when it was, and the seal over both.
TIMES = re.compile(r'"(wall_s|model_wall_s|peak_rss_bytes|seconds|created|seal|spent|bytes|xxh64)": ("[^"]*"|[-+.0-9eE]+|\{[^{}]*\})')


class Harm(Exception):
    """Something that must not happen has happened."""


def call(words, **more):
    return subprocess.run([PROGRAM, *map(str, words)], env=dict(ENVIRONMENT, **more), capture_output=True, text=True, timeout=120, check=False)


def timeless(path):
    """The content but for times; None where there is no file."""
    return TIMES.sub(r'"\1": 0', path.read_text()) if path.exists() else None


def named(folder, pattern):
    """The files that have their name: neither they nor their folder are being written or removed."""
    return [path for path in folder.rglob(pattern) if not str(path.relative_to(folder)).count(".part/")]


def require_seals(folder):
    """Every JSON file that has its name is whole, and every run that is recorded has the files of its record."""
    for path in named(folder, "*.json"):
        if not path.read_text().endswith("}\n") or '"seal"' not in path.read_text()[-60:]:
            raise Harm(f"{path}: is not whole")
    for path in named(folder, "run.json"):
        for name, content in json.loads(path.read_text())["files"].items():
            if not (path.parent / name).exists() or (path.parent / name).stat().st_size != content["bytes"]:
                raise Harm(f"{path.parent / name}: is not what its run.json tells of")


class Scenario:
    """`words` are called in a copy of the folder that prepare() made; `results` are the files of which each has to be old or new."""

    def __init__(self, name, prepare, words, results):
        self.name, self.prepare, self.words, self.results = name, prepare, words, results

    def states(self, folder):
        return [timeless(folder / name) for name in self.results]


def study(folder):
    """One that lacks a run, with the results of the others."""
    end(call((*STUDY, "-o", folder)))
    shutil.rmtree(next(path.parent for path in folder.rglob("run.json") if "m00" in str(path)))
    end(call(("report", folder, "--quiet")))


def finished_study(folder):
    end(call((*STUDY, "-o", folder)))


def finished_search(folder):
    end(call((*SEARCH, "-o", folder)), codes=(0, 4))
    for name in ("search.json", "search.txt"):
        (folder / name).write_text((folder / name).read_text().replace("fp32", "fp33"))


def finished_restart(folder):
    end(call((*RESTART, "cpu/fp64/atomic", "-o", folder)))


def finished_run(folder):
    end(call(("run", *RUN, "-o", folder, "--checkpoints", "4", "--trace", "--policy", "fp32")))


def end(done, codes=(0, 4)):
    if done.returncode not in codes:
        raise Harm(f"{done.args[1:3]}: exit code {done.returncode}: {done.stderr}")
    return done


SCENARIOS = (
    Scenario("study", study, (*STUDY, "-o"), ("results.json", "junit.xml", "summary.md")),
    Scenario("report", finished_study, ("report", "--quiet"), ("results.json", "junit.xml", "summary.md")),
    Scenario("search", finished_search, (*SEARCH, "-o"), ("search.json", "search.txt", "stages.toml")),
    Scenario("restart", finished_restart, (*RESTART, "cpu/fp32/deterministic", "-o"), ()),
    Scenario("run", finished_run, ("run", *RUN, "--checkpoints", "4", "--trace", "-o"), ()),
)


def disturb(scenario, template, at, how, reference, allowed):
    """Once with the fault, then once more without it."""
    # Always the same folder: an output has the command line in it.
    with fresh(template) as folder:
        old = scenario.states(folder)
        done = call((*scenario.words, folder), LD_PRELOAD=LIBRARY, FILE_FAULTS_FOLDER=str(folder), FILE_FAULTS_AT=str(at), FILE_FAULTS_HOW=how)
        what = f"{scenario.name}: {how} at operation {at}"
        codes = {-9} if how == "kill" else {3} | allowed
        if done.returncode not in codes:
            raise Harm(f"{what}: exit code {done.returncode}, expected one of {sorted(codes)}: {done.stderr.strip()}")
        if how != "kill" and (len(done.stderr.splitlines()) > 1 or "internal error" in done.stderr or (done.returncode == 3) != bool(done.stderr)):
            raise Harm(f"{what}: exit code {done.returncode} with {done.stderr!r}")
        for result, found, before, after in zip(scenario.results, scenario.states(folder), old, reference[0]):
            if found not in (before, after):
                raise Harm(f"{what}: {result} is neither the old nor the new")
        require_seals(folder)
        again = call((*scenario.words, folder))
        if again.returncode not in allowed:
            raise Harm(f"{what}: again: exit code {again.returncode}: {again.stderr.strip()}")
        if scenario.states(folder) != reference[0]:
            raise Harm(f"{what}: again: other results than those of the undisturbed call")
        names = hashes(folder)
        differing = sorted(name for name in names.keys() | reference[1].keys() if names.get(name) != reference[1].get(name))
        if done.returncode in allowed:
            # HDF5 survives that a file is not cut to its length; the bytes behind its data are others then.
            differing = [name for name in differing if not (name.endswith("output.nc") and name in names)]
        if differing:
            raise Harm(f"{what}: again: other files than those of the undisturbed call: {differing}")
        return done.returncode


def hashes(folder):
    return {str(path.relative_to(folder)): timeless_hash(path) for path in folder.rglob("*") if path.is_file()}


def timeless_hash(path):
    """Of a file; of those that hold times without them, and of the lock, which names the last process, nothing."""
    if path.name == ".ulpine.lock":
        return ""
    text = timeless(path) if path.suffix in (".json", ".xml") else None
    if path.suffix == ".xml":
        text = re.sub(r'time="[^"]*"', "", text)
    return hashlib.sha256(path.read_bytes() if text is None else text.encode()).hexdigest()


@contextlib.contextmanager
def fresh(template):
    """A copy of the folder, which bears the same name each time."""
    folder = template.parent / "folder"
    shutil.copytree(template, folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def examine(scenario, base, sample, generator):
    template = base / f"{scenario.name}-template"
    scenario.prepare(template)
    log = base / f"{scenario.name}-operations"
    with fresh(template) as whole:
        done = end(call((*scenario.words, whole), LD_PRELOAD=LIBRARY, FILE_FAULTS_FOLDER=str(whole), FILE_FAULTS_COUNT=str(log)))
        reference = scenario.states(whole), hashes(whole)
    operations = log.read_text().splitlines()
    if len(operations) < 10:
        raise Harm(f"{scenario.name}: only {len(operations)} operations were seen: is {LIBRARY} preloaded?")
    kinds = sorted({line.split()[1] for line in operations})
    calls = 0
    # What closing a NetCDF file writes: the last there before its seal.
    closing = [n for n, (line, after) in enumerate(zip(operations, operations[1:]), 1)
               if ".nc" in line and line.split()[1:] == ["write", after.split()[2]] and after.split()[1] == "open"]
    for how in ("kill", "eio", "enospc"):
        numbers = range(1, len(operations) + 1)
        chosen = numbers
        if sample:
            chosen = {*generator.sample(numbers, min(sample, len(operations))), *(closing if how == "eio" else ())}
        for at in sorted(chosen):
            disturb(scenario, template, at, how, reference, {done.returncode})
            calls += 1
    print(f"{scenario.name}: {len(operations)} operations ({', '.join(kinds)}), {calls} calls disturbed, nothing lost", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=0, help="operations of each scenario, at random, and the last write of each NetCDF file with EIO (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("scenarios", nargs="*", help="default: all of " + ", ".join(scenario.name for scenario in SCENARIOS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for scenario in SCENARIOS:
            if not options.scenarios or scenario.name in options.scenarios:
                examine(scenario, pathlib.Path(name), options.sample, random.Random(options.seed))


if __name__ == "__main__":
    try:
        main()
    except Harm as harm:
        sys.exit(f"file_faults: {harm}")
