// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace ulpine::verification::consistency {

/// Products of runs over many columns (variables, points): of each two runs the sum of the products of their
/// values, in standard deviations about the mean of all runs. Which of the runs are new changes nothing of
/// it.
class Products {
 public:
  explicit Products(std::size_t runs) : runs_{runs}, sums_(runs * runs, 0) {}
  /// Adds a column, a value a run; nothing where a value is not finite or all are the same.
  void add(std::span<double const> column, double weight = 1);
  std::size_t runs() const { return runs_; }
  std::vector<double> const& sums() const { return sums_; }  ///< runs x runs, row-major
  bool empty() const;

 private:
  std::size_t runs_;
  std::vector<double> sums_, standard_;
};

/// What a division of the runs into two groups explains of their differences: how far their means are apart,
/// and the same in the metric of the runs' own spread, where much varies in common directions (Hotelling's
/// T^2 with a ridge: the quadratic form of the labels in G (G + c)^-1, with the products G). The farther a
/// change puts the groups apart, in whatever direction, the more the true division explains, and no other
/// explains as much. Ridges are in parts of the mean eigenvalue.
class Explained {
 public:
  static constexpr std::array<double, 2> ridges = {1, 0.1};
  static constexpr std::size_t kinds = 1 + ridges.size();  ///< distance, then each ridge

  explicit Explained(Products const& products);
  /// Of the division into `group` and the others, a value for each kind.
  std::array<double, kinds> operator()(std::span<std::size_t const> group) const;

 private:
  std::size_t runs_;
  std::array<std::vector<double>, kinds> forms_;  ///< runs x runs; rows sum to zero
};

}  // namespace ulpine::verification::consistency
