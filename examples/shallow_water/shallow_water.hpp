// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ulpine/core/lattice/domain.hpp>
#include <ulpine/core/parts/core_of_parts.hpp>

/// Layers of shallow water on a rotating plane; docs/tutorials/own-model.md builds it up.
namespace shallow_water {
using namespace ulpine;

/// This rank's block of a case's lattice: layers from above, SI units.
struct Block {
  io::CaseFile const& keys;  ///< which parts read while the core is made
  int nx = keys.integer("grid.nx", 64, 4, 1 << 15), ny = keys.integer("grid.ny", 64, 4, 1 << 15);
  int nz = keys.integer("grid.layers", 3, 1, 1 << 12), whole_nx = nx, whole_ny = ny, first_x = 0, first_y = 0;
  double dx = keys.number("grid.length_x", 1e6, 1) / nx, dy = keys.number("grid.length_y", 1e6, 1) / ny;
};

/// A process, and what it does at each point of a step: by default nothing.
struct Part {
  virtual ~Part() = default;
  virtual void begin_step(double /*left*/) {}  ///< which ends in so many seconds at the latest
  virtual void advance(double /*keep*/) {}     ///< a Runge-Kutta stage that keeps so much of the old state
  virtual void end_step() {}
};
template <class D>
std::vector<std::unique_ptr<Part>> all_parts(D& domain);  ///< of its case, in their order (physics.hpp)

/// What the parts share: the block, the halos of the state, and fields by their names.
template <class P, class E>
struct Domain : LatticeDomain<Block, typename P::State, typename P::Compute, E, 0> {
  using Policy = P;
  Domain(E on, Block const& whole, std::shared_ptr<Ranks> const& team)
      : Domain::LatticeDomain("sw", on, team, whole, {}, {0, whole.nz}, false) {}
  void fill_halos(StageRunner* step) {
    this->fill_lateral(this->halos({{u.out(), Place::u}, {v.out(), Place::v}, {h.out(), {}}}), step);
  }
  Named<typename P::State, E> u{*this, "u"}, v{*this, "v"}, h{*this, "h"};
  Named<double, E> step{*this, "step_length"};
};

/// The parts of a domain D, by a Runge-Kutta scheme of three stages in Shu and Osher's form.
template <class D>
class ShallowWater final : public CoreOfParts<D, Part> {
  using Base = CoreOfParts<D, Part>;
  using Base::d_, Base::each;
  HostCopy<double, typename D::Executor> length_{d_.executor};

 public:
  using Base::Base;
  std::vector<IntegralDescription> integrals() const override { return {{"volume", "m3", "h", "cell_area"}}; }
  void state_replaced() override { d_.fill_halos(nullptr); }

  double take_step(std::int64_t step, double time, double latest) override {
    d_.stages.begin_step(d_.executor, step);
    each(&Part::begin_step, latest - time);
    length_.start(d_.step->view());
    d_.stages.graph("runge_kutta", d_.executor, [this] {
      for (int stage = 0; stage < 3; ++stage) {
        auto const stages = d_.stages.loop("stage", stage + 1);
        each(&Part::advance, stage == 0 ? 0.0 : stage == 1 ? 3.0 / 4 : 1.0 / 3);
        d_.fill_halos(&d_.stages);
      }
      each(&Part::end_step);
    });
    return this->end_after(length_.value(), time, latest);
  }
};

/// The core in one of these policies; null where `options` name none of them.
template <class Policies, class E>
std::unique_ptr<Core> make_in(Policies all, E on, io::CaseFile const& c, ModelOptions const& options) {
  return with_policy(all, options.policy, [&]<class P>() -> std::unique_ptr<Core> {
    return std::make_unique<ShallowWater<Domain<P, E>>>(all_parts<Domain<P, E>>, on, Block{c}, options.team);
  });
}
std::unique_ptr<Core> make(Host host, io::CaseFile const& c, ModelOptions const& options);
std::unique_ptr<Core> make(Cuda cuda, io::CaseFile const& c, ModelOptions const& options);

}  // namespace shallow_water
