// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "verification/files/feature_series.hpp"
#include "verification/lkf/geometry.hpp"
#include "verification/lkf/json.hpp"

namespace ulpine::verification {

using Json = nlohmann::ordered_json;

Json to_json(SeriesMethod const& method, FeatureWindow const& window) {
  auto const summary = lkf::summarise(window.detection, method.spacing_km);
  auto features = Json::array();
  for (std::size_t i = 0; i < window.detection.features.size(); ++i) {
    Json feature = Json::object();
    if (method.follow) {
      auto const& descent = window.descents[i];
      feature = {{"track", descent.track}, {"age", descent.age}, {"from", descent.from}};
    }
    feature.update(lkf::to_json(window.detection.features[i], method.spacing_km));
    features.push_back(std::move(feature));
  }
  auto tracks = Json::array();
  for (auto const& track : window.tracks) {
    tracks.push_back(
        {{"from", track.from}, {"to", track.to}, {"hausdorff_distance", track.hausdorff_distance}});
  }
  return {{"records", {window.first, window.last}},
          {"seconds", {window.first_second, window.last_second}},
          {"count", summary.count},
          {"total_length_cells", summary.total_length_cells},
          {"total_length_km", summary.total_length_km ? Json(*summary.total_length_km) : Json(nullptr)},
          {"features", std::move(features)},
          {"tracks", method.follow ? std::move(tracks) : Json(nullptr)},
          {"notes", window.detection.notes}};
}

Json to_json(SeriesMethod const& method) {
  auto notes = method.notes;
  if (!method.spacing_km) {
    notes.push_back("no grid spacing is known, so no length in km (null in JSON)");
  }
  return {{"rules", lkf::name_of(method.rules)},
          {"parameters", lkf::to_json(method.parameters)},
          {"spacing_km", lkf::to_json(method.spacing_km)},
          {"combine", method.combine},
          {"notes", notes}};
}

std::string csv_head() {
  return "window,first_record,last_record,feature,track,age,length_cells,chord_cells,length_km,chord_km,"
         "mean_deformation,orientation_degrees,curvature,first_row,first_column,last_row,last_column\n";
}

std::string to_csv(SeriesMethod const& method, FeatureWindow const& window, std::int64_t number) {
  std::string text;
  for (std::size_t i = 0; i < window.detection.features.size(); ++i) {
    auto const& feature = window.detection.features[i];
    auto const& from = feature.cells.front();
    auto const& to = feature.cells.back();
    auto const lineage =
        method.follow ? fmt::format("{},{}", window.descents[i].track, window.descents[i].age) : ",";
    auto const km = method.spacing_km
                        ? fmt::format("{},{}", lkf::polyline_length(feature.cells, *method.spacing_km),
                                      lkf::chord(feature.cells, *method.spacing_km))
                        : ",";
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", number, window.first, window.last,
                        i, lineage, feature.length_cells, feature.chord_cells, km, feature.mean_deformation,
                        feature.orientation_degrees, feature.curvature, from[0], from[1], to[0], to[1]);
  }
  return text;
}

}  // namespace ulpine::verification
