// SPDX-License-Identifier: Apache-2.0
#include "ensembles/toy_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "core/exec/host.hpp"
#include "core/model/core.hpp"
#include "core/model/not_solved.hpp"
#include "core/model/step_length.hpp"
#include "io/error.hpp"
#include "precision/host_policies.hpp"

namespace ulpine::test {
namespace {

/// The keys of a toy case.
struct Keys {
  std::int32_t nx, ny;
  double spacing, dt, forcing;
  double blow_up_value;  ///< 0: NaN
  std::int64_t sleep_ms, blow_up_step, unsolved_step, stuck_step;
  bool adaptive, blows_up, unsolved, forgetful, shy, diagnose, quad, still;

  Keys(io::CaseFile const& c, std::string const& policy)
      : nx{static_cast<std::int32_t>(c.integer("grid.nx", 24, 8, 3000))},
        ny{static_cast<std::int32_t>(c.integer("grid.ny", 20, 8, 3000))},
        spacing{c.number("grid.spacing", 4000, 1)},
        dt{c.duration("time.step", "60 s", 1)},
        forcing{c.number("toy.forcing", 8) * (c.text("toy.amplify_policy", "") == policy ? 1.05 : 1)},
        blow_up_value{c.number("toy.blow_up_value", 0)},
        sleep_ms{c.integer("toy.sleep_ms", 0, 0, 10000)},
        blow_up_step{c.integer("toy.blow_up_step", 5)},
        unsolved_step{c.integer("toy.unsolved_step", 5)},
        stuck_step{c.integer("toy.stuck_step", -1)},
        adaptive{c.flag("toy.adaptive", false)},
        blows_up{c.text("toy.blow_up_policy", "") == policy},
        unsolved{c.text("toy.unsolved_policy", "") == policy},
        forgetful{c.flag("toy.forgetful_restart", false)},
        shy{c.flag("toy.shy", false)},
        diagnose{c.flag("toy.diagnose", false)},
        quad{c.flag("toy.quad", false)},
        still{c.flag("toy.still", false)} {
    c.reject_unknown();
  }
};

template <PrecisionPolicy Policy>
class Toy final : public Core {
  using State = typename Policy::State;
  using Compute = typename Policy::Compute;
  using Values = FieldOf<State, Host>;

 public:
  Toy(Keys const& keys, ModelOptions const& options)
      : keys_{keys}, host_{options.threads}, backwards_{options.assembly == Assembly::atomic} {
    solve(0);
    shear_.on_demand([this] { update_shear(); });
    for (char const* const name : {"y", "x"}) {
      auto const y = name[0] == 'y';
      io::Coordinate c{name, std::string("projection_") + name + "_coordinate", name, "m", y ? "Y" : "X", {}};
      for (int i = 0; i < (y ? keys.ny : keys.nx); ++i) c.values.push_back(keys.spacing * (i + 0.5));
      fields_.add_coordinate(c);
    }
    for (std::int64_t k = 0; k < cells(); ++k) {
      auto const x = static_cast<double>(k % keys.nx), y = static_cast<double>(k / keys.nx);
      u_.view()[k] = static_cast<State>(keys.forcing + std::sin(0.7 * x + 0.3 * y));
      v_.view()[k] = static_cast<State>(keys.forcing + std::cos(0.5 * y - 0.2 * x));
      h_.view()[k] = static_cast<State>(0.3 + 0.1 * std::sin(0.4 * x) * std::cos(0.4 * y));
      a_.view()[k] = static_cast<State>(0.9 + 0.05 * std::cos(0.3 * x));
      mask_.view()[k] = k == 3 * keys.nx + 3 ? 0 : 1;
      area_.view()[k] = keys.spacing * keys.spacing;
    }
  }

  std::string name() const override { return "toy"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return std::int64_t{keys_.nx} * keys_.ny; }
  double fixed_step() const override { return keys_.adaptive ? 0 : keys_.dt; }
  std::vector<IntegralDescription> integrals() const override {
    return {{"ice_volume", "m3", "sivol", "cell_area"}};
  }
  void state_replaced() override {
    if (keys_.forgetful) round_to_float(v_.view()[7]);
  }

  double take_step(std::int64_t step, double time, double latest) override {
    stages_.begin_step(host_, step);
    solve(step);
    if (step == keys_.stuck_step) return time;
    for (int k = 1; k <= 2 && !keys_.still; ++k) {
      auto const substep = stages_.loop("substep", k);
      sweep(u_, 1, 0);
      sweep(v_, 0, 1);
    }
    if (!keys_.still) {
      transport(h_);
      transport(a_);
    }
    if (speed_ != nullptr) diagnose();
    if (keys_.blows_up && step == keys_.blow_up_step) {
      auto const value = keys_.blow_up_value;
      u_.view()[5] = static_cast<State>(value != 0 ? value : std::numeric_limits<double>::quiet_NaN());
    }
    if (keys_.shy && stages_.watched()) round_to_float(h_.view()[5]);
    if (keys_.sleep_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(keys_.sleep_ms));
    if (keys_.adaptive) {
      auto const left = latest - time;
      auto const length = length_towards(left, keys_.dt * (1 + 0.1 * static_cast<double>(step % 3)));
      return length < left ? time + length : latest;
    }
    return static_cast<double>(step) * keys_.dt;
  }

 private:
  template <class T>
  FieldOf<T, Host>& add(FieldDescription description) {
    if (description.long_name.empty()) description.long_name = description.name;
    description.dimensions = {"y", "x"};
    description.output = description.role != FieldRole::work;
    return fields_.add<T>(host_, std::move(description), Layout::dense(keys_.ny, keys_.nx));
  }
  Values& state(char const* name, char const* standard_name, char const* units,
                std::optional<Perturbable> perturbable = {}, ValueRange range = {}) {
    return add<State>({.name = name,
                       .units = units,
                       .standard_name = standard_name,
                       .role = FieldRole::prognostic,
                       .perturbable = perturbable,
                       .range = range});
  }

  void solve(std::int64_t step) const {
    if (keys_.unsolved && step == keys_.unsolved_step) throw NotSolved("the toy's system was not solved");
  }
  static void round_to_float(State& value) { value = static_cast<State>(static_cast<float>(value)); }
  std::int64_t index(std::int64_t i, std::int64_t j) const {
    return (j + keys_.ny) % keys_.ny * keys_.nx + (i + keys_.nx) % keys_.nx;
  }
  /// Runs `stage` with kernel(i, j) on all points.
  template <class Kernel>
  void run(Stage stage, Kernel const& kernel, Field const& written) {
    auto const at = [&](std::int64_t k) { kernel(k % keys_.nx, k / keys_.nx); };
    stages_.run(stage, host_, cells(), at, {&written});
  }

  /// One sweep of Lorenz 1996 with a weak pull towards the mean, summed upwards or (atomic: any order)
  /// downwards.
  void sweep(Values& field, int along_x, int along_y) {
    before_.copy_from(field);
    auto const old = before_.view();
    auto const count = cells();
    Compute sum = 0;
    for (std::int64_t k = 0; k < count; ++k) sum += static_cast<Compute>(old[backwards_ ? count - 1 - k : k]);
    auto const mean = sum / static_cast<Compute>(count), forcing = static_cast<Compute>(keys_.forcing);
    auto const product = [](Compute a, Compute b) {
      return Policy::Multiplicand::round(a) * Policy::Multiplicand::round(b);
    };
    run(
        momentum_,
        [&, next = field.view()](std::int64_t i, std::int64_t j) {
          auto const at = [&](int shift) {
            return static_cast<Compute>(old[index(i + shift * along_x, j + shift * along_y)]);
          };
          auto const tendency =
              product(at(1) - at(-2), at(-1)) - at(0) + forcing + Compute(0.05) * (mean - at(0));
          next[index(i, j)] = static_cast<State>(at(0) + Compute(0.02) * tendency);
        },
        field);
  }

  void transport(Values& field) {
    before_.copy_from(field);
    auto const old = before_.view(), u = u_.view();
    run(
        transport_,
        [&, next = field.view()](std::int64_t i, std::int64_t j) {
          auto const flux = [&](std::int64_t from, std::int64_t to) {
            auto const speed = Compute(0.5) * static_cast<Compute>(u[index(from, j)] + u[index(to, j)]);
            return speed * static_cast<Compute>(old[index(speed > 0 ? from : to, j)]);
          };
          auto const change = Compute(0.01) * (flux(i - 1, i) - flux(i, i + 1));
          next[index(i, j)] = static_cast<State>(static_cast<Compute>(old[index(i, j)]) + change);
        },
        field);
  }

  void diagnose() {
    auto const u = u_.view(), v = v_.view();
    run(
        diagnosis_,
        [&, speed = speed_->view()](std::int64_t i, std::int64_t j) {
          auto const k = index(i, j);
          speed[k] = static_cast<State>(std::sqrt(static_cast<double>(u[k] * u[k] + v[k] * v[k])));
        },
        *speed_);
  }

  void update_shear() {
    auto const u = u_.view(), v = v_.view();
    for (std::int32_t j = 0; j < keys_.ny; ++j) {
      for (std::int32_t i = 0; i < keys_.nx; ++i) {
        auto const du = static_cast<double>(u[index(i, j + 1)] - u[index(i, j - 1)]),
                   dv = static_cast<double>(v[index(i + 1, j)] - v[index(i - 1, j)]);
        shear_.view()[index(i, j)] = std::abs(du + dv) / (2 * keys_.spacing);
      }
    }
  }

  Keys keys_;
  Host host_;
  bool backwards_;
  FieldTable fields_;
  StageRunner stages_;
  Stage momentum_ = stages_.add({"toy.momentum", "one sweep of Lorenz 1996", 3. * sizeof(State)});
  Stage transport_ = stages_.add({"toy.transport", "upwind transport along rows", 3. * sizeof(State)});
  Stage diagnosis_ = stages_.add({"toy.diagnosis", "a speed that nothing is made of", 3. * sizeof(State)});
  Values& u_ =
      state("siu", "sea_ice_x_velocity", "m s-1", {}, keys_.blow_up_value != 0 ? at_most(1e6) : ValueRange{});
  Values& v_ = state("siv", "sea_ice_y_velocity", "m s-1");
  Values& h_ = state("sivol", "sea_ice_thickness", "m", Perturbable{});
  Values& a_ = state("siconc", "sea_ice_area_fraction", "1", Perturbable{});
  FieldOf<double, Host>& shear_ =
      add<double>({.name = "shear", .units = "s-1", .role = FieldRole::diagnostic});
  FieldOf<std::uint8_t, Host>& mask_ =
      add<std::uint8_t>({.name = "mask", .standard_name = "sea_binary_mask", .role = FieldRole::constant});
  FieldOf<double, Host>& area_ = add<double>(
      {.name = "cell_area", .units = "m2", .standard_name = "cell_area", .role = FieldRole::constant});
  Values& before_ = add<State>({.name = "before"});
  Values* speed_ = keys_.diagnose ? &add<State>({.name = "speed", .units = "m s-1"}) : nullptr;
};

std::unique_ptr<Model> make(io::CaseFile const& case_file, ModelOptions const& options) {
  Keys const keys(case_file, options.policy);
  auto const toy_in = [&]<class Policy>() -> std::unique_ptr<Core> {
    return std::make_unique<Toy<Policy>>(keys, options);
  };
  auto core = keys.quad ? with_policy(HostPolicies{}, options.policy, toy_in)
                        : with_policy(DevicePolicies{}, options.policy, toy_in);
  if (core == nullptr) throw InputError("the toy model has no policy " + options.policy);
  return model_of(std::move(core), case_file, options.policy);
}

}  // namespace

void register_toy_model() {
  register_model("toy", "chaotic test model", make, false,
                 "[evaluate.lkf]\nkind = \"lkf\"\nfield = \"shear\"\nparameters = \"dog15\"\n"
                 "[evaluate.shear_spectrum]\nkind = \"spectrum\"\nfield = \"shear\"\n"
                 "transform = \"log10\"\nfloor = 1e-10\n");
  register_model("doubled_toy", "the same, with an evaluation of a field's name", make, false,
                 "[evaluate.sivol]\nkind = \"integral\"\nfield = \"sivol\"\n");
  register_model("plain_toy", "the same, of which nothing is declared", make);
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
  options.members_for = {"deterministic"};
  options.epsilons = {"2^-23", "2^-7"};
  options.members = 3;
  return options;
}

}  // namespace ulpine::test
