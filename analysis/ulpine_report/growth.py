# SPDX-License-Identifier: Apache-2.0
"""Errors, perturbations and statistics against time."""

import math

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from . import drawing
from .drawing import drawable, grid_of, legend_above, line_style, lines, logarithmic, marks, plain_ticks, positive, short, style, time_axis
from .text import join, power, scientific


def series_of(run, name):
    """(seconds, relative L2) with what a logarithmic axis can show; None where there is nothing."""
    seconds, values = run.time_s, run.errors.get(name, np.empty(0))
    if seconds.size != values.size or not values.size:
        return None
    keep = drawable(seconds) & positive(values)
    return (seconds[keep], values[keep]) if keep.any() else None


def growth_of(ensemble, name):
    seconds, (mean, sd) = ensemble.growth.get("time_s", np.empty(0)), ensemble.growth.get(name, (np.empty(0), np.empty(0)))
    if seconds.size != mean.size or not mean.size:
        return None
    sd = sd if sd.size == mean.size else np.zeros(mean.size)
    keep = drawable(seconds) & positive(mean)
    return (seconds[keep], mean[keep], np.where(drawable(sd), sd, 0)[keep]) if keep.any() else None


def end_labels(axis, ends):
    """Names lines by (x, y, text) of their ends, right of a logarithmic axis, apart from each other; a thin line leads to each end."""
    low, high = (math.log10(limit) for limit in axis.get_ylim())
    ends = sorted(ends, key=lambda end: end[1])
    inches = axis.figure.get_size_inches()[1] * axis.get_position().height
    apart = min(0.16 / max(inches, 0.1), 1 / max(len(ends), 1))
    heights = spread_out([(math.log10(y) - low) / (high - low) for _, y, _ in ends], apart)
    for (x, y, label), height in zip(ends, heights):
        axis.annotate(label, (x, y), xytext=(1.035, height), textcoords="axes fraction", fontsize=8, color="#3c434e", ha="left", va="center",
                      arrowprops={"arrowstyle": "-", "color": "#9aa0aa", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0})


def spread_out(heights, apart):
    """Ascending heights moved as little as need be, so that neighbours are `apart` and all within 0 and 1 where there is room."""
    groups = []  # (first wanted height of the lowest, number): each a run of neighbours exactly apart
    for height in heights:
        groups.append((height, 1))
        while len(groups) > 1 and groups[-1][0] < groups[-2][0] + apart * groups[-2][1]:
            (upper, above), (lower, below) = groups.pop(), groups.pop()
            groups.append(((lower * below + (upper - apart * below) * above) / (below + above), below + above))
    placed = [start + apart * index for start, number in groups for index in range(number)]
    for index in range(len(placed)):
        placed[index] = max(placed[index], index * apart)
    for index in range(len(placed)):
        placed[-1 - index] = min(placed[-1 - index], 1 - index * apart)
    return placed


def finish_panels(axes, labels, quantity):
    """Small multiples: the end labels of each used panel, given with its ends; no unused panel; `quantity` on the left."""
    for axis, ends in labels:
        end_labels(axis, ends)
    for axis in list(axes.flat)[len(labels):]:
        axis.remove()
    for row in axes:
        row[0].set_ylabel(quantity)


def has_times(study):
    return any(series_of(run, name) and series_of(run, name)[0].size > 1 for run in study.runs for name in run.errors)


def error_growth(study):
    """Each policy against the reference, the reference policy's own ensembles as a yardstick in grey."""
    available = list(dict.fromkeys(name for run in study.runs for name in run.errors if series_of(run, name)))
    names = study.leading(available)[:4]
    if not names or not has_times(study):
        return None
    rows, columns = (1, 1) if len(names) == 1 else (-(-len(names) // 2), 2)
    figure, axes = plt.subplots(rows, columns, figsize=(9.6 if columns > 1 else 7.5, 3.7 * rows), sharex=True, sharey=True, squeeze=False, constrained_layout=True)
    length, unit = time_axis(np.concatenate([run.time_s for run in study.runs if run.time_s.size]))
    length = length or 1
    yardstick = False
    labels = []
    for axis, name in zip(axes.flat, names):
        ends = []
        labels.append((axis, ends))
        for ensemble in (e for e in study.ensembles if e.policy == study.reference_policy):
            if grown := growth_of(ensemble, name):
                seconds, mean, _ = grown
                axis.plot(seconds / length, mean, color="#9aa0aa", linewidth=1.1, marker="" if mean.size > 1 else "_")
                ends.append((seconds[-1] / length, mean[-1], short(power(ensemble.epsilon_text))))
                yardstick = True
        for policy in study.policies:
            run = study.run_of(policy)
            if run.id == study.reference:  # itself no line; its policy's other assembly is one
                run = next((other for other in study.runs if other.policy == policy and other is not run), run)
            if line := series_of(run, name):
                label = policy if run is study.run_of(policy) else run.id
                axis.plot(line[0] / length, line[1], label=short(label), markevery=marks(line[0].size), **style(study, policy))
        logarithmic(axis.yaxis)
        drawing.title(axis, short(name))
        axis.xaxis.set_major_locator(MaxNLocator(6))
    finish_panels(axes, labels, "relative L2 difference (1)")
    for axis in list(axes.flat)[max(0, len(names) - columns):len(names)]:
        axis.set_xlabel(f"time ({unit})")
        axis.tick_params(labelbottom=True)
    shown = {}
    for axis in list(axes.flat)[:len(names)]:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            shown.setdefault(label, handle)
    legend_above(figure, list(shown.values()), list(shown), 3.7 * rows)
    return drawing.finish(
        figure, "growth", f"Error growth against {study.reference}",
        f"Relative L2 difference to {study.reference} against time on a logarithmic axis for {join(shown)}, fields {join(names)}.",
        f"Relative L2 difference of each {study.kind}'s unperturbed run to {study.reference}."
        + (f" Thin grey lines: {study.reference_policy}'s own ensembles perturbed by the ε written at their end, mean over members, as a yardstick."
           if yardstick else "")
        + last_values(study, names[0]))


def last_values(study, name):
    """What the unperturbed runs' lines of one field end at, in a sentence; empty where none has an end."""
    ends = [(run.policy, series_of(run, name)) for run in map(study.run_of, study.policies) if run and run.id != study.reference]
    told = join(f"{policy} {scientific(line[1][-1])}" for policy, line in ends if line)
    return f" At their last time, in {name}: {told}." if told else ""


def ensemble_growth(study):
    """Small multiples: the mean growth of each policy's ensembles."""
    name = next(iter(study.leading(list(dict.fromkeys(
        field for e in study.ensembles for field in e.growth if field != "time_s" and growth_of(e, field))))), None)
    policies = [policy for policy in study.policies if any(e.policy == policy and name and growth_of(e, name) for e in study.ensembles)]
    if not policies or not any(growth_of(e, name)[0].size > 1 for e in study.ensembles if growth_of(e, name)):
        return None
    rows, columns = (1, len(policies)) if len(policies) <= 4 else grid_of(len(policies))
    figure, axes = plt.subplots(rows, columns, figsize=(9.6, 3.4 * rows), sharex=True, sharey=True, squeeze=False, constrained_layout=True)
    length, unit = time_axis(np.concatenate([growth_of(e, name)[0] for e in study.ensembles if growth_of(e, name)]))
    length = length or 1
    labels = []
    for index, (axis, policy) in enumerate(zip(axes.flat, policies)):
        looks = line_style(study, policy)
        ends = []
        labels.append((axis, ends))
        for ensemble in (e for e in study.ensembles if e.policy == policy):
            if grown := growth_of(ensemble, name):
                seconds, mean, sd = grown
                axis.plot(seconds / length, mean, color=looks["color"])
                axis.fill_between(seconds / length, np.maximum(mean - sd, mean * 1e-2), mean + sd, color=looks["color"], alpha=0.18, linewidth=0)
                ends.append((seconds[-1] / length, mean[-1], short(power(ensemble.epsilon_text))))
        logarithmic(axis.yaxis)
        drawing.title(axis, short(policy))
        if index + columns >= len(policies):
            axis.set_xlabel(f"time ({unit})")
            axis.tick_params(labelbottom=True)
        axis.xaxis.set_major_locator(MaxNLocator(5))
    finish_panels(axes, labels, f"relative L2 of {short(name)} (1)")
    return drawing.finish(
        figure, "ensemble-growth", f"Growth of perturbations in {name}",
        f"Mean growth in time of the relative L2 difference of {name} between perturbed members and their own unperturbed run, one panel each for {join(policies)}.",
        f"Perturbed members against the unperturbed run of their own {study.kind}{'' if study.variants else ' and assembly'}: mean ± sd of the relative L2 difference of {name}, a line per ε. "
        + meeting(study, name))


MET = 2  # lines whose ends differ by a factor of no more than this are said to have met


def meeting(study, name):
    """Whether the ensembles of the least and the largest amplitude end at one size, in a sentence; empty where there is nothing to compare."""
    met, apart = [], []
    for policy in study.policies:
        ends = [growth_of(e, name)[1][-1] for e in sorted(study.ensembles, key=lambda e: e.epsilon) if e.policy == policy and growth_of(e, name)]
        if len(ends) > 1:
            ratio = max(ends) / min(ends)
            met.append(policy) if ratio <= MET else apart.append(f"{policy} {scientific(ratio)}")
    lines = [f"At the last time the lines of {join(met)} lie within a factor of {MET}: there the size of the perturbation is forgotten."] if met else []
    if apart:
        lines.append(f"Largest over least difference at the last time: {join(apart)}; there the size of the perturbation still shows.")
    return " ".join(lines)


def statistic_series(study):
    """The statistics of the unperturbed runs against time, a panel each; at most six."""
    def line(run, name):
        seconds, values = run.time_s, run.statistic_series.get(name, np.empty(0))
        keep = drawable(seconds) & drawable(values) if seconds.size == values.size else np.zeros(0, bool)
        return (seconds[keep], values[keep]) if keep.sum() > 1 else None

    asked = [request.subject for request in study.requests if request.kind == "series"]
    runs = [run for run in map(study.run_of, study.policies) if run and not run.failed]
    names = [name for name in asked or study.statistics if name in study.statistics and any(line(run, name) for run in runs)][:6]
    if not names:
        return None
    rows, columns = (1, 1) if len(names) == 1 else (-(-len(names) // 2), 2)
    height = 3.3 * rows + 0.4
    figure, axes = plt.subplots(rows, columns, figsize=(9.6 if columns > 1 else 7.5, height), sharex=True, squeeze=False, constrained_layout=True)
    length, unit = time_axis(np.concatenate([line(run, name)[0] for run in runs for name in names if line(run, name)]))
    length = length or 1
    flat = list(axes.flat)
    shown = {}
    for index, (axis, name) in enumerate(zip(flat, names)):
        for run in runs:
            if drawn := line(run, name):
                handle, = axis.plot(drawn[0] / length, drawn[1], label=short(run.policy), markevery=marks(drawn[0].size), **style(study, run.policy))
                shown.setdefault(short(run.policy), handle)
        axis.xaxis.set_major_locator(MaxNLocator(6))
        plain_ticks(axis.yaxis)
        drawing.title(axis, lines(study.statistics[name].label, 44))
        if index + columns >= len(names):
            axis.set_xlabel(f"time ({unit})")
            axis.tick_params(labelbottom=True)
    for axis in flat[len(names):]:
        axis.remove()
    legend_above(figure, list(shown.values()), list(shown), height)
    labels = [study.statistics[name].long_name for name in names]
    return drawing.finish(
        figure, "series", "Statistics in time",
        f"{join(labels)} of the unperturbed runs against time, a line each for {join(shown)}.",
        f"{join(labels)[:1].upper()}{join(labels)[1:]} of the unperturbed runs against time, a line per {study.kind}.")
