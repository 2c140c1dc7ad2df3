# SPDX-License-Identifier: Apache-2.0
"""How many digits hold, in time: of a study's runs against its reference, and as stochastic arithmetic finds them (digits.json)."""

import math
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from . import drawing
from .drawing import drawable, legend_above, marks, short, style, time_axis
from .text import count, join, model_time
from .values import InputError, any_text, array, integer, mapping, number, objects, text

SCHEMA = "ulpine.digits/1"
BITS_PER_DIGIT = math.log2(10)
ROWS, COLUMNS = 3, 2  # of panels in one figure
LARGEST_NUMBER = 3  # of figures
KINDS = ("significant", "contributing", "general")
SHARES = ("p05", "p50", "p95", "min", "norm")
BAND, QUAD = "#0072B2", "#D55E00"


@dataclass
class Bits:
    """Bits over the points of a field, per time; NaN where there are none."""

    shares: dict  # "p05", "p50", "p95", "min", "norm" -> array


@dataclass
class FieldDigits:
    name: str
    units: str
    time_s: np.ndarray
    bits: dict  # kind -> Bits
    quad: Bits | None  # of the deviation from a wider precision
    within: np.ndarray  # share of points at which that deviation is below 2^-significant
    not_normal: np.ndarray  # share of points whose samples are not normal
    note: str


@dataclass
class Digits:
    arithmetic: str
    samples: int | None
    seed: str
    confidence: float | None
    probability: float | None
    reference: str
    fields: list
    stages: list  # (name, its weakest field, kind -> Bits)
    notes: list  # of the whole
    problems: list


def read(data, where):
    """The content of digits.json; InputError where it has no fields at all."""
    if not isinstance(data.get("fields"), list):
        raise InputError(f"{where}: fields: not a list (a file of digits has fields) make it anew with `ulpine digits`")
    problems, fields = [], []
    for raw in objects(data["fields"]):
        name, time_s = text(raw.get("name")) or "unnamed", array(raw.get("times_s"))
        bits = {kind: read_bits(mapping(raw.get("bits")).get(kind), time_s.size) for kind in KINDS}
        bits = {kind: found for kind, found in bits.items() if found}
        if not bits:
            problems.append(f"{name}: no digits that fit its times.")
            continue
        not_normal, within = (series(values, time_s.size) for values in (raw.get("not_normal_share"), mapping(raw.get("quad")).get("baseline_within")))
        fields.append(FieldDigits(name, text(raw.get("units")) or "", time_s, bits, read_bits(raw.get("quad"), time_s.size), within, not_normal, any_text(raw.get("note"))))
    stages = [(text(raw.get("name")) or "unnamed", any_text(raw.get("field")), {kind: found for kind in KINDS if (found := read_bits(mapping(raw.get("bits")).get(kind), None))})
              for raw in objects(data.get("stages"))]
    return Digits(any_text(data.get("arithmetic")), integer(data.get("samples")), any_text(data.get("seed")), number(data.get("confidence")), number(data.get("probability")),
                  any_text(data.get("reference")), fields, [stage for stage in stages if stage[2]], [note for note in map(text, data["notes"] if isinstance(data.get("notes"), list) else []) if note], problems)


def series(raw, size):
    """The values of a list, NaN where there are not `size` of them."""
    values = array(raw) if isinstance(raw, list) else np.empty(0)
    return values if values.size == size else np.full(size, math.nan)


def read_bits(raw, size):
    """None where there is no share of `size` values (None: of any number, or a single value)."""
    shares = {}
    for name in SHARES:
        value = mapping(raw).get(name)
        values = array(value) if isinstance(value, list) else array([value]) if size is None and number(value) is not None else np.empty(0)
        if values.size and (size is None or values.size == size) and np.isfinite(values).any():
            shares[name] = values
    return Bits(shares) if shares else None


def section(found):
    """The values of parts.Part."""
    figures = [draw(found, part, index) for index, part in enumerate(chunks(found.fields, ROWS * COLUMNS)[:LARGEST_NUMBER])]
    said = [f"{found.samples} samples" if found.samples else "", f"of {found.arithmetic}" if found.arithmetic else "", f"seed {found.seed}" if found.seed else ""]
    confidence = [f"confidence {found.confidence:g}" if found.confidence is not None else "", f"probability {found.probability:g}" if found.probability is not None else ""]
    made = join([part for part in (" ".join(part for part in said[:2] if part), said[2], *confidence) if part])
    return {"anchor": "stochastic", "title": "Digits by stochastic arithmetic", "headline": headline(found), "template": "digits.html.j2", "figures": figures,
            "values": {"made": made[:1].upper() + made[1:], "reference": found.reference, "rows": rows(found), "left_out": len(found.fields) > LARGEST_NUMBER * ROWS * COLUMNS,
                       "stages": [(name, weakest, [value(bits.get("significant"), share) for share in SHARES], value(bits.get("contributing"), "p50")) for name, weakest, bits in found.stages],
                       "notes": [f"{entry.name}: {entry.note}" for entry in found.fields if entry.note] + found.notes}, "problems": found.problems}


def headline(found):
    """The field with the fewest digits at the end, by its median."""
    ends = [(last(entry.bits["significant"].shares.get("p50", np.empty(0))), entry) for entry in found.fields if "significant" in entry.bits]
    ends = [(bits, entry) for bits, entry in ends if bits is not None]
    if not ends:
        return "No field has digits at any time."
    bits, entry = min(ends, key=lambda end: end[0])
    return f"{count(len(found.fields), 'field')}; fewest significant digits at the end: {entry.name}, {bits / BITS_PER_DIGIT:.1f} decimal ({bits:.1f} bits) in half of its points."


def last(values):
    known = values[np.isfinite(values)]
    return float(known[-1]) if known.size else None


def value(bits, share):
    return last(bits.shares.get(share, np.empty(0))) if bits else None


def rows(found):
    """(field, time, shares of the significant bits, median of the contributing, share not normal; of the wider precision at its own last time the median and the share within) of each field."""
    return [(entry, model_time(float(entry.time_s[-1])) if np.isfinite(entry.time_s[-1]) else "–", [value(entry.bits.get("significant"), share) for share in SHARES],
             value(entry.bits.get("contributing"), "p50"), last(entry.not_normal), value(entry.quad, "p50"), last(entry.within)) for entry in found.fields]


def chunks(items, size):
    return [items[first:first + size] for first in range(0, len(items), size)]


def panels(count):
    columns = min(COLUMNS, count)
    figure, axes = plt.subplots(-(-count // columns), columns, figsize=(9.6 if columns > 1 else 7.5, 3.3 * -(-count // columns) + 0.4), sharex=True, squeeze=False, constrained_layout=True)
    for axis in list(axes.flat)[count:]:
        axis.remove()
    return figure, list(axes.flat)[:count], columns


def finish(figure, axes, columns, names, unit, shown, label):
    for index, (axis, name) in enumerate(zip(axes, names)):
        axis.set_ylim(bottom=min(0.0, axis.get_ylim()[0]))
        drawing.title(axis, short(name))
        axis.xaxis.set_major_locator(MaxNLocator(6))
        if index % columns == 0:
            axis.set_ylabel(label)
        right = axis.secondary_yaxis("right", functions=(lambda bits: bits / BITS_PER_DIGIT, lambda digits: digits * BITS_PER_DIGIT))
        if index % columns == columns - 1 or index == len(axes) - 1:
            right.set_ylabel("decimal digits")
        if index + columns >= len(axes):
            axis.set_xlabel(f"time ({unit})")
            axis.tick_params(labelbottom=True)
    legend_above(figure, list(shown.values()), list(shown), figure.get_figheight(), columns=6 if columns > 1 else 3)


def draw(found, fields, index):
    """A panel per field: the band of its points, their median, and the deviation from a wider precision as points."""
    figure, axes, columns = panels(len(fields))
    times = np.concatenate([entry.time_s[np.isfinite(entry.time_s)] for entry in fields] + [np.zeros(1)])
    length, unit = time_axis(times)
    length, shown = length or 1, {}
    for axis, entry in zip(axes, fields):
        x = entry.time_s / length
        significant = entry.bits.get("significant", Bits({})).shares
        if {"p05", "p95"} <= significant.keys():
            shown.setdefault("5 to 95 % of points", axis.fill_between(x, significant["p05"], significant["p95"], color=BAND, alpha=0.2, linewidth=0))
        if "p50" in significant:
            shown.setdefault("significant, median", axis.plot(x, significant["p50"], color=BAND, marker="s", markevery=marks(x.size))[0])
        contributing = entry.bits.get("contributing", Bits({})).shares
        if "p50" in contributing:
            shown.setdefault("contributing, median", axis.plot(x, contributing["p50"], color=drawing.GREY, linestyle=(0, (4, 2)), marker="")[0])
        if entry.quad and "p50" in entry.quad.shares:
            shares = entry.quad.shares
            middle = shares["p50"]
            arms = [np.nan_to_num(np.maximum(np.abs(shares.get(share, middle) - middle), 0)) for share in ("p05", "p95")]
            shown.setdefault("against the wider precision", axis.errorbar(x, middle, yerr=arms, linestyle="none", marker="X", color=QUAD, capsize=2, elinewidth=1))
    finish(figure, axes, columns, [entry.name for entry in fields], unit, shown, "significant bits")
    names = join(entry.name for entry in fields)
    return drawing.finish(
        figure, "digits" if index == 0 else f"digits-{index + 1}", "Digits by stochastic arithmetic in time",
        f"Significant bits (left) and decimal digits (right) of {names} against time: band over the points of the field, and median.",
        f"Significant bits of {names} under {found.arithmetic or 'stochastic arithmetic'}: half of the points have more than the line, the band holds nine in ten."
        + (" Crosses: bits of the deviation from the wider precision, median and 5 to 95 %." if any(entry.quad for entry in fields) else ""))


def line_of(run, name):
    return bits_of(run.time_s, run.errors.get(name, np.empty(0)))


def bits_of(seconds, errors):
    """(seconds, bits) of relative errors where there is one; None where there is none."""
    if seconds.size != errors.size or not errors.size:
        return None
    keep = drawable(seconds) & drawable(errors) & (errors > 0)
    return (seconds[keep], -np.log2(errors[keep])) if keep.any() else None


def of_study(study):
    """Bits that hold in each field, -log2 of the relative L2 difference, of each policy's run and of the reference itself; None where there is nothing in time."""
    runs = [run for run in map(study.run_of, study.policies) if run and run.id != study.reference]
    known = study.reference_error
    names = study.leading(list(dict.fromkeys(name for run in runs for name in run.errors if line_of(run, name))))[:ROWS * COLUMNS]
    if not names or not any(line_of(run, name) and line_of(run, name)[0].size > 1 for run in runs for name in names):
        return None
    figure, axes, columns = panels(len(names))
    length, unit = time_axis(np.concatenate([run.time_s for run in runs if run.time_s.size]))
    length, shown = length or 1, {}
    for axis, name in zip(axes, names):
        for run in runs:
            if line := line_of(run, name):
                shown.setdefault(short(run.policy), axis.plot(line[0] / length, line[1], markevery=marks(line[0].size), **style(study, run.policy))[0])
        own = bits_of(known.time_s, known.fields[name]) if known and name in known.fields else None
        if own:
            shown.setdefault(f"{short(study.reference)} itself", axis.plot(own[0] / length, own[1], linestyle="none", marker="X", color=style(study, study.reference_policy)["color"])[0])
    finish(figure, axes, columns, names, unit, shown, "bits that hold")
    return drawing.finish(
        figure, "digits-of-runs", f"Digits that hold against {study.reference}",
        f"Bits (left) and decimal digits (right) that hold in {join(names)} against time, a line each for {join(shown)}.",
        f"Bits that hold: −log₂ of the relative L2 difference to {study.reference}, unperturbed runs; times without any difference are not drawn."
        + (f" Crosses: {study.reference} itself against {known.configuration}." if known else ""))
