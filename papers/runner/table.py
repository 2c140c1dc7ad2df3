# SPDX-License-Identifier: Apache-2.0
"""The numbers of a result on one machine: each row's by side, why one is missing, ratios, and what became of the whole."""
import dataclasses
import re

from . import numbers
from .paper import OVER, SECONDS, SIDES

RATIOS = ("ratio_cpu", "ratio_gpu", "paper_cpu_over_ours", "paper_gpu_over_ours")


@dataclasses.dataclass
class Line:
    """A row with its numbers: `values` by side and for paper_cpu and paper_gpu, `ranges` of the paper where it has no single number, `missing` why a side has none, `ratios` by RATIOS."""
    name: str
    x: float | None
    values: dict
    missing: dict
    ratios: dict
    source: str
    ranges: dict

    def has_number(self):
        return bool(self.values or self.ranges)

    def of_paper(self):
        """Whether the paper has a number or a range."""
        return bool(self.ranges) or any(side in self.values for side in ("paper_cpu", "paper_gpu"))

    def is_outside(self):
        """Whether a number here lies in no range that the paper has."""
        return bool(self.ranges) and any(not any(least <= value <= most for least, most in self.ranges.values()) for side, value in self.values.items() if side in SIDES)


@dataclasses.dataclass
class Made:
    """A result with its lines. `state` begins with one of: reproduced in kind (each row has a number here, and the paper has some),
    differs (a number that depends on no machine lies outside the range that the paper has), made here (the paper's numbers are not at hand), in part, not
    run, not reproduced."""
    lines: list
    state: str
    reasons: list
    used: list

    def sides(self):
        """Columns that some line has, or would have."""
        return [side for side in ("paper_cpu", "paper_gpu", *SIDES) if any(side in line.values or side in line.missing or side in line.ranges for line in self.lines)]

    def range_of(self, ratio):
        found = [line.ratios[ratio] for line in self.lines if ratio in line.ratios]
        return (min(found), max(found)) if found else None


def converted(value, unit, result):
    """A measured value in the unit of its table: times of an element are multiplied to the paper's own size, and units of time changed."""
    match = re.fullmatch(r"(\w+) an? (\w+)", unit)
    if match and match[1] in SECONDS and result.is_time() and result.count:
        value, unit = value * result.count, match[1]
    if unit in SECONDS and result.is_time():
        return value * SECONDS[unit] / SECONDS[result.unit]
    return value


def ratios_of(result, values):
    """How many times as fast, or as much where more is better, Ulpine's way is: as the paper's algorithm here and as the paper itself."""
    if not result.compare:
        return {}
    pairs = {"ratio_cpu": ("kept_cpu", "ours_cpu"), "ratio_gpu": ("kept_gpu", "ours_gpu"), "paper_cpu_over_ours": ("paper_cpu", "ours_cpu"), "paper_gpu_over_ours": ("paper_gpu", "ours_gpu")}
    found = {}
    for name, (one, other) in pairs.items():
        if values.get(one) and values.get(other):
            found[name] = values[other] / values[one] if result.higher else values[one] / values[other]
    return found


@dataclasses.dataclass
class Found:
    """A number of a run, or why there is none; `used` where the run was made."""
    value: float | None
    why: str = ""
    short: str = ""
    used: bool = True


def value_at(paper, result, place, outcomes, measured, no_gpu):
    """The number at "RUN:NUMBER" in the result's unit."""
    name, _, number = place.partition(":")
    outcome = outcomes[paper.name, name]
    if outcome.folder is None:
        return Found(None, outcome.why, outcome.short, used=False)
    if (paper.name, name) not in measured:
        measured[paper.name, name] = numbers.read(paper.runs[name], outcome.folder)
    if number in measured[paper.name, name]:
        return Found(converted(*measured[paper.name, name][number], result))
    if no_gpu[1]:
        return Found(None, *no_gpu)
    return Found(None, f"{paper.runs[name].program} did not print \"{number}\" on this machine", "not printed")


def make(paper, result, outcomes, measured, no_gpu=("", "")):
    """The result with the numbers of its runs. `measured` keeps what was read, by paper and run; `no_gpu` is why programs that take a GPU where there is one had none."""
    lines, reasons, used = [], [], []
    for row in result.rows:
        values = {f"paper_{device}": value for device, value in row.paper.items() if not isinstance(value, tuple)}
        ranges = {f"paper_{device}": value for device, value in row.paper.items() if isinstance(value, tuple)}
        missing = {}
        for side, place in row.sides.items():
            found = [value_at(paper, result, each, outcomes, measured, no_gpu if side.endswith("gpu") else ("", "")) for each in place.split(OVER)]
            used += [each.partition(":")[0] for each, value in zip(place.split(OVER), found) if value.used and each.partition(":")[0] not in used]
            absent = next((each for each in found if each.value is None), None)
            if absent:
                missing[side] = absent.short
                reasons.append(absent.why)
            elif len(found) == 1 or found[1].value:
                values[side] = found[0].value / found[1].value if len(found) == 2 else found[0].value
        lines.append(Line(row.name, row.x, values, missing, ratios_of(result, values), row.source, ranges))
    has = sum(any(side in line.values for side in SIDES) for line in lines)
    # Times are of machines, and differ for that alone.
    outside = [line.name for line in lines if line.is_outside()] if not result.compare else []
    reasons = list(dict.fromkeys(reasons))
    if result.not_reproduced and not has:
        state, reasons = "not reproduced", [result.not_reproduced]
    elif has == 0:
        state = "not run"
    elif has < len(lines):
        state = f"in part: {has} of {len(lines)} rows"
    elif outside:
        state = f"differs in {len(outside)} of {len(lines)} rows ({', '.join(outside)})"
    elif not any(line.of_paper() for line in lines):
        state = "made here, no number of the paper at hand"
    else:
        state = "reproduced in kind"
    sides = [side for row in result.rows for side in row.sides]
    for there, words in (("gpu", "on the host alone"), ("cpu", "on the GPU alone")):
        if has and any(side.endswith(there) for side in sides) and not any(side.endswith(there) and side[:4] in ("kept", "ours") for line in lines for side in line.values):
            state += f", {words}"
    return Made(lines, state, reasons, used)
