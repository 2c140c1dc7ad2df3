// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ulpine::verification {

/// How a field is prepared for its transform, and how modes are gathered in rings.
struct SpectrumOptions {
  enum class Rings {
    pysteps,  ///< by integer wave number round(sqrt(kx^2 + ky^2)), as pysteps, which has one spacing: mixes
              ///< scales on non-square domains
    physical  ///< by wave number in cycles per metre, rings as wide as the coarser axis resolves
  };
  Rings rings = Rings::pysteps;
  bool remove_plane = false;  ///< the least-squares plane is taken off first
  bool hann = false;          ///< a Hann window in both directions, power divided by its mean square
  bool normalise = false;     ///< ring values sum to 1
};

/// The named variants: "pysteps" (no detrending, no window), "windowed" (Hann after the mean is removed),
/// "detrended" (plane removed), "physical" (physical rings); InputError for others.
SpectrumOptions spectrum_variant(std::string const& name);
/// Names of the variants, null-terminated.
char const* const* spectrum_variants();

struct Spectrum {
  std::vector<double> wavenumber;   ///< cycles per metre (per grid cell where the spacing is unknown)
  std::vector<double> power;        ///< mean of |FFT|^2/(nx ny) over the ring, field units squared
  std::vector<std::int64_t> modes;  ///< modes in the ring
  double outside_power = 0;         ///< mean power over the modes that are in no ring; 0 where there is none
  std::int64_t outside_modes = 0;   ///< shorter waves than the last ring's: with the rings', ny x nx modes
  std::vector<std::string> notes;   ///< e.g. missing values filled
};

/// Radially averaged power spectral density of a row-major ny x nx field (pysteps' definition unless options
/// say otherwise): rings 0..L/2 for even L = max(nx, ny), 0..floor(L/2)-1 for odd L. Where dy and dx are not
/// the io::same_spacing() no ring of integer wave numbers holds waves of one length, so that rings are
/// physical whatever `options` say, with a note; the last one is where the coarser axis ends (as xrft's
/// truncated spectra). NaN is filled with the mean of the rest, with a note; InputError for infinite values,
/// a field without values, or a shape that does not fit. Runs on one thread with a transform of its own, so
/// the bits depend on nothing but the input; lengths with large prime factors cost their square.
Spectrum radial_spectrum(std::span<double const> field, std::int64_t ny, std::int64_t nx, double dy = 1,
                         double dx = 1, SpectrumOptions const& options = {});

/// log10(max(x, floor)); NaN stays. `floor` > 0.
std::vector<double> log10_floored(std::span<double const> values, double floor);
/// The number of values that log10_floored() raises to `floor`.
std::int64_t count_floored(std::span<double const> values, double floor);

}  // namespace ulpine::verification
