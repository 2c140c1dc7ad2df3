# SPDX-License-Identifier: Apache-2.0
"""The page of consistency.json: what `ulpine consistency` answered, and its evidence drawn."""

import math

from . import drawing
from .text import count, join, told
from .values import InputError, any_text

SCHEMA = "ulpine.consistency/1"
STYLES = {  # kind of line -> colour, marker, line style, width, over the others
    "ensemble": ("#9aa3af", "o", "-", 1.0, 1),
    "test": ("#D55E00", "D", "-", 1.4, 3),
    "limit": ("#000000", "", (0, (5, 2)), 1.4, 2),
}
MOST_FINDINGS = 60  # rows of a table; all are in consistency.json
MOST_NAMES = 3  # of new runs in the title
ICONS = {"consistent": "equivalent", "different": "different"}  # answer -> icon; of all others that of undecided
WORDS = {  # answer -> as people read it
    "consistent": "consistent", "different": "different", "undecided": "undecided", "no power": "no power to tell", "not applied": "not applied",
}


def read(data, where):
    """The content of consistency.json; InputError where it has no outcomes."""
    for key in ("outcomes", "notes"):
        if not isinstance(data.get(key), list):
            raise InputError(f"{where}: {key}: not a list (a verdict has one for each method) make it anew with `ulpine consistency -o`")
    return data


def section(found):
    """The values of parts.Part."""
    figures = {outcome["method"]: [draw(figure) for figure in outcome["figures"] if any(line["x"] for line in figure["lines"])] for outcome in found["outcomes"]}
    return {"anchor": "consistency", "title": title(found), "headline": sentence(found), "template": "consistency.html.j2",
            "status": ICONS.get(found["answer"], "undecided"), "figures": [figure for drawn in figures.values() for figure in drawn],
            "values": {"result": found, "drawn": figures, "words": WORDS, "most": MOST_FINDINGS}}


def title(found):
    """What was compared with what: "new/n00.nc with the ensemble cpu"; without the names in files of earlier versions."""
    tests = [any_text(name) for name in found["tests"]] if isinstance(found.get("tests"), list) else []
    shown = join(tests[:MOST_NAMES]) if len(tests) <= MOST_NAMES else f"{', '.join(tests[:MOST_NAMES - 1])} and {len(tests) - MOST_NAMES + 1} more"
    ensemble = any_text(found.get("ensemble"))
    return f"Consistency of {shown} with the ensemble {ensemble}" if shown and ensemble else "Consistency with an ensemble"


def sentence(found):
    words = f"{WORDS[found['answer']]}: {told(found['statement'])}."
    return words[:1].upper() + words[1:]


def draw(figure):
    """A figure as the method describes it: lines of kinds, over numbers or named categories."""
    named = figure["x_names"]
    width = max(6.5, min(14, 0.32 * len(named))) if named else 6.5
    canvas, axes = drawing.plt.subplots(figsize=(width, 3.8), layout="constrained")
    labels, zeros, of = set(), 0, 0
    for line in figure["lines"]:
        known = [(x, y) for x, y in zip(line["x"], line["y"]) if x is not None and y is not None and math.isfinite(y)]
        points = [(x, y) for x, y in known if figure["y_scale"] != "log" or y > 0]
        zeros, of = zeros + len(known) - len(points), of + (len(known) if len(points) < len(known) else 0)
        if not points:
            continue
        colour, marker, style, thickness, order = STYLES.get(line["kind"], STYLES["test"])
        scattered = line["kind"] != "limit" and (bool(named) or len({x for x, _ in points}) < len(points))
        told_as = line["kind"] if line["kind"] == "ensemble" else line["label"] if sum(other["kind"] == line["kind"] for other in figure["lines"]) < 4 else line["kind"]
        label = {"ensemble": "ensemble", "test": "new runs"}.get(told_as, told_as)
        axes.plot([x for x, _ in points], [y for _, y in points], color=colour, marker=marker if scattered or len(points) < 40 else "", markersize=4,
                  linestyle="none" if scattered else style, linewidth=thickness, zorder=order, label=None if label in labels else label, alpha=0.9)
        labels.add(label)
    for axis, scale in ((axes.xaxis, figure["x_scale"]), (axes.yaxis, figure["y_scale"])):
        if scale == "log":
            drawing.logarithmic(axis)
        else:
            drawing.plain_ticks(axis)
    axes.set_xlabel(figure["x_label"])
    axes.set_ylabel(figure["y_label"])
    axes.set_title(drawing.lines(figure["title"], int(9 * width)))
    if named:
        axes.set_xticks(range(len(named)), named, rotation=60 if len(named) > 6 else 0, ha="right" if len(named) > 6 else "center", fontsize=8)
    if labels:
        axes.legend(loc="best")
    caption = f"{figure['title']}: {', '.join(sorted(labels))}." + (f" {count(zeros, 'point')} of {of} {'is' if zeros == 1 else 'are'} zero, which a logarithmic axis cannot show: there the line ends." if zeros else "")
    return drawing.finish(canvas, figure["name"].replace("/", "_"), figure["title"], caption, caption)
