// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/joined_plan.hpp"
#include "io/part_scan.hpp"

namespace ulpine::io {

/// A dimension of the whole.
struct JoinedDimension {
  enum class Kind {
    fixed,  ///< the same in all parts
    place,  ///< parts lie beside each other along it
    time
  };
  Kind kind = Kind::fixed;
  std::int64_t length = 0;
  std::vector<double> instants;  ///< of time: s since 1970-01-01, or as stored
  TimeAxis axis;                 ///< of time: the first part's
  bool same_units = true;        ///< of time: all parts count from one date in one unit and type
};

/// The dimensions of the whole, and where each part lies along them.
class JoinedDimensions {
 public:
  /// Adds lines to `misfits` where parts do not fit, and to `notes` what people should know.
  JoinedDimensions(std::vector<Part> const& parts, std::vector<std::string>& misfits,
                   std::vector<std::string>& notes);
  JoinedDimension const& operator[](std::string const& name) const { return dimensions_.at(name); }
  /// Of a part's dimension that is not time.
  Span span(std::size_t part, std::size_t dimension) const { return spans_[part][dimension]; }
  /// The time in the whole of each of the part's along its dimension that is time; -1 where it has none.
  std::vector<std::int64_t> const& records(std::size_t part, std::size_t dimension) const {
    return records_[part].at(dimension);
  }
  bool has_places() const { return has_places_; }

 private:
  struct Use {
    std::size_t part, dimension;
  };
  using Uses = std::vector<Use>;
  void lay_out_time(std::string const& name, Uses const& uses);
  void lay_out_numbered(std::string const& name, Uses const& uses);
  void lay_out_place(std::string const& name, Uses const& uses);
  bool lay_out_said(std::string const& name, Uses const& uses);
  bool lay_out_rows(std::string const& name, Uses const& uses);
  bool lay_out_coordinates(std::string const& name, Uses const& uses);
  void tell_holes(std::string const& name);
  std::string file(std::size_t part) const { return parts_[part].path.string(); }

  std::vector<Part> const& parts_;
  std::vector<std::string>& misfits_;
  std::vector<std::string>& notes_;
  std::map<std::string, JoinedDimension> dimensions_;
  std::vector<std::vector<Span>> spans_;
  std::vector<std::map<std::size_t, std::vector<std::int64_t>>> records_;
  bool has_places_ = false;
};

/// A time of an axis for people.
std::string told_time(TimeAxis const& axis, double instant);

}  // namespace ulpine::io
