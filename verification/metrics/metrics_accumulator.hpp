// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "verification/metrics/metrics.hpp"
#include "verification/metrics/wide_sum.hpp"

namespace ulpine::verification {

/// A part of two fields; all spans are of one size or, but for the first two, empty.
struct FieldPart {
  std::span<double const> test, reference;
  std::span<double const> weights = {};
  /// The remainders of 64-bit integers that double rounds beyond 2^53, one per value; empty: none.
  std::span<double const> test_low = {}, reference_low = {};
};

/// How places are treated at which one side alone has a value, and infinite values.
enum class OneSidedValues {
  fail,   ///< the fields cannot be compared: every value is a failure
  count,  ///< they are counted and left out, as are infinities that are the same on both sides
};

/// The metrics of compute_metrics() for fields that come in parts, each seen once and in any order: the bits
/// of the result depend neither on the order nor on the cuts. Holds about 20 KiB, however long the fields
/// are.
class MetricsAccumulator {
 public:
  /// Names the place of the part's value i in messages; by default counted from the first one added.
  using Place = std::function<std::int64_t(std::size_t i)>;

  explicit MetricsAccumulator(OneSidedValues one_sided = OneSidedValues::fail, UlpUnit unit = {})
      : one_sided_values_{one_sided}, unit_{unit} {}

  /// Parts have weights all or none. False where the fields cannot be compared; of what is added then only
  /// differing places are counted, and where one-sided values fail not even these.
  bool add(FieldPart const& part, Place const& place = {});
  Metrics finish() const;

 private:
  enum class Pair { usable, left_out, failed };
  /// The place of value i of a part, found where it is asked for.
  struct Where {
    Place const& place;
    std::size_t i;
    std::int64_t before;  ///< values of the parts before
    std::int64_t operator()() const { return place ? place(i) : before + std::int64_t(i); }
  };
  /// Counts a pair, and says whether it takes part in the metrics.
  Pair look_at(double x, double y, double x_low, double y_low, Where const& where);
  void set_failure(std::string const& reason, Where const& where);
  void set_differing(double difference, Where const& where);

  void add_pair(double x, double y, double x_low, double y_low, double weight, bool weighted);

  OneSidedValues one_sided_values_;
  UlpUnit unit_;
  std::string failure_;
  std::int64_t values_ = 0, points_ = 0, weightless_ = 0, differing_ = 0, unseen_ = 0;
  OneSided one_sided_;
  std::optional<std::int64_t> first_differing_, largest_at_;
  double largest_ = 0;
  UlpHistogram histogram_{};
  std::uint64_t max_ulp_ = 0;
  double linf_ = 0;
  bool positive_ = true, constant_test_ = true, constant_reference_ = true;
  struct {
    double test, test_low, reference, reference_low;
  } first_ = {};
  WideMoments moments_;
  WideSum magnitude_, good_, log_ratio_;  ///< sums of |x-y|, of the good of fac2, of ln(y/x)
  WideSum squared_error_, squared_reference_, squared_log_ratio_;  ///< each square rounded as double's
};

}  // namespace ulpine::verification
