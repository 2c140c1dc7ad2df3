// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/explained.hpp"

#include <algorithm>
#include <cmath>

#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {

void Products::add(std::span<double const> column, double weight) {
  double mean = 0, squares = 0, largest = 0;
  for (auto const value : column) {
    mean += value / double(runs_);
    largest = std::max(largest, std::abs(value));
  }
  standard_.assign(column.begin(), column.end());
  // In parts of the largest, so that no square overflows.
  for (auto& value : standard_) {
    value = (value - mean) / largest;
    squares += value * value;
  }
  constexpr double rounding = 1e-30;
  if (!(squares > rounding) || !std::isfinite(squares)) return;
  auto const scale = 1 / std::sqrt(squares / (double(runs_) - 1));
  for (auto& value : standard_) value *= scale;
  for (std::size_t i = 0; i < runs_; ++i) {
    auto const factor = weight * standard_[i];
    auto* row = &sums_[i * runs_];
    for (std::size_t j = 0; j < runs_; ++j) row[j] += factor * standard_[j];
  }
}

bool Products::empty() const {
  return std::ranges::all_of(sums_, [](double x) { return x == 0; });
}

Explained::Explained(Products const& products) : runs_{products.runs()} {
  forms_[0] = products.sums();
  double trace = 0;
  for (std::size_t i = 0; i < runs_; ++i) trace += forms_[0][i * runs_ + i];
  for (auto& sum : forms_[0]) sum /= trace;
  for (std::size_t kind = 1; kind < kinds; ++kind) {
    auto const ridge = ridges[kind - 1] / (double(runs_) - 1);
    auto matrix = forms_[0];
    for (std::size_t i = 0; i < runs_; ++i) matrix[i * runs_ + i] += ridge;
    // G (G + c)^-1 = 1 - c (G + c)^-1
    auto& form = forms_[kind] = inverse_of_definite(std::move(matrix), runs_);
    for (auto& element : form) element *= -ridge;
    for (std::size_t i = 0; i < runs_; ++i) form[i * runs_ + i] += 1;
  }
}

std::array<double, Explained::kinds> Explained::operator()(std::span<std::size_t const> group) const {
  // The labels, one within the group and zero elsewhere: their mean has no part, as rows sum to zero.
  std::array<double, kinds> explained{};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (auto const i : group) {
      auto const* row = &forms_[kind][i * runs_];
      for (auto const j : group) explained[kind] += row[j];
    }
  }
  return explained;
}

}  // namespace ulpine::verification::consistency
