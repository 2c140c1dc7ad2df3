# SPDX-License-Identifier: Apache-2.0
"""Which stage bears which precision, and what that saves: the search's trials (search.json)."""

import math
import re
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D

from . import drawing, judgement
from .drawing import MISSING, legend_above, logarithmic, short
from .text import count, duration, join, model_time, power, scientific
from .values import InputError, any_text, integer, mapping, number, objects, text

SCHEMA = "ulpine.search/1"
MARKS = {"equal": "●", "equivalent": "●", "different": "◆", "undecided": "○", None: "–"}
POINTS = {"equal": "o", "equivalent": "o", "different": "D", "undecided": "o", None: "x"}
DECADES = 3  # of the ratio on either side of the limit that the colours tell apart
TALLEST = 40  # stages in one figure


@dataclass
class Trial:
    """One assignment of precisions that was run."""

    name: str  # of a whole policy, else empty
    assignment: dict  # stage -> precision
    cost: float | None
    ratio: float | None  # of the error to the tolerated one, at its worst
    answer: str | None
    wall_s: float | None = None
    worst: str = ""  # field and time
    problem: str = ""  # why the run failed


@dataclass
class Stage:
    name: str
    cost_share: float | None
    alone: dict  # precision -> Trial with this stage alone in it


@dataclass
class Confirmation:
    """What a study with members of its own said of an assignment."""

    trial: Trial
    study: str
    answer: str | None


@dataclass
class Search:
    reference: str
    tolerated: str
    within: float | None  # largest ratio that is accepted
    members: int | None  # of the reference
    until_s: float | None
    precisions: list
    cost_model: str
    stages: list
    tried: list
    frontier: list  # of tried
    whole: list
    refused: list  # (stage, why it cannot be lowered)
    confirmations: list
    chosen: Trial | None
    verdict: str | None  # of the study of what was chosen
    verdict_study: str
    spent: list  # (how many runs or None, their seconds or None): tried, of studies
    notes: list
    problems: list

    @property
    def plain(self):
        """The reference's policy, that of all stages that are not lowered."""
        return self.reference.split("/")[0]


def read(data, where):
    """The content of search.json; InputError where it names no stages."""
    if not isinstance(data.get("stages"), list):
        raise InputError(f"{where}: stages: not a list (a search has stages) make it anew with `ulpine search`")
    stages = []
    for raw in objects(data["stages"]):
        alone = {any_text(item.get("precision")): trial(item) for item in objects(raw.get("alone"))}
        stages.append(Stage(text(raw.get("name")) or "unnamed", number(raw.get("cost_share")), alone))
    precisions = [str(name) for name in data["precisions"]] if isinstance(data.get("precisions"), list) else list(dict.fromkeys(name for stage in stages for name in stage.alone))
    tried, problems = [trial(raw) for raw in objects(data.get("tried"))], []
    indices = data["frontier"] if isinstance(data.get("frontier"), list) else []
    frontier = [tried[index] for index in map(integer, indices) if index is not None and 0 <= index < len(tried)]
    if len(frontier) < len(indices):
        problems.append(f"{count(len(indices) - len(frontier), 'point')} of the frontier: no such trial.")
    confirmed = [(integer(raw.get("tried")), raw) for raw in objects(data.get("confirmations"))]
    chosen, spent = mapping(data.get("chosen")), mapping(data.get("spent"))
    return Search(reference=any_text(data.get("reference")), tolerated=power(any_text(data.get("tolerated"))), within=number(data.get("within")), members=integer(data.get("members")),
                  until_s=number(data.get("until_s")), precisions=precisions, cost_model=any_text(data.get("cost_model")), stages=stages, tried=tried,
                  frontier=sorted(frontier, key=lambda item: item.cost if item.cost is not None else math.inf), whole=[trial(raw) for raw in objects(data.get("whole_policies"))],
                  refused=[(any_text(raw.get("stage")), any_text(raw.get("reason"))) for raw in objects(data.get("refused"))],
                  confirmations=[Confirmation(tried[place], any_text(raw.get("study")), judgement.answer(raw.get("answer"))) for place, raw in confirmed if place is not None and 0 <= place < len(tried)],
                  chosen=trial(chosen) if chosen else None, verdict=judgement.answer(chosen.get("verdict")), verdict_study=any_text(chosen.get("verdict_study")),
                  spent=[(integer(spent.get(f"{kind}runs")), number(spent.get(f"{kind}wall_s"))) for kind in ("", "study_")],
                  notes=[any_text(note) for note in data["notes"]] if isinstance(data.get("notes"), list) else [], problems=problems)


def trial(raw):
    worst = mapping(raw.get("worst"))
    time = number(worst.get("time_s"))
    told = [text(worst.get("field")) or "", f"after {model_time(time)}" if time is not None else ""]
    return Trial(any_text(raw.get("policy")), assignment(raw.get("assignment")), number(raw.get("cost")), number(raw.get("ratio")), judgement.answer(raw.get("answer")),
                 number(raw.get("wall_s")), " ".join(part for part in told if part), any_text(raw.get("problem")))


def assignment(raw):
    """stage -> precision of an object, a list of "stage=precision", or such a text."""
    if isinstance(raw, dict):
        return {str(stage): any_text(precision) for stage, precision in raw.items()}
    pairs = raw if isinstance(raw, list) else re.split(r"[,\s]+", raw) if isinstance(raw, str) else []
    return dict(str(pair).split("=", 1) for pair in pairs if "=" in str(pair))


def section(found):
    """The values of parts.Part."""
    figures = [figure for figure in (heat(found, part, index) for index, part in enumerate(found.stages[first:first + TALLEST] for first in range(0, len(found.stages), TALLEST))) if figure]
    costs = frontier(found)
    return {"anchor": "sensitivity", "title": "Which stage bears less", "headline": headline(found), "template": "sensitivity.html.j2", "figures": figures + ([costs] if costs else []),
            "values": {"search": found, "marks": MARKS, "rows": [(stage, precision, stage.alone[precision]) for stage in found.stages for precision in found.precisions if precision in stage.alone],
                       "held_against": held_against(found), "spent": spent(found), "compared": compared(found), "assigned": assigned(found)}, "problems": found.problems}


def held_against(found):
    """What errors are held against, in a sentence; empty where the file does not say."""
    if not found.tolerated:
        return ""
    runs = f"Runs until {model_time(found.until_s)}" if found.until_s is not None else "Runs"
    members = f" ({count(found.members, 'member')})" if found.members is not None else ""
    accepted = f"; accepted up to {scientific(found.within)}" if found.within is not None else ""
    return f"{runs}; errors in parts of those of a perturbation of {found.tolerated}{members}, or a statistic's shift in parts of its margin where that is larger{accepted}."


def spent(found):
    """What it cost to find, in words."""
    said = []
    for (runs, wall_s), of in zip(found.spent, ("", " of studies")):
        parts = [count(runs, "run") + of if runs is not None else "", duration(wall_s) + ("" if runs is not None else of) if wall_s is not None else ""]
        said.append(", ".join(part for part in parts if part))
    return "; ".join(part for part in said if part)


def lowered(found, item):
    """How many stages an assignment has in another precision than the reference's."""
    return sum(precision != found.plain for precision in item.assignment.values())


def headline(found):
    if not found.chosen:
        return f"{count(len(found.stages), 'stage')} tried; no assignment was chosen."
    if lowered(found, found.chosen) == 0:
        return f"Nothing cheaper than the reference was accepted: of {count(len(found.stages), 'stage')} none goes lower."
    saved = f" at {scientific(found.chosen.cost)} of the reference's cost" if found.chosen.cost is not None else ""
    return f"Chosen: {count(lowered(found, found.chosen), 'stage')} of {len(found.stages)} in less precision{saved}; {judged(found)}."


def judged(found):
    """The verdict on what was chosen."""
    return f"verdict {found.verdict}" if found.verdict else f"{found.chosen.answer or 'no answer'} by errors alone, no study confirms it"


def compared(found):
    """(name, trial, answer in words) of what was chosen and of whole policies, the cheapest first."""
    rows = [(item.name or "–", item, f"{MARKS[item.answer]} {item.answer or 'none'}") for item in found.whole]
    if found.chosen:
        answer = found.verdict or found.chosen.answer
        rows.append(("chosen", found.chosen, f"{MARKS[answer]} {answer or 'none'}" + (f" by the study {found.verdict_study}" if found.verdict else "")))
    return sorted(rows, key=lambda row: row[1].cost if row[1].cost is not None else math.inf)


def assigned(found):
    """(stage, precision, its trial alone or None) of what was chosen, all stages in the model's order; a stage that the file does not list comes last."""
    if not found.chosen:
        return []
    unlisted = [Stage(name, None, {}) for name in found.chosen.assignment if name not in {stage.name for stage in found.stages}]
    rows = [(stage, found.chosen.assignment.get(stage.name, found.plain)) for stage in found.stages + unlisted]
    return [(stage, precision, stage.alone.get(precision)) for stage, precision in rows]


def heat(found, stages, index):
    """Stages by precisions: the error's ratio to what is tolerated, each stage alone in that precision; None where nothing was tried."""
    if not any(stage.alone for stage in stages) or not found.precisions:
        return None
    logs = np.full((len(stages), len(found.precisions)), math.nan)
    for row, stage in enumerate(stages):
        for column, precision in enumerate(found.precisions):
            known = stage.alone.get(precision)
            if known and known.ratio is not None:
                logs[row, column] = math.log10(known.ratio) if known.ratio > 0 else -DECADES
    height = 0.36 * len(stages) + 1.3
    figure, axis = plt.subplots(figsize=(min(9.6, 4.2 + 1.15 * len(found.precisions)), height), constrained_layout=True)
    norm, colours = Normalize(-DECADES, DECADES), plt.get_cmap("PuOr_r").with_extremes(bad=MISSING)
    image = axis.imshow(logs, norm=norm, cmap=colours, aspect="auto")
    for row, stage in enumerate(stages):
        for column, precision in enumerate(found.precisions):
            known = stage.alone.get(precision)
            words = "not tried" if known is None else f"{MARKS[known.answer]} " + ("failed" if known.problem and known.ratio is None else scientific(known.ratio))
            red, green, blue, _ = colours(norm(logs[row, column])) if np.isfinite(logs[row, column]) else (0.73, 0.74, 0.76, 1)
            axis.text(column, row, words, ha="center", va="center", fontsize=9, color="black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white")
    axis.set_xticks(range(len(found.precisions)), [short(name) for name in found.precisions])
    axis.xaxis.tick_top()
    axis.set_yticks(range(len(stages)), labels(found, stages))
    axis.tick_params(length=0)
    axis.grid(False)
    for side in axis.spines.values():
        side.set_visible(False)
    bar = figure.colorbar(image, ax=axis, orientation="horizontal", shrink=0.8, pad=0.02, aspect=36, extend="both", label="error in parts of the tolerated (limit at 1)")
    bar.set_ticks(range(-DECADES, DECADES + 1), labels=[drawing.tick_text(10.0**exponent) for exponent in range(-DECADES, DECADES + 1)])
    return drawing.finish(
        figure, "sensitivity" if index == 0 else f"sensitivity-{index + 1}", "Each stage alone in less precision",
        f"Table of {count(len(stages), 'stage')} by {count(len(found.precisions), 'precision')}: ratio of the error to the tolerated one, with the answer as a mark.",
        f"Each stage alone in a precision, all others as in {found.reference or 'the reference'}: the largest error in parts of what is tolerated. ● equal or equivalent, ○ undecided, ◆ different; "
        "purple is inside, orange outside. After a name: the stage's share of the cost.")


def labels(found, stages):
    """Names of stages without what all stages of the core begin with, each with its share."""
    begin = {stage.name.split(".", 1)[0] for stage in found.stages if "." in stage.name}
    cut = len(begin.pop()) + 1 if len(begin) == 1 and all("." in stage.name for stage in found.stages) else 0
    return [short(stage.name[cut:]) + (f"  {100 * stage.cost_share:.0f} %" if stage.cost_share is not None else "") for stage in stages]


def can_draw(item):
    return item.cost is not None and item.ratio is not None and item.ratio > 0


def frontier(found):
    """Cost against error of all that was tried, with the limits; None where nothing can be drawn."""
    tried, whole = [item for item in found.tried if can_draw(item)], [item for item in found.whole if can_draw(item)]
    chosen = found.chosen if found.chosen and can_draw(found.chosen) else None
    if not tried and not whole:
        return None
    height = 4.6
    figure, axis = plt.subplots(figsize=(9.6, height), constrained_layout=True)
    handles = {}
    for answer, words in (("equivalent", "tried: equivalent"), ("undecided", "tried: undecided"), ("different", "tried: different"), (None, "tried: no answer")):
        points = [item for item in tried if item.answer == answer or answer == "equivalent" and item.answer == "equal"]
        if points:
            axis.scatter([item.cost for item in points], [item.ratio for item in points], marker=POINTS[answer], s=22, linewidths=1.1,
                         **({"color": drawing.GREY} if answer is None else {"facecolors": "none" if answer == "undecided" else drawing.GREY, "edgecolors": drawing.GREY}))
            handles[words] = Line2D([], [], linestyle="none", marker=POINTS[answer], color=drawing.GREY, markerfacecolor="none" if answer == "undecided" else drawing.GREY)
    line = [item for item in found.frontier if can_draw(item)]
    if line:
        handles["frontier"], = axis.plot([item.cost for item in line], [item.ratio for item in line], color="#0072B2", drawstyle="steps-post", linewidth=1.6)
    for item in whole:
        axis.plot([item.cost], [item.ratio], linestyle="none", marker="s", markersize=8, color="#D55E00")
        axis.annotate(short(item.name), (item.cost, item.ratio), xytext=(7, 5), textcoords="offset points", fontsize=9)
    if whole:
        handles["whole policy"] = Line2D([], [], linestyle="none", marker="s", color="#D55E00")
    failed = [item.trial for item in found.confirmations if item.answer not in ("equal", "equivalent") and can_draw(item.trial)]
    if failed:
        handles["not confirmed"], = axis.plot([item.cost for item in failed], [item.ratio for item in failed], linestyle="none", marker="x", markersize=11, markeredgewidth=2, color="black")
    if chosen:
        handles["chosen"], = axis.plot([chosen.cost], [chosen.ratio], linestyle="none", marker="*", markersize=17, color="#009E73", markeredgecolor="black", markeredgewidth=0.7)
    logarithmic(axis.yaxis)
    limits = [(1, "tolerated", "bottom")] + ([(found.within, "accepted", "top")] if found.within is not None and 0 < found.within < 1 else [])
    for limit, words, above in limits:
        axis.axhline(limit, color="black", linewidth=1, linestyle=(0, (2, 2)))
        axis.annotate(words, (1, limit), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points", ha="left", va=above, fontsize=8.5)
    axis.set_xlabel("cost in parts of the reference's (by the model of cost)")
    axis.set_ylabel("error in parts of the tolerated (1)")
    legend_above(figure, list(handles.values()), list(handles), height, columns=4)
    names = ", ".join(f"{item.name} at {scientific(item.cost)} with {scientific(item.ratio)}" for item in whole)
    return drawing.finish(
        figure, "frontier", "Cost against error",
        f"Cost against the largest error of {count(len(tried), 'assignment')} tried, the frontier as a line" + (f"; whole policies: {names}." if names else "."),
        "What was tried: cost by the model of cost, and the largest error in parts of what is tolerated. The line joins what nothing tried is both cheaper and better than." + left_out(found))


def left_out(found):
    """What a logarithmic axis cannot show, in words."""
    none = sum(item.ratio == 0 and item.cost is not None for item in found.tried)
    lost = [item.name for item in found.whole if item.ratio is None]
    failed = sum(item.ratio is None for item in found.tried)
    said = [f"{none} without any error" if none else "", f"{failed} without a ratio, as runs that failed" if failed else "", *(f"{name} whole" for name in lost)]
    said = [part for part in said if part]
    return f" Not drawn: {join(said)}." if said else ""
