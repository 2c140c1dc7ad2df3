#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linear waves over an isolated bell-shaped mountain in a uniform wind and stratification (after Smith 1980, Tellus 32,
348-364), not hydrostatic, Boussinesq but for the growth of amplitudes with height.

linear_mountain.py [--spacing M] [--points N] prints the vertical wind over the mountain's middle and the drag; used by
compare_mountain.py beside what the model made.
"""
import argparse
import dataclasses
import math

import numpy as np


@dataclasses.dataclass(frozen=True)
class Mountain:
    """Height h0 / (1 + r^2 / a^2)^(3/2) in a wind U along x of buoyancy frequency N, SI units."""
    height: float = 400.0
    half_width: float = 1000.0
    wind: float = 10.0
    frequency: float = 0.01


def vertical_wavenumber(mountain, k, l):
    """m of the wave (k, l), m-1: real and of the sign of k where it carries energy up, else i times the decay's rate."""
    horizontal2 = k * k + l * l
    with np.errstate(divide="ignore", invalid="ignore"):
        m2 = horizontal2 * (mountain.frequency**2 / (mountain.wind * k)**2 - 1)
    m2 = np.where(k == 0, 0.0, m2)  # such waves stand still and have no vertical wind
    return np.where(m2 >= 0, np.sign(k) * np.sqrt(np.abs(m2)), 1j * np.sqrt(np.abs(m2)))


def section(mountain, heights, spacing=250.0, points=2048):
    """x in m and w in m s-1 along y = 0 at the heights in m (heights x points), without the growth with falling density;
    on a periodic square of `points` times `spacing`, the mountain in its middle."""
    x = (np.arange(points) - points // 2) * spacing
    k = 2 * math.pi * np.fft.fftfreq(points, spacing)[:, np.newaxis]
    l = 2 * math.pi * np.fft.rfftfreq(points, spacing)[np.newaxis, :]
    # The transform of the bell is known: h0 a^2 / (2 pi) exp(-a K), here times the area of a wave's cell.
    cell = (2 * math.pi / (points * spacing))**2
    spectrum = mountain.height * mountain.half_width**2 / (2 * math.pi) * cell
    spectrum = spectrum * np.exp(-mountain.half_width * np.sqrt(k * k + l * l)) * 1j * k * mountain.wind
    m = vertical_wavenumber(mountain, k, l)
    rows = []
    for height in heights:
        waves = spectrum * np.exp(1j * m * height)
        # At y = 0 all waves along y add up; those of negative l are the mirror image of the others.
        weight = np.full(waves.shape[1], 2.0)
        weight[0] = 1.0
        if points % 2 == 0:
            weight[-1] = 1.0
        along_x = (waves * weight).sum(axis=1)
        values = np.fft.ifft(along_x) * points
        rows.append(np.fft.fftshift(values.real))
    return x, np.array(rows)


def drag(mountain, density=1.0, points=4000):
    """Drag in N: 4 pi^2 rho U^2 times the integral of k^3 m |h|^2 / K^2 over the waves that carry energy up, in polar
    wavenumbers: K from 0 to where they end (the midpoint rule, `points` each)."""
    a = mountain.half_width
    limit = mountain.frequency / mountain.wind
    angle = (np.arange(points) + 0.5) / points * math.pi / 2
    total = 0.0
    for phi in angle:
        # |k| = K cos(phi) is below the limit.
        largest = min(limit / math.cos(phi), 40 / a)
        wave = (np.arange(points) + 0.5) / points * largest
        k = wave * math.cos(phi)
        m = wave * np.sqrt(np.maximum((limit / k)**2 - 1, 0))
        spectrum = mountain.height * a * a / (2 * math.pi) * np.exp(-a * wave)
        total += np.sum(k**3 * m * spectrum**2 / wave**2 * wave) * largest / points
    return 4 * math.pi**2 * density * mountain.wind**2 * 4 * total * (math.pi / 2) / points


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--spacing", type=float, default=250.0, help="m (250)")
    parser.add_argument("--points", type=int, default=2048, help="along each side (2048)")
    arguments = parser.parse_args()
    mountain = Mountain()
    heights = [0.0, 1000.0, 2000.0, 3000.0, 5000.0, 8000.0]
    x, w = section(mountain, heights, arguments.spacing, arguments.points)
    print("z km   max (x km)        min (x km)        w at x = 0, 1, 2, 4, 6, 10 km, m s-1")
    for height, row in zip(heights, w):
        top, bottom = row.argmax(), row.argmin()
        at = " ".join(f"{row[np.abs(x - 1000 * km).argmin()]:7.3f}" for km in (0, 1, 2, 4, 6, 10))
        print(f"{height / 1000:4.0f} {row[top]:7.3f} ({x[top] / 1000:6.2f})  {row[bottom]:7.3f} ({x[bottom] / 1000:6.2f})  {at}")
    scale = mountain.wind * mountain.frequency * mountain.height**2 * mountain.half_width
    print(f"drag / (rho U N h0^2 a): {drag(mountain) / scale:.6f} (hydrostatic: {math.pi / 4:.6f})")


if __name__ == "__main__":
    main()
