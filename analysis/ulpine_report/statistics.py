# SPDX-License-Identifier: Apache-2.0
"""The statistics of runs and ensembles against the amplitude of the perturbation."""

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

from . import drawing
from .drawing import GREY, drawn_or_none, legend_above, lines, plain_ticks, short, style
from .text import join, power

ROWS = 3  # in one figure
LARGEST_NUMBER = 4  # of figures


def pair(value):
    """(mean, sd) of an ensemble or control, (value, 0) of a run; (None, 0) where it cannot be drawn."""
    mean, sd = value if isinstance(value, tuple) else (value, None)
    return drawn_or_none(mean), abs(drawn_or_none(sd) or 0)


def has(owner, name):
    return pair(owner.get(name))[0] is not None


def figures(study):
    """Figures of three statistics each, of those that are judged; at most four figures."""
    owners = [run.statistics for run in study.runs] + [e.statistics for e in study.ensembles]
    names = [name for name in study.statistics if any(has(owner, name) for owner in owners)]
    parts = [names[first:first + ROWS] for first in range(0, len(names), ROWS)][:LARGEST_NUMBER]
    return [figure for index, part in enumerate(parts) if (figure := draw(study, part, "statistics" if index == 0 else f"statistics-{index + 1}"))]


def draw(study, names, figure_name):
    """A row per statistic: the unperturbed runs left, the ensembles in the middle, the evaluation alone right."""
    def any_of(owner):
        return any(has(owner, name) for name in names)

    points = [e for e in study.ensembles if 1e-60 < e.epsilon < 1e60 and any_of(e.statistics)]
    unperturbed = [run for run in map(study.run_of, study.policies) if run and not run.failed and any_of(run.statistics)]
    if not points and not unperturbed:
        return None
    controls = [control for control in study.controls if any_of(control.statistics)]
    widths = [0.8] + ([4.2] if points else []) + ([1.25] if controls else [])
    height = 2.75 * len(names) + 1.1
    figure, axes = plt.subplots(len(names), len(widths), figsize=(9.4 if points else 5.5, height), sharey="row", sharex="col", squeeze=False,
                                constrained_layout=True, gridspec_kw={"width_ratios": widths})
    amplitudes = dict(sorted((e.epsilon, short(power(e.epsilon_text))) for e in points))
    place = {epsilon: index for index, epsilon in enumerate(amplitudes)}  # evenly, as neighbours may be a factor of 8 or of 2^30 apart
    policies = [policy for policy in study.policies if any(e.policy == policy for e in points) or any(r.policy == policy for r in unperturbed)]
    step = min(0.14, 0.8 / (len(policies) + 1))  # side by side, amplitudes stay apart
    shown = {}
    for row, name in enumerate(names):
        statistic = study.statistics[name]
        left = axes[row, 0]
        left.set_ylabel(lines(statistic.label, 30))
        for index, policy in enumerate(policies):
            looks = style(study, policy)
            run = next((run for run in unperturbed if run.policy == policy), None)
            if run and has(run.statistics, name):
                left.plot([index], [run.statistics[name]], linestyle="none", color=looks["color"], marker=looks["marker"], markersize=7)
            series = sorted((e for e in points if e.policy == policy and has(e.statistics, name)), key=lambda e: e.epsilon)
            if series:
                shift = (index - (len(policies) - 1) / 2) * step
                values = [pair(e.statistics[name]) for e in series]
                bars = axes[row, 1].errorbar([place[e.epsilon] + shift for e in series], [mean for mean, _ in values], yerr=[sd for _, sd in values], capsize=3,
                                             elinewidth=1.2, label=short(policy), markersize=6.5, **looks)
                shown.setdefault(short(policy), bars)
        alone = {e.epsilon: pair(e.controls[name]) for e in points if has(e.controls, name)}
        if alone:
            shift = (len(policies) + 1) / 2 * step
            bars = axes[row, 1].errorbar([place[epsilon] + shift for epsilon in alone], [mean for mean, _ in alone.values()], yerr=[sd for _, sd in alone.values()],
                                         capsize=3, elinewidth=1.2, label="evaluation alone", color="#8a92a0", marker="_", markersize=9, linestyle="none")
            shown.setdefault("evaluation alone", bars)
        left.set_xticks([])
        left.set_xlim(-0.7, len(policies) - 0.3)
        if controls:
            right = axes[row, -1]
            right.set_facecolor("#f1f2f4")
            for index, control in enumerate(controls):
                mean, sd = pair(control.statistics.get(name))
                looks = style(study, control.policy) if control.policy in study.policies else {"color": GREY, "marker": "o"}
                if mean is not None:
                    right.errorbar([index], [mean], yerr=[sd], capsize=3, elinewidth=1.2, color=looks["color"], marker=looks["marker"], markersize=6.5,
                                   markerfacecolor="white", linestyle="none")
            right.set_xlim(-0.7, len(controls) - 0.3)
            right.set_xticks(range(len(controls)))
            right.set_xticklabels([short(control.policy) for control in controls], rotation=90 if len(controls) > 3 else 0)
        left.yaxis.set_major_locator(MaxNLocator(6, integer=statistic.resolution is not None and statistic.resolution == int(statistic.resolution) >= 1))
        plain_ticks(left.yaxis)
    axes[0, 0].set_title("unperturbed", fontsize=9.5, fontweight="normal")
    if points:
        axes[0, 1].set_title("perturbed ensembles: mean ± sd", fontsize=9.5, fontweight="normal")
        axes[-1, 1].set_xticks(list(place.values()))
        axes[-1, 1].set_xticklabels(list(amplitudes.values()))
        axes[-1, 1].set_xlabel("perturbation amplitude ε (evenly, not to scale)")
        legend_above(figure, list(shown.values()), list(shown), height)
    else:
        axes[-1, 0].set_xticks(range(len(policies)))
        axes[-1, 0].set_xticklabels(map(short, policies), rotation=90 if len(policies) > 5 else 0)
    if controls:
        axes[0, -1].set_title("evaluation alone", fontsize=9.5, fontweight="normal")
        axes[-1, -1].set_xlabel("noise of that size")
    labels = join(study.statistics[name].label for name in names)
    title = "Statistics against perturbation size" if points else "Statistics of the unperturbed runs"
    return drawing.finish(
        figure, figure_name, title,
        f"{labels} for {join(policies)}" + (", against perturbation amplitude, mean and standard deviation; unperturbed runs left" if points else "")
        + (", the evaluation alone right." if controls else "."),
        f"{labels[:1].upper()}{labels[1:]} at the last time" + (f"; a line per {study.kind}, ensemble mean ± standard deviation. Left: the unperturbed runs." if points else ".")
        + (" Right, open symbols on grey: the same evaluation of the reference's own fields with relative noise of that size, so without any change of "
           "the model; grey bars among the ensembles: the same with noise of size ε." if controls else ""))
