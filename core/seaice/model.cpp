// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "core/devices.hpp"
#include "core/exec/device.hpp"
#include "core/exec/random.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/solver.hpp"

namespace ulpine::seaice {
namespace {

constexpr FieldId all_fields[] = {
    FieldId::u,         FieldId::v,         FieldId::h,         FieldId::a,         FieldId::stress_xx,
    FieldId::stress_yy, FieldId::stress_xy, FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy};

class SeaIceModel final : public Model {
 public:
  SeaIceModel(CaseSetup setup, std::uint64_t case_hash, ModelOptions const& options)
      : setup_{std::move(setup)}, case_hash_{case_hash}, policy_{options.policy} {
    setup_.parameters.ocean_u = setup_.ocean_u.data();
    setup_.parameters.ocean_v = setup_.ocean_v.data();
    if (auto const ordinal = device_ordinal(options.device); ordinal < 0) {
      solver_.reset(make_solver(Host{options.threads}, policy_.c_str(), options.assembly, setup_.mesh,
                                setup_.parameters));
    } else {
      make_on_device(ordinal, options);
    }
    if (solver_ == nullptr) {
      throw InputError("no sea-ice solver for policy " + policy_ + " with " + name_of(options.assembly) +
                       " assembly on " + options.device +
                       " (quad runs on the host with deterministic assembly) choose another");
    }
    setup_.parameters.ocean_u = setup_.parameters.ocean_v = nullptr;
    solver_->write(FieldId::h, setup_.height.data());
    solver_->write(FieldId::a, setup_.concentration.data());
    areas_ = setup_.mesh.areas();
    set_mean_weights();
  }
  ~SeaIceModel() override {
    solver_.reset();
    if (cuda_.stream != nullptr) {
      release_cuda(cuda_);
    }
  }

  std::string core() const override { return "seaice"; }
  double time() const override { return static_cast<double>(step_) * setup_.parameters.dt; }
  double time_step() const override { return setup_.parameters.dt; }
  std::int64_t step() const override { return step_; }
  std::int64_t cells() const override { return setup_.mesh.cells(); }
  std::int64_t memory_bytes() const override { return solver_->memory_bytes(); }

  void advance(std::int64_t steps) override {
    for (std::int64_t k = 0; k < steps; ++k) {
      solver_->advance(++step_);
    }
  }

  std::vector<io::Coordinate> coordinates() const override {
    auto const& mesh = setup_.mesh;
    auto const axis = [&](char const* name, char const* standard, char const* long_name, char const* which,
                          bool along_x, bool centres) {
      io::Coordinate c{name, standard, long_name, "m", which, {}};
      auto const count = (along_x ? mesh.nx : mesh.ny) + (centres ? 0 : 1);
      auto const& values = along_x ? mesh.x : mesh.y;
      auto const stride = along_x ? std::size_t{1} : static_cast<std::size_t>(mesh.nx) + 1;
      for (std::int32_t k = 0; k < count; ++k) {
        auto const at = static_cast<std::size_t>(k) * stride;
        c.values.push_back(centres ? (values[at] + values[at + stride]) / 2 : values[at]);
      }
      return c;
    };
    std::vector<io::Coordinate> result = {
        axis("x", "projection_x_coordinate", "x of cell centres", "X", true, true),
        axis("y", "projection_y_coordinate", "y of cell centres", "Y", false, true),
        axis("xn", "projection_x_coordinate", "x of velocity nodes", "X", true, false),
        axis("yn", "projection_y_coordinate", "y of velocity nodes", "Y", false, false)};
    if (setup_.coefficients) {
      io::Coordinate mode{"mode", "", "dG mode", "1", "", {}};
      for (int m = 0; m < setup_.parameters.dg; ++m) {
        mode.values.push_back(m);
      }
      result.push_back(mode);
    }
    return result;
  }

  std::vector<io::FieldInfo> fields() const override {
    std::int64_t const nx = setup_.mesh.nx, ny = setup_.mesh.ny;
    std::string const where = setup_.longitude.empty() ? "" : "lon lat";
    std::vector<io::FieldInfo> result = {
        {"siu",
         "sea_ice_x_velocity",
         "sea-ice velocity along x",
         "m s-1",
         {"yn", "xn"},
         {ny + 1, nx + 1},
         ""},
        {"siv",
         "sea_ice_y_velocity",
         "sea-ice velocity along y",
         "m s-1",
         {"yn", "xn"},
         {ny + 1, nx + 1},
         ""},
        {"sivol",
         "sea_ice_thickness",
         "sea-ice volume per area, cell mean",
         "m",
         {"y", "x"},
         {ny, nx},
         where},
        {"siconc",
         "sea_ice_area_fraction",
         "sea-ice concentration, cell mean",
         "1",
         {"y", "x"},
         {ny, nx},
         where},
        {"shear", "", "shear rate of the sea ice, cell mean", "s-1", {"y", "x"}, {ny, nx}, where}};
    if (setup_.coefficients) {
      std::int64_t const dg = setup_.parameters.dg;
      result.push_back({"sivol_dg",
                        "",
                        "dG coefficients of the sea-ice volume per area",
                        "m",
                        {"y", "x", "mode"},
                        {ny, nx, dg},
                        where});
      result.push_back({"siconc_dg",
                        "",
                        "dG coefficients of the sea-ice concentration",
                        "1",
                        {"y", "x", "mode"},
                        {ny, nx, dg},
                        where});
    }
    return result;
  }

  std::vector<io::FieldInfo> static_fields() const override {
    std::int64_t const nx = setup_.mesh.nx, ny = setup_.mesh.ny;
    std::vector<io::FieldInfo> result = {
        {"mask", "sea_binary_mask", "1 sea, 0 land", "1", {"y", "x"}, {ny, nx}, ""},
        {"cell_area", "cell_area", "area of a cell", "m2", {"y", "x"}, {ny, nx}, ""}};
    if (!setup_.longitude.empty()) {
      result.push_back(
          {"lon", "longitude", "longitude of cell centres", "degrees_east", {"y", "x"}, {ny, nx}, ""});
      result.push_back(
          {"lat", "latitude", "latitude of cell centres", "degrees_north", {"y", "x"}, {ny, nx}, ""});
    }
    return result;
  }

  std::vector<std::pair<std::string, std::string>> attributes() const override {
    if (setup_.attribution.empty()) {
      return {};
    }
    return {{"attribution", setup_.attribution}};
  }

  void read(std::string const& field, std::span<double> values) const override {
    auto const copy = [&](auto const& source) { std::copy(source.begin(), source.end(), values.begin()); };
    if (field == "siu" || field == "siv") {
      solver_->read(field == "siu" ? FieldId::u : FieldId::v, values.data());
    } else if (field == "sivol" || field == "siconc") {
      copy(means(field == "sivol" ? FieldId::h : FieldId::a));
    } else if (field == "sivol_dg" || field == "siconc_dg") {
      auto const modes = dense(field == "sivol_dg" ? FieldId::h : FieldId::a);
      auto const n = static_cast<std::size_t>(cells()), dg = static_cast<std::size_t>(setup_.parameters.dg);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t m = 0; m < dg; ++m) {
          values[k * dg + m] = modes[m * n + k];
        }
      }
    } else if (field == "shear") {
      solver_->read(FieldId::shear, values.data());
    } else if (field == "mask") {
      copy(setup_.mesh.ice);
    } else if (field == "cell_area") {
      copy(areas_);
    } else if (field == "lon") {
      copy(setup_.longitude);
    } else if (field == "lat") {
      copy(setup_.latitude);
    } else {
      throw InputError(
          "no field '" + field +
          "' in the sea-ice core (its fields are siu, siv, sivol, siconc, shear) check the name");
    }
  }

  std::unique_ptr<io::StateReader> state() const override {
    io::StateHeader header{core(), policy_, case_hash_, step_, time(), {}};
    for (auto const id : all_fields) {
      header.arrays.push_back(describe(id));
    }
    auto stored = std::make_unique<io::StoredState>(std::move(header));
    for (std::size_t k = 0; k < std::size(all_fields); ++k) {
      solver_->read_bits(all_fields[k], stored->bytes(k).data());
    }
    return stored;
  }

  void restore(io::StateReader const& state) override {
    auto const& header = state.header();
    auto const refuse = [](std::string const& why) {
      throw InputError("this restart is not for this run (" + why +
                       ") use the restart of the same case and policy");
    };
    if (header.core != core()) {
      refuse("it is of core " + header.core);
    }
    if (header.policy != policy_) {
      refuse("it is of policy " + header.policy + ", the run of " + policy_);
    }
    if (header.case_hash != case_hash_) {
      refuse("its case differs");
    }
    std::vector<std::size_t> numbers;
    for (auto const id : all_fields) {
      auto const wanted = describe(id);
      auto const found = std::find(header.arrays.begin(), header.arrays.end(), wanted);
      if (found == header.arrays.end()) {
        refuse("array " + wanted.name + " is missing or of another shape");
      }
      numbers.push_back(static_cast<std::size_t>(found - header.arrays.begin()));
    }
    std::vector<std::byte> values;
    for (std::size_t k = 0; k < std::size(all_fields); ++k) {
      auto const& array = header.arrays[numbers[k]];
      values.resize(static_cast<std::size_t>(array.size() * bytes_of(array.type)));
      state.read(numbers[k], 0, array.size(), values.data());
      solver_->write_bits(all_fields[k], values.data());
    }
    step_ = header.step;
  }

  std::vector<std::string> perturbable() const override { return {"sivol", "siconc"}; }

  void perturb(std::string const& field, Perturbation const& noise) override {
    auto const names = perturbable();
    if (std::find(names.begin(), names.end(), field) == names.end()) {
      throw InputError("field '" + field +
                       "' cannot be perturbed (sivol and siconc can) check perturb.fields");
    }
    auto const id = field == "sivol" ? FieldId::h : FieldId::a;
    auto modes = dense(id);
    for (std::int64_t k = 0; k < cells(); ++k) {
      auto const at = static_cast<std::size_t>(k);
      if (setup_.mesh.ice[at] != 0) {
        double const value =
            modes[at] + noise.amplitude * uniform_symmetric(noise.seed, noise.member, name_key(field), k);
        modes[at] = id == FieldId::a ? std::clamp(value, 0.0, 1.0) : std::max(value, 0.0);
      }
    }
    solver_->write(id, modes.data());
  }

  std::vector<Integral> integrals() const override {
    auto const total = [&](FieldId id) {
      auto const mean = means(id);
      double sum = 0;
      for (std::size_t k = 0; k < mean.size(); ++k) {
        sum += mean[k] * areas_[k];
      }
      return sum;
    };
    return {{"ice_volume", "m3", total(FieldId::h)}, {"ice_area", "m2", total(FieldId::a)}};
  }

  std::uint64_t state_hash() const override { return solver_->state_hash(); }

  bool finite() const override {
    return std::all_of(std::begin(all_fields), std::end(all_fields), [&](FieldId id) {
      auto const values = dense(id);
      return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
    });
  }

  void observe(StageObserver* observer) override { solver_->observe(observer); }
  void plant(PlantedFault const& fault) override { solver_->plant(fault); }

  std::vector<StageCost> costs() const override {
    std::vector<StageCost> result;
    for (auto const& stage : solver_->times()) {
      double const mean = stage.timed > 0 ? stage.seconds / static_cast<double>(stage.timed) : 0;
      result.push_back(
          {stage.name, stage.launches, stage.timed, mean * static_cast<double>(stage.launches), stage.bytes});
    }
    return result;
  }

 private:
  void make_on_device(int ordinal, ModelOptions const& options) {
#if defined(ULPINE_HAS_CUDA)
    cuda_ = make_cuda(ordinal, options.block);
    solver_.reset(make_solver(cuda_, policy_.c_str(), options.assembly, setup_.mesh, setup_.parameters));
#else
    require_device(ordinal);
    static_cast<void>(options);
#endif
  }

  io::StateArray describe(FieldId id) const {
    auto const layout = solver_->layout(id);
    std::int64_t const nx = setup_.mesh.nx, ny = setup_.mesh.ny;
    io::StateArray array;
    array.name = layout.name;
    array.type = layout.bytes_per_value == 4   ? ValueType::float32
                 : layout.bytes_per_value == 8 ? ValueType::float64
                                               : ValueType::binary128;
    array.shape =
        layout.at_nodes ? std::vector{ny + 1, nx + 1} : std::vector{std::int64_t{layout.components}, ny, nx};
    return array;
  }

  std::vector<double> dense(FieldId id) const {
    std::vector<double> values(static_cast<std::size_t>(solver_->layout(id).values));
    solver_->read(id, values.data());
    return values;
  }

  /// Cell means of a dG field: the integral of each mode over the cell divided by its area; only mode 0
  /// counts on parallelograms.
  std::vector<double> means(FieldId id) const {
    auto modes = dense(id);
    auto const n = static_cast<std::size_t>(cells());
    for (std::size_t k = 0; k < n && !mean_weights_.empty(); ++k) {
      for (std::size_t m = 1; m < static_cast<std::size_t>(setup_.parameters.dg); ++m) {
        modes[k] += mean_weights_[(m - 1) * n + k] * modes[m * n + k];
      }
    }
    modes.resize(n);
    return modes;
  }

  void set_mean_weights() {
    auto const& mesh = setup_.mesh;
    if (mesh.uniform() || setup_.parameters.dg == 1) {
      return;
    }
    auto const n = static_cast<std::size_t>(mesh.cells());
    mean_weights_.assign(2 * n, 0);
    auto const rule = gauss_rule<double, 2>();
    for (std::int32_t j = 0; j < mesh.ny; ++j) {
      for (std::int32_t i = 0; i < mesh.nx; ++i) {
        auto const ll = static_cast<std::size_t>(j) * (mesh.nx + 1) + i, ul = ll + mesh.nx + 1;
        double const x[4] = {mesh.x[ll], mesh.x[ll + 1], mesh.x[ul], mesh.x[ul + 1]};
        double const y[4] = {mesh.y[ll], mesh.y[ll + 1], mesh.y[ul], mesh.y[ul + 1]};
        auto const cell = static_cast<std::size_t>(j) * mesh.nx + i;
        for (int q = 0; q < 4; ++q) {
          double const s = rule.point[q % 2], t = rule.point[q / 2];
          double const share = Jacobian<double>(x, y, s, t).determinant / 4 / areas_[cell];
          mean_weights_[cell] += share * dg_basis(1, s, t);
          mean_weights_[n + cell] += share * dg_basis(2, s, t);
        }
      }
    }
  }

  CaseSetup setup_;
  std::uint64_t case_hash_;
  std::string policy_;
  Cuda cuda_;
  std::unique_ptr<Solver> solver_;
  std::vector<double> areas_, mean_weights_;
  std::int64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Model> make_seaice_model(io::CaseFile const& case_file, ModelOptions const& options) {
  auto setup = read_case(case_file, device_ordinal(options.device) < 0);
  case_file.reject_unknown();
  return std::make_unique<SeaIceModel>(std::move(setup), case_file.hash(), options);
}

void register_core() {
  register_model("seaice", "viscous-plastic sea ice, cG velocity and dG tracers on quadrilaterals",
                 make_seaice_model);
}

}  // namespace ulpine::seaice
