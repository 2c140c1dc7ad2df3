// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "core/exec/device.hpp"
#include "core/exec/stream.hpp"
#include "core/mesh/coordinates.hpp"
#include "core/model/emulated.hpp"
#include "core/ranks/ranks.hpp"
#include "core/seaice/block.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/choices.hpp"
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
    using Names = std::vector<std::string>;
    auto const add = [&](char const* name, char const* units, char const* long_name,
                         char const* standard_name, std::vector<double> const& values) {
      if (values.empty()) return;
      auto const cg = setup.parameters.cg;
      bool const at_nodes = values.size() != static_cast<std::size_t>(setup.mesh.cells());
      auto& field = fields().add<double>(Host{threads},
                                         {.name = name,
                                          .units = units,
                                          .long_name = long_name,
                                          .standard_name = standard_name,
                                          .role = FieldRole::constant,
                                          .dimensions = at_nodes ? Names{"yn", "xn"} : Names{"y", "x"},
                                          .output = true},
                                         layout_of(setup, at_nodes ? cg : 0));
      field.from_host(values.data());
    };
    add("lon", "degrees_east", "longitude of cell centres", "longitude", setup.longitude);
    add("lat", "degrees_north", "latitude of cell centres", "latitude", setup.latitude);
    add("lon_node", "degrees_east", "longitude of velocity nodes", "longitude", setup.node_longitude);
    add("lat_node", "degrees_north", "latitude of velocity nodes", "latitude", setup.node_latitude);
    add("east_angle", "degree", "angle from the x axis to the east at velocity nodes", "", setup.east_angle);
  }

  std::string name() const override { return "seaice"; }
  FieldTable& fields() override { return solver_->fields(); }
  StageRunner& stages() override { return solver_->stages(); }
  std::int64_t cells() const override { return cells_; }
  std::int64_t other_bytes() const override { return solver_->other_bytes(); }
  double fixed_step() const override { return parameters_.dt; }
  double take_step(std::int64_t step, double /*time*/, double /*latest*/) override {
    auto const end = static_cast<double>(step) * parameters_.dt;
    seaice::take_step(*solver_, parameters_, step, end);
    return end;
  }
  void state_replaced() override { solver_->state_replaced(); }
  std::vector<IntegralDescription> integrals() const override {
    return {{"ice_volume", "m3", "sivol", "cell_area"}, {"ice_area", "m2", "siconc", "cell_area"}};
  }
  std::vector<std::pair<std::string, std::string>> attributes() const override {
    if (attribution_.empty()) {
      return {};
    }
    return {{"attribution", attribution_}};
  }

 private:
  Parameters parameters_;
  std::int64_t cells_;
  std::string attribution_;
  std::unique_ptr<Solver> solver_;
};

/// Of the whole mesh.
std::vector<io::Coordinate> coordinates_of(Setup const& setup) {
  auto coordinates = quad_coordinates(setup.mesh, setup.parameters.cg);
  if (setup.coefficients) {
    io::Coordinate mode{"mode", "", "dG mode", "1", "", {}};
    for (int m = 0; m < setup.parameters.dg; ++m) mode.values.push_back(m);
    coordinates.push_back(std::move(mode));
  }
  return coordinates;
}

/// InputError for the policies that only two orders have.
void require_common_policy(std::string const& policy, Parameters const& p) {
  bool const has_all = p.cg == 1 && p.dg <= 3;
  if (!has_all && (policy == "bf16" || policy == "fp16")) {
    throw InputError("there is no policy " + policy + " for cG" + std::to_string(p.cg) + " with " +
                     std::to_string(p.dg) +
                     " unknowns a cell (only cG1 with 1 or 3 has it) use fp64, fp32, "
                     "mixed or tf32, or discretisation.cg = 1 and discretisation.dg = 3");
  }
}

}  // namespace

std::unique_ptr<Model> make_seaice_model(io::CaseFile const& case_file, ModelOptions const& options) {
  auto setup = read_case(case_file, device_ordinal(options.device) < 0);
  setup.parameters.sharers = options.sharers;
  check_choices(case_file, options, setup);
  case_file.reject_unknown();
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
}

}  // namespace ulpine::seaice
