// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/comparison/matching.hpp"
#include "verification/metrics/metrics.hpp"
#include "verification/metrics/vectors.hpp"
#include "verification/metrics/weighting.hpp"

namespace ulpine::verification {

/// The place where two fields differ most at one time.
struct LargestDifference {
  std::vector<std::pair<std::string, std::int64_t>> index;       ///< along each dimension but time, from 0
  std::vector<std::pair<std::string, std::string>> coordinates;  ///< name and value, of those that are known
};

/// Two fields at one time.
struct TimeComparison {
  double time_s = 0;      ///< CommonTime::time_s
  std::string date = {};  ///< CommonTime::date
  Metrics metrics = {};
  std::optional<LargestDifference> largest = {};  ///< the largest difference; of whole fields that differ

  /// "2000-01-31 06:00:00", "3600 s"; "-" without a time.
  std::string time_text() const;
};

/// Metrics of one variable, or of the speed of a vector's components, whole or of one level.
struct VariableComparison {
  std::string name;  ///< "T", "speed(u,v)", and of a level "T[lev=3]"
  std::string units = {};
  std::string weights = {};  ///< what weighted them (Weighting::name); empty: none
  bool derived = false;      ///< a speed or a level, which says nothing that the variables do not
  bool labels = false;       ///< values without numbers, of which only whether they are equal is told
  Sameness same = Sameness::unknown;       ///< over all times that were compared
  std::string unseen = {};                 ///< why not all of its values were seen; empty where all were
  std::int64_t compared_times = 0;         ///< 1 without a time axis
  std::int64_t differing = 0;              ///< Metrics::differing, over all times that were compared
  std::vector<TimeComparison> times = {};  ///< each that was asked for; else the worst alone

  /// Why it, or its first time that cannot be compared, could not be; empty where all could.
  std::string failure() const;
  /// Places, over all times that were compared, at which one file alone has a value.
  std::int64_t one_sided = 0;
};

/// Whether two files are equal.
enum class Equality {
  yes,     ///< all that is in both was looked at, and agreed
  no,      ///< a difference was found
  unknown  ///< nothing that was looked at differs, but not all was
};

/// Something that was not looked at.
struct NotCompared {
  std::string subject;      ///< name of a variable or coordinate; empty: of several
  std::string line;         ///< what was not looked at, and why, for people
  bool by_request = false;  ///< the caller left it out
};

struct Comparison {
  std::vector<VariableComparison> variables;
  std::vector<std::pair<std::string, PlaceAgreement>>
      places;  ///< coordinates, bounds, mappings of both files
  std::vector<std::string> only_in_reference, only_in_test;
  bool other_times = false;               ///< a time is in one file only, or not the same in both
  std::vector<NotCompared> not_compared;  ///< in the order in which it was found
  std::vector<std::string> notes;

  Equality equal() const;
  /// Every variable, and each of its points, could be compared: none has another shape, place or calendar, is
  /// missing or NaN on one side, or infinite.
  bool usable() const;
};

/// Most bytes of each file's values that compare() holds at once.
inline constexpr std::int64_t slab_bytes = std::int64_t{32} << 20;

/// The times that are compared and listed.
enum class Times {
  worst,  ///< all are compared; of each variable that with the largest difference is listed
  all,    ///< all are compared and listed
  last    ///< the last common one is compared
};

/// Which variables and times of two files are compared, and how they are weighted.
struct ComparisonOptions {
  std::vector<std::string> variables = {};  ///< all common ones where empty
  Times times = Times::worst;
  bool by_level = false;  ///< also each level of variables that have some (vertical_dimension()) by itself
  Weighting weighting = {};
  std::int64_t most_bytes = slab_bytes;
  /// Called with each variable, speed and level at each time that is compared, in the order of the file's
  /// variables and of the times; may be empty. The place of the largest difference is not told.
  std::function<void(VariableComparison const& variable, TimeComparison const& time)> each_time = {};
};

/// Compares the variables and the speeds of vectors among them. Fields of any size are read in parts of at
/// most `most_bytes` a file, weights included, or one chunk where that is larger. A variable that cannot be
/// read fails by itself, unless reading fails of all. InputError where a variable asked for is missing on a
/// side, nothing is common, or no variable has the weights that were named.
Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   ComparisonOptions const& options);
/// As compare() above, weighted by the reference's cell measures.
Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables = {}, Times times = Times::worst,
                   std::int64_t most_bytes = slab_bytes);

struct LimitsReport;  // limits.hpp
/// One object of metrics and counts per variable (docs/reference/comparing.md); with Times::all a list of
/// them. An undefined value is null, its reason is under "undefined" as "name.metric" (name[i].metric in a
/// list). Where limits were judged, they stand under "limits".
std::string to_json(Comparison const& comparison, Times times, LimitsReport const* limits = nullptr);
/// A table for people: one line per variable and listed time, then what is to be said, then whether the files
/// are equal.
std::string to_text(Comparison const& comparison, Times times = Times::worst);
/// The last line of it.
std::string words_of_equality(Comparison const& comparison);

}  // namespace ulpine::verification
