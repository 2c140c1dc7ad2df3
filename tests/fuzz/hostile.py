#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs that look valid and mean something absurd, or mean the same in another form; docs/contributing/testing.md, "Altered files".

hostile.py [--surface NAME,...] [--first I] [--count N] [--seed S] [--jobs N] [--keep FOLDER] [--list KIND,...]
of the program in ULPINE_PROGRAM (else build/cpu/bin/ulpine). Exit code 1 where an input was a failure.
"""
import argparse
import collections
import multiprocessing
import os
import pathlib
import random
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
try:
    from absurd import surfaces, trial as trials
except ImportError as missing:
    raise SystemExit(77) from missing

PLAIN = {}  # answers of plain inputs, of this process


def made(make, generator, folder, program):
    """The input of a function of the surfaces; some ask the program itself for what they alter."""
    return make(generator, folder, program) if getattr(make, "with_program", False) else make(generator, folder)


def answer_of_plain(program, trial, make, folder):
    """The answer of the same input in its plain form, which is computed once."""
    key = (make, tuple(map(str, trial.plain)), *trial.plain_files.values(), trial.expected == "near")
    if key not in PLAIN:
        place = trials.fresh(folder / "plain")
        made(make, None, place, program)
        for name, text in trial.plain_files.items():
            (place / name).write_text(text)
        done = trials.call(program, trial.plain, place)
        if done.code not in (0, 1, 4):
            raise RuntimeError(f"the plain input of {trial.what} is refused: {done.errors}")
        PLAIN[key] = (trial.answer or (trials.last_fields if trial.expected == "near" else trials.state))(place)
        shutil.rmtree(place)
    return PLAIN[key]


def attempt(program, surface, seed, index, folder):
    """Makes one input, calls the program and judges: (kind, why, what it was, the words)."""
    make = surfaces.SURFACES[surface]
    place = trials.fresh(folder / f"{surface}-{index}")
    trial = made(make, random.Random(f"{seed} {surface} {index}"), place, program)
    for words in trial.before:
        trials.call(program, words, place)
    plain = answer_of_plain(program, trial, make, folder) if trial.plain and trial.expected in trials.COMPARED else None
    before = trials.hashes(place, trial.owned)
    done = trials.call(program, trial.words, place, environment=trial.environment)
    kind, why = trials.judge(trial, done, place, before, plain)
    return kind, why, trial.what, [str(word) for word in trial.words], done


def pipes_of(folder, names):
    return [name for name in names if (pathlib.Path(folder) / name).is_fifo()]


def work(task):
    program, surface, seed, index, folder, keep = task
    folder = pathlib.Path(folder) / f"process-{os.getpid()}"
    try:
        kind, why, what, words, done = attempt(program, surface, seed, index, folder)
    except Exception as error:  # noqa: BLE001: a mistake of the generator is told beside its input
        return surface, index, "generator", repr(error)[:300], "", "", ""
    place = folder / f"{surface}-{index}"
    if keep and kind in trials.FAILURES:
        kept = pathlib.Path(keep) / place.name
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(place, kept, symlinks=True, ignore=pipes_of)
    shutil.rmtree(place, ignore_errors=True)
    return surface, index, kind, why, what, shlex.join(words), (done.errors.strip().splitlines() or [""])[0][:400]


def table(counts):
    lines = [f"{'surface':<16}{'inputs':>8}" + "".join(f"{kind:>10}" for kind in (*trials.KINDS, "generator"))]
    for surface, of in counts.items():
        lines.append(f"{surface:<16}{sum(of.values()):>8}" + "".join(f"{of[kind]:>10}" for kind in (*trials.KINDS, "generator")))
    return "\n".join(lines)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surface", default=",".join(surfaces.SURFACES))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="folder for the files of failures")
    parser.add_argument("--list", default="", help="kinds whose inputs are named, beside failures")
    options = parser.parse_args(words)
    program = os.environ.get("ULPINE_PROGRAM", str(trials.SOURCE / "build/cpu/bin/ulpine"))
    listed = {*trials.FAILURES, "generator", *options.list.split(",")}
    counts = {name: collections.Counter() for name in options.surface.split(",")}
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder, multiprocessing.Pool(options.jobs) as pool:
        tasks = [(program, surface, options.seed, index, folder, options.keep) for surface in counts
                 for index in range(options.first, options.first + options.count)]
        for surface, index, kind, why, what, words_of, line in pool.imap(work, tasks, chunksize=5):
            counts[surface][kind] += 1
            if kind in listed:
                print(f"{surface} {index}: {kind}: {why} [{what}]\n    {words_of}\n    {line}", flush=True)
    print(table(counts))
    return any(of[kind] for of in counts.values() for kind in (*trials.FAILURES, "generator"))


if __name__ == "__main__":
    sys.exit(main())
