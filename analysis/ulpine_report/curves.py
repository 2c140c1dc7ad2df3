# SPDX-License-Identifier: Apache-2.0
"""Spectra, profiles and other functions of one coordinate: a figure each, with the ratio or difference to the reference."""

import math

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullFormatter, NullLocator

from . import distributions, drawing
from .drawing import drawable, lines, logarithmic, marks, plain_ticks, positive, short, slug, style
from .pieces import WAVENUMBERS
from .text import amount, join, labelled, power, units

LARGEST_NUMBER = 6
UPRIGHT = ("height", "altitude", "depth", "z", "air_pressure", "pressure", "level")  # coordinates that belong on the vertical axis
DOWNWARD = ("depth", "air_pressure", "pressure")
WIDE_RATIO = 100  # of the largest to the least ratio, beyond which a linear axis shows the largest only


def figures(study):
    """A figure of each curve that the core proposes to draw, else of all; at most six."""
    asked = [request.subject for request in study.requests if request.kind == "curve"]
    drawn = [draw(study, study.curves[name]) for name in dict.fromkeys(asked or study.curves) if name in study.curves]
    return [figure for figure in drawn if figure][:LARGEST_NUMBER]


def round_lengths(low, high):
    """Four round numbers or more from `low` to `high`, for a logarithmic axis: powers of ten, else 1, 2 and 5 times those, else even steps."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1,), (1, 2, 5)):
        inside = [value for power in powers for digit in digits if low <= (value := digit * 10.0**power) <= high]
        if len(inside) >= 4:
            return inside
    return [value for value in MaxNLocator(9, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= value <= high]


def band_epsilon(study, name):
    """The amplitude whose ensembles are drawn as bands: that which was judged, else the largest. (text, value) or None."""
    choices = {e.epsilon_text: e.epsilon for e in study.ensembles if name in e.curves and e.epsilon > 0}
    judged = distributions.amplitude(study)
    return (judged, choices[judged]) if judged in choices else max(choices.items(), key=lambda item: item[1], default=None)


class Panels:
    """The curve itself and, where there is a reference, beside or below it the comparison; x upright for profiles."""

    def __init__(self, curve, with_comparison):
        self.curve = curve
        self.upright = curve.x.name.lower() in UPRIGHT
        self.is_wavenumber = curve.x.units in WAVENUMBERS
        self.scale = 1000 if self.is_wavenumber else 1  # cycles per km read better than per m
        count = 2 if with_comparison else 1
        ratios = [2.2, 1][:count]
        if self.upright:
            self.figure, axes = plt.subplots(1, count, figsize=(8.4, 5.4), sharey=True, squeeze=False, constrained_layout=True, gridspec_kw={"width_ratios": ratios})
        else:
            self.figure, axes = plt.subplots(count, 1, figsize=(8.4, 6.6 if with_comparison else 4.4), sharex=True, squeeze=False, constrained_layout=True,
                                             gridspec_kw={"height_ratios": ratios})
        self.main, self.comparison = axes.flat[0], axes.flat[1] if with_comparison else None

    def plot(self, axis, x, y, **looks):
        axis.plot(*((y, x) if self.upright else (x, y)), **looks)

    def band(self, axis, x, low, high, colour):
        (axis.fill_betweenx if self.upright else axis.fill_between)(x, low, high, color=colour, alpha=0.18, linewidth=0)

    def shown(self, x, y):
        """Which points the axes can show."""
        return (positive(x) if self.curve.x.scale == "log" else drawable(x)) & (positive(y) if self.curve.y.scale == "log" else drawable(y))

    def finish_axes(self, reference):
        curve = self.curve
        along = lambda axes: axes.yaxis if self.upright else axes.xaxis  # noqa: E731
        across = lambda axes: axes.xaxis if self.upright else axes.yaxis  # noqa: E731
        for axis, scale in ((along(self.main), curve.x.scale), (across(self.main), curve.y.scale)):
            logarithmic(axis) if scale == "log" else plain_ticks(axis)
        across(self.main).set_label_text(lines(labelled(curve.y.name, curve.y.units), 44))
        last = self.main if self.upright or self.comparison is None else self.comparison
        along(last).set_label_text(labelled(curve.x.name, "cycles per km" if self.is_wavenumber else curve.x.units))
        if self.upright and curve.x.name.lower() in DOWNWARD:
            self.main.invert_yaxis()
        if self.comparison is not None:
            label = f"ratio to {short(reference)} (1)" if curve.y.scale == "log" else f"minus {short(reference)}\n({units(curve.y.units)})"
            across(self.comparison).set_label_text(label)
            drawn = np.concatenate([line.get_xdata() if self.upright else line.get_ydata() for line in self.comparison.get_lines()] or [np.ones(1)])
            wide = curve.y.scale == "log" and drawn.size > 0 and 0 < drawn.min() < drawn.max() / WIDE_RATIO
            logarithmic(across(self.comparison)) if wide else plain_ticks(across(self.comparison))
        if self.is_wavenumber and not self.upright and curve.x.scale == "log":
            upper = self.main.secondary_xaxis("top", functions=(lambda k: 1 / np.maximum(k, 1e-30), lambda length: 1 / np.maximum(length, 1e-30)))
            upper.set_xlabel("wavelength (km)")
            upper.xaxis.set_major_locator(FixedLocator(round_lengths(*(1 / k for k in reversed(self.main.get_xlim())))))
            upper.xaxis.set_minor_locator(NullLocator())
            upper.xaxis.set_major_formatter(FuncFormatter(lambda length, _: amount(length, 3)))
            upper.xaxis.set_minor_formatter(NullFormatter())
        self.main.legend(loc="best")


def draw(study, curve):
    name = curve.name
    runs = [run for run in map(study.run_of, study.policies) if run and name in run.curves]
    reference = next((run for run in runs if run.id == study.reference), None)
    panels = Panels(curve, reference is not None and len(runs) > 1)
    runs = [run for run in runs if np.any(panels.shown(run.curves[name][0], run.curves[name][1]))]
    if not runs:
        plt.close(panels.figure)
        return None
    base_x, base = reference.curves[name] if panels.comparison is not None else (None, None)
    band = band_epsilon(study, name)
    by_ratio = curve.y.scale == "log"

    def compared(values):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return values / base if by_ratio else values - base

    for run in runs:
        x, y = run.curves[name]
        keep = panels.shown(x, y)
        looks = style(study, run.policy)
        panels.plot(panels.main, x[keep] * panels.scale, y[keep], label=short(run.policy), markevery=0.12 if keep.sum() > 12 else 1, **looks)
        comparable = base is not None and np.array_equal(x, base_x)
        ensemble = next((e for e in study.ensembles if band and e.policy == run.policy and e.epsilon_text == band[0] and name in e.curves), None)
        if ensemble and np.array_equal(ensemble.curves[name][0], x):
            _, mean, sd = ensemble.curves[name]
            low = np.maximum(mean - sd, mean * 1e-3) if by_ratio else mean - sd
            inside = panels.shown(x, mean) & panels.shown(x, mean + sd)
            panels.band(panels.main, x[inside] * panels.scale, low[inside], (mean + sd)[inside], looks["color"])
            if comparable:
                inside &= drawable(compared(mean - sd)) & drawable(compared(mean + sd))
                panels.band(panels.comparison, x[inside] * panels.scale, compared(mean - sd)[inside], compared(mean + sd)[inside], looks["color"])
        if comparable:
            keep &= drawable(compared(y))
            panels.plot(panels.comparison, x[keep] * panels.scale, compared(y)[keep], markevery=marks(keep.sum()), **looks)
    panels.finish_axes(study.reference_policy)
    spread = f" Bands: ensemble mean ± sd at ε = {power(band[0])}." if band else ""
    where = "Right" if panels.upright else "Below"
    below = f" {where}: {'ratio' if by_ratio else 'difference'} to {study.reference}." if base is not None else ""
    title = f"{curve.long_name[:1].upper()}{curve.long_name[1:]}"
    return drawing.finish(
        panels.figure, f"curve-{slug(name)}", title,
        f"{title} at the last time against {curve.x.name} for {join(run.policy for run in runs)}"
        + (", both axes logarithmic." if curve.x.scale == curve.y.scale == "log" else "."),
        f"{title} ({units(curve.y.units)}) at the last time, unperturbed runs.{spread}{below}")
