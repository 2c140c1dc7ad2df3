# SPDX-License-Identifier: Apache-2.0
"""Fields that a reader can choose: map, differences, spectrum and distributions of each, drawn beforehand within a limit of the page's size."""

import math
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

from . import drawing, fields, maps
from .drawing import legend_above, line_style, lines, logarithmic, plain_ticks, positive, short, slug
from .load import Request
from .rings import radial_spectrum
from .text import join, model_time, units
from .values import InputError

MOST = 8  # choices where no fields are named
MOST_NAMED = 48  # where they are
BUDGET = 5_000_000  # bytes of their images in the page
POINTS = 400  # of a distribution's line


@dataclass
class Choice:
    """One field, level and time."""

    field: str
    label: str  # which level and time
    figures: list
    shows: tuple  # what its map shows: what_is_shown() of its field
    is_above: bool = False  # its map stands among the maps of the page, and here no more


@dataclass
class Choices:
    found: list
    left_out: list  # labels of what there was no room for

    @property
    def by_field(self):
        """[(field, [(index of the choice, choice)])]"""
        groups = {}
        for index, choice in enumerate(self.found):
            groups.setdefault(choice.field, []).append((index, choice))
        return list(groups.items())


def choices(study, wanted=None):
    """The fields `wanted`, or where it is None as many as there is room for; InputError where a field wanted is in no output."""
    said = len(study.problems)
    with fields.outputs(study) as (files, _):
        requests, known = requested(study, files, wanted)
        del study.problems[said:]  # told once, with the figures proposed
        missing = [name for name in wanted or [] if name not in known]
        if missing:
            raise InputError(f"{study.folder}: no field {missing[0]} that can be drawn (there {'are' if len(known) > 1 else 'is'} {join(known) or 'none'}) choose among these with --fields")
        most = MOST_NAMED if wanted else MOST
        found, spent = [], 0
        while requests and len(found) < most and spent <= BUDGET:
            # Their pictures are made side by side before it is known how many there is room for.
            ahead = [(request, choice_of(study, files, request), len(study.problems)) for request in requests[:min(MOST, most - len(found))]]
            for request, made, told in ahead:
                if spent > BUDGET:
                    break
                del requests[0]
                said = told
                if made:
                    spent += sum(len(figure.source) for figure in made.figures)
                    found.append(made)
            del study.problems[said:]
        left_out = [f"{request.subject}, {label(request, None)}" for request in requests]
        study.problems[:] = dict.fromkeys(study.problems)
        return Choices(found, left_out)


def choice_of(study, files, request):
    """The choice requested, None where it cannot be read or has no values."""
    read = fields.read_field(study, files, request.subject, request.kind, request)
    figures = drawn(study, read, request) if read else []
    return Choice(request.subject, label(request, read), figures, what_is_shown(read)) if figures else None


def what_is_shown(read):
    """Name, kind, place and time of a field, by which equal pictures are known."""
    return read.name, read.kind, read.place, read.time_s


def leave_out_shown(choices, shown):
    """Takes the map and the differences out of choices whose field is drawn among the page's maps: no picture stands twice."""
    known = {what_is_shown(read) for read in shown}
    for choice in choices.found if choices else ():
        others = [figure for figure in choice.figures if figure.name.startswith("chosen-distribution")]
        if choice.shows in known and others:
            choice.figures, choice.is_above = others, True


def requested(study, files, wanted):
    """(what to draw, names of all fields that can be drawn): the last time and middle level of every field, then first times, then other levels."""
    if not files:
        return [], []
    first = next(iter(files.values()))[1]
    names = [str(name) for name in first.data_vars if fields.shape_of(first, name) is not None]
    chosen = [name for name in wanted if name in names] if wanted else study.leading(names)
    views = {name: fields.View(first, name) for name in chosen}
    levels = {name: first.sizes[view.level] if view.level is not None and not (view.topology and view.topology.is_solid) else 0 for name, view in views.items()}
    early = [name for name in chosen if first.sizes[views[name].time] > 1]

    scales = {asked.subject: asked.scale for asked in reversed(study.requests) if asked.kind in ("map", "section")}

    def request(name, level=None, at_first=False):
        return Request("map", name, scales.get(name), level, None, None, at_first)

    requests = [request(name, levels[name] // 2 if levels[name] else None) for name in chosen]
    requests += [request(name, levels[name] // 2 if levels[name] else None, True) for name in early]
    requests += [request(name, level) for name in chosen for level in sorted({0, levels[name] - 1} - {levels[name] // 2}) if levels[name] > 1]
    return requests, names


def label(request, read):
    time = f"after {model_time(read.time_s)}" if read and read.time_s is not None else "first time" if request.first else "last time"
    level = read.place if read else f"level {request.level + 1}" if request.level is not None else ""
    return f"{time}, {level}" if level else time


def drawn(study, read, request):
    """The figures of one choice, their names told apart."""
    read.prefix = "chosen-"
    made = [figure for figure in (maps.maps(study, read), maps.differences(study, read), distributions(study, read)) if figure]
    for figure in made:
        figure.name += (f"-level-{request.level + 1}" if request.level is not None else "") + ("-first" if request.first else "")
    return made


def spacing(coordinate):
    """Of equidistant coordinates, else None."""
    steps = np.diff(coordinate)
    return float(abs(steps.mean())) if steps.size and np.allclose(steps, steps.mean(), rtol=1e-3) and steps.mean() != 0 else None


def spectra(read):
    """(policy -> (wavenumber, power), unit of the wavenumber) of a field on an even lattice; nothing else has any."""
    geometry = read.geometry
    if geometry.polygons is not None or geometry.triangles is not None or geometry.x.ndim != 1 or geometry.y.ndim != 1 or geometry.aspect == "auto":
        return {}, ""
    dx, dy = spacing(geometry.x), spacing(geometry.y)
    if dx is None or dy is None:
        return {}, ""
    dy = dx if abs(dy - dx) < 1e-6 * dx else dy
    unit = geometry.x_label.rpartition("(")[2].rstrip(")")
    found = {policy: radial_spectrum(values, dy, dx) for policy, values in read.values.items() if values.ndim == 2}
    return {policy: spectrum for policy, spectrum in found.items() if spectrum and positive(spectrum[1][1:]).any()}, f"cycles per {unit.removesuffix('s')}"


def distributions(study, read):
    """Spectrum, distribution of values, and of differences to the reference, side by side; None where there is no value."""
    values = {policy: value[np.isfinite(value) & (np.abs(value) < 1e60)] for policy, value in read.values.items()}
    values = {policy: value for policy, value in values.items() if value.size}
    if not values:
        return None
    rings, unit = spectra(read)
    changes = differences(study, read)
    count = 1 + bool(rings) + bool(changes)
    height = 3.5
    figure, axes = plt.subplots(1, count, figsize=(9.6 if count > 1 else 5.5, height), squeeze=False, constrained_layout=True)
    flat, handles = list(axes.flat), {}
    if rings:
        axis = flat.pop(0)
        for policy, (wavenumber, power) in rings.items():
            keep = (wavenumber > 0) & positive(power)
            axis.plot(wavenumber[keep], power[keep], **line_style(study, policy))
        logarithmic(axis.xaxis)
        logarithmic(axis.yaxis)
        drawing.title(axis, "power spectrum")
        axis.set_xlabel(unit)
        axis.set_ylabel(f"power ({units(read.units)})²")
    axis = flat.pop(0)
    for policy, value in values.items():
        share = np.linspace(0, 100, POINTS)
        handles[short(policy)], = axis.plot(np.percentile(value, share), share, **line_style(study, policy))
    if maps.scale_of(read) == "log" and all((value > 0).all() for value in values.values()):
        logarithmic(axis.xaxis)
    else:
        plain_ticks(axis.xaxis)
    drawing.title(axis, "distribution of values")
    axis.set_xlabel(lines(f"{read.long_name} ({units(read.units)})", 36))
    axis.set_ylabel("points below (%)")
    same = []
    if changes:
        same = draw_differences(study, flat.pop(0), changes, units(read.units))
    legend_above(figure, list(handles.values()), list(handles), height)
    where = f"{maps.moment(read)}{maps.where(read)}"
    return drawing.finish(
        figure, f"{read.prefix}distribution-{slug(read.name)}", f"Distributions of {read.long_name} {where}",
        f"{'Power spectrum, distribution' if rings else 'Distribution'} of {read.long_name} {where} for {join(values)}" + (", and histogram of the differences to the reference." if changes else "."),
        f"{read.long_name} {where}: " + ("radially averaged power spectrum by rings of wave number; " if rings else "") + "share of points below each value"
        + ("; differences to the reference, of which each line tells the share of points in steps of a quarter decade, those smaller than the axis shows in the middle" if changes else "")
        + "." + (f" Points without any difference: {join(same)}." if same else ""), modest=True)


def differences(study, read):
    """policy -> differences to the reference where both have a value; empty without a reference or another policy, or where none differs."""
    base = study.reference_policy
    if base not in read.values or read.runs[base].id != study.reference:
        return {}
    found = {policy: value - read.values[base] for policy, value in read.values.items() if policy != base}
    found = {policy: value[np.isfinite(value) & (np.abs(value) < 1e60)] for policy, value in found.items()}
    return {policy: value for policy, value in found.items() if value.size} if any((value != 0).any() for value in found.values()) else {}


def draw_differences(study, axis, changes, unit):
    """Histograms in steps of a quarter decade on either side of 0; the share of points without any difference by policy, in words."""
    top = math.ceil(math.log10(max(np.abs(value).max() for value in changes.values())))
    least = min(np.percentile(np.abs(value[value != 0]), 5) for value in changes.values() if (value != 0).any())
    bottom = max(math.floor(math.log10(least)), top - 12)
    bottom = min(bottom, top - 1)
    side = 10.0 ** (bottom + np.arange(4 * (top - bottom) + 1) / 4)
    edges = np.concatenate([-side[::-1], side])
    same = []
    for policy, value in changes.items():
        counts, _ = np.histogram(value, edges)
        axis.stairs(100 * counts / value.size, edges, **{("edgecolor" if key == "color" else key): look for key, look in line_style(study, policy).items()}, linewidth=1.5)
        if (value == 0).any():
            same.append(f"{short(policy)} {100 * np.mean(value == 0):.3g} %")
    axis.set_xscale("symlog", linthresh=10.0**bottom, linscale=0.25)
    step = max(1, math.ceil((top - bottom) / 2))
    ticks = [10.0**exponent for exponent in range(top, bottom, -step)]  # none at the bottom, which 0 would cover
    axis.set_xticks([-tick for tick in ticks] + [0] + ticks, [drawing.tick_text(-tick) for tick in ticks] + ["0"] + [drawing.tick_text(tick) for tick in ticks], rotation=90, fontsize=8)
    axis.xaxis.set_minor_locator(plt.NullLocator())
    drawing.title(axis, "differences to the reference")
    axis.set_xlabel(f"difference ({unit})")
    axis.set_ylabel("points (%)")
    return same
