#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merges what runs of the atlas' programs wrote into verification/atlas.toml and writes docs/reference/bits.md from it.

    merge.py RUN.jsonl...        adds runs: rows of a machine that were measured before count once more, a run that was merged before is refused
    merge.py --anew RUN.jsonl... begins with no rows
    merge.py                     writes the page alone
    merge.py --check             writes nothing and ends with 1 where the page is not what the rows make

A row is a question: library and version, building block, what was varied and how. `measured` has what each machine answered: "same" bits or
"other", or "not the same in two runs" where runs of one machine contradict each other; in how many runs, how many elements were compared, the
largest share of unlike ones and distance in units in the last place (-1: one alone is NaN), and the hashes of both results, empty where they are
other ones run by run. `runs` names all runs that were merged.
"""
import argparse
import collections
import hashlib
import json
import math
import os
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA, PAGE = ROOT / "verification/atlas.toml", ROOT / "docs/reference/bits.md"
QUESTION = ("library", "version", "block", "varied", "change")
CONTRADICTION = "not the same in two runs"
SOME_MACHINES = "other on some machines"
# Rows that compare single words, of integers, zeros of either sign and NaNs among them: a distance in units in the last place says nothing.
OF_WORDS = "the card against the host (x86-64, g++)"
# What a row of a run must have.
TEXTS = (*QUESTION, "hash", "changed_hash", "machine", "driver", "date", "command")
NUMBERS = ("elements", "unlike", "ulps")
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Written by benchmarks/atlas/merge.py of what the atlas' programs measured; docs/contributing/atlas.md says how.
"""
# What was varied, by the words of rows, in the order of the page.
VARIED = {
    "batch": "Other lines, products or vectors in the same call", "place": "Another place in the batch", "part": "A part of the result alone",
    "stride": "Strides", "in_place": "In place", "alignment": "Alignment and leading dimensions", "layout": "Layout in memory", "transpose": "Operands stored transposed",
    "workspace": "Workspace", "stream": "Streams", "graph": "Graphs", "handle": "Another handle or process", "sm_count": "Fewer multiprocessors", "pointer_mode": "Where the result goes",
    "beta": "Beta", "split_k": "Parts of the inner dimension", "algorithm": "Algorithms", "math_mode": "Math modes", "atomics": "Atomics", "routine": "Another routine for the same",
    "ordering": "Orderings", "threads": "Threads", "ranks": "Ranks", "arrival": "The same call again", "planner": "Planning by measurement", "flags": "Flags", "compiler": "Compilers",
    "compilation": "Compiled by the driver", "processor": "Features of the processor", "vector": "Vectors against single numbers", "device": "The card against the host",
    "real": "Real against complex input", "dimensions": "Two dimensions at once", "order": "Order of operands", "symmetry": "Symmetries of the exact result",
    "definition": "Against a definition", "rounding": "Rounding", "subnormal": "Subnormal numbers",
}

# What documentation says of bits, in words of this page: library, where it says so, what, and the rows that it is about by the beginnings of
# their blocks and by what was varied; True where it promises the same bits.
PROMISES = (
    ("cuBLAS", "CUDA 13.0, results reproducibility", "the same bits in every run on cards of one architecture and number of multiprocessors, while one stream is active", ("dgemm", "sgemm", "TF32 gemm", "bf16 gemm", "ddot", "dasum", "dnrm2", "dgemv"), "arrival", True),
    ("cuBLAS", "CUDA 13.0, results reproducibility", "on several streams at once perhaps other bits, unless each has a workspace of its own", ("dgemm", "sgemm", "TF32 gemm", "bf16 gemm"), "stream", False),
    ("cuBLAS", "CUDA 13.0, cublasSetAtomicsMode", "symmetric products may add by atomics where that is allowed, with other bits from run to run", ("dsymv 4096 lower, atomics allowed", "dsymv 4096 upper, atomics allowed"), "arrival", False),
    ("cuSPARSE", "CUDA 13.0, cusparseSpMV", "CSR ALG2 and COO ALG2 have the same bits in every run", tuple(f"SpMV {scalar}, {rows}, {name} ALG2" for scalar in ("double", "float") for rows in ("rows of 5", "rows of up to 50000") for name in ("CSR", "COO")), "arrival", True),
    ("cuSPARSE", "CUDA 13.0, cusparseSpMV", "CSR ALG1, COO ALG1 and transposed products may have other bits from run to run", tuple(f"SpMV {scalar}, {rows}, {name}" for scalar in ("double", "float") for rows in ("rows of 5", "rows of up to 50000") for name in ("CSR ALG1", "COO ALG1", "CSR transposed")), "arrival", False),
    ("CUB", "3.0.1, DeviceReduce", "sums have the same bits in every run on one card", ("DeviceReduce::Sum",), "arrival", True),
    ("CUB", "3.0.1, DeviceReduce", "sums by key have the same bits in every run on one card", ("DeviceReduce::ReduceByKey",), "arrival", True),
    ("CUB", "3.0.1, DeviceScan", "running sums of floating-point numbers may have other bits from run to run", ("DeviceScan::InclusiveSum float", "DeviceScan::InclusiveSum double", "DeviceScan::ExclusiveSum"), "arrival", False),
    ("FFTW", "3.3.10, planner flags", "planning by measurement chooses by time, so that plans differ from run to run", ("",), "planner", False),
    ("libgomp", "OpenMP 5.2, reduction clause", "the order in which threads' parts are added is not defined, so that bits may differ from run to run", ("reduction",), "arrival", False),
    ("Open MPI", "MPI 4.0, MPI_Reduce", "the same call on the same ranks should have the same bits again, which is advice and no promise", ("MPI_Allreduce",), "arrival", False),
)


def fault_of(row):
    """What is wrong with a row of a run, or an empty text."""
    if not isinstance(row, dict):
        return "is no table"
    for key in TEXTS:
        text = row.get(key)
        if not isinstance(text, str) or (not text and key != "driver"):
            return f"has no text {key!r}"
        if not text.isprintable():
            return f"has characters in {key!r} that cannot be shown"
    for key in NUMBERS:
        if isinstance(row.get(key), bool) or not isinstance(row.get(key), (int, float) if key == "ulps" else int):
            return f"has no number {key!r}"
    if not math.isfinite(row["ulps"]) or (row["ulps"] < 0 and row["ulps"] != -1):
        return f"has {row['ulps']} ulps"
    if not 0 <= row["unlike"] <= row["elements"] or row["elements"] == 0:
        return f"has {row['unlike']} unlike elements of {row['elements']}"
    same = {"same": True, "other": False}.get(row["answer"]) if isinstance(row.get("answer"), str) else None
    if same is None:
        return f"answers {row.get('answer')!r}"
    if same != (row["unlike"] == 0) or same != (row["hash"] == row["changed_hash"]) or (same and row["ulps"] != 0):
        return f"answers {row['answer']!r} with {row['unlike']} unlike elements, {row['ulps']} ulps and hashes {row['hash']} and {row['changed_hash']}"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]):
        return f"has the date {row['date']!r}"
    if row["varied"] not in VARIED:
        return f"varies {row['varied']!r}, unknown to the page"
    return "" if isinstance(row.get("run", ""), str) and row.get("run", "").isprintable() else "has no text 'run'"


def read_runs(paths, merged=()):
    """The rows of files, each with the name of its run; runs that were merged before and runs that stand in two files are refused."""
    rows, seen = [], set(merged)
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SystemExit(f"{path}: cannot be read ({error}) give files that atlas_cuda, atlas_host and programs.py wrote") from error
        if not lines:
            raise SystemExit(f"{path}: is empty (a program was stopped, perhaps) measure again")
        found, asked = [], set()
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                raise SystemExit(f"{path}:{number}: is no row ({error}) give files that atlas_cuda, atlas_host and programs.py wrote") from error
            if isinstance(row, dict) and "not_measured" in row:
                continue
            if fault := fault_of(row):
                raise SystemExit(f"{path}:{number}: {fault} (no program of the atlas writes that, or merge.py is not of its version) measure again")
            question = (*(row[key] for key in QUESTION), row["machine"], row["driver"], row.get("run"))
            if question in asked:
                raise SystemExit(f"{path}:{number}: asks again what a line above asks (a file that was put together of two) give the files of single runs")
            asked.add(question)
            found.append(row)
        digest = hashlib.blake2b(json.dumps(found, sort_keys=True).encode(), digest_size=8).hexdigest()
        for row in found:
            row.setdefault("run", digest)  # rows of programs that do not name their run yet
        runs = {row["run"] for row in found}
        if again := sorted(runs & seen):
            raise SystemExit(f"{path}: has run {again[0]} (it is counted already) leave the file out, or begin with --anew")
        seen |= runs
        rows += found
    return rows


def add_run(rows, row):
    """Adds a measured row to the questions."""
    question = tuple(row[key] for key in QUESTION)
    entry = rows.setdefault(question, {"command": row["command"], "measured": {}})
    machine = (row["machine"], row["driver"])
    share = row["unlike"] / row["elements"] if row["elements"] else 0.0
    told = {"answer": row["answer"], "elements": row["elements"], "share": float(f"{share:.4g}"), "ulps": float(row["ulps"]), "hash": row["hash"], "changed_hash": row["changed_hash"], "date": row["date"], "runs": 1}
    known = entry["measured"].get(machine)
    if known is not None and known["elements"] != row["elements"]:
        raise SystemExit(f"{', '.join(question)}: {row['elements']} elements, and {known['elements']} in an earlier run (the programs ask otherwise by now) measure twice and begin with --anew")
    entry["measured"][machine] = told if known is None else of_both(known, told)


def of_both(known, told):
    """What two runs of one machine say together."""
    both = {"answer": known["answer"] if known["answer"] == told["answer"] else CONTRADICTION, "elements": known["elements"], "share": max(known["share"], told["share"]),
            "ulps": -1.0 if -1 in (known["ulps"], told["ulps"]) else max(known["ulps"], told["ulps"]), "date": max(known["date"], told["date"]), "runs": known["runs"] + told["runs"]}
    for key in ("hash", "changed_hash"):
        both[key] = known[key] if known[key] == told[key] else ""
    return both


def rows_of(file):
    """The questions of a parsed file."""
    rows = {}
    for row in file.get("rows", []):
        measured = {(one["machine"], one["driver"]): {key: one[key] for key in one if key not in ("machine", "driver")} for one in row["measured"]}
        rows[tuple(row[key] for key in QUESTION)] = {"command": row["command"], "measured": measured}
    return rows


def read_data(path):
    return rows_of(tomllib.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def read_merged(path):
    """The names of the runs that are in a file."""
    return tomllib.loads(path.read_text(encoding="utf-8")).get("runs", []) if path.exists() else []


def quoted(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def number(value):
    return repr(float(value)) if value != int(value) else f"{int(value)}.0"


def as_toml(rows, merged=()):
    lines = [HEAD, f"runs = [{', '.join(quoted(run) for run in sorted(merged))}]", "rows = ["]
    for question, entry in sorted(rows.items()):
        measured = []
        for (machine, driver), one in sorted(entry["measured"].items()):
            measured.append(f"{{ machine = {quoted(machine)}, driver = {quoted(driver)}, answer = {quoted(one['answer'])}, runs = {one['runs']}, elements = {one['elements']}, share = {number(one['share'])}, "
                            f"ulps = {number(one['ulps'])}, hash = {quoted(one['hash'])}, changed_hash = {quoted(one['changed_hash'])}, date = {quoted(one['date'])} }}")
        words = ", ".join(f"{key} = {quoted(value)}" for key, value in zip(QUESTION, question))
        lines.append(f"  {{ {words}, command = {quoted(entry['command'])}, measured = [{', '.join(measured)}] }},")
    return "\n".join(lines) + "\n]\n"


def answer_of(entry):
    """What all machines answer: one word where they agree."""
    answers = {one["answer"] for one in entry["measured"].values()}
    return CONTRADICTION if CONTRADICTION in answers else answers.pop() if len(answers) == 1 else SOME_MACHINES


def told(question, entry):
    """A block with how many numbers were compared or how far they are apart, and where some machines alone have other bits, on which."""
    elements = max(one["elements"] for one in entry["measured"].values())
    if answer_of(entry) == "same":
        return f"{question[0]} ({elements})"
    share = max(one["share"] for one in entry["measured"].values())
    words = f"{100 * share:.3g} % of {elements}"
    if question[1] != OF_WORDS:
        ulps = [one["ulps"] for one in entry["measured"].values()]
        words += ", NaN" if -1 in ulps else f", {max(ulps):.0f} ulp" if max(ulps) < 1e6 else f", {max(ulps):.1e} ulp"
    if answer_of(entry) == SOME_MACHINES:
        words += f", on {', '.join(named(machine) for machine, one in sorted(entry['measured'].items()) if one['answer'] != 'same')}"
    return f"{question[0]} ({words})"


def named(machine):
    name, driver = machine
    return f"{name} with driver {driver}" if driver else name


def cell(entries):
    return "; ".join(entries).replace("|", "\\|") or "-"


def across_machines(rows):
    """Questions measured on several machines of one kind (cards, or hosts) by whether the first result has the same bits on them."""
    counts = collections.defaultdict(lambda: [0, []])
    for (library, version, block, varied, _), entry in rows.items():
        for cards in (True, False):
            alike = {machine: one["hash"] for machine, one in entry["measured"].items() if bool(machine[1]) is cards}
            names, hashes = {name for name, _ in alike}, set(alike.values())
            if len(names) < 2 or "" in hashes:
                continue
            if len(hashes) == 1:
                counts[library, version, cards][0] += 1
            else:
                counts[library, version, cards][1].append(f"{block} ({varied})")
    return counts


def promises(rows):
    """What documentation says, beside what was measured."""
    lines = []
    for library, source, words, blocks, varied, promised in PROMISES:
        asked = collections.defaultdict(list)
        for (of, version, block, word, _), entry in sorted(rows.items()):
            if of == library and word == varied and block.startswith(blocks):
                asked[version].append((block, answer_of(entry)))
        for version, answers in sorted(asked.items()):
            other = sorted({block for block, answer in answers if answer != "same"})
            found = "same bits" if not other else f"other bits: {'; '.join(other)}" if len(other) < len(answers) else "other bits in all"
            verdict = "**not kept**" if promised and other else "kept" if promised else "as said" if other else "not seen"
            lines.append(f"| {library} {version} | {source} | {words} | {cell([found])} ({len(answers)} questions) | {verdict} |")
    return lines


def table_of(questions):
    """What one version of a library answers; a column for answers that machines do not share only where there are any."""
    answers = {"same": "same bits", "other": "other bits", SOME_MACHINES: SOME_MACHINES, CONTRADICTION: CONTRADICTION}
    if all(answer_of(entry) != SOME_MACHINES for entries in questions.values() for _, entry in entries):
        del answers[SOME_MACHINES]
    table = [f"| varied | how | {' | '.join(answers.values())} |", "| --- " * (len(answers) + 2) + "|"]
    order = list(VARIED)
    for (varied, change), entries in sorted(questions.items(), key=lambda item: (order.index(item[0][0]), item[0][1])):
        cells = [cell([told((block, change), entry) for block, entry in entries if answer_of(entry) == answer]) for answer in answers]
        table.append(f"| {VARIED[varied]} | {cell([change])} | {' | '.join(cells)} |")
    return "\n".join(table)


def page(rows):
    by_library = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    machines = collections.defaultdict(set)
    for (library, version, block, varied, change), entry in sorted(rows.items()):
        by_library[library][version][varied, change].append((block, entry))
        machines[library, version].update(machine for machine, _ in entry["measured"])
    parts = ["# Bits of building blocks",
             f"Which change keeps every bit of what libraries, compilers and processors compute: {len(rows)} questions to {len(by_library)} of them, measured by "
             "`benchmarks/atlas`. This page is written by `benchmarks/atlas/merge.py` from `verification/atlas.toml`, which has hashes, dates and commands. How to add a "
             "machine: [the atlas](../contributing/atlas.md). What `trace-diff` and `bitwise` say of it: [bits and traces](tracing.md#what-is-known-of-a-difference).",
             "An entry under *same bits* has the number of elements that were compared: one sum tells less than ten thousand. An entry under *other bits* has the largest share of "
             "unlike elements and the largest distance in units in the last place. Inputs are numbers between -1 and 1 of a fixed seed, or of a range usual for a function. An "
             "answer holds for the version, machines and sizes that stand here, and is no promise of a library."]
    if said := promises(rows):
        parts.append("## What documentation says")
        parts.append("Where documentation speaks of the same call again, in our words, and what was measured.")
        parts.append("\n".join(["| library | where | what | measured | |", "| --- | --- | --- | --- | --- |", *said]))
    for library in sorted(by_library, key=str.lower):
        parts.append(f"## {library}")
        for version, questions in sorted(by_library[library].items()):
            parts.append(f"Version {version}, on {', '.join(sorted(machines[library, version]))}.")
            parts.append(table_of(questions))
    compared = across_machines(rows)
    if compared:
        parts.append("## From machine to machine")
        parts.append("Results of the same call on several cards, or on several hosts, by their hashes.")
        table = ["| library | machines | same bits | other bits |", "| --- | --- | --- | --- |"]
        for (library, version, cards), (same, other) in sorted(compared.items(), key=lambda item: (item[0][0].lower(), *item[0][1:])):
            table.append(f"| {library} {version} | {'cards' if cards else 'hosts'} | {same} questions | {cell(sorted(set(other)))} |")
        parts.append("\n".join(table))
    return "\n\n".join(parts) + "\n"


def write(texts):
    """Writes files whole, or where one cannot be written none."""
    parts = [(path.with_name(f".{path.name}.{os.getpid()}"), path) for path, _ in texts]
    try:
        for (part, _), (_, text) in zip(parts, texts):
            part.write_text(text, encoding="utf-8")
        for part, path in parts:
            part.replace(path)
    except OSError as error:
        raise SystemExit(f"merge.py: cannot write ({error}) the files are as they were") from error
    finally:
        for part, _ in parts:
            part.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", type=pathlib.Path, metavar="RUN.jsonl", help="what a program wrote")
    parser.add_argument("--anew", action="store_true", help="begin with no rows")
    parser.add_argument("--check", action="store_true", help="write nothing, end with 1 where the page is not what the rows make")
    given = parser.parse_args()
    rows, merged = ({}, []) if given.anew else (read_data(DATA), read_merged(DATA))
    added = read_runs(given.runs, merged)
    for row in added:
        add_run(rows, row)
    if not rows:
        sys.exit("merge.py: no rows (no file of a run has any) give files that atlas_cuda, atlas_host and programs.py wrote")
    texts = ((DATA, as_toml(rows, {*merged, *(row["run"] for row in added)})), (PAGE, page(rows)))
    if given.check:
        stale = [path for path, text in texts if not path.exists() or path.read_text(encoding="utf-8") != text]
        if stale:
            sys.exit(f"merge.py: not what the rows make: {', '.join(str(path.relative_to(ROOT)) for path in stale)}; run benchmarks/atlas/merge.py")
        return
    if rows_of(tomllib.loads(texts[0][1])) != rows:
        sys.exit("merge.py: would write what it cannot read again (a fault of merge.py) nothing is written")
    write(texts)
    print(f"{len(rows)} rows, {sum(len(entry['measured']) for entry in rows.values())} with their machines")


if __name__ == "__main__":
    main()
