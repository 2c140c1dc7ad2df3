#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what bench_loop14 --csv measured, as Figures 5 to 7 of the ARPS GPU paper do: speed-up over the host, streams, and
resident against out of core, against what memory and link allow.

    loop14_figures.py TIMES.csv PICTURE.png [--precision fp32]
"""
import argparse
import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {1: "#4477aa", 2: "#ee6677", 4: "#228833"}
WAYS = {"in_place": ("arrays page-locked", "-"), "staged": ("through buffers", "--")}


def read(path, precision):
    """Rows of that precision with numbers as numbers; a message and exit where there are none."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["precision"] == precision]
    if not rows:
        sys.exit(f"{path}: no times in {precision} (was it measured?) choose another --precision")
    for row in rows:
        for name in ("n", "count", "bytes"):
            row[name] = int(row[name])
        for name in ("median_s", "floor_s", "copy_GBps", "to_device_GBps", "to_host_GBps"):
            row[name] = float(row[name])
        if row["same_bits"] != "yes":
            sys.exit(f"{path}: {row['where']} at {row['n']} has other bits than the host: nothing to compare")
    return rows


def curve(rows, where, count, value="median_s"):
    """{n: value} of one way with so many threads or streams."""
    return {row["n"]: row[value] for row in rows if row["where"] == where and row["count"] == count}


def draw(axis, times, **style):
    if times:
        axis.plot(list(times), list(times.values()), marker="o", markersize=3, **style)


def ratio(above, below):
    return {n: above[n] / below[n] for n in below if n in above}


def speed_up(axis, rows):
    """Times of the host over those of the GPU."""
    threads = sorted({row["count"] for row in rows if row["where"] == "host"})
    streams = sorted({row["count"] for row in rows if row["where"] in WAYS})
    for count, line in zip((threads[0], threads[-1]), ("-", ":")):
        host = curve(rows, "host", count)
        over = f"over {count} thread{'s' if count > 1 else ''}"
        draw(axis, ratio(host, curve(rows, "resident", 1)), color="black", linestyle=line, label=f"resident, {over}")
        if streams:
            best = curve(rows, "in_place", streams[-1]) or curve(rows, "staged", streams[-1])
            draw(axis, ratio(host, best), color=COLOURS[4], linestyle=line, label=f"{streams[-1]} streams, {over}")
    axis.axhline(1, color="0.7", linewidth=0.8)
    axis.set(yscale="log", ylabel="host's time / GPU's time", title="Speed-up")


def streams_panel(axis, rows):
    """Rates out of core, copies both ways counted, against the link's."""
    for where, (name, line) in WAYS.items():
        for count in sorted({row["count"] for row in rows if row["where"] == where}):
            times, moved = curve(rows, where, count), curve(rows, where, count, "bytes")
            rates = {n: 1e-9 * moved[n] / times[n] for n in times}
            draw(axis, rates, color=COLOURS.get(count, "0.5"), linestyle=line, label=f"{count} stream{'s' if count > 1 else ''}, {name}")
    row = next((row for row in rows if row["where"] in WAYS), None)
    if row:
        axis.axhline(1e-9 * row["bytes"] / row["floor_s"], color="black", linewidth=0.8, label="link, both ways")
    axis.set(ylabel="GB/s to and from the GPU", title="Streams", ylim=(0, None))


def floors(axis, rows):
    """Times and the least that memory and link allow."""
    draw(axis, curve(rows, "resident", 1), color="black", label="resident")
    draw(axis, curve(rows, "resident", 1, "floor_s"), color="black", linestyle=":", label="its floor: copy within the GPU")
    draw(axis, curve(rows, "points", 1), color="0.6", label="resident, point by point")
    draw(axis, curve(rows, "padded", 1), color="#ccbb44", label="resident, rows at lines of 128 bytes")
    for where, (name, line) in WAYS.items():
        counts = sorted({row["count"] for row in rows if row["where"] == where})
        if counts:
            draw(axis, curve(rows, where, counts[-1]), color=COLOURS[4], linestyle=line, label=f"{counts[-1]} streams, {name}")
            if where == "in_place" or not curve(rows, "in_place", counts[-1]):
                draw(axis, curve(rows, where, counts[-1], "floor_s"), color=COLOURS[4], linestyle=":", label="their floor: the link")
    axis.set(yscale="log", ylabel="s", title="Resident against out of core")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("times")
    parser.add_argument("picture")
    parser.add_argument("--precision", default="fp32")
    options = parser.parse_args()
    rows = read(options.times, options.precision)
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), constrained_layout=True)
    for axis, panel in zip(axes, (speed_up, streams_panel, floors)):
        panel(axis, rows)
        axis.set_xlabel("points a side")
        axis.grid(color="0.9")
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=7)
    row = rows[-1]
    figure.supxlabel(f"loop_14, {options.precision}: {row['gpu']}, driver {row['driver']}; {row['processor']}; commit {row['commit']}", fontsize=8)
    figure.savefig(options.picture, dpi=110)


if __name__ == "__main__":
    main()
