// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/surroundings.hpp"

#include <utility>

namespace ulpine::fdm {
namespace {

/// Points of the block in the order of the whole domain, with those on the last faces of the whole where
/// there are `more` along an axis.
struct Points {
  Points(Parameters const& p, std::int32_t more_x, std::int32_t more_y, std::int32_t more_z)
      : nz{p.nz + more_z},
        ny{p.ny + (p.first_y + p.ny == p.whole_ny ? more_y : 0)},
        nx{p.nx + (p.first_x + p.nx == p.whole_nx ? more_x : 0)},
        layout{{{nz, std::int64_t{ny} * nx, nz},
                {ny, nx, p.whole_ny + more_y, p.first_y},
                {nx, 1, p.whole_nx + more_x, p.first_x}},
               0,
               std::int64_t{nz} * ny * nx} {}

  std::int32_t nz, ny, nx;
  Layout layout;
};

struct OfBaseState {
  char const *name, *units, *long_name, *standard_name;
  Metric metric;
};

}  // namespace

std::string height_at(std::vector<std::string> const& dimensions, bool flat) {
  if (flat || dimensions.size() != 3) return {};
  if (dimensions[0] == "z_w") return "height_w";
  if (dimensions[1] == "y_v") return "height_v";
  return dimensions[2] == "x_u" ? "height_u" : "height";
}

void add_surroundings(FieldTable& fields, Parameters const& p, Heights const& heights, BaseState const& base,
                      int threads) {
  using Names = std::vector<std::string>;
  auto const flat = heights.flat();
  Host const host{};
  Points const centres(p, 0, 0, 0);
  std::vector<OfBaseState> wanted = {
      {"theta_base", "K", "potential temperature of the base state", "air_potential_temperature",
       Metric::theta},
      {"p_base", "Pa", "pressure of the base state", "air_pressure", Metric::pressure},
      {"rho_base", "kg m-3", "density of the base state", "air_density", Metric::density}};
  if (p.humid) {
    wanted.push_back(
        {"qv_base", "kg kg-1", "specific humidity of the base state", "specific_humidity", Metric::vapour});
  }
  std::vector<std::pair<Metric, View<double>>> targets;
  for (auto const& [name, units, long_name, standard_name, metric] : wanted) {
    auto const dimensions = flat ? Names{"z"} : Names{"z", "y", "x"};
    auto& field = fields.add<double>(host,
                                     {.name = name,
                                      .units = units,
                                      .long_name = long_name,
                                      .standard_name = standard_name,
                                      .role = FieldRole::constant,
                                      .dimensions = dimensions,
                                      .output = true,
                                      .coordinates = height_at(dimensions, flat)},
                                     flat ? Layout::entities(p.nz) : centres.layout);
    targets.emplace_back(metric, field.view());
  }
  MetricRows rows(
      heights, base, [](double) { return 0.0; }, threads);
  auto const columns = flat ? 1 : centres.nx;
  for (std::int32_t j = 0; j < (flat ? 1 : centres.ny); ++j) {
    rows.move_to(j);
    for (std::int32_t k = 0; k < p.nz; ++k) {
      for (std::int32_t i = 0; i < columns; ++i) {
        auto const at = rows.at(k, i);
        auto const place = flat ? k : (std::int64_t{k} * centres.ny + j) * centres.nx + i;
        for (auto const& [metric, values] : targets) values[place] = at.at[static_cast<std::size_t>(metric)];
      }
    }
  }
  if (flat) return;

  auto const add_heights = [&](Names const& dimensions, char const* long_name, Points const& points,
                               auto const& height) {
    auto values = fields
                      .add<double>(host,
                                   {.name = height_at(dimensions, flat),
                                    .units = "m",
                                    .long_name = long_name,
                                    .standard_name = "altitude",
                                    .role = FieldRole::constant,
                                    .dimensions = dimensions,
                                    .output = true},
                                   points.layout)
                      .view();
    std::int64_t place = 0;
    for (std::int32_t k = 0; k < points.nz; ++k) {
      for (std::int32_t j = 0; j < points.ny; ++j) {
        for (std::int32_t i = 0; i < points.nx; ++i) values[place++] = height(k, j, i);
      }
    }
  };
  auto const centre = [&](std::int32_t k, std::int32_t j, std::int32_t i) { return heights.centre(k, j, i); };
  add_heights({"z", "y", "x"}, "height of centres", centres, centre);
  add_heights({"z", "y", "x_u"}, "height of faces of u", Points(p, 1, 0, 0),
              [&](auto k, auto j, auto i) { return (centre(k, j, i - 1) + centre(k, j, i)) / 2; });
  add_heights({"z", "y_v", "x"}, "height of faces of v", Points(p, 0, 1, 0),
              [&](auto k, auto j, auto i) { return (centre(k, j - 1, i) + centre(k, j, i)) / 2; });
  add_heights({"z_w", "y", "x"}, "height of faces of w", Points(p, 0, 0, 1),
              [&](auto k, auto j, auto i) { return heights.face(k, j, i); });
}

}  // namespace ulpine::fdm
