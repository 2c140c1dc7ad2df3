# SPDX-License-Identifier: Apache-2.0
"""The figures. Colours are Okabe and Ito's, always together with a marker and a line style, so that no reading needs colour."""

import base64
import io
import math
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize, SymLogNorm
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from .text import duration, join, memory, model_time, power, scientific

STYLES = {  # policy -> colour, marker, line style
    "fp64": ("#000000", "o", "-"),
    "fp32": ("#0072B2", "s", (0, (5, 1.5))),
    "mixed": ("#009E73", "^", (0, (6, 1.5, 1, 1.5))),
    "tf32": ("#D55E00", "D", (0, (1.5, 1))),
    "bf16": ("#CC79A7", "v", (0, (3, 1.5, 1, 1.5, 1, 1.5))),
    "fp16": ("#E69F00", "P", (0, (8, 2))),
    "quad": ("#56B4E9", "X", (0, (4, 3))),
}
OTHER_STYLES = [("#56B4E9", "X", (0, (4, 3))), ("#999999", "*", (0, (2, 2))), ("#E69F00", "<", (0, (9, 3)))]
LAND = "#b9bcc2"
GREY = "#6b7280"

plt.rcParams.update({
    "font.size": 10, "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#e3e5e9", "grid.linewidth": 0.7, "axes.axisbelow": True,
    "axes.edgecolor": "#4b5563", "legend.frameon": False, "legend.handlelength": 3.2, "lines.linewidth": 1.8, "lines.markersize": 5,
    "svg.fonttype": "path", "svg.hashsalt": "ulpine", "figure.dpi": 120, "text.parse_math": False, "axes.unicode_minus": True,
})


@dataclass
class Figure:
    """An image ready for HTML: `source` is a data URI, `png` the same picture for talks."""

    name: str
    title: str
    alt: str
    caption: str
    source: str
    png: bytes


def finish(figure, name, title, alt, caption, as_png=False):
    """Renders and closes a matplotlib figure."""
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=120, metadata={"Software": None})
    figure.set_layout_engine("none")  # laid out once; the SVG keeps it
    if as_png:
        kind, data = "image/png", png.getvalue()
    else:
        svg = io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        kind, data = "image/svg+xml", svg.getvalue()
    plt.close(figure)
    return Figure(name, title, alt, caption, f"data:{kind};base64,{base64.b64encode(data).decode()}", png.getvalue())


def style(study, policy):
    unknown = [name for name in study.policies if name not in STYLES]
    colour, marker, line = STYLES.get(policy) or OTHER_STYLES[unknown.index(policy) % len(OTHER_STYLES)]
    return {"color": colour, "marker": marker, "linestyle": line}


def short(name):
    """A label that leaves room for the figure."""
    return name if len(name) <= 28 else name[:27] + "…"


def drawable(values):
    """Where a value, or which of an array, can be drawn: finite and no overflow of a run that went wrong."""
    return np.isfinite(values) & (np.abs(values) < 1e60)


def drawn_or_none(value):
    return value if value is not None and drawable(value) else None


def line_style(study, policy):
    return {key: value for key, value in style(study, policy).items() if key != "marker"}


def marks(length):
    """About a dozen markers on a line, so that it is known without colour."""
    return max(1, length // 12)


def logarithmic(axis):
    """A logarithmic x or y axis (`axes.xaxis`, `axes.yaxis`) labelled 10⁻³; 1, 2 and 5 where it spans little."""
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    narrow = 0 < low < high < 30 * low
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: scientific(value, 1) if narrow else tick_text(value)))
    axis.set_minor_formatter(NullFormatter())


def legend_above(figure, axis, height):
    """One legend for the figure, in a strip of its own above the axes; `height` of the figure in inches."""
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="upper left", ncol=len(names), columnspacing=1.6, fontsize=9.5)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - 0.34 / height))


def positive(values):
    """Which values a logarithmic axis can show."""
    return drawable(values) & (values > 1e-60)


# --- maps -----------------------------------------------------------------------------------------------------------------

def grid_of(count):
    columns = count if count <= 3 else 2 if count == 4 else 3
    return -(-count // columns), columns


def map_axes(count, shape):
    """Figure and axes for `count` maps of a shape; superfluous axes are removed."""
    rows, columns = grid_of(count)
    width = 9.6
    panel = min(5.0, (width - 1.9 - 0.12 * columns) / columns * shape[0] / shape[1])
    figure, axes = plt.subplots(rows, columns, figsize=(width, (panel + 0.36) * rows + 0.5), sharex=True, sharey=True, squeeze=False, constrained_layout=True)
    flat = list(axes.flat)
    for axis in flat[count:]:
        axis.remove()
    return figure, flat[:count], columns


def draw_map(axis, panel, values, norm, colours):
    """One map with land grey; pixels where the grid is uniform, quadrilaterals where it is not."""
    axis.set_facecolor(LAND)
    axis.grid(False)
    axis.set_aspect("equal")
    steps = [np.diff(coordinate) for coordinate in (panel.x, panel.y)]
    if all(step.size and np.allclose(step, step[0], rtol=1e-3) and step[0] > 0 for step in steps):
        half = [step[0] / 2 for step in steps]
        extent = (panel.x[0] - half[0], panel.x[-1] + half[0], panel.y[0] - half[1], panel.y[-1] + half[1])
        return axis.imshow(values, origin="lower", extent=extent, norm=norm, cmap=colours, interpolation="nearest")
    return axis.pcolormesh(panel.x, panel.y, values, norm=norm, cmap=colours, shading="nearest", rasterized=True)


def label_map(axis, index, count, columns, panel):
    unit = panel.axis_unit
    if index % columns == 0:
        axis.set_ylabel(f"y ({unit})")
    if index + columns >= count:
        axis.set_xlabel(f"x ({unit})")
        axis.tick_params(labelbottom=True)


def draw_features(axis, run, panel):
    """LKFs as thin lines with a light rim."""
    for cells in run.lkf_polylines:
        rows, columns = cells[:, 0], cells[:, 1]
        if len(cells) < 2 or not np.all(np.isfinite(cells)) or cells.min() < 0 or rows.max() >= panel.y.size or columns.max() >= panel.x.size:
            continue
        x, y = np.interp(columns, np.arange(panel.x.size), panel.x), np.interp(rows, np.arange(panel.y.size), panel.y)
        axis.plot(x, y, color="white", linewidth=2.4, solid_capstyle="round")
        axis.plot(x, y, color="#b3003c", linewidth=1.1, solid_capstyle="round")


def display(maps):
    """(values per policy, label, is logarithmic): log10 for shear, a floor where it is not positive."""
    values = {policy: panel.values for policy, panel in maps.by_policy.items()}
    units = next(iter(maps.by_policy.values())).units
    if maps.name != "shear":
        return values, f"{maps.name} ({units or '1'})", False
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = {policy: np.log10(value) for policy, value in values.items()}
    finite = [value[np.isfinite(value)] for value in logs.values()]
    floor = min((value.min() for value in finite if value.size), default=0.0)
    for policy, value in logs.items():
        value[values[policy] <= 0] = floor
    return logs, f"log₁₀ shear ({power_units(units)})", True


def power_units(units):
    return units.replace("s-1", "s⁻¹") if units else "s⁻¹"


def title_time(maps):
    time = next(iter(maps.by_policy.values())).time_s
    return f"after {model_time(time)}" if time is not None else "at the last time"


def field_maps(study, maps):
    values, label, as_log = display(maps)
    pool = np.concatenate([value[np.isfinite(value)] for value in values.values()])
    if pool.size == 0:
        return None
    low, high = np.percentile(pool, [2, 99.8])
    if not high > low:
        low, high = low - 0.5, high + 0.5
    norm = Normalize(low, high)
    shape = next(iter(values.values())).shape
    figure, axes, columns = map_axes(len(values), shape)
    drawn = False
    for index, (policy, value) in enumerate(values.items()):
        panel, run = maps.by_policy[policy], maps.runs[policy]
        image = draw_map(axes[index], panel, value, norm, "cividis")
        axes[index].set_title(short(f"{policy} ({run.assembly})" if run.assembly else policy))
        label_map(axes[index], index, len(values), columns, panel)
        if run.lkf_polylines:
            limits = axes[index].axis()
            draw_features(axes[index], run, panel)
            axes[index].axis(limits)
            drawn = True
    figure.colorbar(image, ax=axes, label=label, extend="both", shrink=0.85, aspect=32, pad=0.015)
    name = "log₁₀ shear" if as_log else maps.name
    level = f", {maps.level}" if maps.level else ""
    return finish(
        figure, "maps", f"{name} {title_time(maps)}",
        f"Maps of {name} {title_time(maps)} for {join(values)}, side by side on one colour scale; land is grey.",
        f"{name} {title_time(maps)}{level}, unperturbed runs, one colour scale from the 2nd to the 99.8th percentile. Land is grey."
        + (" Red lines: detected LKFs." if drawn else ""), as_png=True)


def difference_maps(study, maps):
    """Differences to the reference on one symmetric scale, linear near zero and logarithmic beyond; None without reference."""
    base = study.reference_policy
    if base not in maps.by_policy or maps.runs[base].id != study.reference or len(maps.by_policy) < 2:
        return None
    values, label, as_log = display(maps)
    differences = {policy: value - values[base] for policy, value in values.items() if policy != base}
    sizes = {policy: np.abs(value[np.isfinite(value)]) for policy, value in differences.items()}
    largest = max((np.percentile(size, 99.8) for size in sizes.values() if size.size), default=0)
    nonzero = [np.median(size[size > 0]) for size in sizes.values() if np.any(size > 0)]
    if not largest:
        largest = max((size.max() for size in sizes.values() if size.size), default=0)
    decades = min(8, max(1, math.ceil(math.log10(largest / min(nonzero))))) if nonzero and largest else 1
    top = 10.0 ** math.ceil(math.log10(largest)) if largest else 1.0
    norm = SymLogNorm(linthresh=top * 10.0 ** -decades, vmin=-top, vmax=top, base=10, linscale=0.6)
    shape = next(iter(differences.values())).shape
    figure, axes, columns = map_axes(len(differences), shape)
    for index, (policy, value) in enumerate(differences.items()):
        panel, size = maps.by_policy[policy], sizes[policy]
        image = draw_map(axes[index], panel, value, norm, "PuOr_r")
        axes[index].set_title(short(f"{policy} − {base}"))
        rms = math.sqrt(np.mean(size**2)) if size.size else math.nan
        note = "equal in every cell" if size.size and not size.any() else f"rms {scientific(rms)}"
        axes[index].text(0.02, 0.02, note, transform=axes[index].transAxes, fontsize=9, bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 2})
        label_map(axes[index], index, len(differences), columns, panel)
    exponents = list(range(int(math.log10(top)) - decades, round(math.log10(top)) + 1))
    ticks = [10.0 ** exponent for exponent in exponents[:: max(1, len(exponents) // 4)]]
    bar = figure.colorbar(image, ax=axes, label=f"difference of {label}", extend="both", shrink=0.85, aspect=32, pad=0.015,
                          ticks=[-tick for tick in reversed(ticks)] + [0] + ticks)
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.set_yticklabels([tick_text(-tick) for tick in reversed(ticks)] + ["0"] + [tick_text(tick) for tick in ticks])
    return finish(
        figure, "differences", f"Differences to {study.reference}",
        f"Maps of the difference of {label} between {join(differences)} and {base}, on one diverging colour scale.",
        f"{label}: policy minus {study.reference}. The scale is linear below {tick_text(ticks[0])} and logarithmic beyond, the same for all panels; "
        "orange is more than the reference, purple is less." + (" A difference of 0.3 in log₁₀ is a factor of two." if as_log else ""), as_png=True)


def tick_text(value):
    return f"{'−' if value < 0 else ''}{power(f'10^{round(math.log10(abs(value)))}')}"


# --- spectra --------------------------------------------------------------------------------------------------------------

def band_epsilon(study):
    """The amplitude whose ensembles are drawn as bands: the one nearest to 2^-23, fp32's rounding. (text, value) or None."""
    choices = {e.epsilon_text: e.epsilon for e in study.ensembles if e.spectrum and e.epsilon > 0}
    return min(choices.items(), key=lambda item: abs(math.log2(item[1]) + 23), default=None)


def spectra(study):
    runs = [run for run in map(study.run_of, study.policies) if run and run.spectrum and run.spectrum["wavenumber"].size
            and run.spectrum["wavenumber"].size == run.spectrum["power"].size and np.any(positive(run.spectrum["wavenumber"]) & positive(run.spectrum["power"]))]
    if not runs:
        return None
    reference = next((run for run in runs if run.id == study.reference), None)
    band = band_epsilon(study)
    figure, axes = plt.subplots(2 if reference else 1, 1, figsize=(8.4, 6.6 if reference else 4.4), sharex=True, squeeze=False,
                                constrained_layout=True, gridspec_kw={"height_ratios": [2.2, 1]} if reference else None)
    top, bottom = axes[0, 0], axes[1, 0] if reference else None
    base = reference.spectrum["power"] if reference else None

    def usable(run):
        k, p = run.spectrum["wavenumber"] * 1000, run.spectrum["power"]
        keep = positive(k) & positive(p)
        return keep, k, p

    for run in runs:
        keep, k, p = usable(run)
        ensemble = next((e for e in study.ensembles if band and e.policy == run.policy and e.epsilon_text == band[0] and e.spectrum), None)
        looks = style(study, run.policy)
        top.plot(k[keep], p[keep], label=short(run.policy), markevery=0.12, **looks)
        same_axis = reference and np.array_equal(run.spectrum["wavenumber"], reference.spectrum["wavenumber"])
        if ensemble and all(ensemble.spectrum[key].size == k.size for key in ("mean", "sd")):
            mean, sd = ensemble.spectrum["mean"], ensemble.spectrum["sd"]
            low = np.maximum(mean - sd, mean * 1e-3)
            inside = positive(k) & positive(mean) & positive(mean + sd)
            top.fill_between(k[inside], low[inside], (mean + sd)[inside], color=looks["color"], alpha=0.18, linewidth=0)
            if bottom is not None and same_axis:
                inside &= positive(base)
                bottom.fill_between(k[inside], ((mean - sd) / base)[inside], ((mean + sd) / base)[inside], color=looks["color"], alpha=0.15, linewidth=0)
        if bottom is not None and same_axis:
            keep &= positive(base)
            bottom.plot(k[keep], (p / base)[keep], markevery=marks(keep.sum()), **looks)
    logarithmic(top.xaxis)
    logarithmic(top.yaxis)
    field = runs[0].spectrum["field"] or "the field"
    top.set_ylabel(f"power of {short(field)}")
    top.legend(loc="lower left")
    (bottom if bottom is not None else top).set_xlabel("wavenumber (cycles per km)")
    if bottom is not None:
        bottom.set_ylabel(f"ratio to {short(study.reference_policy)}")
    upper = top.secondary_xaxis("top", functions=(lambda k: 1 / np.maximum(k, 1e-30), lambda length: 1 / np.maximum(length, 1e-30)))
    upper.set_xlabel("wavelength (km)")
    upper.xaxis.set_major_formatter(FuncFormatter(lambda length, _: scientific(length, 1)))
    upper.xaxis.set_minor_formatter(NullFormatter())
    spread = f" Bands: ensemble mean ± sd at ε = {power(band[0])}." if band else ""
    below = f" Below: ratio to {study.reference}." if reference else ""
    return finish(
        figure, "spectra", f"Spectra of {field}",
        f"Radially averaged power spectra of {field} at the last time for {join(run.policy for run in runs)}, both axes logarithmic.",
        f"Radially averaged power spectral density of {field} at the last time, unperturbed runs.{spread}{below}")


# --- LKFs -----------------------------------------------------------------------------------------------------------------

def lkf_statistics(study):
    """Number and total length against the amplitude, the unperturbed runs left, the detector-only control right."""
    def value_of(owner, attribute):
        """(mean, sd) of an ensemble or control, (value, 0) of a run; (None, 0) where it cannot be drawn."""
        value = getattr(owner, attribute)
        mean, sd = value if isinstance(value, tuple) else (value, None)
        return drawn_or_none(mean), abs(drawn_or_none(sd) or 0)

    def has_values(owner, *attributes):
        return any(value_of(owner, attribute)[0] is not None for attribute in attributes)

    points = [e for e in study.ensembles if 1e-60 < e.epsilon < 1e60 and has_values(e, "lkf_count", "lkf_length_km")]
    unperturbed = [run for run in map(study.run_of, study.policies) if run and has_values(run, "lkf_count", "lkf_length_km")]
    if not points and not unperturbed:
        return None
    controls = [control for control in study.controls if has_values(control, "count", "length_km")]
    widths = [0.8] + ([4.2] if points else []) + ([1.25] if controls else [])
    figure, axes = plt.subplots(2, len(widths), figsize=(9.4 if points else 5.5, 6.6), sharey="row", sharex="col", squeeze=False, constrained_layout=True,
                                gridspec_kw={"width_ratios": widths})
    amplitudes = sorted({(math.log2(e.epsilon), short(power(e.epsilon_text))) for e in points})
    span = amplitudes[-1][0] - amplitudes[0][0] if amplitudes else 0
    gaps = [right - left for (left, _), (right, _) in zip(amplitudes, amplitudes[1:])]
    policies = [policy for policy in study.policies if any(e.policy == policy for e in points) or any(r.policy == policy for r in unperturbed)]
    step = min([0.014 * max(span, 6)] + [0.8 * gap / (len(policies) + 1) for gap in gaps])  # side by side, amplitudes stay apart
    rows = [("number of LKFs", "lkf_count", "count", 1), ("total length (1000 km)", "lkf_length_km", "length_km", 1e-3)]
    for row, (label, attribute, control_attribute, scale) in enumerate(rows):
        left = axes[row, 0]
        left.set_ylabel(label)
        for index, policy in enumerate(policies):
            looks = style(study, policy)
            run = study.run_of(policy)
            value = value_of(run, attribute)[0] if run else None
            if value is not None and not run.failed:
                left.plot([index], [value * scale], linestyle="none", color=looks["color"], marker=looks["marker"], markersize=7)
            series = sorted((e for e in points if e.policy == policy and has_values(e, attribute)), key=lambda e: e.epsilon)
            if series:
                shift = (index - (len(policies) - 1) / 2) * step
                axes[row, 1].errorbar([math.log2(e.epsilon) + shift for e in series], [value_of(e, attribute)[0] * scale for e in series],
                                      yerr=[value_of(e, attribute)[1] * scale for e in series], capsize=3, elinewidth=1.2,
                                      label=short(policy), markersize=6.5, **looks)
        detectors = {e.epsilon: value_of(e, f"detector_{control_attribute}") for e in points if value_of(e, f"detector_{control_attribute}")[0] is not None}
        if detectors:
            shift = (len(policies) + 1) / 2 * step
            axes[row, 1].errorbar([math.log2(epsilon) + shift for epsilon in detectors], [mean * scale for mean, _ in detectors.values()],
                                  yerr=[sd * scale for _, sd in detectors.values()], capsize=3, elinewidth=1.2, label="detector only", color="#8a92a0",
                                  marker="_", markersize=9, linestyle="none")
        left.set_xticks([])
        left.set_xlim(-0.7, len(policies) - 0.3)
        if controls:
            right = axes[row, -1]
            right.set_facecolor("#f1f2f4")
            for index, control in enumerate(controls):
                mean, sd = value_of(control, control_attribute)
                looks = style(study, control.policy) if control.policy in study.policies else {"color": GREY, "marker": "o"}
                if mean is not None:
                    right.errorbar([index], [mean * scale], yerr=[sd * scale], capsize=3, elinewidth=1.2, color=looks["color"], marker=looks["marker"],
                                   markersize=6.5, markerfacecolor="white", linestyle="none")
            right.set_xlim(-0.7, len(controls) - 0.3)
            right.set_xticks(range(len(controls)))
            right.set_xticklabels([short(control.policy) for control in controls], rotation=90 if len(controls) > 3 else 0)
    axes[0, 0].set_title("unperturbed", fontsize=9.5, fontweight="normal")
    if points:
        axes[0, 1].set_title("perturbed ensembles: mean ± sd", fontsize=9.5, fontweight="normal")
        axes[1, 1].set_xticks([position for position, _ in amplitudes])
        axes[1, 1].set_xticklabels([label for _, label in amplitudes])
        axes[1, 1].set_xlabel("perturbation amplitude ε (log₂ axis)")
        legend_above(figure, axes[0, 1], 6.6)
    else:
        axes[1, 0].set_xticks(range(len(policies)))
        axes[1, 0].set_xticklabels(map(short, policies))
    if controls:
        axes[0, -1].set_title("detector only", fontsize=9.5, fontweight="normal")
        axes[1, -1].set_xlabel("noise of that size")
    axes[0, 0].yaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(
        figure, "lkf", "LKFs against perturbation size",
        f"Number and total length of linear kinematic features against perturbation amplitude for {join(policies)}, mean and standard deviation; "
        "unperturbed runs left, detector-only control right.",
        "Number and total length of LKFs at the last time; a line per policy, ensemble mean ± standard deviation. Left: the unperturbed runs."
        + (" Right, open symbols on grey: the same detector on the reference's own shear with relative noise of that policy's size, so without any change of "
           "the model; grey bars among the ensembles: the same with noise of size ε." if controls else ""))


# --- growth ---------------------------------------------------------------------------------------------------------------

def time_axis(seconds):
    last = np.nanmax(seconds)
    return next((length, unit) for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60), ("s", 0)) if last >= 2 * length or not length)


def series_of(run, name):
    """(seconds, relative L2) with what a logarithmic axis can show; None where there is nothing."""
    seconds, values = run.series.get("time_s", np.empty(0)), run.series.get(name, np.empty(0))
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
    """Writes (x, y, text) at the ends of lines on a logarithmic axis; lines that end together share one label."""
    low, high = (math.log10(limit) for limit in axis.get_ylim())
    groups = []
    for x, y, label in sorted(ends, key=lambda end: end[1]):
        if groups and math.log10(y / groups[-1][1]) < 0.07 * (high - low):
            groups[-1] = (x, y, groups[-1][2] + [label])
        else:
            groups.append((x, y, [label]))
    for index, (x, y, labels) in enumerate(groups):
        crowded = index + 1 < len(groups) and math.log10(groups[index + 1][1] / y) < 0.16 * (high - low)
        axis.annotate(", ".join(labels), (x, y), xytext=(0, -5 if crowded else 3), textcoords="offset points", fontsize=8, color=GREY, ha="right",
                      va="top" if crowded else "bottom")


def finish_panels(axes, labels, quantity):
    """Small multiples: the end labels of each used panel, given with its ends; no unused panel; `quantity` on the left."""
    for axis, ends in labels:
        end_labels(axis, ends)
    for axis in list(axes.flat)[len(labels):]:
        axis.remove()
    for row in axes:
        row[0].set_ylabel(quantity)


def growth_fields(available):
    """At most four fields to plot, the mapped and prognostic ones first."""
    preferred = [name for name in ("shear", "sivol", "siconc", "speed(siu,siv)", "theta", "u") if name in available]
    return (preferred + [name for name in available if name not in preferred])[:4]


def has_times(study):
    return any(series_of(run, name) and series_of(run, name)[0].size > 1 for run in study.runs for name in run.series if name != "time_s")


def error_growth(study):
    """Each policy against the reference, the reference policy's own ensembles as a yardstick in grey."""
    available = list(dict.fromkeys(name for run in study.runs for name in run.series if name != "time_s" and series_of(run, name)))
    names = growth_fields(available)
    if not names or not has_times(study):
        return None
    rows, columns = (1, 1) if len(names) == 1 else (-(-len(names) // 2), 2)
    figure, axes = plt.subplots(rows, columns, figsize=(9.6 if columns > 1 else 7.5, 3.7 * rows), sharex=True, sharey=True, squeeze=False, constrained_layout=True)
    length, unit = time_axis(np.concatenate([run.series["time_s"] for run in study.runs if run.series["time_s"].size]))
    length = length or 1
    yardstick = False
    labels = []
    for axis, name in zip(axes.flat, names):
        ends = []
        labels.append((axis, ends))
        for ensemble in (e for e in study.ensembles if e.policy == study.reference_policy):
            if grown := growth_of(ensemble, name):
                seconds, mean, _ = grown
                axis.plot(seconds / length, mean, color="#9aa0aa", linewidth=1.1)
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
        axis.set_title(short(name))
        axis.xaxis.set_major_locator(MaxNLocator(6))
    finish_panels(axes, labels, "relative L2 difference")
    for axis in list(axes.flat)[max(0, len(names) - columns):len(names)]:
        axis.set_xlabel(f"time ({unit})")
        axis.tick_params(labelbottom=True)
    shown = axes[0, 0].get_legend_handles_labels()[1]
    legend_above(figure, axes[0, 0], 3.7 * rows)
    return finish(
        figure, "growth", f"Error growth against {study.reference}",
        f"Relative L2 difference to {study.reference} against time on a logarithmic axis for {join(shown)}, fields {join(names)}.",
        f"Relative L2 difference of each policy's unperturbed run to {study.reference}."
        + (f" Thin grey lines: {study.reference_policy}'s own ensembles perturbed by the ε written at their end, mean over members, as a yardstick."
           if yardstick else "")
        + " The same slope with another offset is rounding; another slope in the first steps points to a fault.")


def ensemble_growth(study):
    """Small multiples: the mean growth of each policy's ensembles."""
    name = next(iter(growth_fields(list(dict.fromkeys(
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
        axis.set_title(short(policy))
        if index + columns >= len(policies):
            axis.set_xlabel(f"time ({unit})")
            axis.tick_params(labelbottom=True)
        axis.xaxis.set_major_locator(MaxNLocator(5))
    finish_panels(axes, labels, f"relative L2 of {short(name)}")
    return finish(
        figure, "ensemble-growth", f"Growth of perturbations in {name}",
        f"Mean growth in time of the relative L2 difference of {name} between perturbed members and their own unperturbed run, one panel each for {join(policies)}.",
        f"Perturbed members against the unperturbed run of their own policy and assembly: mean ± sd of the relative L2 difference of {name}, a line per ε. "
        "Where the lines meet, the memory of the perturbation's size is lost.")


# --- cost and conservation ------------------------------------------------------------------------------------------------

def cost(study):
    runs = [run for run in study.runs if run.wall_s is not None and 0 < run.wall_s < 1e60 and not run.failed]
    if not runs:
        return None
    reference = next((run for run in runs if run.id == study.reference), None)
    with_memory = any(drawn_or_none(run.memory_bytes) for run in runs)
    figure, axes = plt.subplots(1, 2 if with_memory else 1, figsize=(9.4, 0.42 * len(runs) + 1.0), sharey=True, squeeze=False, constrained_layout=True,
                                gridspec_kw={"width_ratios": [1.4, 1] if with_memory else [1]})
    names = [short(run.id) for run in runs]
    hatches = {assembly: pattern for assembly, pattern in zip(dict.fromkeys(run.assembly for run in runs), ("", "////", "....", "xx"))}
    panels = [(axes[0, 0], "wall-clock time of the run", [run.wall_s for run in runs], duration)]
    if with_memory:
        panels.append((axes[0, 1], "memory of the model's arrays", [max(0, drawn_or_none(run.memory_bytes) or 0) for run in runs], memory))
    for axis, title, values, write in panels:
        for row, (run, value) in enumerate(zip(runs, values)):
            axis.barh(row, value, color=style(study, run.policy)["color"], alpha=0.82, height=0.68, hatch=hatches.get(run.assembly), edgecolor="white", linewidth=0)
            ratio = ""
            if write is duration and reference and run.id != study.reference:
                ratio = f"   {reference.wall_s / run.wall_s:.2f} ×"
            axis.text(value, row, f"  {write(value) if value else '–'}{ratio}", va="center", fontsize=9)
        axis.set_title(title, fontsize=10)
        axis.set_xlim(0, (max(values) or 1) * 1.42)
        axis.xaxis.set_major_locator(NullLocator())
        axis.grid(False)
        axis.spines["bottom"].set_visible(False)
    axes[0, 0].set_yticks(range(len(names)))
    axes[0, 0].set_yticklabels(names)
    axes[0, 0].invert_yaxis()
    return finish(
        figure, "cost", "Time and memory",
        "Bars of wall-clock time and memory of every unperturbed run: " + "; ".join(f"{run.id} {duration(run.wall_s)}" for run in runs) + ".",
        f"Time and memory of the unperturbed runs{f'; × is the speed-up relative to {study.reference}' if reference else ''}. Times are single measurements "
        "and include output.")
