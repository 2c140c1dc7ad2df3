// SPDX-License-Identifier: Apache-2.0
#include "lorenz96/lorenz.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ulpine/core/exec/host.hpp>
#include <ulpine/core/model/core.hpp>
#include <ulpine/core/model/emulated.hpp>
#include <ulpine/core/model/operations.hpp>
#include <ulpine/io/error.hpp>
#include <ulpine/precision/arithmetic.hpp>
#include <ulpine/precision/formats.hpp>
#include <ulpine/precision/host_policies.hpp>

namespace ulpine::lorenz96 {
namespace {

struct Keys {
  std::int32_t levels, rows, columns;
  double step, forcing, coupling, coefficient;
  std::string fault;
  std::int32_t coarser;

  explicit Keys(io::CaseFile const& c)
      : levels{c.integer("grid.levels", 1, 1, 100)},
        rows{c.integer("grid.rows", 1, 1, 1000)},
        columns{c.integer("grid.columns", 40, 4, 1000)},
        step{c.number("time.step", 0.05, 1e-6, 0.1)},
        forcing{c.number("lorenz.forcing", 8)},
        coupling{c.number("lorenz.coupling", 0, 0)},
        coefficient{c.number("lorenz.coefficient", 1)},
        fault{
            c.choice("lorenz.fault", "none", {"none", "flipped_sign", "dropped_halo", "contracted", "tf32"})},
        coarser{c.integer("lorenz.coarser", 0, 0, 1 << 22)} {
    if (coarser != 0 && !std::has_single_bit(static_cast<std::uint32_t>(coarser))) {
      throw c.error("lorenz.coarser", "is no power of 2 (bits are dropped one by one) give e.g. 4");
    }
    c.reject_unknown();
  }
};

template <PrecisionPolicy Policy, class Executor>
class Lorenz final : public Core {
  using State = typename Policy::State;
  using Compute = typename Policy::Compute;

 public:
  Lorenz(Keys const& keys, Executor host, bool reversed)
      : keys_{keys},
        host_{host},
        reversed_{reversed},
        format_{.precision = 24 - std::countr_zero(static_cast<std::uint32_t>(std::max(keys.coarser, 1))),
                .emin = -1022,
                .emax = 1023} {
    for (auto const& [name, count] :
         {std::pair{"level", keys.levels}, {"y", keys.rows}, {"x", keys.columns}}) {
      io::Coordinate coordinate{name, "", name, name[0] == 'l' ? "1" : "m", "", {}};
      for (std::int32_t i = 0; i < count; ++i) coordinate.values.push_back(i);
      fields_.add_coordinate(coordinate);
    }
    for (std::int64_t i = 0; i < cells(); ++i) {
      u_.view()[i] = static_cast<State>(keys.forcing + std::sin(0.7 * double(i)));
    }
    find_neighbours();
  }

  std::string name() const override { return "lorenz96"; }
  FieldTable& fields() override { return fields_; }
  StageRunner& stages() override { return stages_; }
  std::int64_t cells() const override { return std::int64_t{keys_.levels} * keys_.rows * keys_.columns; }
  double fixed_step() const override { return keys_.step; }

  void state_replaced() override { halo_filled_ = false; }

  double take_step(std::int64_t step, double, double) override {
    stages_.begin_step(host_, step);
    auto const count = cells();
    auto const length = static_cast<Compute>(keys_.step);
    auto const put = [from = u_.view(), to = stage_.view()](std::int64_t i) { to[i] = from[i]; };
    stages_.run(copy_, host_, count, put, {&stage_});
    sum_.fill_zero();
    for (int part = 0; part < 4; ++part) {
      auto const parts = stages_.loop("stage", part + 1);
      if (keys_.fault != "dropped_halo" || !halo_filled_) exchange();
      with_product([&](auto const& product) {
        stages_.run(tendency_, host_, count,
                    [&, now = k_.view()](std::int64_t i) { now[i] = tendency(i, product); }, {&k_});
      });
      auto const weight = static_cast<Compute>(part == 1 || part == 2 ? 2 : 1);
      auto const ahead = length * static_cast<Compute>(part == 2 ? 1 : 0.5);
      auto const advance = [weight, ahead, k = k_.view(), sum = sum_.view(), u = u_.view(),
                            next = stage_.view()](std::int64_t i) {
        sum[i] += weight * k[i];
        next[i] = static_cast<State>(static_cast<Compute>(u[i]) + ahead * k[i]);
      };
      stages_.run(advance_, host_, count, advance, {&sum_, &stage_});
    }
    auto const finish = [this, sixth = length / Compute(6), sum = sum_.view(),
                         u = u_.view()](std::int64_t i) {
      u[i] = static_cast<State>(static_cast<Compute>(u[i]) + sixth * sum[i]);
      if constexpr (std::is_same_v<State, double>) {
        if (keys_.coarser != 0) u[i] = round_to(format_, u[i]);
      }
    };
    stages_.run(finish_, host_, count, finish, {&u_});
    return static_cast<double>(step) * keys_.step;
  }

 private:
  /// Of a cell: along columns 1 ahead, 1 and 2 behind, the same along rows, the levels above and below. Cells
  /// beyond the edges of a row are those of the halo, which come after all others.
  struct Neighbours {
    std::int64_t x[3], y[3], z[2];
  };

  template <class T>
  FieldOf<T, Executor>& add(FieldDescription description) {
    description.dimensions = {"level", "y", "x"};
    return fields_.add<T>(host_, std::move(description),
                          Layout::dense(keys_.levels, keys_.rows, keys_.columns));
  }

  void find_neighbours() {
    auto const nz = keys_.levels, ny = keys_.rows, nx = keys_.columns;
    auto const at = [&](std::int32_t k, std::int32_t j, std::int32_t i) {
      return (std::int64_t{k} * ny + (j + ny) % ny) * nx + (i + nx) % nx;
    };
    for (std::int32_t k = 0; k < nz; ++k) {
      for (std::int32_t j = 0; j < ny; ++j) {
        for (std::int32_t i = 0; i < nx; ++i) {
          auto const along = [&](std::int32_t shift) {
            return at(k, j, i + shift) + (i + shift < 0 || i + shift >= nx ? cells() : 0);
          };
          neighbours_.push_back({{along(1), along(-1), along(-2)},
                                 {at(k, j + 1, i), at(k, j - 1, i), at(k, j + ny - 2, i)},
                                 {at(std::min(k + 1, nz - 1), j, i), at(std::max(k - 1, 0), j, i)}});
        }
      }
    }
  }

  void exchange() {
    auto const fill = [values = stage_.view(), count = cells()](std::int64_t i) {
      values[count + i] = values[i];
    };
    stages_.run(exchange_, host_, cells(), fill, {&stage_});
    halo_filled_ = true;
  }

  /// body(product), where product(a, b, c) = a b + c.
  template <class Body>
  void with_product(Body const& body) {
    if (keys_.fault == "contracted") {
      body([](Compute a, Compute b, Compute c) { return math::fma(a, b, c); });
    } else if (keys_.fault == "tf32") {
      auto const round = [](Compute a) { return static_cast<Compute>(Tf32::round(static_cast<float>(a))); };
      body([round](Compute a, Compute b, Compute c) { return round(a) * round(b) + c; });
    } else {
      using Multiplicand = typename Policy::Multiplicand;
      body([](Compute a, Compute b, Compute c) {
        return Multiplicand::round(a) * Multiplicand::round(b) + c;
      });
    }
  }

  template <class Product>
  Compute tendency(std::int64_t i, Product const& product) const {
    auto const u = stage_.view();
    auto const& near = neighbours_[static_cast<std::size_t>(i)];
    auto const value = [&](std::int64_t n) { return static_cast<Compute>(u[n]); };
    auto const own = value(i), forcing = static_cast<Compute>(keys_.coefficient * keys_.forcing);
    auto const damped = keys_.fault == "flipped_sign" && i == 0 ? -own : own;
    auto const coupling = static_cast<Compute>(keys_.coupling);
    auto const along_x = [&](Compute to) {
      return product(value(near.x[0]) - value(near.x[2]), value(near.x[1]), to);
    };
    auto const along_y = [&](Compute to) {
      return keys_.rows == 1 ? to : product(value(near.y[0]) - value(near.y[2]), value(near.y[1]), to);
    };
    auto const across = [&](Compute to) {
      return keys_.levels == 1 ? to
                               : product(coupling, (value(near.z[0]) - own) - (own - value(near.z[1])), to);
    };
    // Equivalent, but rounded elsewhere: from the forcing to the advection or the other way round.
    return reversed_ ? along_x(along_y(across(forcing - damped)))
                     : across(along_y(along_x(-damped))) + forcing;
  }

  Keys keys_;
  Executor host_;
  bool reversed_, halo_filled_ = false;
  FloatFormat format_;
  std::vector<Neighbours> neighbours_;
  FieldTable fields_;
  StageRunner stages_;
  double const bytes_ = double(sizeof(State)) * double(cells());
  Stage copy_ = stages_.add({"lorenz96.copy", "the state for the first tendency", 2 * bytes_});
  Stage exchange_ = stages_.add({"lorenz96.exchange", "cells beyond the edges", 2 * bytes_});
  Stage tendency_ = stages_.add({"lorenz96.tendency", "du/dt", 2 * bytes_});
  Stage advance_ = stages_.add({"lorenz96.advance", "the state for the next tendency", 5 * bytes_});
  Stage finish_ = stages_.add({"lorenz96.finish", "the state at the end of the step", 3 * bytes_});
  FieldOf<State, Executor>& u_ = add<State>({.name = "u",
                                             .units = "m s-1",
                                             .long_name = "variables of Lorenz 1996",
                                             .role = FieldRole::prognostic,
                                             .output = true,
                                             .perturbable = Perturbable{}});
  FieldOf<Compute, Executor>& k_ = add<Compute>({.name = "tendency", .units = "m s-2"});
  FieldOf<Compute, Executor>& sum_ = add<Compute>({.name = "sum", .units = "m s-2"});
  FieldOf<State, Executor>& stage_ =
      fields_.add<State>(host_, {.name = "stage", .units = "m s-1"}, Layout::entities(2 * cells()));
};

void require_fine(Keys const& keys, std::string const& policy) {
  if (keys.coarser == 0 || policy == "fp64") return;
  throw InputError("lorenz.coarser makes the rounding of fp64 coarser (not that of " + policy +
                   ") leave it out");
}

std::unique_ptr<Model> make(io::CaseFile const& case_file, ModelOptions const& options) {
  Keys const keys(case_file);
  require_fine(keys, options.policy);
  auto const make_plain = [&]<class Executor>(Executor executor) -> std::unique_ptr<Core> {
    if constexpr (std::is_same_v<Executor, Host>) {
      // quad alone has no atomic assembly: what it is the truth for may not depend on chance.
      if (options.policy == "quad" && options.assembly == Assembly::atomic) return nullptr;
      return with_policy(HostPolicies{}, options.policy, [&]<class Policy>() -> std::unique_ptr<Core> {
        return std::make_unique<Lorenz<Policy, Host>>(keys, executor, options.assembly == Assembly::atomic);
      });
    } else {
      return nullptr;
    }
  };
  return model_in_formats(options, case_file, make_plain, [&](EmulatingHost host) {
    return std::make_unique<Lorenz<EmulatedPolicy, EmulatingHost>>(keys, host, false);
  });
}

std::unique_ptr<Core> make_counted(io::CaseFile const& case_file, CountingHost host) {
  Keys const keys(case_file);
  require_fine(keys, "numbers that count");
  return std::make_unique<Lorenz<CountedPolicy, CountingHost>>(keys, host, false);
}

// What is declared of both: a state's mean, energy, tail and extremes.
constexpr char const* judged = R"toml(
[evaluate.average]
kind = "mean"
field = "u"
[evaluate.energy]
kind = "power"
field = "u"
factor = 0.5
[evaluate.skewness]
kind = "power"
field = "u"
exponent = 3
about = "mean"
[evaluate.upper_decile]
kind = "quantile"
field = "u"
probability = 0.9
[evaluate.largest]
kind = "extremum"
field = "u"
)toml";

}  // namespace

void register_lorenz() {
  register_model("lorenz96", "Lorenz 1996 on levels, rows and columns", make, true, judged);
  register_counted_core("lorenz96", make_counted);
}

std::string lorenz_case() {
  return R"toml(
core = "lorenz96"
name = "lorenz96"
[grid]
columns = 40
[time]
step = 0.05
end = "3 s"
[output]
interval = "1 s"
[verify]
tolerated = "2^-6"
reason = "one part in 500 of the forcing"
[evaluate.profile]
kind = "profile"
field = "u"
axis = "x"
)toml";
}

std::string box_case() {
  return R"toml(
core = "lorenz96"
name = "box"
[grid]
levels = 4
rows = 8
columns = 12
[time]
step = 0.025
end = "2 s"
[output]
interval = "0.5 s"
[lorenz]
coupling = 1
[verify]
tolerated = "2^-6"
reason = "one part in 500 of the forcing"
[evaluate.profile]
kind = "profile"
field = "u"
axis = "level"
[evaluate.spectrum]
kind = "spectrum"
field = "u"
)toml";
}

}  // namespace ulpine::lorenz96
