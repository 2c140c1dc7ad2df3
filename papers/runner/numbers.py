# SPDX-License-Identifier: Apache-2.0
"""Numbers in what programs print and write, as a paper's TOML file says where they are.

An entry of a run's `numbers` is one of these; each gives {name: (value, unit)}.
- pattern: a regular expression for a line, with a group `number`; other groups fill in {name}. `under` lists expressions for lines before it whose groups hold until
  the next such line. `per`: an expression whose first group, a number, divides.
- path: steps into a JSON `file`: a key, a place in a list (a number, or first, middle, last), or a table that one of a list's items matches. `over` is another path that divides, and `less` what is taken off the quotient.
- matching: the sum of `of` over the items of the list at `path` whose `where` matches the expression, over that of all.
- among: the least or most (`take`: min or max) of the run's numbers whose names match this expression, which an entry before has read.
- divide: the names of two numbers of the run, read before; the first over the second.
- ranks: two lists of values at `path` and `against`, compared by Mann and Whitney's test: the two-sided p value.
`each` repeats an entry with all combinations of its lists' values; `scale` multiplies.
"""
import itertools
import json
import math
import re

from .paper import filled


ENDS = {"first": lambda length: 0, "middle": lambda length: length // 2, "last": lambda length: length - 1}


def in_json(value, steps):
    """What `steps` lead to; None where there is nothing. A step {"*": key} takes `key` of every item that the rest of it matches."""
    for step in steps:
        if isinstance(step, dict) and "*" in step:
            chosen = {key: wanted for key, wanted in step.items() if key != "*"}
            value = [item for item in value if all(item.get(key) == wanted for key, wanted in chosen.items())]
            rest = step["*"]
            return [found for found in (in_json(item, rest) for item in value) if found is not None]
        if isinstance(step, dict):
            value = next((item for item in value if all(item.get(key) == wanted for key, wanted in step.items())), None)
        elif isinstance(value, list) and isinstance(step, str) and step in ENDS:
            value = value[ENDS[step](len(value))] if value else None
        elif isinstance(value, list):
            value = value[step] if isinstance(step, int) and -len(value) <= step < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            value = None
        if value is None:
            return None
    return value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def mann_whitney(one, other):
    """Two-sided p value of the rank-sum test by its normal approximation, with ties and continuity corrected; None where nothing can be said."""
    n, m = len(one), len(other)
    if min(n, m) < 2:
        return None
    pooled = sorted((value, group) for group, values in enumerate((one, other)) for value in values)
    ranks, ties, start = 0.0, 0.0, 0
    for _, tied in itertools.groupby(pooled, key=lambda pair: pair[0]):
        tied = list(tied)
        ranks += sum(start + (len(tied) + 1) / 2 for _, group in tied if group == 0)
        ties += len(tied) ** 3 - len(tied)
        start += len(tied)
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0
    u = ranks - n * (n + 1) / 2
    z = max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def of_pattern(entry, text):
    pattern, under = re.compile(entry["pattern"]), [re.compile(each) for each in entry.get("under", [])]
    held = {}
    for line in text.splitlines():
        for each in under:
            if match := each.search(line):
                held.update(match.groupdict())
        if match := pattern.search(line):
            groups = {**held, **match.groupdict()}
            yield filled(entry["name"], {key: (value or "").strip() for key, value in groups.items()}), float(groups["number"])


def of_json(entry, document):
    value = in_json(document, entry["path"])
    if "matching" in entry:
        items = [item for item in value or [] if is_number(item.get(entry["of"]))]
        whole = sum(item[entry["of"]] for item in items)
        part = sum(item[entry["of"]] for item in items if re.search(entry["matching"], str(item.get(entry.get("where", "name")))))
        value = part / whole if whole else None
    elif "ranks" in entry:
        other = in_json(document, entry["ranks"])
        value = mann_whitney(value, other) if value and other else None
    elif "mean" in entry:
        values = [each for each in value or [] if is_number(each)]
        mean = sum(values) / len(values) if values else None
        value = mean if entry["mean"] == "mean" or not values else math.sqrt(sum((each - mean) ** 2 for each in values) / max(1, len(values) - 1))
    if "over" in entry and is_number(value):
        divisor = in_json(document, entry["over"])
        value = value / divisor - entry.get("less", 0) if is_number(divisor) and divisor else None
    if is_number(value):
        yield entry["name"], value


def of_found(entry, found):
    """{name: (value, unit)} of an entry that takes what was read before; empty where that is not there."""
    if "among" in entry:
        chosen = [value for name, value in found.items() if re.fullmatch(entry["among"], name)]
        best = {"min": min, "max": max}[entry["take"]](chosen, default=None)
        return {entry["name"]: best} if best else {}
    one, other = (found.get(name) for name in entry["divide"])
    return {entry["name"]: (one[0] / other[0] * float(entry.get("scale", 1)), entry.get("unit", ""))} if one and other and other[0] else {}


def combinations(entry):
    each = entry.get("each", {})
    rest = {key: value for key, value in entry.items() if key != "each"}
    for values in itertools.product(*each.values()):
        yield filled(rest, dict(zip(each, values)))


def read(run, folder):
    """{name: (value, unit)} of a run whose output is in `folder`. A file that is not there has no numbers."""
    found, texts = {}, {}
    for written in run.numbers:
        for entry in combinations(written):
            if "divide" in entry or "among" in entry:
                found.update(of_found(entry, found))
                continue
            file = entry.get("file", "stdout.txt")
            if file not in texts:
                try:
                    texts[file] = (folder / file).read_text(encoding="utf-8", errors="replace")
                except OSError:
                    texts[file] = ""
            text = texts[file]
            scale = float(entry.get("scale", 1))
            if "per" in entry:
                match = re.search(entry["per"], text, re.M)
                if not match:
                    continue
                scale /= float(match[1])
            if "pattern" in entry:
                pairs = of_pattern(entry, text)
            else:
                try:
                    pairs = of_json(entry, json.loads(text))
                except ValueError:
                    continue
            for name, value in pairs:
                found.setdefault(name, (value * scale, entry.get("unit", "")))
    return found
