// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "verification/files/feature_records.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/lineage.hpp"
#include "verification/lkf/tracking.hpp"

namespace ulpine::verification {

/// Records that are detected in together, as lkf_tools combines days, and what was found.
struct FeatureWindow {
  std::int64_t first = 0, last = 0;          ///< records
  double first_second = 0, last_second = 0;  ///< of these since the first record; NaN where unknown
  lkf::Detection detection;
  std::vector<lkf::Track> tracks;      ///< from the window before; none where features are not followed
  std::vector<lkf::Descent> descents;  ///< of each feature; likewise
};

struct SeriesOptions {
  lkf::Rules rules = lkf::default_rules;
  std::string parameters = lkf::default_set;  ///< as of lkf::parameters_on()
  std::int64_t combine = 1;                   ///< records in a window
  bool follow = false;                        ///< from window to window
  lkf::TrackParameters tracking = {};
};

/// What a series has been detected with.
struct SeriesMethod {
  lkf::Rules rules = lkf::default_rules;
  lkf::Parameters parameters;
  std::optional<lkf::Spacing> spacing_km;
  std::int64_t combine = 1;
  bool follow = false;
  std::int64_t windows = 0;
  std::vector<std::string> notes;
};

/// Called after each window, with the rates of its last record.
using WindowTaker = std::function<void(SeriesMethod const&, FeatureWindow const&, DeformationRates const&)>;

/// Detects features in all windows of a series, one after the other, and follows them.
///
/// By repaired rules windows follow each other without a gap; records left over are told in a note. Features
/// are moved from the middle of their window to the middle of the next by velocities linear in time between
/// records. By lkf_tools' rules there are records / combine windows, rounded up, that begin a record after
/// each other; features of window k (from 0) are moved for `combine` times the first interval by the
/// velocities of records k + 1, k + 2, ...
///
/// Memory goes with one window of fields, whatever the number of records. InputError as of FeatureRecords,
/// where there are fewer records than a window has and where features are to be followed and times are not
/// known or do not grow.
SeriesMethod detect_series(FeatureRecords& records, SeriesOptions const& options, WindowTaker const& take);

/// What `ulpine lkf --json` tells of a series but for its `windows`, and one of these.
nlohmann::ordered_json to_json(SeriesMethod const& method);
nlohmann::ordered_json to_json(SeriesMethod const& method, FeatureWindow const& window);

/// The head of a table of features, and the lines of one window, separated by commas.
std::string csv_head();
std::string to_csv(SeriesMethod const& method, FeatureWindow const& window, std::int64_t number);

}  // namespace ulpine::verification
