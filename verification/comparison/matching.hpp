// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// Pairs of indices of equal times: each time with the nearest one of the other list, nearer than half the
/// smallest interval of either list (equal but for rounding where there is no interval). In the order of the
/// times; NaN has no partner, of equal times the last writing counts (last_writings()).
std::vector<std::pair<std::size_t, std::size_t>> match_times(std::span<double const> reference,
                                                             std::span<double const> test);

/// Why the times of two axes name nothing common, as dates of calendars that have other days; empty where
/// they may. Each has a time.
std::string time_refusal(io::TimeAxis const& reference, io::TimeAxis const& test);

/// Along which axis each dimension of a field runs, as its coordinate says or its name lets think.
std::vector<std::string> axes_of(io::FieldInfo const& field,
                                 std::vector<std::optional<io::GridCoordinate>> const& coordinates);
/// Why dimensions along such axes do not go together one by one; empty where they do.
std::string order_difference(std::vector<std::string> const& dimensions_y,
                             std::vector<std::string> const& axes_y,
                             std::vector<std::string> const& dimensions_x,
                             std::vector<std::string> const& axes_x);
/// By how much equal coordinates may differ whose largest size is `scale`: what the rounding of the stored
/// types makes.
double coordinate_tolerance(io::GridCoordinate const& reference, io::GridCoordinate const& test,
                            double scale);

/// Times that are written more than once, as by a model that was restarted, are there once: by their last
/// writing. Indices of these, in their order in the file.
std::vector<std::size_t> last_writings(std::span<double const> times);

/// Time indices of both files, and the time itself.
struct CommonTime {
  std::int64_t reference = -1, test = -1;
  /// In the reference: s since the date that its units name, or of the run; the stored number or the index
  /// where its unit is unknown. NaN without a time axis.
  double time_s = std::numeric_limits<double>::quiet_NaN();
  std::string date = {};  ///< "2000-01-31 06:00:00"; empty where the reference has no dates
};

struct CommonTimes {
  std::vector<CommonTime> times;
  std::string refusal;  ///< why times cannot be matched; then there are none
  bool other_calendar =
      false;  ///< they are refused since they are other dates, not since they cannot be read
  std::vector<std::string> notes;
  std::string left_out;  ///< the times that have no partner, for people; empty where there are none
  std::string assumed;   ///< what was assumed or ignored about times; empty: nothing
  bool apart = false;    ///< some times differ by more than their rounding from the nearest they go with
};

/// How far the values of two files under one name are known to agree.
enum class Sameness {
  bits,    ///< the same type and the same bits
  values,  ///< other types or bits, the same numbers
  no,      ///< there is a difference
  unknown  ///< not all was seen
};

/// The agreement of two coordinates (bounds, texts, mappings) of one name.
struct PlaceAgreement {
  Sameness same = Sameness::unknown;
  std::string difference = {};  ///< what differs or was not seen, for people
};

/// Which values of two files belong together. Keeps the answers on coordinates, which variables share.
class Matching {
 public:
  /// Holds at most `most_values` of a file's coordinate in memory at once.
  Matching(io::InputFile const& reference, io::InputFile const& test, std::int64_t most_values);

  /// By dates where both files have them, else by the times of the runs, else in their order; without time
  /// axes one pair. Files whose times are the same numbers go together record by record; else of a time that
  /// is written more than once the last writing counts.
  CommonTimes times(std::string const& variable) const;
  /// Why the fields cannot be compared point by point: another shape or order of dimensions, or coordinates
  /// that differ by more than the rounding of the stored types: those of dimensions and all that
  /// `coordinates` names, texts, scalars and places that move in time included. Empty where they can. Without
  /// coordinates in both files the position counts.
  std::string grid_mismatch(std::string const& variable, std::vector<std::string>& notes);
  /// Which coordinates or mappings the two files name differently for a variable; empty where they name the
  /// same, or one of them none.
  std::string other_places(std::string const& variable) const;
  /// Why fields that can be compared may mean something else all the same: their files name other coordinates
  /// or flags for them, or one of them none. Empty where nothing is in doubt.
  std::string doubt(std::string const& variable) const;
  /// Whether a coordinate, bounds or a grid mapping that both files have agrees. Times are compared as
  /// instants, mappings by all their attributes.
  PlaceAgreement agreement(std::string const& place) const;

 private:
  std::string compare_coordinates(io::GridCoordinate const& reference, io::GridCoordinate const& test,
                                  std::vector<std::string>& notes);
  /// How two coordinates differ by more than the rounding of the stored types; empty where they do not.
  std::string difference_of(io::GridCoordinate const& reference, io::GridCoordinate const& test) const;
  /// Why a grid mapping is another one; empty where it is not, or `place` is none.
  std::string mapping_difference(std::string const& place) const;
  PlaceAgreement agreement_at(std::string const& place, std::vector<CommonTime> const& times) const;
  PlaceAgreement compare_labels(std::string const& reference, std::string const& test) const;

  io::InputFile const& reference_;
  io::InputFile const& test_;
  std::int64_t most_values_;
  std::map<std::pair<std::string, std::string>, std::string> known_;  ///< differences by names of coordinates
};

}  // namespace ulpine::verification
