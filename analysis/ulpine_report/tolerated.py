# SPDX-License-Identifier: Apache-2.0
"""Errors in time in parts of what the tolerated perturbation makes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from . import drawing
from .drawing import drawable, legend_above, logarithmic, marks, positive, short, style, time_axis
from .text import join

LARGEST_NUMBER = 6  # of fields


def line_of(verdict, name):
    """(seconds, ratio, low, high) where a logarithmic axis can show the ratio; None where there is nothing."""
    ratios = verdict.errors.get(name)
    if ratios is None or not ratios.ratio.size or ratios.ratio.size != verdict.time_s.size:
        return None
    keep = drawable(verdict.time_s) & positive(ratios.ratio)
    low, high = (bound if bound.size == ratios.ratio.size else ratios.ratio for bound in (ratios.low, ratios.high))
    low, high = (np.where(positive(bound), bound, ratios.ratio) for bound in (low, high))
    return (verdict.time_s[keep], ratios.ratio[keep], low[keep], high[keep]) if keep.any() else None


def tolerated(study):
    """A panel per field, a line per policy; at most 1 is inside."""
    runs = [run for run in map(study.run_of, study.policies) if run]
    verdicts = {run.policy: verdict for run in runs for verdict in study.verdicts if verdict.configuration == run.id and not verdict.control}
    available = list(dict.fromkeys(name for verdict in verdicts.values() for name in verdict.errors if line_of(verdict, name)))
    names = study.leading(available)[:LARGEST_NUMBER]
    if not names:
        return None
    rows, columns = (1, 1) if len(names) == 1 else (-(-len(names) // 2), 2)
    height = 3.1 * rows + 0.4
    figure, axes = plt.subplots(rows, columns, figsize=(9.6 if columns > 1 else 7.5, height), sharex=True, sharey=True, squeeze=False, constrained_layout=True)
    length, unit = time_axis(np.concatenate([line_of(verdict, name)[0] for verdict in verdicts.values() for name in names if line_of(verdict, name)]))
    length = length or 1
    flat, shown = list(axes.flat), {}
    for index, (axis, name) in enumerate(zip(flat, names)):
        axis.axhline(1, color="#1b1f26", linewidth=1.2)
        for policy, verdict in verdicts.items():
            if line := line_of(verdict, name):
                seconds, ratio, low, high = line
                looks = style(study, policy)
                axis.fill_between(seconds / length, low, high, color=looks["color"], alpha=0.18, linewidth=0)
                handle, = axis.plot(seconds / length, ratio, label=short(policy), markevery=marks(ratio.size), **looks)
                shown.setdefault(short(policy), handle)
        logarithmic(axis.yaxis)
        drawing.title(axis, short(name))
        axis.xaxis.set_major_locator(MaxNLocator(6))
        if index + columns >= len(names):
            axis.set_xlabel(f"time ({unit})")
            axis.tick_params(labelbottom=True)
    for axis in flat[len(names):]:
        axis.remove()
    for row in axes:
        row[0].set_ylabel("error over the perturbation's (1)")
    legend_above(figure, list(shown.values()), list(shown), height)
    amplitude = f"a perturbation of ε = {study.rules.tolerated}, which is tolerated," if study.rules.tolerated else "the judged perturbation"
    return drawing.finish(
        figure, "tolerated", "Errors against the tolerated perturbation",
        f"Error of the unperturbed runs of {join(shown)} over what {amplitude} makes of {study.reference}, against time, on a logarithmic axis where 1 is the limit; fields {join(names)}.",
        f"Error of each {study.kind}'s unperturbed run over what {amplitude} makes of {study.reference} (root mean square over its members), at the worst level; bands: 95 % interval. "
        "Below the line at 1 a configuration does less than that perturbation."
        + (f" {len(available) - len(names)} more fields are in results.json." if len(available) > len(names) else ""))
