// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/fem/domain.hpp"
#include "core/fem/make_impl.hpp"
#include "core/model/core.hpp"
#include "ulpine_fem_parts.hpp"

namespace ulpine::fem {

/// Compressible air on tetrahedra, P1 for every field, state in T; the policy is the assembler's. The parts
/// of a domain in their order, in passes over their equations. The scheme is in
/// docs/explanation/cores/fem.md.
template <class T, class Executor>
class FiniteElements final : public Core {
 public:
  /// This rank's part of it, where `team` are several; all have called part(whole, team).
  FiniteElements(PartOfCase const& part, Executor executor, AssemblerMaker<T, Executor>* assembler,
                 Assembly assembly, std::shared_ptr<Ranks> const& team, SetupTimes* times)
      : d_(part, executor, assembly, team, times) {
    d_.parts = make_parts(d_);
    d_.each(&Part::declare_stages);
    d_.each(&Part::start);
    lap(executor, times, &SetupTimes::rest);
    auto const make = [&](Assembly how) {
      return assembler(executor, how, d_.mesh, d_.position.view().data());
    };
    d_.assembler = make(assembly);
    auto const other = assembly == Assembly::deterministic ? nullptr : make(Assembly::deterministic);
    d_.constants = other ? other.get() : d_.assembler.get();
    lap(executor, times, &SetupTimes::plans);
    d_.each(&Part::assemble_constants);
    d_.each(&Part::prepare);
    d_.constants = nullptr;
    d_.whole = d_.setup = nullptr;
    lap(executor, times, &SetupTimes::solvers);
    state_replaced();
    lap(executor, times, &SetupTimes::rest);
  }

  std::string name() const override { return "fem"; }
  FieldTable& fields() override { return d_.fields; }
  StageRunner& stages() override { return d_.stages; }
  std::int64_t cells() const override { return d_.elements; }
  double fixed_step() const override { return d_.p.step; }
  std::vector<IntegralDescription> integrals() const override {
    std::vector<IntegralDescription> all;
    for (auto const& part : d_.parts) {
      for (auto& integral : part->integrals()) all.push_back(std::move(integral));
    }
    return all;
  }

  double take_step(std::int64_t step, double, double) override {
    d_.stages.begin_step(d_.executor, step);
    d_.begin = static_cast<double>(step - 1) * d_.p.step;
    d_.each(&Part::begin);
    for (std::int32_t pass = 0; pass < d_.p.picard; ++pass) {
      auto const loop = d_.stages.loop("picard", pass + 1);
      d_.each(&Part::begin_pass);
      d_.each(&Part::advance);
    }
    d_.each(&Part::end);
    d_.stepped = true;
    return static_cast<double>(step) * d_.p.step;
  }

  void state_replaced() override {
    d_.each(&Part::state_replaced);
    d_.stepped = false;
  }

 private:
  Domain<T, Executor> d_;
};

template <class T, class Executor>
std::unique_ptr<Core> make_of(Executor executor, AssemblerMaker<T, Executor>* assembler, Assembly assembly,
                              Setup const& setup, std::shared_ptr<Ranks> const& team, SetupTimes* times) {
  PartOfCase const part(setup, team.get());
  return std::make_unique<FiniteElements<T, Executor>>(part, executor, assembler, assembly, team, times);
}

}  // namespace ulpine::fem
