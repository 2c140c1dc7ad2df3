// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/les/domain.hpp"
#include "core/les/make_impl.hpp"
#include "core/les/part.hpp"
#include "core/parts/core_of_parts.hpp"
#include "ulpine_les_parts.hpp"

namespace ulpine::les {

/// Boussinesq large eddies on one executor: the parts of a domain D in their order, by a Runge-Kutta scheme
/// of three stages.
template <class D>
class LargeEddies final : public CoreOfParts<D, Part> {
  using Base = CoreOfParts<D, Part>;

 public:
  /// `setup` is of this rank's block.
  LargeEddies(Setup const& setup, typename D::Executor executor, Blocks const& blocks,
              std::shared_ptr<Link<typename D::Executor>> link, std::shared_ptr<Ranks> const& team,
              PoissonSolvers<typename D::S> solvers)
      : Base([](D& domain) { return make_parts(domain); }, setup, executor, blocks, std::move(link), team,
             std::move(solvers)) {
    for (auto const point : all_points) each(&Part::declare_stages, point);
    for (auto const& stage : d_.stages.stages()) d_.unwatched.add(stage);
    for (auto& part : parts_) {
      if (part->carries()) carrying_.push_back(part.get());
    }
    d_.diagnose_state = [this] {
      d_.unwatched.begin_step(d_.executor, 1);
      each(&Part::diagnose, d_.unwatched);
    };
    // The pressure of the state as it is: what drives its tendencies' divergence out, over one second.
    d_.pressure->on_demand([this] {
      auto const pass = d_.second(true);
      each(&Part::diagnose, d_.unwatched);
      each(&Part::force_wind, pass);
      each(&Part::solve_pressure, pass, nothing, nothing);
    });
    each(&Part::prepare);
    each(&Part::start);
    d_.setup = nullptr;
    d_.fill_halos(nullptr);
    each(&Part::end_divergence);
  }

  std::vector<Recurrence> recurrences() const override { return all_of(&Part::recurrences); }
  std::vector<IntegralDescription> integrals() const override { return all_of(&Part::integrals); }

  double take_step(std::int64_t step, double time, double latest) override {
    d_.stages.begin_step(d_.executor, step);
    for (auto& part : parts_) {
      if (part->disturb(time)) d_.fill_halos(&d_.stages);
      latest = std::min(latest, part->latest_end(time));
    }
    // A fixed step ends at a multiple of itself: the same times whatever the run began with.
    auto const end = static_cast<double>(step) * d_.p.step;
    d_.stages.graph("viscosity", d_.executor, [this] { each(&Part::diagnose, d_.stages); });
    each(&Part::choose_step, time, latest - time);
    d_.stages.graph("runge_kutta", d_.executor, [this] {
      for (int stage = 0; stage < 3; ++stage) {
        auto const stages = d_.stages.loop("stage", stage + 1);
        if (stage > 0) each(&Part::diagnose, d_.stages);
        advance({d_.stages, runge_kutta[stage], stage, stage == 2});
      }
    });
    if (d_.p.step > 0) return end;
    return this->end_after(d_.step_length.value(), time, latest);
  }

  void state_replaced() override { d_.fill_halos(nullptr); }
  /// Noise on the wind has a divergence.
  void state_perturbed(std::vector<std::string> const& fields) override {
    auto const of_wind = [](std::string const& name) { return name == "u" || name == "v"; };
    if (std::ranges::any_of(fields, of_wind)) each(&Part::end_divergence);
  }

 private:
  template <class Item>
  std::vector<Item> all_of(std::vector<Item> (Part::*function)() const) const {
    std::vector<Item> all;
    for (auto const& part : parts_) {
      for (auto& item : (*part.*function)()) all.push_back(std::move(item));
    }
    return all;
  }

  /// A stage of the step. Where stages may run beside messages the scalars' do so beside those of the
  /// pressure's transforms: the last tendency, and what carries them, beside the second, as energy's needs
  /// the temperature that the stage began with.
  void advance(Pass const& pass) {
    bool const drives = std::ranges::any_of(parts_, [](auto const& part) { return part->drives(); });
    auto const all = carrying_.size(), first = all > 1 ? all - 1 : all;
    auto const force = [&](std::size_t from, std::size_t end) {
      for (auto n = from; n < end; ++n) carrying_[n]->force_scalar(pass);
    };
    auto const step = [&] {
      for (auto* part : carrying_) part->step_scalar(pass);
    };
    each(&Part::force_wind, pass);
    if (d_.exchange.overlaps(d_.stages)) {
      auto const forward = [&] { force(0, first); };
      auto const inverse = [&] {
        force(first, all);
        step();
      };
      each(&Part::solve_pressure, pass, forward, inverse);
    } else {
      force(0, all);
      step();
      each(&Part::solve_pressure, pass, nothing, nothing);
    }
    each(&Part::correct_wind, pass, !drives);
    each(&Part::drive, pass);
    if (drives) d_.fill_halos(&d_.stages);
  }

  using Base::d_, Base::parts_, Base::each;
  std::vector<Part*> carrying_;  ///< those that carry a scalar
};

template <class D, class S, class Executor>
std::unique_ptr<Core> make_eddies(Executor executor, Setup const& setup, Blocks const& blocks,
                                  std::shared_ptr<Link<Executor>> const& link,
                                  std::shared_ptr<Ranks> const& team, PoissonSolvers<S> solvers) {
  return std::make_unique<LargeEddies<D>>(setup, executor, blocks, link, team, std::move(solvers));
}

}  // namespace ulpine::les
