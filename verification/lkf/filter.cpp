// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "verification/lkf/stages.hpp"

namespace ulpine::lkf::detail {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr int bins = 256;

/// numpy's sum of a short array: eight partial sums from eight terms on.
double sum_as_numpy(std::vector<double> const& x) {
  double total = 0;
  std::size_t i = 0;
  if (x.size() >= 8) {
    std::array<double, 8> r;
    std::copy_n(x.begin(), 8, r.begin());
    for (i = 8; i + 8 <= x.size(); i += 8) {
      for (std::size_t k = 0; k < 8; ++k) r[k] += x[i + k];
    }
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }
  for (; i < x.size(); ++i) total += x[i];
  return total;
}

/// Normalised Gaussian weights for the distances 0..radius, cut off at two standard deviations.
std::vector<double> gaussian_weights(double sigma) {
  auto const radius = static_cast<int>(2 * sigma + 0.5);
  std::vector<double> all;
  for (int x = -radius; x <= radius; ++x) all.push_back(std::exp(-0.5 / (sigma * sigma) * (x * x)));
  auto const total = sum_as_numpy(all);
  std::vector<double> weights;
  for (int k = 0; k <= radius; ++k) weights.push_back(all[radius + k] / total);
  return weights;
}

/// Index into 0..n-1 of the sequence continued by mirrors that repeat the edge sample.
std::int64_t mirrored(std::int64_t i, std::int64_t n) {
  auto const m = ((i % (2 * n)) + 2 * n) % (2 * n);
  return m < n ? m : 2 * n - 1 - m;
}

}  // namespace

std::vector<double> equalise(std::span<double const> eps) {
  std::vector<double> field(eps.size());
  double lo = std::numeric_limits<double>::infinity();
  double hi = -lo;
  std::int64_t valid = 0;
  for (std::size_t p = 0; p < eps.size(); ++p) {
    auto const logarithm = std::log(eps[p]);
    field[p] = std::isfinite(logarithm) ? logarithm : nan;
    if (std::isnan(field[p])) continue;
    lo = std::min(lo, logarithm);
    hi = std::max(hi, logarithm);
    ++valid;
  }
  if (valid == 0 || lo == hi) {
    for (auto& x : field) x = std::isnan(x) ? nan : 0;
    return field;
  }

  std::array<double, bins> centres;
  for (int i = 0; i < bins; ++i) centres[i] = lo + i * ((hi - lo) / (bins - 1));
  centres.back() = hi;
  auto const width = centres[1] - centres[0];
  std::array<double, bins + 1> edges;
  for (int i = 0; i < bins; ++i) edges[i] = centres[i] - width;
  edges.back() = hi + width;
  auto const bin = [&](double x) {
    auto const above = std::upper_bound(edges.begin(), edges.end(), x) - edges.begin();
    return std::clamp<std::int64_t>(above - 1, 0, bins - 1);
  };

  std::array<std::int64_t, bins> counts{};
  for (auto const x : field) {
    if (!std::isnan(x)) ++counts[bin(x)];
  }
  std::array<double, bins> levels;
  double share = 0;
  for (int i = 0; i < bins; ++i) {
    share += static_cast<double>(counts[i]) / static_cast<double>(valid);
    levels[i] = std::floor((bins - 1) * share);
  }
  for (auto& x : field) {
    if (!std::isnan(x)) x = levels[bin(x)];
  }
  return field;
}

std::vector<double> smooth(std::span<double const> in, std::int64_t rows, std::int64_t columns,
                           std::span<double const> weights) {
  auto const radius = static_cast<std::int64_t>(weights.size()) - 1;
  std::vector<double> across(in.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    auto* out = &across[i * columns];
    for (std::int64_t j = 0; j < columns; ++j) out[j] = in[i * columns + j] * weights[0];
    for (auto k = radius; k >= 1; --k) {
      auto const* before = &in[mirrored(i - k, rows) * columns];
      auto const* after = &in[mirrored(i + k, rows) * columns];
      for (std::int64_t j = 0; j < columns; ++j) out[j] += (before[j] + after[j]) * weights[k];
    }
  }
  std::vector<double> out(in.size());
  std::vector<double> line(columns + 2 * radius);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = -radius; j < columns + radius; ++j) {
      line[j + radius] = across[i * columns + mirrored(j, columns)];
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      auto const* centre = &line[j + radius];
      auto sum = centre[0] * weights[0];
      for (auto k = radius; k >= 1; --k) sum += (centre[-k] + centre[k]) * weights[k];
      out[i * columns + j] = sum;
    }
  }
  return out;
}

std::vector<double> difference_of_gaussians(std::span<double const> field, std::int64_t rows,
                                            std::int64_t columns, double min_kernel, double max_kernel) {
  // The kernels are those of numpy.arange(min_kernel, max_kernel + 1): with fractions the last can exceed
  // max_kernel.
  auto const last_kernel = min_kernel + std::ceil(max_kernel + 1 - min_kernel) - 1;
  std::vector<double> filled(field.begin(), field.end());
  std::vector<double> valid(field.size(), 1);
  for (std::size_t p = 0; p < field.size(); ++p) {
    if (std::isnan(field[p])) filled[p] = valid[p] = 0;
  }
  auto const mean = [&](double sigma) {
    auto const weights = gaussian_weights(sigma);
    auto result = smooth(filled, rows, columns, weights);
    auto const share = smooth(valid, rows, columns, weights);
    for (std::size_t p = 0; p < result.size(); ++p) result[p] /= share[p];
    return result;
  };
  auto result = mean(0.5 * min_kernel);
  auto const wide = mean(0.5 * last_kernel);
  for (std::size_t p = 0; p < result.size(); ++p) result[p] -= wide[p];
  return result;
}

}  // namespace ulpine::lkf::detail
