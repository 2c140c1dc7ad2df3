// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verification/consistency/consistency.hpp"

// Types and functions that the methods of consistency share, and the entry point of each method.

namespace ulpine::verification::consistency {

/// Parameters of one method as the user gave them ("pca.sigma=2"), each read once with its default and kept
/// for the record.
class Parameters {
 public:
  Parameters(std::string method, std::vector<std::pair<std::string, std::string>> const& given);
  /// A number in [least, most]; `fallback` where it was not given. InputError.
  double number(std::string const& key, double fallback, double least, double most);
  std::int64_t integer(std::string const& key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  /// One of `choices`; the first where it was not given. InputError.
  std::string choice(std::string const& key, std::vector<std::string> const& choices);
  bool given(std::string const& key) const { return given_.contains(key); }
  /// InputError for what was given and not read.
  void reject_unknown() const;
  std::vector<std::pair<std::string, std::string>> const& used() const { return used_; }

 private:
  std::string method_;
  std::map<std::string, std::string> given_;
  std::vector<std::pair<std::string, std::string>> used_;
};

/// The input of a method: the request, its parameters, and the false-alarm rate that it may spend.
struct Task {
  Request const& request;
  Parameters& parameters;
  double rate;
  double part = 1;  ///< share of the total false-alarm rate, and of all doubt

  /// A p-value of the method, adjusted for the other methods: at most the total rate where it is at most
  /// `rate`.
  double adjusted(double p) const { return p < part ? p / part : 1; }
};
/// Up to this adjusted p-value a method is in doubt.
inline constexpr double doubtful = 0.05;

Outcome principal_components(Task const& task);   // pca.cpp
Outcome tolerances(Task const& task);             // tolerance.cpp
Outcome two_sample(Task const& task);             // joint.cpp, single.cpp
Outcome time_step_convergence(Task const& task);  // timestep.cpp
Outcome perturbation_growth(Task const& task);    // growth.cpp

/// These two look at points, which are read once for both (points.hpp). The task has to last.
class PointMethod;
std::unique_ptr<PointMethod> outliers(Task const& task);        // outliers.cpp
std::unique_ptr<PointMethod> field_by_field(Task const& task);  // fieldwise.cpp

/// Numbers of the times of a variable that means and points are judged at: those at which members differ by
/// more than rounding.
std::vector<std::size_t> judged_times(Request const& request, std::size_t variable);

/// Runs in rows, variables in columns.
struct Table {
  std::vector<std::string> names;  ///< names of the columns
  std::vector<std::vector<double>> rows;

  std::size_t columns() const { return names.size(); }
  std::vector<double> column(std::size_t index) const;
};
/// Means of all members, of the variables or of their levels, that vary within them or between the tables and
/// are finite.
struct Means {
  Table ensemble, tests;
  /// Numbers of the columns of single times beside those of means over time; empty where there are none.
  std::vector<std::size_t> of_times = {};

  /// The same without these columns.
  Means over_time() const;
};
/// At the last time, as published rules take them; with Request::mean_alone the mean over time. `left_out`
/// gets a line for each that does not vary or is not finite.
Means means_of(Request const& request, std::vector<std::string>& left_out);
/// The mean over all times that are judged and, unless Request::mean_alone, each of them.
Means means_of_times(Request const& request, std::vector<std::string>& left_out);

/// An outcome that says why there is none.
Outcome not_applied(char const* method, std::string why);
Outcome without_power(char const* method, std::string why, std::int64_t needed, std::string of);

/// Random numbers of one draw: a pure function of seed, draw and how many were taken.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t draw);
  /// Uniform in [0, limit).
  std::size_t below(std::size_t limit);
  /// Uniform in (0, 1).
  double uniform();
  /// Standard normal (Box and Muller).
  double normal();

 private:
  std::uint64_t bits();
  std::uint32_t key_;
  std::uint64_t draw_, taken_ = 0;
};
/// The last `count` of `order` drawn at random from all of it (Fisher and Yates, who go on to the first).
void draw_last(std::span<std::size_t> order, std::size_t count, Draws& draws);

/// Which of n + m runs are new, drawn at random: the runs in orders of which the last m are; a pure function
/// of seed and number. Where there are few ways (at most 10^5) each of them but the true one comes once.
/// Keeps the first thousand, which most tests need no more of and several can share.
class Labellings {
 public:
  Labellings(std::size_t n, std::size_t m, std::uint64_t seed);
  /// How many there are, at most `most`.
  std::int64_t count(std::int64_t most) const {
    return ways_.empty() ? most : std::min(most, std::int64_t(ways_.size()));
  }
  /// Valid until the next call.
  std::span<std::size_t const> operator()(std::int64_t number);
  /// The runs as they are labelled in truth.
  std::vector<std::size_t> given() const;

 private:
  std::size_t n_, m_;
  std::uint64_t seed_;
  std::vector<std::vector<std::size_t>> kept_;
  std::vector<std::size_t> order_;
  std::vector<std::uint32_t> ways_;  ///< numbers of all ways but the true one, shuffled; empty: too many
};

/// How large statistics of two groups of runs may be, told by relabelling runs at random: that holds at any
/// rate, whatever the runs' distribution, where all are of one. Several families of statistics are brought to
/// one scale by what relabelled runs of each exceed at half the rate; the largest over the families decides
/// (single-step max T, Westfall and Young 1993, over families): families share the rate alike, however
/// heavy the tail of one is.
struct Relabelled {
  double p = 1;  ///< share of relabellings in which the largest is as large as the observed one
  std::int64_t count = 0;
  std::vector<double> scales;   ///< scale of each family; 1 if there is one
  std::vector<double> largest;  ///< over the scaled families, of each relabelling; sorted
  double limit = 0;             ///< exceeded by `largest` at the rate; its maximum where they are too few
  /// The value that relabelled runs exceed at the rate, in units of the family.
  double limit_of(std::size_t family = 0) const { return limit * scales[family]; }
  /// Share of relabellings in which some family is as far out as `value` is in this one, but for rounding.
  double share_of(double value, std::size_t family = 0) const;
};
/// The observed statistics, the first of each family, among those of relabelled runs: [family][labelling].
Relabelled ranked(std::vector<std::vector<double>> const& statistics, double rate);
/// The largest of each family, for the runs in an order of which the first are one group, the others the
/// second.
using Statistics = std::function<void(std::span<std::size_t const> order, std::span<double> largest)>;
/// 40 / rate relabellings; fewer where a fifth of them is as large as what is observed, or where after a
/// quarter of them fewer than a fifth of the rate is (stopping there adds less than 10^-6 to the rate).
Relabelled relabel(Labellings& labellings, double rate, std::size_t families, Statistics const& statistics);
/// As above, for a single statistic.
Relabelled relabel(Labellings& labellings, double rate,
                   std::function<double(std::span<std::size_t const> order)> const& statistic);
/// Whether the runs can be labelled in enough ways to reject at the rate.
bool can_relabel(std::size_t n, std::size_t m, double rate);
/// The least n with which they can.
std::int64_t members_to_relabel(std::size_t m, double rate);

/// A standard normal deviate that is exceeded as often as Student's |t| of `freedom` degrees (Wallace 1959,
/// Ann. Math. Statist. 30, 1124: within 0.3 % of the deviate), with t's sign.
double deviate_of_t(double t, double freedom);
/// The standard normal deviate of a ratio of variances with their degrees of freedom (Paulson 1942, Ann.
/// Math. Statist. 13, 233); positive where the ratio is above its median.
double deviate_of_ratio(double ratio, double freedom_above, double freedom_below);
/// As deviate_of_ratio(), of the second variance over the first, given sums of squares; finite also for 0.
double deviate_of_squares(double first, double freedom_first, double second, double freedom_second);
/// The deviate that a standard normal one exceeds in size with probability `share`.
double two_sided_deviate(double share);
/// Quantile of Student's distribution.
double student_quantile(double share, double freedom);

/// Values in standard deviations about their mean; zeros where all are the same.
std::vector<double> standardised(std::vector<double> values);
/// Each value's normal score, the normal quantile of rank / (count + 1) (van der Waerden 1952); tied values
/// have the mean of theirs. Whatever the values' distribution, the scores' is normal.
std::vector<double> normal_scores(std::span<double const> values);

/// Eigenvalues of a symmetric matrix (n x n, row-major) by Jacobi's rotations, largest first, and in rows
/// the eigenvectors, the largest part of each positive.
struct Eigen {
  std::vector<double> values;
  std::vector<std::vector<double>> vectors;
};
Eigen eigen_of_symmetric(std::vector<double> matrix, std::size_t n);
/// Inverse of a symmetric positive definite matrix by Cholesky's factors; empty where it is not definite.
std::vector<double> inverse_of_definite(std::vector<double> matrix, std::size_t n);

}  // namespace ulpine::verification::consistency
