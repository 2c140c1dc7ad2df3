# SPDX-License-Identifier: Apache-2.0
"""Maps and sections of a field, and of its differences to the reference; the colours are perceptually uniform and safe for the colour-blind."""

import math
import re
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize, SymLogNorm
from matplotlib.ticker import MaxNLocator, NullLocator

from . import drawing
from .drawing import MISSING, grid_of, plain_ticks, short, slug, tick_text
from .text import join, model_time, scientific, units

BAR = 0.9  # share of the figure's height that the colour bar takes
LINEAR = 0.6  # decades that the linear part of a scale takes on either side of 0
DECADES_OF_LOG = 300  # the ratio of large to small values beyond which an unasked scale is logarithmic


def axes_for(count, ratio):
    """Figure and axes for `count` panels of height over width `ratio`; superfluous axes are removed."""
    rows, columns = grid_of(count)
    width = 9.6
    panel = min(5.0, max(1.8, (width - 1.9 - 0.12 * columns) / columns * ratio))
    figure, axes = plt.subplots(rows, columns, figsize=(width, (panel + 0.36) * rows + 0.5), sharex=True, sharey=True, squeeze=False, constrained_layout=True)
    flat = list(axes.flat)
    for axis in flat[count:]:
        axis.remove()
    return figure, flat[:count], columns


def draw(axis, geometry, values, norm, colours):
    """One panel, missing values grey; pixels where the lattice is uniform, polygons where it is not. The mappable for the colour bar."""
    axis.grid(False)
    axis.set_aspect(geometry.aspect)
    colours = plt.get_cmap(colours).with_extremes(bad=MISSING)
    if geometry.polygons is not None:
        image = PolyCollection(geometry.polygons, array=np.ma.masked_invalid(values), norm=norm, cmap=colours, edgecolors="face", linewidths=0.2, rasterized=True)
        axis.add_collection(image, autolim=True)
        axis.margins(0)
        axis.autoscale_view()
    elif geometry.triangles is not None:
        corners = np.stack([geometry.x, geometry.y], axis=1)[geometry.triangles]
        known = np.isfinite(values)
        axis.add_collection(PolyCollection(corners, facecolors=MISSING, edgecolors="none", rasterized=True), autolim=True)
        image = axis.tripcolor(geometry.x, geometry.y, np.where(known, values, 0.0), triangles=geometry.triangles, mask=~known[geometry.triangles].all(axis=1),
                               shading="gouraud", norm=norm, cmap=colours, rasterized=True)
        axis.margins(0)
        axis.autoscale_view()
    else:
        image = draw_lattice(axis, geometry, values, norm, colours)
    if geometry.downward and not axis.yaxis_inverted():
        axis.invert_yaxis()
    return image


def draw_lattice(axis, geometry, values, norm, colours):
    x, y = geometry.x, geometry.y
    steps = [np.diff(coordinate) for coordinate in (x, y)] if x.ndim == 1 and y.ndim == 1 else []
    if steps and all(step.size and np.allclose(step, step[0], rtol=1e-3) and step[0] > 0 for step in steps):
        half = [step[0] / 2 for step in steps]
        extent = (x[0] - half[0], x[-1] + half[0], y[0] - half[1], y[-1] + half[1])
        return axis.imshow(values, origin="lower", extent=extent, norm=norm, cmap=colours, interpolation="nearest", aspect=geometry.aspect)
    return axis.pcolormesh(x, y, np.ma.masked_invalid(values), norm=norm, cmap=colours, shading="nearest", rasterized=True)


def label(axis, index, count, columns, geometry):
    if index % columns == 0:
        axis.set_ylabel(geometry.y_label)
    if index + columns >= count:
        axis.set_xlabel(geometry.x_label)
        axis.tick_params(labelbottom=True)
    axis.xaxis.set_major_locator(MaxNLocator(5 if columns > 2 else 7))


def scale_of(field):
    """The scale asked for; else logarithmic where positive values span decades, diverging where they lie on both sides of 0."""
    if field.scale:
        return field.scale
    pool = finite(field.values.values())
    if pool.size == 0:
        return "linear"
    low, high = np.percentile(pool, [2, 98])
    if pool.min() > 0 and high > DECADES_OF_LOG * low:
        return "log"
    return "diverging" if low < 0 < high and min(-low, high) > 0.05 * max(-low, high) else "linear"


def finite(arrays):
    return np.concatenate([np.empty(0)] + [values[np.isfinite(values)] for values in arrays])


def display(field, scale):
    """(values per policy, what they are, with units): log10 on a logarithmic scale, at the least of them where there is no logarithm."""
    unit = units(field.units)
    if scale != "log":
        return field.values, field.long_name, f"{field.long_name} ({unit})"
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = {policy: np.log10(value) for policy, value in field.values.items()}
    pool = finite(logs.values())
    floor = pool.min() if pool.size else 0.0
    for policy, value in logs.items():
        value[field.values[policy] <= 0] = floor
    return logs, f"log₁₀ {field.long_name}", f"log₁₀ {field.long_name} ({unit})"


def colour_bar(figure, image, axes, text, pool, **options):
    """The bar, with points only at the ends that values lie beyond."""
    norm = image.norm
    beyond = (bool(pool.size and pool.min() < norm.vmin), bool(pool.size and pool.max() > norm.vmax))
    extend = {(True, True): "both", (True, False): "min", (False, True): "max", (False, False): "neither"}[beyond]
    text = re.sub(r"\([^()]*\)$", lambda match: match.group().replace(" ", "\N{NO-BREAK SPACE}"), text)  # units stay in one line
    text = "\n".join(textwrap.wrap(text, max(16, int(11 * figure.get_figheight()))))  # eleven letters an inch
    return figure.colorbar(image, ax=axes, label=text, extend=extend, shrink=BAR, aspect=32, pad=0.015, **options)


def bar_ticks(top, decades, height):
    """Powers of ten of one side of a bar that is `height` inches long, no two labels closer than 0.2 inches."""
    decade = BAR * height / (2 * (decades + LINEAR))
    exponents = range(round(math.log10(top)), round(math.log10(top)) - decades - 1, -max(1, math.ceil(0.2 / decade)))
    return [10.0 ** exponent for exponent in exponents if (exponent - round(math.log10(top)) + decades + LINEAR) * decade > 0.2][::-1]


def moment(field):
    return f"after {model_time(field.time_s)}" if field.time_s is not None else "at the last time"


def where(field):
    return f", {field.place}" if field.place else ""


def grey(pool_size, arrays):
    return " Grey: no value there." if pool_size < sum(values.size for values in arrays) else ""


def figures(study, fields):
    """(figure of the field, figure of its differences or None) of each field."""
    return [(drawn, differences(study, field)) for field in fields if (drawn := maps(study, field))]


def maps(study, field):
    """The field of each policy on one scale; None where there is no value."""
    scale = scale_of(field)
    values, name, text = display(field, scale)
    pool = finite(values.values())
    if pool.size == 0:
        return None
    low, high = np.percentile(pool, [2, 99.8])
    if scale == "diverging":
        high = np.percentile(np.abs(pool), 99.8)
        low = -high
    if not high > low:
        low, high = low - 0.5, high + 0.5
    norm = Normalize(low, high)
    figure, axes, columns = axes_for(len(values), field.geometry.ratio)
    for index, (policy, value) in enumerate(values.items()):
        run = field.runs[policy]
        image = draw(axes[index], field.geometry, value, norm, "PuOr_r" if scale == "diverging" else "cividis")
        drawing.title(axes[index], short(f"{policy} ({run.assembly})" if run.assembly else policy))
        label(axes[index], index, len(values), columns, field.geometry)
    bar = colour_bar(figure, image, axes, text, pool)
    plain_ticks(bar.ax.yaxis)
    span = "one colour scale, the same to both sides of 0" if scale == "diverging" else "one colour scale from the 2nd to the 99.8th percentile"
    missing = grey(pool.size, values.values())
    return drawing.finish(
        figure, f"{field.prefix}{field.kind}-{slug(field.name)}", f"{name} {moment(field)}{where(field)}",
        f"{'Sections' if field.kind == 'section' else 'Maps'} of {name} {moment(field)}{where(field)} for {join(values)}, side by side on one colour scale.{missing}",
        f"{text} {moment(field)}{where(field)}, unperturbed runs, {span}.{missing}", as_png=True, modest=bool(field.prefix))


def differences(study, field):
    """Differences to the reference on one symmetric scale, linear near zero and logarithmic beyond; None without reference."""
    base = study.reference_policy
    if base not in field.values or field.runs[base].id != study.reference or len(field.values) < 2:
        return None
    scale = scale_of(field)
    values, name, text = display(field, scale)
    changes = {policy: value - values[base] for policy, value in values.items() if policy != base}
    sizes = {policy: np.abs(value[np.isfinite(value)]) for policy, value in changes.items()}
    largest = max((np.percentile(size, 99.8) for size in sizes.values() if size.size), default=0)
    nonzero = [np.median(size[size > 0]) for size in sizes.values() if np.any(size > 0)]
    if not largest:
        largest = max((size.max() for size in sizes.values() if size.size), default=0)
    decades = min(8, max(1, math.ceil(math.log10(largest / min(nonzero))))) if nonzero and largest else 1
    top = 10.0 ** math.ceil(math.log10(largest)) if largest else 1.0
    norm = SymLogNorm(linthresh=top * 10.0 ** -decades, vmin=-top, vmax=top, base=10, linscale=LINEAR)
    figure, axes, columns = axes_for(len(changes), field.geometry.ratio)
    for index, (policy, value) in enumerate(changes.items()):
        size = sizes[policy]
        image = draw(axes[index], field.geometry, value, norm, "PuOr_r")
        drawing.title(axes[index], short(f"{policy} − {base}"))
        rms = math.sqrt(np.mean(size**2)) if size.size else math.nan
        note = "equal in every cell" if size.size and not size.any() else f"rms {scientific(rms)}"
        axes[index].text(0.02, 0.02, note, transform=axes[index].transAxes, fontsize=9, bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2})
        label(axes[index], index, len(changes), columns, field.geometry)
    ticks = bar_ticks(top, decades, figure.get_figheight())
    bar = colour_bar(figure, image, axes, f"difference of {text}", finite(changes.values()), ticks=[-tick for tick in reversed(ticks)] + [0] + ticks)
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.set_yticklabels([tick_text(-tick) for tick in reversed(ticks)] + ["0"] + [tick_text(tick) for tick in ticks])
    threshold = tick_text(top * 10.0 ** -decades)
    return drawing.finish(
        figure, f"{field.prefix}difference-{'' if field.kind == 'map' else 'section-'}{slug(field.name)}", f"Differences of {name} to {study.reference}",
        f"{'Sections' if field.kind == 'section' else 'Maps'} of the difference of {text} between {join(changes)} and {base}, on one diverging colour scale.",
        f"{text}{where(field)}: {study.kind} minus {study.reference}. The scale is linear below {threshold} and logarithmic beyond, the same for all panels; "
        f"orange is more than the reference, purple is less.{' A difference of 0.3 in log₁₀ is a factor of two.' if scale == 'log' else ''}"
        f"{grey(finite(changes.values()).size, changes.values())}", as_png=True, modest=bool(field.prefix))
