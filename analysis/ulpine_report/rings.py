# SPDX-License-Identifier: Apache-2.0
"""The radially averaged power spectrum of a field, as `ulpine spectrum` defines it (verification/metrics/spectrum.hpp), by numpy's transform."""

import math

import numpy as np


def radial_spectrum(values, dy=1.0, dx=1.0):
    """(wavenumber in cycles per unit of the spacings, mean of |FFT|^2 / (nx ny) over each ring) of a (ny, nx) field; None where it has infinite values or none.

    Rings are integer wave numbers 0 ... L/2, L the longer side (one less for odd L); where the spacings differ, physical wave numbers as wide as the coarser
    axis resolves. NaN is filled with the mean of the rest.
    """
    known = np.isfinite(values)
    if np.isinf(values).any() or not known.any() or not (0 < dx < math.inf and 0 < dy < math.inf):
        return None
    ny, nx = values.shape
    power = np.abs(np.fft.fft2(np.where(known, values, values[known].mean()))) ** 2 / (nx * ny)
    if dy == dx or min(ny, nx) == 1:
        longest = max(nx, ny)
        count = longest // 2 + 1 if longest % 2 == 0 else max(longest // 2, 1)
        width, unit_y, unit_x = 1 / (longest * (dy if ny > nx else dx)), 1.0, 1.0
    else:
        unit_y, unit_x = 1 / (ny * dy), 1 / (nx * dx)
        width = max(unit_y, unit_x)
        count = math.floor(min(1 / (2 * dy), 1 / (2 * dx)) / width * (1 + 1e-12)) + 1
        unit_y, unit_x = unit_y / width, unit_x / width
    ky = unit_y * np.fft.fftfreq(ny, 1 / ny)[:, None]
    kx = unit_x * np.fft.fftfreq(nx, 1 / nx)[None, :]
    ring = np.floor(np.sqrt(ky**2 + kx**2) + 0.5).astype(int)
    inside = ring < count
    sums = np.bincount(ring[inside], weights=power[inside], minlength=count)
    return width * np.arange(count), sums / np.maximum(np.bincount(ring[inside], minlength=count), 1)
