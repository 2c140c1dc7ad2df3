// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "core/exec/device.hpp"
#include "core/exec/stream.hpp"
#include "core/mesh/coordinates.hpp"
#include "core/model/case_keys.hpp"
#include "core/model/emulated.hpp"
#include "core/model/operations.hpp"
#include "core/ranks/ranks.hpp"
#include "core/seaice/block.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/formulas.hpp"
#include "core/seaice/keys.hpp"
#include "core/seaice/register.hpp"
#include "core/seaice/solver.hpp"
#include "io/error.hpp"

namespace ulpine::seaice {
namespace {

class SeaIce final : public Core {
 public:
  SeaIce(Setup const& setup, std::vector<io::Coordinate> const& coordinates, std::unique_ptr<Solver> solver,
         int threads)
      : parameters_{setup.parameters},
        cells_{layout_of(setup).count()},
        attribution_{setup.attribution},
        solver_{std::move(solver)} {
    for (auto const& coordinate : coordinates) fields().add_coordinate(coordinate);
    auto const add = [&](FieldDescription description, Layout const& layout,
                         std::vector<double> const& values) {
      if (values.empty()) return;
      description.role = FieldRole::constant;
      description.output = true;
      fields().add<double>(Host{threads}, std::move(description), layout).from_host(values.data());
    };
    auto const on_cells = layout_of(setup), on_nodes = layout_of(setup, setup.parameters.cg);
    struct Places {
      char const *name, *what, *units;
      std::vector<double> const &of_cells, &of_nodes;
    };
    std::vector<std::string> const yx{"y", "x"}, yxn{"yn", "xn"};
    Places const all[] = {{"lon", "longitude", "degrees_east", setup.longitude, setup.node_longitude},
                          {"lat", "latitude", "degrees_north", setup.latitude, setup.node_latitude}};
    for (auto const& [name, what, units, of_cells, of_nodes] : all) {
      auto const corners = of_nodes.empty() ? "" : name + std::string("_corners");
      add({.name = name,
           .units = units,
           .long_name = what + std::string(" of cell centres"),
           .standard_name = what,
           .dimensions = yx,
           .bounds = corners},
          on_cells, of_cells);
    }
    for (auto const& [name, what, units, of_cells, of_nodes] : all) {
      add({.name = name + std::string("_corners"),
           .units = units,
           .long_name = what + std::string(" of cells' corners, anticlockwise"),
           .dimensions = {"y", "x", "corner"}},
          layout_of_corners(on_cells), corners_of(setup, of_nodes));
    }
    for (auto const& [name, what, units, of_cells, of_nodes] : all) {
      add({.name = name + std::string("_node"),
           .units = units,
           .long_name = what + std::string(" of velocity nodes"),
           .standard_name = what,
           .dimensions = yxn},
          on_nodes, of_nodes);
    }
    add({.name = "east_angle",
         .units = "degree",
         .long_name = "angle from the x axis to the east at velocity nodes",
         .dimensions = yxn,
         .coordinates = "lon_node lat_node"},
        on_nodes, setup.east_angle);
  }

  std::string name() const override { return "seaice"; }
  FieldTable& fields() override { return solver_->fields(); }
  StageRunner& stages() override { return solver_->stages(); }
  std::int64_t cells() const override { return cells_; }
  std::int64_t other_bytes() const override { return solver_->other_bytes(); }
  double fixed_step() const override { return parameters_.dt; }
  double take_step(std::int64_t step, double /*time*/, double /*latest*/) override {
    auto const end = static_cast<double>(step) * parameters_.dt;
    solver_->take_step(step, end);
    return end;
  }
  void state_replaced() override { solver_->state_replaced(); }
  std::vector<IntegralDescription> integrals() const override {
    return {{"ice_volume", "m3", "sivol", "cell_area"}, {"ice_area", "m2", "siconc", "cell_area"}};
  }
  std::vector<std::pair<std::string, std::string>> attributes() const override {
    if (attribution_.empty()) return {};
    return {{"attribution", attribution_}};
  }

 private:
  static constexpr std::int64_t corners = 4;

  /// Values of each cell's corners one after the other.
  static Layout layout_of_corners(Layout const& cells) {
    auto y = cells.axis(0), x = cells.axis(1);
    y.stride *= corners;
    x.stride *= corners;
    return {{y, x, {corners, 1, corners}}, corners * cells.offset(), corners * cells.allocated()};
  }
  /// Anticlockwise from the one at the lower indices along both axes (CF-1.11, section 7.1).
  static std::vector<double> corners_of(Setup const& setup, std::vector<double> const& nodes) {
    std::vector<double> values;
    if (nodes.empty()) return values;
    auto const cg = setup.parameters.cg;
    auto const row = std::int64_t{cg} * setup.mesh.nx + 1;
    for (std::int64_t j = 0; j < setup.mesh.ny; ++j) {
      for (std::int64_t i = 0; i < setup.mesh.nx; ++i) {
        auto const first = cg * (j * row + i);
        for (auto const node : {first, first + cg, first + cg * (row + 1), first + cg * row}) {
          values.push_back(nodes[static_cast<std::size_t>(node)]);
        }
      }
    }
    return values;
  }

  Parameters parameters_;
  std::int64_t cells_;
  std::string attribution_;
  std::unique_ptr<Solver> solver_;
};

/// The coordinates of the whole mesh, also where a rank has a block of it.
std::vector<io::Coordinate> coordinates_of(Setup const& setup) {
  auto coordinates = quad_coordinates(setup.mesh, setup.parameters.cg);
  if (setup.coefficients) {
    io::Coordinate mode{"mode", "", "dG mode", "1", "", {}};
    for (int m = 0; m < setup.parameters.dg; ++m) mode.values.push_back(m);
    coordinates.push_back(std::move(mode));
  }
  return coordinates;
}

/// InputError for the policies that only two spaces have.
void require_common_policy(std::string const& policy, Parameters const& p) {
  bool const has_all = p.cg == 1 && p.dg <= 3;
  bool const is_limited = with_policy(DevicePolicies{}, policy, []<class P>() { return !in_every_space<P>; });
  if (!has_all && is_limited) {
    throw InputError("there is no policy " + policy + " for cG" + std::to_string(p.cg) + " with " +
                     std::to_string(p.dg) +
                     " unknowns a cell (only cG1 with 1 or 3 has it) use fp64, fp32, "
                     "mixed or tf32, or discretisation.cg = 1 and discretisation.dg = 3");
  }
}

/// The case's set-up, where the options suit it.
Setup setup_of(io::CaseFile const& case_file, ModelOptions const& options) {
  auto setup = read_case(case_file, device_ordinal(options.device) < 0);
  setup.parameters.sharers = options.sharers;
  check_choices(case_file, options, setup);
  reject_unknown_keys(case_file);
  return setup;
}

std::unique_ptr<Core> make_counted_core(io::CaseFile const& case_file, CountingHost host) {
  auto const setup = setup_of(case_file, {});
  return std::make_unique<SeaIce>(setup, coordinates_of(setup), make_solver(host, setup), host.threads);
}

}  // namespace

std::unique_ptr<Model> make_seaice_model(io::CaseFile const& case_file, ModelOptions const& options) {
  auto setup = setup_of(case_file, options);
  auto const coordinates = coordinates_of(setup);
  if (several(options.team)) {
    bool const on_device = device_ordinal(options.device) >= 0 || options.team->mixed();
    setup =
        block_of(setup, options.team, halo_of(setup, *options.team, on_device, options.policy == Fp64::name));
  }
  if (names_format(options)) {
    return emulated_model_on(options, case_file, [&](EmulatingHost host) {
      return std::make_unique<SeaIce>(setup, coordinates, make_solver(host, setup), options.threads);
    });
  }
  return model_on(options, case_file, [&](auto executor) -> std::unique_ptr<Core> {
    auto solver = make_solver(executor, options.policy, options.assembly, setup);
    if (solver == nullptr) {
      require_common_policy(options.policy, setup.parameters);
      return nullptr;
    }
    return std::make_unique<SeaIce>(
        setup, coordinates, with_stages(std::move(solver), options.stages, executor, setup), options.threads);
  });
}

void register_core() {
  // Below 1e-10 s-1, about 1e-5 a day, only cells at rest deform. Features depend on thresholds and on the
  // detector; what stands beside them (mean and quantiles of shear, kinetic energy of a unit mass, spectral
  // slope) does not. The slope's band has three rings at least on cells up to 32 km of domains from 512 km
  // on.
  register_model("seaice", "viscous-plastic sea ice, cG velocity and dG tracers on quadrilaterals",
                 make_seaice_model, true, R"toml([evaluate.lkf]
kind = "lkf"
field = "shear"
[evaluate.shear_mean]
kind = "mean"
long_name = "mean shear"
field = "shear"
[evaluate.shear_median]
kind = "quantile"
long_name = "median shear"
field = "shear"
probability = 0.5
[evaluate.shear_q90]
kind = "quantile"
long_name = "90 % quantile of shear"
field = "shear"
probability = 0.9
[evaluate.shear_q99]
kind = "quantile"
long_name = "99 % quantile of shear"
field = "shear"
probability = 0.99
[evaluate.kinetic_energy]
kind = "power"
long_name = "kinetic energy of a unit mass"
field = "speed(siu,siv)"
factor = 0.5
[evaluate.shear_slope]
kind = "slope"
long_name = "spectral slope of log10(shear), 256 to 64 km"
field = "shear"
transform = "log10"
floor = 1e-10
shortest = 64e3
longest = 256e3
[evaluate.shear_spectrum]
kind = "spectrum"
long_name = "power spectral density of log10(shear)"
field = "shear"
transform = "log10"
floor = 1e-10
[figure.shear]
kind = "map"
field = "shear"
scale = "log"
[figure.lkf_count]
kind = "series"
statistic = "lkf_count"
[figure.lkf_total_length_km]
kind = "series"
statistic = "lkf_total_length_km"
[figure.shear_q99]
kind = "series"
statistic = "shear_q99"
scale = "log"
[figure.kinetic_energy]
kind = "series"
statistic = "kinetic_energy"
[figure.shear_spectrum]
kind = "curve"
curve = "shear_spectrum"
scale = "log"
)toml");
  register_on_ranks("seaice");
  register_counted_core("seaice", make_counted_core);
  register_case_keys("seaice", case_keys());
}

}  // namespace ulpine::seaice
