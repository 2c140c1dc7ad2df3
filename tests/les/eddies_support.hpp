// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/les/case_town.hpp"
#include "core/les/make.hpp"
#include "core/les/wall_distance.hpp"
#include "support/random_values.hpp"

/// Large-eddy cores from the text of a case, whose fields tests set and read.
namespace ulpine::test {

/// Of a policy: of the state, and of what the pressure is solved in.
struct Roundoff {
  double state, solved;
};
inline Roundoff roundoff_of(std::string const& policy) {
  auto const quad = 0x1p-113, full = 0x1p-53, half = 0x1p-24;
  if (policy == "quad") return {quad, quad};
  if (policy == "fp64") return {full, full};
  return {policy == "fp32" ? half : full, half};
}

/// A case without anything but advection and pressure, whose tables `more` completes or replaces (a later
/// line wins nowhere in TOML: keys are given once).
inline std::string bare_case(std::string const& grid, std::string const& time, std::string const& more) {
  return "core = 'les'\n[grid]\n" + grid + "\n[time]\n" + time + "\n" + more;
}
inline constexpr char const* no_closure = "[closure]\nkind = 'none'\n";
inline constexpr char const* free_slip = "[ground]\nwind = 'free_slip'\n";

class Eddies {
 public:
  template <class Executor = Host>
  explicit Eddies(std::string const& text, std::string const& policy = "fp64", Executor executor = {},
                  Assembly assembly = Assembly::deterministic, std::vector<int> const& tops = {})
      : setup_{with_buildings(les::read_case(io::CaseFile::parse(text, "case.toml")), tops)},
        core_{les::make(executor, policy, assembly, setup_)} {}

  les::Parameters const& parameters() const { return setup_.parameters; }
  int nx() const { return parameters().nx; }
  int ny() const { return parameters().ny; }
  int nz() const { return parameters().nz; }
  double thickness(int k) { return setup_.tables.at(les::Level::thickness, k); }
  double at(les::Level table, int k) { return setup_.tables.at(table, k); }
  double height() const { return parameters().tops().back(); }
  std::size_t index(int k, int j, int i) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(ny()) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(nx()) +
           static_cast<std::size_t>(i);
  }
  Core& core() { return *core_; }
  std::uint64_t hash() { return core_->fields().state_hash(); }

  bool has(char const* field) const { return core_->fields().find(field) != nullptr; }
  std::vector<double> values(char const* field) const {
    auto const& found = core_->fields().at(field);
    found.update();
    return raw(found.raw());
  }
  static std::vector<double> raw(RawField const& field) {
    std::vector<double> values(static_cast<std::size_t>(field.count()));
    read_values(field, 0, field.count(), ValueType::float64, values.data());
    return values;
  }
  /// The state counts as replaced only when settled().
  void write(char const* field, std::vector<double> const& values) {
    auto const& raw = core_->fields().at(field).raw();
    write_values(raw, 0, raw.count(), ValueType::float64, values.data());
  }
  template <class Value>
  void fill(char const* field, Value const& value) {
    std::vector<double> values(static_cast<std::size_t>(nx()) * static_cast<std::size_t>(ny()) *
                               static_cast<std::size_t>(nz()));
    for (int k = 0; k < nz(); ++k) {
      for (int j = 0; j < ny(); ++j) {
        for (int i = 0; i < nx(); ++i) values[index(k, j, i)] = value(k, j, i);
      }
    }
    write(field, values);
  }
  void settled() { core_->state_replaced(); }
  /// Random wind, theta around `kelvin`, e; w is 0 at the lid.
  void randomize(std::uint64_t seed, double wind, double kelvin, double spread, double energy = 0.3) {
    RandomValues random(seed);
    auto const any = [&](double low, double high) {
      return [&random, low, high](int, int, int) { return random.between(low, high); };
    };
    fill("u", any(-wind, wind));
    fill("v", any(-wind, wind));
    fill("w", [&](int k, int, int) { return k == nz() - 1 ? 0 : random.between(-wind, wind); });
    fill("theta", any(kelvin - spread, kelvin + spread));
    if (has("e")) fill("e", any(0.1 * energy, energy));
    settled();
  }

  /// Takes a step and returns its end; `latest` s.
  double step(double latest = std::numeric_limits<double>::infinity()) {
    time_ = core_->take_step(++steps_, time_, latest);
    return time_;
  }
  void steps(int count) {
    for (int n = 0; n < count; ++n) step();
  }
  double time() const { return time_; }

 private:
  /// Columns of so many solid cells, x fastest.
  static les::Setup with_buildings(les::Setup setup, std::vector<int> const& tops) {
    if (tops.empty()) return setup;
    auto const grid = les::town_grid(setup.parameters);
    setup.maps = les::wall_maps(tops, grid);
    setup.mixing_limit = les::mixing_length_limits(tops, grid);
    return setup;
  }

  les::Setup setup_;
  std::unique_ptr<Core> core_;
  std::int64_t steps_ = 0;
  double time_ = 0;
};

/// What stages wrote, as double: of each field after each stage of the Runge-Kutta scheme, 1 to 3 (0: before
/// them).
class Written : public StageObserver {
 public:
  void stage_done(StagePosition const& position, char const*, char const* field,
                  RawField const& values) override {
    auto const stage = position.depth() > 1 ? position[1].index : 0;
    all[{field, stage}] = Eddies::raw(values);
  }
  std::vector<double> const& of(char const* field, std::int64_t stage) const {
    return all.at({field, stage});
  }
  std::map<std::pair<std::string, std::int64_t>, std::vector<double>> all;
};

inline double largest(std::vector<double> const& values) {
  auto most = 0.0;
  for (auto const value : values) most = std::isnan(value) ? value : std::max(most, std::abs(value));
  return most;
}
inline double distance(std::vector<double> const& a, std::vector<double> const& b) {
  EXPECT_EQ(a.size(), b.size());
  auto most = 0.0;
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
    auto const d = std::abs(a[n] - b[n]);
    if (!(d <= most)) most = d;
    if (std::isnan(d)) return d;
  }
  return most;
}
inline void expect_same_bits(std::vector<double> const& a, std::vector<double> const& b,
                             std::string const& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << what << ": " << distance(a, b);
}

}  // namespace ulpine::test
