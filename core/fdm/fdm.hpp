// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"
#include "core/parts/core_of_parts.hpp"
#include "ulpine_fdm_parts.hpp"

namespace ulpine::fdm {

/// Split-explicit compressible air on one executor: the parts of a domain D in their order, by a Runge-Kutta
/// scheme of three parts or by leapfrog.
template <class D>
class SplitExplicit final : public CoreOfParts<D, Part> {
  using Base = CoreOfParts<D, Part>;
  using T = typename D::T;

 public:
  /// This rank's block of it, where `team` are several; `advection` makes the part that forms products.
  SplitExplicit(Parameters const& parameters, typename D::Executor executor,
                std::shared_ptr<Ranks> const& team, PartMaker<Part, D> advection)
      : Base([&](D& domain) { return make_parts(domain, advection); }, parameters, executor, team) {
    each(&Part::declare_stages);
    each(&Part::start);
    state_replaced();
  }

  std::vector<IntegralDescription> integrals() const override {
    return {{"theta_perturbation", "K m3", "theta", "cell_volume"}};
  }

  double take_step(std::int64_t step, double, double) override {
    auto const length = d_.p.step;
    d_.stages.begin_step(d_.executor, step);
    if (!d_.p.leapfrog) {
      d_.stages.graph("step", d_.executor, [&] {
        begin_step(true);
        bool prepared = false;
        for (int part = 0; part < 3; ++part) {
          auto const here = d_.stages.loop("part", part + 1);
          advance(length / (3 - part), prepared);
          prepared = end({length / (3 - part), part == 2, false}, part < 2 ? length / (2 - part) : 0);
        }
      });
    } else if (step == 1) {  // forward
      begin_step(true);
      advance(length, false);
      end({length, true, false}, 0);
    } else {
      d_.stages.graph("leap", d_.executor, [&] {
        begin_step(false);
        advance(2 * length, false);
        end({2 * length, true, true}, 0);
      });
    }
    return static_cast<double>(step) * length;
  }
  /// Fills the halos of the state, of both time levels where steps leap.
  void state_replaced() override {
    d_.fill_all_around(d_.halos(d_.state(false)));
    if (d_.p.leapfrog) d_.fill_all_around(d_.halos(d_.state(true)));
  }

 private:
  void begin_step(bool keeps_state) {
    if (keeps_state) each(&Part::keep_state);
    each(&Part::force_slowly);
  }
  /// Over `length` seconds from the start: the rates of the state as it is, and the small steps with them,
  /// unless those are `prepared`.
  void advance(double length, bool prepared) {
    auto const small = d_.p.small_steps(length);
    each(&Part::diagnose);
    each(&Part::add_rates, small.length);
    if (!prepared) each(&Part::prepare_small_steps, small);
    each(&Part::begin_small_steps, small);
    for (int number = 0; number < small.count; ++number) {
      auto const here = d_.stages.loop("small_step", number + 1);
      each(&Part::push_wind, small, number);
      each(&Part::solve_columns, small, number);
      each(&Part::end_small_step, small, number);
    }
  }
  /// The state after it. Beside the exchange of halos the next part's small steps, of `next` seconds in all,
  /// are prepared where that may be: returns whether they are. 0: no part is next.
  bool end(Interval const& interval, double next) {
    each(&Part::end_wind, interval);
    bool const prepares = next > 0 && d_.exchange.overlaps(d_.stages);
    auto const finish = [&](Halo<T> const* sent) {
      Part const* last = parts_.front().get();
      for (auto const& part : parts_) {
        if (part->last_change(interval) >= last->last_change(interval)) last = part.get();
      }
      auto const sending = d_.sending(sent, *last);
      each(&Part::end_scalars, interval);
      each(&Part::adjust, interval);
    };
    auto const all = d_.halos(d_.state(false));
    auto const halo = d_.from_neighbours(all);
    finish(prepares ? nullptr : &halo);
    if (prepares) {
      d_.exchange.beside(d_.stages, halo, [&] { each(&Part::prepare_small_steps, d_.p.small_steps(next)); });
    }
    // The last face of a period is the first, which formats that round at random made twice.
    d_.stages.will_write({d_.u, d_.v, d_.start_u, d_.start_v});
    d_.fill_edges(all);
    if (interval.leaps) {
      auto const starts = d_.halos(d_.state(true));
      d_.exchange(d_.stages, d_.from_neighbours(starts));
      d_.fill_edges(starts);
    }
    return prepares;
  }

  using Base::d_, Base::parts_, Base::each;
};

/// As make_impl.hpp has it, by which policies share it.
template <class D>
std::unique_ptr<Core> make_air(typename D::Executor executor, Parameters const& parameters,
                               std::shared_ptr<Ranks> const& team, PartMaker<Part, D> advection) {
  return std::make_unique<SplitExplicit<D>>(parameters, executor, team, advection);
}

}  // namespace ulpine::fdm
