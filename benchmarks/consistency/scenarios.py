#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What does `ulpine consistency` call new runs that were changed in known ways, and what do the rules of others? Writes a CSV of answers, a row each.

Each trial draws an ensemble and new runs, applies each change to them, writes all as NetCDF files and asks the program. Rows that the CSV has are not asked again.

    benchmarks/consistency/scenarios.py build/cpu/bin/ulpine answers.csv --trials 1 --jobs 2 --pycect PyCECT --probtest probtest --summary PyCECT/data/FILE.nc
    benchmarks/consistency/scenarios.py --table answers.csv
"""
import argparse
import collections
import concurrent.futures
import csv
import io
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy
from scipy import stats

import changes
import ensembles
import peers

COLUMNS = ["source", "members", "runs", "change", "trial", "method", "answer", "found_by", "evv", "pycect", "probtest"]
KEY = COLUMNS[:6]
KNOWN_TRUTH = ["made", "drawn", "real"]
PEERS = ["pycect", "probtest", "evv"]
PCA_ALONE = ["equal", "many_off_1_sd", "many_off_3_sd", "many_off_10_sd", "many_off_1000_sd"]


def asked(program, ensemble, test, method):
    """The verdict of the program, in a word, and the methods that call the runs different."""
    words = [program, "consistency", "--ensemble", ensemble, "--test", test, "--method", method, "--json", "--seed", "1"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode == 2 and not done.stdout.startswith("{"):
        return "refused", done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
    if done.returncode not in (0, 1, 2, 4):
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)
    return result["answer"], "+".join(outcome["method"] for outcome in result["outcomes"] if outcome["answer"] == "different")


def written(source, runs, folder, count):
    folder.mkdir()
    files = [folder / f"run{run:03d}.nc" for run in range(count)]
    for run, file in enumerate(files):
        source.write(file, runs, run)
    return files


def keep(path, row):
    """Adds a row in one write, so that processes can share the file."""
    line = io.StringIO()
    csv.DictWriter(line, COLUMNS, restval="").writerow(row)
    with open(path, "a", encoding="utf-8", newline="") as file:
        file.write(line.getvalue())


def ask(options, kind, number, size):
    """Keeps all rows of one ensemble and its new runs that are not known yet."""
    many, runs = size
    asks = [(name, method) for name in options.changes for method in (["all", "pca"] if name in PCA_ALONE else ["all"])
            if (kind, str(many), str(runs), name, str(number), method) not in options.known]
    if not asks:
        return
    source = ensembles.Made(number) if kind == "made" else ensembles.FromSummary(options.summary, number, kind)
    if kind == "real" and many + runs > source.known.shape[1]:
        return
    members = source.draw(numpy.random.default_rng([options.seed, number, many, 1]), many)
    new = source.draw(numpy.random.default_rng([options.seed, number, many, runs, 2]), runs, new=True)
    setting = changes.Setting(source, members, numpy.random.default_rng([options.seed, number, many, runs, 3]))
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        scratch = pathlib.Path(scratch)
        rules = peers.rules(peers.libraries(options.pycect, options.probtest), source, members, written(source, members, scratch / "members", many))
        for name in dict.fromkeys(name for name, _ in asks):
            changed = changes.CHANGES[name](new, setting)
            if changed is None:
                continue
            files = written(source, changed, scratch / name, runs)
            told = {rule: int(rules[rule].finds(changed, files)) for rule in rules}
            for method in [method for asked_of, method in asks if asked_of == name]:
                answer, by = asked(options.program, scratch / "members", scratch / name, method)
                keep(options.answers, {"source": kind, "members": many, "runs": runs, "change": name, "trial": number, "method": method,
                                       "answer": answer, "found_by": by, **told})
            shutil.rmtree(scratch / name)


def known(path):
    if not path.exists():
        return set()
    with open(path, encoding="utf-8", newline="") as file:
        return {tuple(row[key] for key in KEY) for row in csv.DictReader(file)}


def interval(hits, count):
    """Clopper and Pearson, 95 %, in per cent."""
    low = stats.beta.ppf(0.025, hits, count - hits + 1) if hits else 0.0
    high = stats.beta.ppf(0.975, hits + 1, count - hits) if hits < count else 1.0
    return f"{100 * low:.2f} to {100 * high:.2f}"


def found_by(rows):
    """Of each row the peers that find the change: those that find the same runs without it find nothing."""
    unit = ("source", "members", "runs", "trial")
    alarms = {tuple(row[key] for key in unit): row for row in rows if row["change"] == "equal" and row["method"] == "all"}
    for row in rows:
        equal = alarms.get(tuple(row[key] for key in unit), {})
        yield row, [peer for peer in PEERS if row[peer] == "1" and equal.get(peer) != "1"]


def listed(rows):
    """Which changes, of how many members and new runs, and who found how many."""
    counts = collections.defaultdict(collections.Counter)
    for row, by in rows:
        counts[row["change"], row["source"], int(row["members"]), int(row["runs"])].update(by)
    for (name, source, members, runs), by in sorted(counts.items()):
        print(f"- {name}, {source}, {members} members, {runs} new runs: " + ", ".join(f"{peer} {count}" for peer, count in sorted(by.items())))


def table(path):
    """Markdown: for each change and number of new runs how many were called different / consistent, and found by each peer; then what a peer finds and the verdict does not."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    saved = [row for row in rows if row["source"] not in KNOWN_TRUTH]
    rows = [row for row in rows if row["source"] in KNOWN_TRUTH]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["method"], row["change"], int(row["runs"])].append(row)
    all_runs = sorted({runs for _, _, runs in groups})
    print("| new runs | " + " | ".join(f"{runs}: trials | `different` / `consistent` | {', '.join(PEERS)}" for runs in all_runs) + " |")
    print("| --- |" + " ---: | ---: | ---: |" * len(all_runs))
    for method in ("all", "pca"):
        for name, change in changes.CHANGES.items():
            cells = []
            for runs in all_runs:
                group = groups[method, name, runs]
                answers = collections.Counter(row["answer"] for row in group)
                found = ", ".join(str(sum(row[peer] == "1" for row in group)) if any(row[peer] for row in group) else "-" for peer in PEERS)
                cells += [str(len(group)), f"{answers['different']} / {answers['consistent']}", found] if group else ["", "", ""]
            if any(cells):
                print(f"| {change.__doc__}{'' if method == 'all' else ', `pca` alone'} | " + " | ".join(cells) + " |")
    equal = [row for row in rows if row["change"] == "equal" and row["method"] == "all"]
    if equal:
        hits = {peer: sum(row[peer] == "1" for row in equal) for peer in PEERS if any(row[peer] for row in equal)}
        hits = {"`different`": sum(row["answer"] == "different" for row in equal), **hits}
        print(f"\nFalse alarms of {len(equal)} (95 %): " + "; ".join(f"{name} {100 * count / len(equal):.2f} % ({interval(count, len(equal))})" for name, count in hits.items()) + ".")
    for answers in (["consistent"], ["undecided", "no power", "refused"]):
        missed = [(row, by) for row, by in found_by(rows) if by and row["change"] != "equal" and row["method"] == "all" and row["answer"] in answers]
        print(f"\nCalled {' or '.join(answers)}, and found by another: {len(missed)}.")
        listed(missed)
    for row in saved:
        print(f"\n{row['source']}, {row['members']} members, {row['runs']} new runs, {row['method']}: {row['answer']} ({row['found_by'] or 'by none'}); "
              + ", ".join(f"{peer} {'finds' if row[peer] == '1' else 'does not'}" for peer in PEERS if row[peer]))


def sizes(text):
    """Members and new runs: "40x3,100x24"."""
    return [tuple(int(number) for number in word.split("x")) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("answers", nargs="?", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path, metavar="CSV", help="print the table of a CSV instead")
    parser.add_argument("--trials", type=int, default=1)
    parser.add_argument("--first-trial", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=sizes, default="40x3,40x10,40x24,100x3,100x24,200x3,200x24", help="members x new runs, by commas")
    parser.add_argument("--changes", type=lambda text: text.split(","), default=list(changes.CHANGES))
    parser.add_argument("--sources", type=lambda text: text.split(","), default=None, help="made; of --summary: drawn, real (its own members) and files that PyCECT saved")
    parser.add_argument("--summary", type=pathlib.Path, help="summary file of PyCECT for MPAS, whose means or their covariance runs have")
    parser.add_argument("--pycect", type=pathlib.Path, help="your folder of PyCECT")
    parser.add_argument("--probtest", type=pathlib.Path, help="your folder of probtest")
    parser.add_argument("--scratch", type=pathlib.Path, help="where files are written")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    if options.answers is None:
        parser.error("name the program and the CSV of answers")
    unknown = set(options.changes) - set(changes.CHANGES)
    if unknown:
        parser.error(f"no change {', '.join(sorted(unknown))}: they are {', '.join(changes.CHANGES)}")
    options.known = known(options.answers)
    kinds = options.sources or (["made"] + (["drawn"] if options.summary else []))
    if not options.known and not (options.answers.exists() and options.answers.stat().st_size):
        keep(options.answers, dict(zip(COLUMNS, COLUMNS)))
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        trials = range(options.first_trial, options.first_trial + options.trials)
        work = [pool.submit(ask, options, *unit) for unit in itertools.product(kinds, trials, options.sizes)]
        for done in concurrent.futures.as_completed(work):
            done.result()
    table(options.answers)


if __name__ == "__main__":
    main()
