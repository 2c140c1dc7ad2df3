// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/spectrum.hpp"
#include "precision/exact_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "io/axis.hpp"
#include "io/error.hpp"

namespace ulpine::verification {
namespace {

struct Complex {
  double re = 0, im = 0;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/// exp(-2 pi i k/n) with angles reduced to an eighth of the circle, so that symmetric roots are exactly
/// symmetric.
Complex root_of_unity(std::int64_t k, std::int64_t n) {
  std::int64_t eighths = 8 * k, octant = eighths / n;
  std::int64_t rest = eighths - octant * n;  // eighths of the circle times n, past the octant's start
  if (octant % 2 == 1) {
    rest = n - rest;
  }
  long double const angle =
      std::numbers::pi_v<long double> / 4 * static_cast<long double>(rest) / static_cast<long double>(n);
  double c = double(std::cos(angle)), s = double(std::sin(angle));
  if (octant % 4 == 1 || octant % 4 == 2) {
    std::swap(c, s);
  }
  bool const left = octant >= 2 && octant < 6, lower = octant >= 4;
  return {left ? -c : c, lower ? s : -s};
}

/// Discrete Fourier transform of any length by its prime factors, decimation in time.
class Transform {
 public:
  explicit Transform(std::int64_t n) : n_(n), roots_(std::size_t(n)) {
    for (std::int64_t k = 0; k < n; ++k) {
      roots_[k] = root_of_unity(k, n);
    }
    std::int64_t rest = n;
    for (std::int64_t p = 2; rest > 1; ++p) {
      if (p * p > rest) {
        p = rest;
      }
      for (; rest % p == 0; rest /= p) {
        factors_.push_back(p);
      }
    }
    scratch_.resize(factors_.empty() ? 1 : std::size_t(*std::max_element(factors_.begin(), factors_.end())));
  }

  void forward(Complex const* in, Complex* out) { part(in, 1, out, n_, 0); }

 private:
  void part(Complex const* in, std::int64_t stride, Complex* out, std::int64_t n, std::size_t factor) {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    std::int64_t const p = factors_[factor], m = n / p;
    for (std::int64_t r = 0; r < p; ++r) {
      part(in + r * stride, stride * p, out + r * m, m, factor + 1);
    }
    std::int64_t const step = n_ / n, step_p = n_ / p;
    for (std::int64_t k = 0; k < m; ++k) {
      for (std::int64_t r = 0; r < p; ++r) {
        scratch_[r] = out[r * m + k] * roots_[r * k * step];
      }
      for (std::int64_t q = 0; q < p; ++q) {
        Complex sum = scratch_[0];
        for (std::int64_t r = 1, index = q; r < p; ++r, index = index + q < p ? index + q : index + q - p) {
          sum = sum + scratch_[r] * roots_[index * step_p];
        }
        out[q * m + k] = sum;
      }
    }
  }

  std::int64_t n_;
  std::vector<Complex> roots_, scratch_;
  std::vector<std::int64_t> factors_;
};

/// |FFT|^2 of a real ny x nx field.
std::vector<double> power_of_modes(std::vector<double> const& field, std::int64_t ny, std::int64_t nx) {
  std::vector<Complex> rows(field.size()), in(std::size_t(std::max(nx, ny))), out(in.size());
  Transform along_x(nx), along_y(ny);
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      in[i] = {field[j * nx + i], 0};
    }
    along_x.forward(in.data(), &rows[j * nx]);
  }
  std::vector<double> power(field.size());
  for (std::int64_t i = 0; i < nx; ++i) {
    for (std::int64_t j = 0; j < ny; ++j) {
      in[j] = rows[j * nx + i];
    }
    along_y.forward(in.data(), out.data());
    for (std::int64_t j = 0; j < ny; ++j) {
      power[j * nx + i] = out[j].re * out[j].re + out[j].im * out[j].im;
    }
  }
  return power;
}

double mean_of(std::span<double const> values) { return exact_sum(values) / double(values.size()); }

void subtract_mean(std::vector<double>& values) {
  double const mean = mean_of(values);
  for (double& value : values) {
    value -= mean;
  }
}

/// Takes off a + b x + c y of least squares; on a full grid with centred coordinates the three are
/// independent.
void subtract_plane(std::vector<double>& field, std::int64_t ny, std::int64_t nx) {
  subtract_mean(field);
  auto const centred = [](std::int64_t i, std::int64_t n) { return double(i) - double(n - 1) / 2; };
  ExactSum along_x, along_y, square_x, square_y;
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      double const x = centred(i, nx), y = centred(j, ny);
      along_x.add(x * field[j * nx + i]);
      along_y.add(y * field[j * nx + i]);
      square_x.add(x * x);
      square_y.add(y * y);
    }
  }
  double const slope_x = nx > 1 ? along_x.to_double() / square_x.to_double() : 0;
  double const slope_y = ny > 1 ? along_y.to_double() / square_y.to_double() : 0;
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      field[j * nx + i] -= slope_x * centred(i, nx) + slope_y * centred(j, ny);
    }
  }
}

/// Multiplies by Hann windows centred on the domain; returns the mean square of the window.
double apply_hann(std::vector<double>& field, std::int64_t ny, std::int64_t nx) {
  auto const hann = [](std::int64_t i, std::int64_t n) {
    double const s = std::sin(std::numbers::pi * (double(i) + 0.5) / double(n));
    return s * s;
  };
  ExactSum square;
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      double const w = hann(i, nx) * hann(j, ny);
      field[j * nx + i] *= w;
      square.add(w * w);
    }
  }
  return square.to_double() / double(field.size());
}

/// Field with NaN filled by the mean of the rest, noted.
std::vector<double> filled(std::span<double const> field, std::vector<std::string>& notes) {
  ExactSum sum;
  std::int64_t present = 0;
  for (double const value : field) {
    if (std::isinf(value)) {
      throw InputError("no spectrum of a field with infinite values (the run blew up?)");
    }
    if (!std::isnan(value)) {
      sum.add(value);
      ++present;
    }
  }
  if (present == 0) {
    throw InputError("no spectrum of a field without values (all are missing)");
  }
  std::vector<double> result(field.begin(), field.end());
  if (present < std::int64_t(field.size())) {
    double const mean = sum.to_double() / double(present);
    std::replace_if(
        result.begin(), result.end(), [](double value) { return std::isnan(value); }, mean);
    notes.push_back(std::to_string(std::int64_t(field.size()) - present) + " of " +
                    std::to_string(field.size()) +
                    " values are missing and were filled with the mean of the others");
  }
  return result;
}

/// Rings of modes: how many, how far apart in wave number, and which one a mode belongs to.
struct RingPlan {
  std::int64_t rings;
  double width;   ///< cycles per metre
  double ky, kx;  ///< ring widths per mode number
};

/// Along one row or column a mode number is a wave number whatever the other spacing is.
bool spacings_differ(std::int64_t ny, std::int64_t nx, double dy, double dx) {
  return dy != dx && ny > 1 && nx > 1;
}

RingPlan plan_rings(std::int64_t ny, std::int64_t nx, double dy, double dx, SpectrumOptions::Rings rings) {
  if (rings == SpectrumOptions::Rings::pysteps && !spacings_differ(ny, nx, dy, dx)) {
    std::int64_t const longest = std::max(nx, ny);
    return {longest % 2 == 0 ? longest / 2 + 1 : std::max<std::int64_t>(longest / 2, 1),
            1 / (double(longest) * (ny > nx ? dy : dx)), 1, 1};
  }
  double const unit_y = 1 / (double(ny) * dy), unit_x = 1 / (double(nx) * dx);
  double const width = std::max(unit_y, unit_x);
  double const nyquist = std::min(1 / (2 * dy), 1 / (2 * dx));
  // The last ring is the one whose centre is at most the coarser Nyquist wave number, to within rounding.
  return {std::int64_t(std::floor(nyquist / width * (1 + 1e-12))) + 1, width, unit_y / width, unit_x / width};
}

/// Notes for the reader where rings mix wavelengths or are cut: spacings differ, or the domain is no square.
void note_rings(std::int64_t ny, std::int64_t nx, double dy, double dx, std::vector<std::string>& notes) {
  if (spacings_differ(ny, nx, dy, dx)) {
    notes.push_back(
        fmt::format("the spacings differ (dy {:g}, dx {:g}): rings are by physical wave number, up to the "
                    "shortest wave of the coarser axis",
                    dy, dx));
  } else if (ny != nx && ny > 1 && nx > 1) {
    notes.push_back(fmt::format(
        "the domain is not square ({} x {}): rings count waves across it, as pysteps does, and mix "
        "waves of different length (the variant physical does not)",
        ny, nx));
  }
}

constexpr char const* variant_names[] = {"pysteps", "windowed", "detrended", "physical", nullptr};

}  // namespace

char const* const* spectrum_variants() { return variant_names; }

SpectrumOptions spectrum_variant(std::string const& name) {
  SpectrumOptions options;
  if (name == "windowed") {
    options.hann = true;
  } else if (name == "detrended") {
    options.remove_plane = true;
  } else if (name == "physical") {
    options.rings = SpectrumOptions::Rings::physical;
  } else if (name != "pysteps") {
    throw InputError("unknown spectrum variant '" + name + "'" +
                     choices_hint(name, {std::begin(variant_names), std::end(variant_names) - 1}));
  }
  return options;
}

Spectrum radial_spectrum(std::span<double const> field, std::int64_t ny, std::int64_t nx, double dy,
                         double dx, SpectrumOptions const& options) {
  if (ny < 1 || nx < 1 || std::int64_t(field.size()) != ny * nx) {
    throw InputError("no spectrum of " + std::to_string(field.size()) + " values as " + std::to_string(ny) +
                     " x " + std::to_string(nx) + " (the field must be two-dimensional)");
  }
  if (!(dy > 0) || !(dx > 0) || std::isinf(dy) || std::isinf(dx)) {
    throw InputError("no spectrum with a grid spacing that is not positive");
  }
  io::even_out(dy, dx);
  auto const plan = plan_rings(ny, nx, dy, dx, options.rings);
  if (!std::isfinite(plan.width) || plan.width == 0) {
    throw InputError(
        fmt::format("no spectrum with spacings of {:g} and {:g} (its wave numbers leave the range "
                    "of double) check the coordinates",
                    dy, dx));
  }
  Spectrum result;
  if (options.rings == SpectrumOptions::Rings::pysteps) {
    note_rings(ny, nx, dy, dx, result.notes);
  }
  auto values = filled(field, result.notes);
  if (options.remove_plane) {
    subtract_plane(values, ny, nx);
  } else if (options.hann) {
    subtract_mean(values);
  }
  double const window = options.hann ? apply_hann(values, ny, nx) : 1;
  auto const power = power_of_modes(values, ny, nx);

  std::vector<ExactSum> sums(std::size_t(plan.rings));
  ExactSum outside;
  result.modes.resize(std::size_t(plan.rings));
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      double const ky = plan.ky * double(j < (ny + 1) / 2 ? j : j - ny);
      double const kx = plan.kx * double(i < (nx + 1) / 2 ? i : i - nx);
      auto const ring = std::int64_t(std::round(std::sqrt(ky * ky + kx * kx)));
      if (ring < plan.rings) {
        sums[ring].add(power[j * nx + i]);
        ++result.modes[ring];
      } else {
        outside.add(power[j * nx + i]);
        ++result.outside_modes;
      }
    }
  }
  auto const mean = [&](ExactSum const& sum, std::int64_t modes) {
    return sum.to_double() / double(std::max<std::int64_t>(modes, 1)) / (double(nx) * double(ny)) / window;
  };
  for (std::int64_t ring = 0; ring < plan.rings; ++ring) {
    result.wavenumber.push_back(double(ring) * plan.width);
    result.power.push_back(mean(sums[ring], result.modes[ring]));
  }
  result.outside_power = mean(outside, result.outside_modes);
  if (options.normalise) {
    double const total = exact_sum(result.power);
    auto const share = [&](double value) { return total > 0 ? value / total : 0; };
    std::ranges::transform(result.power, result.power.begin(), share);
    result.outside_power = share(result.outside_power);
  }
  return result;
}

std::vector<double> log10_floored(std::span<double const> values, double floor) {
  std::vector<double> result;
  for (double const value : values) {
    result.push_back(value < floor ? std::log10(floor) : std::log10(value));
  }
  return result;
}

std::int64_t count_floored(std::span<double const> values, double floor) {
  return std::ranges::count_if(values, [&](double value) { return value < floor; });
}

}  // namespace ulpine::verification
