#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws thickness, drift and shear of the last time of a run of cases/seaice/arctic.toml on a polar stereographic plane.

    arctic_picture.py OUTPUT.nc PICTURE.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import netCDF4
import numpy as np

CREDIT = "Initial sea ice: TOPAZ4 reanalysis, Copernicus Marine Service; grid: neXtSIM-DG (Apache-2.0)"


def plane(lon, lat):
    """km on the plane that touches the pole, 0 degrees downwards."""
    distance = 2 * 6371 * np.tan(np.radians(90 - lat) / 2)
    return distance * np.sin(np.radians(lon)), -distance * np.cos(np.radians(lon))


def main():
    source, target = sys.argv[1:]
    with netCDF4.Dataset(source) as data:
        nodes = plane(data["lon_node"][:], data["lat_node"][:])
        height, shear = data["sivol"][-1], data["shear"][-1]
        u, v = data["siu"][-1], data["siv"][-1]
        turn = np.radians(data["east_angle"][:] + 0)
        lon = np.radians(data["lon_node"][:])
        days = data["time"][-1] / 86400
    # Mesh axes to east and north, and these to the axes of the plane.
    east, north = u * np.cos(turn) + v * np.sin(turn), -u * np.sin(turn) + v * np.cos(turn)
    drift = east * np.cos(lon) - north * np.sin(lon), east * np.sin(lon) + north * np.cos(lon)
    figure, axes = plt.subplots(1, 2, figsize=(11, 5.4), constrained_layout=True)
    panels = ((height, {"cmap": "viridis", "vmin": 0, "vmax": 4}, "thickness (m) and drift"),
              (np.ma.log10(86400 * shear + 1e-6), {"cmap": "magma", "vmin": -4, "vmax": 0}, "log10 of the shear rate (1/day)"))
    for axis, (values, style, title) in zip(axes, panels):
        image = axis.pcolormesh(*nodes, values, **style)
        figure.colorbar(image, ax=axis, shrink=0.8)
        axis.set(title=f"{title}, day {days:.0f}", aspect="equal", xticks=[], yticks=[], facecolor="0.8")
    step = 6
    axes[0].quiver(*(a[::step, ::step] for a in (*nodes, *drift)), scale=6, width=0.002, color="white")
    figure.supxlabel(CREDIT, fontsize=8)
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main()
