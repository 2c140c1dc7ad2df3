// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/fem/make.hpp"
#include "core/field/operations.hpp"

namespace ulpine::test {

/// A finite-element core whose fields tests set and read, in the order of the output.
class ElementAir {
 public:
  explicit ElementAir(std::string const& text, std::string const& policy = "fp64",
                      Assembly assembly = Assembly::deterministic, int threads = 1)
      : setup_{fem::read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"))},
        core_{fem::make(Host{threads}, policy, assembly, setup_)} {}

  Core& core() { return *core_; }
  fem::Setup const& setup() const { return setup_; }
  void steps(int count) {
    for (int n = 0; n < count; ++n) time_ = core_->take_step(++done_, time_, 1e9);
  }
  /// At which the last step ended, as it says.
  double time() const { return time_; }

  std::vector<double> values(std::string const& name) {
    auto const& field = core_->fields().at(name);
    std::vector<double> values(static_cast<std::size_t>(field.layout().count()));
    core_->fields().read(name, 0, field.layout().count(), ValueType::float64, values.data());
    return values;
  }
  void set(std::string const& name, std::vector<double> const& values) {
    auto const& field = core_->fields().at(name);
    write_values(field.raw(), 0, field.layout().count(), ValueType::float64, values.data());
    core_->state_replaced();
  }
  std::array<double, 3> point(std::size_t node) const {
    return setup_.point(static_cast<std::int32_t>(setup_.place[node]));
  }
  std::size_t nodes() const { return setup_.place.size(); }
  /// Integral over the domain of a nodal function.
  template <class F>
  double integral(F const& value) {
    auto const volume = values("cell_volume");
    auto sum = 0.0;
    for (std::size_t n = 0; n < nodes(); ++n) sum += volume[n] * value(n);
    return sum;
  }
  double integral_of(std::string const& field) {
    auto const all = values(field);
    return integral([&](std::size_t n) { return all[n]; });
  }
  std::uint64_t hash() { return core_->fields().state_hash(); }

 private:
  fem::Setup setup_;
  std::unique_ptr<Core> core_;
  std::int64_t done_ = 0;
  double time_ = 0;
};

inline double largest(std::vector<double> const& values) {
  auto most = 0.0;
  for (auto const value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace ulpine::test
