# SPDX-License-Identifier: Apache-2.0
"""What the runs cost."""

import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

from . import drawing, gain
from .drawing import drawn_or_none, short, style
from .text import duration, memory


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
            if write is duration and gain.is_emulated(run):
                ratio = "   emulated"
            elif write is duration and (speed := gain.speed_up(study, run)) is not None:
                ratio = f"   {speed:.2f} ×"
            axis.text(value, row, f"  {write(value) if value else '–'}{ratio}", va="center", fontsize=9)
        axis.set_title(title, fontsize=10)
        axis.set_xlim(0, (max(values) or 1) * 1.42)
        axis.xaxis.set_major_locator(NullLocator())
        axis.grid(False)
        axis.spines["bottom"].set_visible(False)
    axes[0, 0].set_yticks(range(len(names)))
    axes[0, 0].set_yticklabels(names)
    axes[0, 0].invert_yaxis()
    return drawing.finish(
        figure, "cost", "Time and memory",
        "Bars of wall-clock time and memory of every unperturbed run: " + "; ".join(f"{run.id} {duration(run.wall_s)}" for run in runs) + ".",
        f"Time and memory of the unperturbed runs{f'; × is the speed-up relative to {study.reference}' if reference else ''}. Times are single measurements "
        "and include output." + (f" {words}" if (words := gain.emulated(study)) else ""))
