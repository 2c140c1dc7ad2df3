// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "verification/comparison/compare.hpp"

// How many bits of fields hold under arithmetic that rounds at random (significant_digits.hpp, point by
// point).

namespace ulpine::verification {

struct DigitsOptions {
  double probability = 0.95;               ///< that a sample agrees to its significant bits
  double contributing_probability = 0.51;  ///< that a contributing bit is right
  double confidence = 0.95;
  /// What errors are held against.
  enum class Scale {
    field,    ///< one scale a field and time: `scales`, or where that has none its root mean square
    mean,     ///< each point's mean: the relative precision of verificarlo's significantdigits
    leading,  ///< the leading bit of each point's mean, the largest power of two that is no larger, 1 where
              ///< it is 0: the absolute precision of significantdigits (version 0.5)
  };
  Scale scale = Scale::field;
  std::map<std::string, double> scales = {};  ///< by field, in its units
  std::vector<std::string> variables = {};    ///< empty: all that change in time, or all
  int mantissa = 53;                          ///< bits of the arithmetic
  std::int64_t most_bytes = slab_bytes;       ///< memory for samples that are held at once
  /// Called with the part done and the field; may throw to stop.
  std::function<void(double, std::string const&)> progress = {};
};

/// Bits over the points of a field, one value a time; NaN where there is none, infinite where nothing
/// differs.
struct BitShares {
  std::vector<double> p05, p50, p95, least;  ///< quantiles over the points at which samples differ
  std::vector<double> norm;                  ///< bits of the root mean square over all points
};

/// Shares are of the points at which samples differ, but where said.
struct FieldDigits {
  std::string name, units;
  std::vector<double> time_s;  ///< since the first; one NaN without time axis
  std::vector<double> scale;   ///< that errors are relative to; NaN: each point has its own
  BitShares significant, contributing, general, parker;
  std::vector<double> differing;   ///< share of all points inside the domain
  std::vector<double> not_finite;  ///< share of all points: of those with a sample that is not finite
  std::vector<double> not_normal;  ///< rejected by normality() at `normality_level`
  /// Bits of the run in nearest rounding against the wider one, and shares of points where that run, and
  /// where samples (of all samples and points), agree with the wider run to their significant bits.
  std::optional<BitShares> wider;
  std::vector<double> baseline_within, samples_within;
  std::string note;
};

inline constexpr double normality_level = 0.01;

struct Digits {
  DigitsOptions options;
  std::int64_t samples = 0;
  std::vector<FieldDigits> fields;
  std::vector<std::string> notes;
  bool finite = true;  ///< in all samples wherever it is so in the first file
};

/// From the outputs of runs that differ in their random rounding alone; `baseline`, a run in nearest
/// rounding, and `wider`, one of an arithmetic so wide that its rounding does not count, may be empty. Times
/// are those that all samples have. Beyond `most_bytes` it holds 64 bytes a point. InputError for fewer than
/// two samples, and for files whose fields or times do not fit.
Digits digits_of(std::span<std::filesystem::path const> samples, std::filesystem::path const& baseline,
                 std::filesystem::path const& wider, DigitsOptions const& options);

/// The origin of samples that a report on their digits names.
struct DigitsRecord {
  std::string case_name, arithmetic, reference;  ///< empty: unknown
  std::optional<std::uint64_t> seed = {};
  std::vector<std::pair<std::string, std::string>> provenance = {};
  struct Stage {
    std::string name;
    Digits digits;  ///< with random rounding in that stage alone
  };
  std::vector<Stage> stages = {};
};

/// The field with the fewest significant bits in half of its points at the last time; null where none has
/// any.
FieldDigits const* weakest(Digits const& digits);

/// Schema ulpine.digits/1, sealed; what is not finite is null.
std::string to_json(Digits const& digits, DigitsRecord const& record);
/// The table for people, of the last time.
std::string to_text(Digits const& digits, DigitsRecord const& record);

}  // namespace ulpine::verification
