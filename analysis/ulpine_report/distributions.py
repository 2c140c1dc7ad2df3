# SPDX-License-Identifier: Apache-2.0
"""Distributions: of statistics over the members of ensembles."""

import matplotlib.pyplot as plt
import numpy as np

from . import drawing
from .drawing import drawn_or_none, grid_of, lines, plain_ticks, short, style
from .text import amount, join, power

PANELS = 6  # in one figure
LARGEST_NUMBER = 2  # of figures


def members_of(study, configuration, epsilon_text, name):
    """Values of a statistic of the members of one ensemble, those that can be drawn."""
    ensemble = next((e for e in study.ensembles + study.control_ensembles if e.configuration == configuration and e.epsilon_text == epsilon_text), None)
    if ensemble is None:
        return np.empty(0)
    control = ensemble in study.control_ensembles
    values = [drawn_or_none(run.statistics.get(name)) for run in study.members
              if run.control == control and run.policy == ensemble.policy and (not ensemble.assembly or run.assembly == ensemble.assembly) and run.epsilon == ensemble.epsilon]
    return np.array([value for value in values if value is not None])


def amplitude(study):
    """Text of the amplitude whose ensembles are drawn: the one that was tested, else the largest; None without ensembles."""
    known = {e.epsilon_text: e.epsilon for e in study.ensembles}
    tested = [item.epsilon_text for verdict in study.verdicts for item in verdict.evidence if item.epsilon_text in known and not item.silent]
    return tested[0] if tested else max(known, key=known.get, default=None)


def owners(study):
    """(label, configuration, policy) of the ensembles at that amplitude, the reference's first and the control's last."""
    chosen = amplitude(study)
    found = sorted((e for e in study.ensembles if e.epsilon_text == chosen and e.configuration), key=lambda e: e.configuration != study.reference)
    several = len({e.assembly for e in found}) > 1
    return ([(short(e.configuration if several else e.policy), e.configuration, e.policy) for e in found]
            + [("control", e.configuration, e.policy) for e in study.control_ensembles if e.epsilon_text == chosen])


def distance(study, configuration, name):
    """Kolmogorov's distance to the reference's members, as the verdicts have it; None where they have none."""
    return next((item.value for verdict in study.verdicts if verdict.configuration == configuration for item in verdict.evidence
                 if item.family == "distribution" and item.subject == name and item.value is not None), None)


def figures(study):
    """Small multiples, a panel per statistic: the members of each ensemble as points, with mean and standard deviation and the unperturbed reference as a line."""
    who, chosen = owners(study), amplitude(study)
    names = [name for name in study.statistics if any(members_of(study, configuration, chosen, name).size > 1 for _, configuration, _ in who)]
    parts = [names[first:first + PANELS] for first in range(0, len(names), PANELS)][:LARGEST_NUMBER]
    return [draw(study, who, chosen, part, index) for index, part in enumerate(parts)]


def draw(study, who, chosen, names, index):
    rows, columns = grid_of(len(names))
    figure, axes = plt.subplots(rows, columns, figsize=(9.6 if columns > 1 else 6.5, 3.1 * rows + 0.3), squeeze=False, constrained_layout=True)
    flat, distances = list(axes.flat), []
    for axis in flat[len(names):]:
        axis.remove()
    for axis, name in zip(flat, names):
        for place, (label, configuration, policy) in enumerate(who):
            values = members_of(study, configuration, chosen, name)
            looks = style(study, policy)
            if not values.size:
                continue
            # Side by side in the order of their values, so that equal ones stay apart.
            offsets = np.linspace(-0.22, 0.06, values.size) if values.size > 1 else np.zeros(1)
            axis.plot(place + offsets, np.sort(values), linestyle="none", color=looks["color"], marker=looks["marker"], markersize=3.5, alpha=0.75,
                      markeredgewidth=0.9 if label == "control" else 0, fillstyle="none" if label == "control" else "full")
            spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
            axis.errorbar([place + 0.22], [values.mean()], yerr=[spread], color=looks["color"], marker="_", markersize=9, capsize=3, elinewidth=1.4)
            found = distance(study, configuration, name)
            if found is not None:
                distances.append((found, f"{study.name_of(name)}, {label}"))
        base = drawn_or_none(study.reference_run.statistics.get(name)) if study.reference_run else None
        if base is not None:
            axis.axhline(base, color="black", linewidth=0.9, linestyle=(0, (3, 2)))
        axis.set_xticks(range(len(who)), [label for label, _, _ in who], rotation=90 if len(who) > 5 else 0)
        axis.set_xlim(-0.6, len(who) - 0.4)
        axis.set_ylabel(lines(study.statistics[name].label, 30))
        plain_ticks(axis.yaxis)
    told = join(study.name_of(name) for name in names)
    return drawing.finish(
        figure, "distributions" if index == 0 else f"distributions-{index + 1}", "Distributions over members",
        f"{told} of the members at ε = {power(chosen)}: a point each, for {join(label for label, _, _ in who)}.",
        f"{told[:1].upper()}{told[1:]} at the last time: members at ε = {power(chosen)}, a point each in the order of their values, beside them mean ± standard deviation; dashed, the unperturbed reference. It may lie outside: noise moves the mean of what is not linear in it, as of a kinetic energy."
        + (f" Largest Kolmogorov distance to the reference's members: {amount(max(distances)[0], 2)} ({max(distances)[1]}); the others stand in the cards' tables." if distances else ""))
