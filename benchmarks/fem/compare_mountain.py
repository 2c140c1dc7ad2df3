#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vertical wind over a low mountain against the linear solution (linear_mountain.py).

compare_mountain.py OUTPUT.nc prints, for every output time, the share of the linear wave that the model has (regression of the model's
w on it over the nodes within 6 km of the mountain's middle along the wind), the correlation of both, and the drag over the linear one. With
--picture FILE.png it draws both along the wind through the mountain's middle at the last time. The mesh is a box of the case (mesh.kind = "box").
"""
import argparse
import importlib.util
import math
import pathlib
import re

import numpy as np


def linear():
    path = pathlib.Path(__file__).with_name("linear_mountain.py")
    spec = importlib.util.spec_from_file_location("linear_mountain", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def keys(case):
    """The keys of a resolved case whose values are numbers or arrays of them."""
    found = {}
    for line in case.splitlines():
        match = re.fullmatch(r"([\w.]+) = (.+)", line.strip())
        if match:
            numbers = re.findall(r"[-+0-9.e]+", match[2])
            try:
                found[match[1]] = [float(number) for number in numbers]
            except ValueError:
                continue
    return found


def draw(path, module, mountain, x, z, w, growth):
    """w (m s-1) of the model beside the linear one on the nodes x, z (m) of a section, with the growth of amplitudes with height."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker
    heights = np.arange(100.0, 10001.0, 100.0)
    column = x[0]
    got = np.array([np.interp(heights, z[:, i], w[:, i]) for i in range(len(column))]).T
    factor = np.array([np.interp(heights, z[:, i], growth[:, i]) for i in range(len(column))]).T
    grid, waves = module.section(mountain, heights)
    expected = np.array([np.interp(column, grid, wave) for wave in waves]) * factor
    near = np.abs(column) <= 8000
    most = np.abs(expected[heights >= 500][:, near]).max()
    levels = ticker.MaxNLocator(16, symmetric=True).tick_values(-most, most)
    levels = levels[levels != 0]  # none where nothing happens
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axis, field, title in ((axes[0], got, "model"), (axes[1], expected, "linear theory")):
        filled = axis.contourf(column[near] / 1000, heights / 1000, field[:, near], levels, cmap="RdBu_r", extend="both")
        axis.set(title=title, xlabel="x (km)")
    axes[0].set_ylabel("z (km)")
    figure.colorbar(filled, ax=axes, label="vertical wind (m s$^{-1}$)")
    figure.savefig(path, dpi=110)


def main():
    import netCDF4
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("output")
    parser.add_argument("--reach", type=float, default=6000.0, help="m (6000)")
    parser.add_argument("--picture", metavar="FILE.png", help="draw both at the last time")
    arguments = parser.parse_args()
    module = linear()
    data = netCDF4.Dataset(arguments.output)
    case = keys(data.ulpine_case)
    refinement = int(case["mesh.refinement"][0])
    shape = [refinement * int(case[f"mesh.{name}"][0]) + 1 for name in ("nz", "ny", "nx")]
    x, y, z = (data["mesh_node_" + name][:].reshape(shape) for name in ("x", "y", "z"))
    mountain = module.Mountain(case["mountain.height"][0], case["mountain.radius"][0], case["base.u"][0],
                               case["base.buoyancy_frequency"][0])
    middle = shape[1] // 2
    x0, y0 = float(x[0, 0, -1]) / 2, float(y[0, -1, 0]) / 2
    assert abs(y[0, middle, 0] - y0) < 1.0, "an even number of cells along y"
    column = x[0, middle] - x0
    near = np.abs(column) <= arguments.reach
    density = data["rho"][0].reshape(shape)
    heights = [1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
    grid, waves = module.section(mountain, heights)
    for n, time in enumerate(data["time"][:]):
        w = data["w"][n].reshape(shape)
        line = []
        for height, wave in zip(heights, waves):
            expected = np.interp(column[near], grid, wave)
            got = np.array([np.interp(height, z[:, middle, i], w[:, middle, i]) for i in np.flatnonzero(near)])
            rho = np.array([np.interp(height, z[:, middle, i], density[:, middle, i]) for i in np.flatnonzero(near)])
            got = got * np.sqrt(rho / density[0, middle, 0])
            share = (got @ expected) / (expected @ expected)
            correlation = (got @ expected) / math.sqrt(max((expected @ expected) * (got @ got), 1e-300))
            line.append(f"{share:6.3f} ({correlation:5.3f})")
        force = float((data["ground_drag"][n] * data["cell_volume"][:]).sum())
        theory = module.drag(mountain, float(density[0, middle, 0]))
        print(f"t {float(time):7.0f} s  w over linear at 1, 2, 3, 4, 5 km: {' '.join(line)}  drag {force / theory:6.3f}")
    if arguments.picture:
        growth = np.sqrt(density[0, middle, 0] / density[:, middle])
        draw(arguments.picture, module, mountain, x[:, middle] - x0, z[:, middle], w[:, middle], growth)


if __name__ == "__main__":
    main()
