// SPDX-License-Identifier: Apache-2.0
#include "ensembles/toy_model.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "core/exec/hash.hpp"
#include "core/exec/host.hpp"
#include "core/exec/random.hpp"
#include "core/exec/trace.hpp"
#include "core/model.hpp"
#include "io/error.hpp"

namespace ulpine::test {
namespace {

template <PrecisionPolicy Policy>
class ToyModel : public Model {
 public:
  using State = typename Policy::State;
  using Compute = typename Policy::Compute;

  ToyModel(io::CaseFile const& case_file, ModelOptions const& options) : options_{options} {
    nx_ = static_cast<std::int32_t>(case_file.integer("grid.nx", 24, 8, 1000));
    ny_ = static_cast<std::int32_t>(case_file.integer("grid.ny", 20, 8, 1000));
    spacing_ = case_file.number("grid.spacing", 4000, 1);
    dt_ = case_file.duration("time.step", "60 s", 1);
    forcing_ = case_file.number("toy.forcing", 8);
    sleep_ms_ = case_file.integer("toy.sleep_ms", 0, 0, 10000);
    blow_up_policy_ = case_file.text("toy.blow_up_policy", "");
    blow_up_step_ = case_file.integer("toy.blow_up_step", 5);
    forgetful_ = case_file.flag("toy.forgetful_restart", false);
    shy_ = case_file.flag("toy.shy", false);
    diagnose_ = case_file.flag("toy.diagnose", false);
    auto const amplified = case_file.text("toy.amplify_policy", "") == options.policy;
    forcing_ *= amplified ? 1.05 : 1;
    case_file.reject_unknown();
    case_hash_ = case_file.hash();
    for (auto& field : state_) field.resize(static_cast<std::size_t>(cells()));
    for (std::int64_t i = 0; i < cells(); ++i) {
      auto const x = static_cast<double>(i % nx_), y = static_cast<double>(i / nx_);
      auto const at = static_cast<std::size_t>(i);
      state_[0][at] = static_cast<State>(forcing_ + std::sin(0.7 * x + 0.3 * y));
      state_[1][at] = static_cast<State>(forcing_ + std::cos(0.5 * y - 0.2 * x));
      state_[2][at] = static_cast<State>(0.3 + 0.1 * std::sin(0.4 * x) * std::cos(0.4 * y));
      state_[3][at] = static_cast<State>(0.9 + 0.05 * std::cos(0.3 * x));
    }
  }

  std::string core() const override { return "toy"; }
  double time() const override { return dt_ * static_cast<double>(step_); }
  double time_step() const override { return dt_; }
  std::int64_t step() const override { return step_; }
  std::int64_t cells() const override { return std::int64_t{nx_} * ny_; }
  std::int64_t memory_bytes() const override {
    return 4 * cells() * static_cast<std::int64_t>(sizeof(State));
  }

  void advance(std::int64_t steps) override {
    for (std::int64_t i = 0; i < steps; ++i) {
      one_step();
    }
    if (shy_ && observer_ != nullptr) {
      state_[2][5] = static_cast<State>(static_cast<float>(state_[2][5]));
    }
  }

  std::vector<io::Coordinate> coordinates() const override {
    io::Coordinate x{"x", "projection_x_coordinate", "x", "m", "X", {}},
        y{"y", "projection_y_coordinate", "y", "m", "Y", {}};
    for (int i = 0; i < nx_; ++i) x.values.push_back(spacing_ * (i + 0.5));
    for (int i = 0; i < ny_; ++i) y.values.push_back(spacing_ * (i + 0.5));
    return {y, x};
  }
  std::vector<io::FieldInfo> fields() const override {
    return {info("siu", "sea_ice_x_velocity", "m s-1"), info("siv", "sea_ice_y_velocity", "m s-1"),
            info("sivol", "sea_ice_thickness", "m"), info("siconc", "sea_ice_area_fraction", "1"),
            info("shear", "", "s-1")};
  }
  std::vector<io::FieldInfo> static_fields() const override { return {info("mask", "sea_binary_mask", "1")}; }

  void read(std::string const& field, std::span<double> values) const override {
    for (std::int32_t j = 0; j < ny_; ++j) {
      for (std::int32_t i = 0; i < nx_; ++i) {
        auto& value = values[index(i, j)];
        if (field == "mask") {
          value = i == 3 && j == 3 ? 0 : 1;
        } else if (field == "shear") {
          auto const du = static_cast<double>(u(i, j + 1) - u(i, j - 1)),
                     dv = static_cast<double>(v(i + 1, j) - v(i - 1, j));
          value = std::abs(du + dv) / (2 * spacing_);
        } else {
          value = static_cast<double>(state_[number(field)][index(i, j)]);
        }
      }
    }
  }

  std::unique_ptr<io::StateReader> state() const override {
    io::StateHeader header{"toy", options_.policy, case_hash_, step_, time(), {}};
    for (auto const* name : names) header.arrays.push_back({name, value_type_of<State>, {ny_, nx_}});
    auto stored = std::make_unique<io::StoredState>(std::move(header));
    for (std::size_t field = 0; field < state_.size(); ++field) {
      std::memcpy(stored->bytes(field).data(), state_[field].data(), stored->bytes(field).size());
    }
    return stored;
  }
  void restore(io::StateReader const& state) override {
    auto const& header = state.header();
    if (header.core != "toy" || header.policy != options_.policy || header.arrays.size() != state_.size()) {
      throw InputError("restart of another model or policy");
    }
    for (std::size_t field = 0; field < state_.size(); ++field) {
      state.read(field, 0, cells(), reinterpret_cast<std::byte*>(state_[field].data()));
    }
    if (forgetful_) {
      state_[1][7] = static_cast<State>(static_cast<float>(state_[1][7]));
    }
    step_ = header.step;
  }

  std::vector<std::string> perturbable() const override { return {"sivol", "siconc"}; }
  void perturb(std::string const& field, Perturbation const& noise) override {
    auto& values = state_[number(field)];
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const random =
          uniform_symmetric(noise.seed, noise.member, name_key(field), static_cast<std::int64_t>(i));
      values[i] = static_cast<State>(static_cast<double>(values[i]) + noise.amplitude * random);
    }
  }

  std::vector<Integral> integrals() const override {
    auto volume = 0.0;
    for (auto const thickness : state_[2]) volume += static_cast<double>(thickness) * spacing_ * spacing_;
    return {{"ice_volume", "m3", volume}};
  }
  std::uint64_t state_hash() const override {
    std::uint64_t hash = 0;
    for (auto const& field : state_) hash = hash * 31 + field_hash(raw(field));
    return hash;
  }
  bool finite() const override {
    for (auto const& field : state_) {
      for (auto const value : field) {
        if (!std::isfinite(static_cast<double>(value))) return false;
      }
    }
    return true;
  }

  void observe(StageObserver* observer) override { observer_ = observer; }
  void plant(PlantedFault const& fault) override { fault_ = fault; }
  std::vector<StageCost> costs() const override { return {{"toy.momentum", 2 * step_, 0, 0.0, 0.0}}; }

 private:
  static constexpr std::array<char const*, 4> names = {"siu", "siv", "sivol", "siconc"};

  static std::size_t number(std::string const& field) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (field == names[i]) return i;
    }
    throw InputError("no field " + field);
  }
  io::FieldInfo info(std::string const& name, std::string const& standard_name,
                     std::string const& units) const {
    io::FieldInfo info;
    info.name = name, info.standard_name = standard_name, info.long_name = name, info.units = units;
    info.dimensions = {"y", "x"};
    info.shape = {ny_, nx_};
    return info;
  }
  std::size_t index(std::int32_t i, std::int32_t j) const {
    auto const x = (i + nx_) % nx_, y = (j + ny_) % ny_;
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(x);
  }
  State const& u(std::int32_t i, std::int32_t j) const { return state_[0][index(i, j)]; }
  State const& v(std::int32_t i, std::int32_t j) const { return state_[1][index(i, j)]; }
  RawField raw(std::vector<State> const& field) const {
    return {field.data(), static_cast<std::int64_t>(field.size()), sizeof(State), false, nullptr};
  }

  void report(std::int32_t substep, char const* stage, std::size_t field) {
    report(substep, stage, names[field], state_[field]);
  }
  void report(std::int32_t substep, char const* stage, char const* field, std::vector<State>& values) {
    StagePosition const position{step_ + 1, substep};
    if (fault_.stage != nullptr && std::string(fault_.stage) == stage && std::string(fault_.field) == field &&
        fault_.position == position) {
      add_one_ulp(raw(values), fault_.element);
    }
    if (observer_ != nullptr) {
      observer_->stage_done(position, stage, field, raw(values));
    }
  }

  /// One sweep of Lorenz 1996 with a weak pull towards the mean, summed upwards or (atomic: any order)
  /// downwards.
  void momentum(std::size_t field, int along_x, int along_y) {
    auto const& old = state_[field];
    Compute sum = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
      sum += static_cast<Compute>(old[options_.assembly == Assembly::atomic ? old.size() - 1 - i : i]);
    }
    auto const mean = sum / static_cast<Compute>(old.size());
    auto const product = [](Compute a, Compute b) {
      return Policy::Multiplicand::round(a) * Policy::Multiplicand::round(b);
    };
    std::vector<State> next(old.size());
    for_each(Host{options_.threads}, static_cast<std::int64_t>(old.size()), [&](std::int64_t k) {
      auto const i = static_cast<std::int32_t>(k % nx_), j = static_cast<std::int32_t>(k / nx_);
      auto const at = [&](int shift) {
        return static_cast<Compute>(old[index(i + shift * along_x, j + shift * along_y)]);
      };
      auto const tendency = product(at(1) - at(-2), at(-1)) - at(0) + static_cast<Compute>(forcing_) +
                            Compute(0.05) * (mean - at(0));
      next[static_cast<std::size_t>(k)] = static_cast<State>(
          static_cast<Compute>(old[static_cast<std::size_t>(k)]) + Compute(0.02) * tendency);
    });
    state_[field] = std::move(next);
  }

  void transport(std::size_t field) {
    auto const old = state_[field];
    for_each(Host{options_.threads}, static_cast<std::int64_t>(old.size()), [&](std::int64_t k) {
      auto const i = static_cast<std::int32_t>(k % nx_), j = static_cast<std::int32_t>(k / nx_);
      auto const flux = [&](std::int32_t i_from, std::int32_t i_to) {
        auto const speed = Compute(0.5) * static_cast<Compute>(u(i_from, j) + u(i_to, j));
        return speed * static_cast<Compute>(old[index(speed > 0 ? i_from : i_to, j)]);
      };
      auto const change = Compute(0.01) * (flux(i - 1, i) - flux(i, i + 1));
      state_[field][static_cast<std::size_t>(k)] =
          static_cast<State>(static_cast<Compute>(old[static_cast<std::size_t>(k)]) + change);
    });
  }

  void diagnose() {
    std::vector<State> speed(state_[0].size());
    for (std::size_t i = 0; i < speed.size(); ++i) {
      speed[i] = std::sqrt(state_[0][i] * state_[0][i] + state_[1][i] * state_[1][i]);
    }
    report(0, "toy.diagnosis", "speed", speed);
  }

  void one_step() {
    for (std::int32_t substep = 1; substep <= 2; ++substep) {
      momentum(0, 1, 0);
      report(substep, "toy.momentum", 0);
      momentum(1, 0, 1);
      report(substep, "toy.momentum", 1);
    }
    transport(2);
    report(0, "toy.transport", 2);
    transport(3);
    report(0, "toy.transport", 3);
    if (diagnose_) {
      diagnose();
    }
    ++step_;
    if (blow_up_policy_ == options_.policy && step_ == blow_up_step_) {
      state_[0][5] = std::numeric_limits<State>::quiet_NaN();
    }
    if (sleep_ms_ > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms_));
    }
  }

  ModelOptions options_;
  std::int32_t nx_ = 0, ny_ = 0;
  double spacing_ = 0, dt_ = 0, forcing_ = 0;
  std::int64_t sleep_ms_ = 0, blow_up_step_ = 0, step_ = 0;
  std::string blow_up_policy_;
  bool forgetful_ = false, shy_ = false, diagnose_ = false;
  std::uint64_t case_hash_ = 0;
  std::array<std::vector<State>, 4> state_;  ///< u, v, h, a
  StageObserver* observer_ = nullptr;
  PlantedFault fault_;
};

template <class... Policies>
std::unique_ptr<Model> make(PolicyList<Policies...>, io::CaseFile const& case_file,
                            ModelOptions const& options) {
  std::unique_ptr<Model> model;
  ((options.policy == Policies::name && (model = std::make_unique<ToyModel<Policies>>(case_file, options))),
   ...);
  if (model == nullptr) {
    throw InputError("the toy model has no policy " + options.policy);
  }
  return model;
}

}  // namespace

void register_toy_model() {
  register_model("toy", "chaotic test model", [](io::CaseFile const& case_file, ModelOptions const& options) {
    return make(DevicePolicies{}, case_file, options);
  });
}

std::string toy_case() {
  return "core = \"toy\"\n"
         "name = \"two waves\"\n"
         "[grid]\nnx = 24\nny = 20\n"
         "[time]\nstep = \"60 s\"\nend = \"12 min\"\n"
         "[output]\ninterval = \"4 min\"\n";
}

ensembles::StudyOptions toy_study() {
  ensembles::StudyOptions options;
  options.policies = {"fp64", "fp32"};
  options.epsilons = {"2^-23", "2^-7"};
  options.members = 3;
  return options;
}

}  // namespace ulpine::test
