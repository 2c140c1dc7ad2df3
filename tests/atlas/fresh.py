# SPDX-License-Identifier: Apache-2.0
"""Rows of a fresh run against those that are stored."""
import json
import subprocess

import merge

# What a run may answer one way and the next another: what arrives in another order, and plans that are chosen by time.
BY_CHANCE = {"arrival", "planner", "stream"}


def measured(program, *words):
    """The rows that a program of the atlas writes."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=800)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row for row in rows if "not_measured" not in row]


def unlike_stored(rows, stored):
    """Lines on rows that contradict the stored ones of the same library, version and machine, and how many were compared."""
    lines, compared = [], 0
    for row in rows:
        entry = stored.get(tuple(row[key] for key in merge.QUESTION))
        known = entry and entry["measured"].get((row["machine"], row["driver"]))
        if not known or row["varied"] in BY_CHANCE or known["answer"] == merge.CONTRADICTION:
            continue
        compared += 1
        name = f"{row['library']} {row['version']}, {row['block']}, {row['change']}"
        if known["answer"] != row["answer"]:
            lines.append(f"{name}: {row['answer']} bits, and {known['answer']} are stored")
        for key in ("hash", "changed_hash"):
            if known[key] and known[key] != row[key]:
                lines.append(f"{name}: {key} {row[key]}, and {known[key]} is stored")
    return lines, compared
