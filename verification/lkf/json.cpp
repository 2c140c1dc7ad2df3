// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/json.hpp"

#include <nlohmann/json.hpp>

#include "verification/lkf/detector.hpp"
#include "verification/lkf/geometry.hpp"
#include "verification/lkf/orientations.hpp"

namespace ulpine::lkf {
namespace {

/// Least and greatest of each number.
nlohmann::ordered_json encode(Orientations const& over) {
  using Json = nlohmann::ordered_json;
  auto const pair = [](auto const& range) { return Json{range.least, range.greatest}; };
  return {{"number", Orientations::number},
          {"count", pair(over.count)},
          {"total_length_cells", pair(over.total_length_cells)},
          {"total_length_km", over.total_length_km ? pair(*over.total_length_km) : Json(nullptr)}};
}

}  // namespace

char const* name_of(Rules rules) { return rules == Rules::lkf_tools ? "lkf_tools" : "repaired"; }

nlohmann::ordered_json to_json(Parameters const& p) {
  return {{"min_kernel", p.min_kernel},   {"max_kernel", p.max_kernel}, {"dog_thres", p.dog_thres},
          {"use_eps", p.use_eps},         {"dis_thres", p.dis_thres},   {"ellp_fac", p.ellp_fac},
          {"angle_thres", p.angle_thres}, {"eps_thres", p.eps_thres},   {"lmin", p.lmin},
          {"max_ind", p.max_ind}};
}

nlohmann::ordered_json to_json(Feature const& feature, std::optional<Spacing> const& spacing_km) {
  using Json = nlohmann::ordered_json;
  auto const km = [&](auto const& measure) {
    return spacing_km ? Json(measure(feature.cells, *spacing_km)) : Json(nullptr);
  };
  return {{"length_cells", feature.length_cells},
          {"chord_cells", feature.chord_cells},
          {"length_km", km(polyline_length)},
          {"chord_km", km(chord)},
          {"mean_deformation", feature.mean_deformation},
          {"orientation_degrees", feature.orientation_degrees},
          {"curvature", feature.curvature},
          {"cells", feature.cells}};
}

nlohmann::ordered_json to_json(std::optional<Spacing> const& spacing_km) {
  if (!spacing_km) return nullptr;
  return {{"rows", spacing_km->rows}, {"columns", spacing_km->columns}};
}

nlohmann::ordered_json to_json(Detection const& detection, Parameters const& p, Rules rules,
                               std::optional<Spacing> const& spacing_km, Orientations const* orientations) {
  using Json = nlohmann::ordered_json;
  auto const summary = summarise(detection, spacing_km);
  auto features = Json::array();
  for (auto const& feature : detection.features) features.push_back(to_json(feature, spacing_km));
  return {{"rules", name_of(rules)},
          {"parameters", to_json(p)},
          {"count", summary.count},
          {"total_length_cells", summary.total_length_cells},
          {"total_length_km", summary.total_length_km ? Json(*summary.total_length_km) : Json(nullptr)},
          {"orientations", orientations != nullptr ? encode(*orientations) : Json(nullptr)},
          {"spacing_km", to_json(spacing_km)},
          {"features", features},
          {"notes", summary.notes}};
}

}  // namespace ulpine::lkf
