# SPDX-License-Identifier: Apache-2.0
"""What changed between two studies, as comparison.json has it. Nothing is decided here."""

import math

import matplotlib.pyplot as plt

from . import drawing
from .drawing import logarithmic, short
from .text import count, join, told
from .values import InputError, any_text, mapping, number, objects, text

SCHEMA = "ulpine.comparison/1"
MARKS = {"equal": "●", "equivalent": "●", "undecided": "○", "different": "◆"}
TEXTS = {"hashes": ("run", "last", "this"), "answers": ("configuration", "last", "this"), "gates": ("name", "run", "was", "is"), "metrics": ("configuration", "field", "metric"),
         "statistics": ("configuration", "statistic"), "wall_s": ("run",), "provenance": ("key", "last", "this")}
NUMBERS = {"gates": ("limit", "last", "this"), "metrics": ("last", "this", "ratio"), "statistics": ("last", "this", "difference", "sd"), "wall_s": ("last_s", "this_s", "ratio")}
FLAGS = {"hashes": ("same",), "answers": ("control", "worse"), "gates": ("worse",)}
LONGEST = 40  # rows of one kind that are shown at once; the others in a table that opens


def read(data, where):
    """The content of comparison.json as it is used; InputError where it says not what got worse."""
    if not isinstance(data.get("worse"), list) or not isinstance(data.get("passed"), bool):
        raise InputError(f"{where}: worse or passed: missing (a comparison has both) make it anew with `ulpine report --against`")
    sides = {side: mapping(data.get(side)) for side in ("last", "this")}
    return {
        **{key: [entry(key, raw) for raw in objects(data.get(key))] for key in TEXTS},
        "worse": [told(any_text(line)) for line in data["worse"]], "passed": data["passed"], "notes": [told(any_text(note)) for note in data.get("notes") or []] if isinstance(data.get("notes"), list) else [],
        "incomparable": [any_text(line) for line in data["incomparable"]] if isinstance(data.get("incomparable"), list) else [],
        "yardstick": text(data.get("yardstick")), "only": {side: [any_text(name) for name in mapping(data.get("only")).get(side) or []] if isinstance(mapping(data.get("only")).get(side), list) else [] for side in ("last", "this")},
        "sides": [(name, any_text(mapping(side.get("case")).get("name")), any_text(side.get("created"))[:16].replace("T", " "), any_text(side.get("version")), any_text(side.get("commit")),
                   any_text(side.get("reference")), any_text(side.get("answer"))) for name, side in sides.items()]}


def entry(key, raw):
    """One entry of a list, all its keys there; the spread of a metric as its mean."""
    known = {name: any_text(raw.get(name)) for name in TEXTS[key]} | {name: number(raw.get(name)) for name in NUMBERS.get(key, ())}
    return known | {name: raw.get(name) is True for name in FLAGS.get(key, ())} | ({"spread": number(mapping(raw.get("spread")).get("mean"))} if key == "metrics" else {})


def section(found):
    """The values of parts.Part."""
    figure = errors(found["metrics"])
    changed = [item for item in found["hashes"] if not item["same"]]
    case = " and ".join(dict.fromkeys(side[1] for side in found["sides"] if side[1]))
    return {"anchor": "comparison", "title": f"What changed in {case or 'the study'}", "headline": headline(found, len(changed)),
            "status": "undecided" if found["incomparable"] else "equivalent" if found["passed"] else "different", "template": "comparison.html.j2", "figures": [figure] if figure else [],
            "values": {**found, "marks": MARKS, "changed": changed, "rows": metric_rows(found["metrics"]), "longest": LONGEST}}


def headline(found, changed):
    if found["incomparable"]:
        return f"The two studies cannot be compared: {join(found['incomparable'])}. Answers and gates stand side by side; errors, statistics, final states and times are left out."
    worse = f"Got worse: {join(found['worse'][:5])}" + (f" and {len(found['worse']) - 5} more" if len(found["worse"]) > 5 else "") + "." if found["worse"] else "No answer got worse and no gate failed that passed before."
    same = f" {count(changed, 'final state')} of {len(found['hashes'])} {'has' if changed == 1 else 'have'} other bits." if found["hashes"] else " Final states were not compared."
    return worse + same


def metric_rows(metrics):
    """The metrics, farthest from a ratio of 1 first."""
    return sorted(metrics, key=lambda item: -far(item["ratio"]))


def far(ratio):
    return abs(math.log(ratio)) if ratio and ratio > 0 else math.inf if ratio is None else 0.0


def errors(metrics):
    """The relative L2 error of every field and configuration, last and now, joined by a line; None where there is none on a logarithmic axis."""
    shown = [(item["configuration"], item["field"], item["last"], item["this"], item["spread"]) for item in metrics if item["metric"] == "l2_relative"]
    shown = [item for item in shown if item[2] and item[3] and 1e-60 < min(item[2:4]) <= max(item[2:4]) < 1e60][:60]
    if not shown:
        return None
    height = 0.27 * len(shown) + 1.3
    figure, axis = plt.subplots(figsize=(9.6, height), constrained_layout=True)
    handles = {}
    for row, (_, _, last, now, spread) in enumerate(shown):
        axis.plot([last, now], [row, row], color="#9aa0aa", linewidth=1.4, zorder=1)
        handles["last"], = axis.plot([last], [row], linestyle="none", marker="o", markerfacecolor="white", color="#4b5563", markersize=7)
        handles["this"], = axis.plot([now], [row], linestyle="none", marker="D", color="#0072B2", markersize=5.5)
        if spread and 1e-60 < spread < 1e60:
            handles["spread of members"], = axis.plot([spread], [row], linestyle="none", marker="|", color="#D55E00", markersize=12, markeredgewidth=2)
    logarithmic(axis.xaxis)
    axis.set_yticks(range(len(shown)), [f"{short(configuration)}  {short(field)}" for configuration, field, *_ in shown])
    axis.set_ylim(len(shown) - 0.4, -0.6)
    axis.set_xlabel("relative L2 error against each study's reference (1)")
    drawing.legend_above(figure, list(handles.values()), list(handles), height)
    return drawing.finish(figure, "comparison", "Errors, last and now", f"Relative L2 error of {count(len(shown), 'field')} of all configurations in both studies, joined by a line.",
                          "Relative L2 error of each field at the last time, in the last study (ring) and in this (diamond)."
                          + (" The stroke is what separates the members of an ensemble, for orientation." if "spread of members" in handles else ""))
