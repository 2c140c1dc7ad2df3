// SPDX-License-Identifier: Apache-2.0
// A stranger's program with a model of its own, heat on a ring of cells, and with every command of Ulpine.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "cli/command.hpp"
#include "core/exec/hash.hpp"
#include "core/exec/random.hpp"
#include "core/model/model.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;

/// dT/dt = kappa d2T/dx2 on a periodic line, forward in time, in double.
class Ring : public Model {
 public:
  explicit Ring(io::CaseFile const& case_file)
      : spacing_{case_file.number("grid.spacing", 1000, 1)},
        step_s_{case_file.duration("time.step", "60 s", 1)},
        kappa_{case_file.number("ring.diffusivity", 1000, 0)} {
    auto const cells = static_cast<std::size_t>(case_file.integer("grid.nx", 64, 3, 1 << 20));
    case_file.reject_unknown();
    case_hash_ = case_file.hash();
    for (std::size_t i = 0; i < cells; ++i) {
      temperature_.push_back(
          280 + 10 * std::sin(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(cells)));
    }
  }

  std::string core() const override { return "ring"; }
  double time() const override { return step_s_ * static_cast<double>(step_); }
  double time_step() const override { return step_s_; }
  std::int64_t step() const override { return step_; }
  std::int64_t cells() const override { return static_cast<std::int64_t>(temperature_.size()); }
  std::int64_t memory_bytes() const override { return 8 * cells(); }

  void advance(std::int64_t steps) override {
    for (; steps > 0; --steps) {
      auto const old = temperature_;
      auto const count = old.size();
      for (std::size_t i = 0; i < count; ++i) {
        auto const curvature = old[(i + 1) % count] - 2 * old[i] + old[(i + count - 1) % count];
        temperature_[i] = old[i] + kappa_ * step_s_ / (spacing_ * spacing_) * curvature;
      }
      ++step_;
      StagePosition const position{step_, 0};
      if (fault_.stage != nullptr && fault_.position == position) {
        add_one_ulp(raw(), fault_.element);
      }
      if (observer_ != nullptr) {
        observer_->stage_done(position, "ring.diffusion", "temperature", raw());
      }
    }
  }

  std::vector<io::Coordinate> coordinates() const override {
    io::Coordinate x{"x", "projection_x_coordinate", "x", "m", "X", {}};
    for (std::int64_t i = 0; i < cells(); ++i) x.values.push_back(spacing_ * static_cast<double>(i));
    return {x};
  }
  std::vector<io::FieldInfo> fields() const override {
    io::FieldInfo info;
    info.name = "temperature", info.standard_name = "air_temperature", info.units = "K";
    info.dimensions = {"x"}, info.shape = {cells()};
    return {info};
  }
  std::vector<io::FieldInfo> static_fields() const override { return {}; }
  void read(std::string const& /*field*/, std::span<double> values) const override {
    std::copy(temperature_.begin(), temperature_.end(), values.begin());
  }

  io::Snapshot snapshot() const override {
    io::StateArray array{"temperature", 8, {cells()}, {}};
    array.data.resize(temperature_.size() * sizeof(double));
    std::memcpy(array.data.data(), temperature_.data(), array.data.size());
    return {"ring", "fp64", case_hash_, step_, time(), {array}};
  }
  void restore(io::Snapshot const& snapshot) override {
    if (snapshot.core != "ring" || snapshot.arrays.size() != 1 ||
        snapshot.arrays[0].data.size() != temperature_.size() * sizeof(double)) {
      throw InputError("is no restart of this ring (another core or size) take another");
    }
    std::memcpy(temperature_.data(), snapshot.arrays[0].data.data(), snapshot.arrays[0].data.size());
    step_ = snapshot.step;
  }

  std::vector<std::string> perturbable() const override { return {"temperature"}; }
  void perturb(std::string const& field, Perturbation const& noise) override {
    for (std::size_t i = 0; i < temperature_.size(); ++i) {
      temperature_[i] += noise.amplitude * uniform_symmetric(noise.seed, noise.member, name_key(field),
                                                             static_cast<std::int64_t>(i));
    }
  }

  std::vector<Integral> integrals() const override { return {}; }
  std::uint64_t state_hash() const override { return field_hash(raw()); }
  bool finite() const override {
    return std::all_of(temperature_.begin(), temperature_.end(), [](double t) { return std::isfinite(t); });
  }
  void observe(StageObserver* observer) override { observer_ = observer; }
  void plant(PlantedFault const& fault) override { fault_ = fault; }
  std::vector<StageCost> costs() const override { return {{"ring.diffusion", step_, 0, 0.0, 0.0}}; }

 private:
  RawField raw() const { return {temperature_.data(), cells(), 8, false, nullptr}; }

  double spacing_, step_s_, kappa_;
  std::vector<double> temperature_;  ///< K
  std::int64_t step_ = 0;
  std::uint64_t case_hash_ = 0;
  StageObserver* observer_ = nullptr;
  PlantedFault fault_;
};

std::unique_ptr<Model> make_ring(io::CaseFile const& case_file, ModelOptions const& options) {
  if (options.policy != "fp64" || options.device != "cpu") {
    throw InputError(
        "core 'ring' runs in fp64 on cpu only (it is written so) leave --policy and --device out");
  }
  return std::make_unique<Ring>(case_file);
}

}  // namespace

int main(int argc, char** argv) {
  return command_main(argc, argv, [] { register_model("ring", "heat on a ring of cells", make_ring); });
}
