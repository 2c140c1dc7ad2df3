// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/field/field.hpp"
#include "core/poisson/phases.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "core/stage/halo.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

/// How several ranks share a domain that is periodic along x and y: this one's block, and what it sends.
/// The launches need the executor's for_each before this is included.
template <class Executor>
struct Sharing {
  /// Stages run beside what it sends only where `overlap`.
  Sharing(Executor executor, std::shared_ptr<Link<Executor>> between, Blocks const& all, bool overlap)
      : blocks{all}, link{std::move(between)}, exchange{executor, *link, blocks, true, true, overlap} {}
  Sharing(Sharing const&) = delete;
  Sharing& operator=(Sharing const&) = delete;

  bool several() const { return link->several(); }

  /// A transform of the pressure as a stage, and the stages of work() beside what it sends (SideMessages).
  template <class S, class Work>
  void forward(StageRunner& stages, Stage stage, PoissonPhases<S>& poisson, FieldOf<S, Executor>& pressure,
               Work const& work) {
    auto* const planes = pressure.grid().first;
    exchange.messages().beside(
        stages, stage, {&pressure}, [&] { poisson.forward(planes); }, [&] { poisson.begin_forward(planes); },
        work, [&] { poisson.end_forward(planes); });
  }
  template <class S, class Work>
  void inverse(StageRunner& stages, Stage stage, PoissonPhases<S>& poisson, FieldOf<S, Executor>& pressure,
               Work const& work) {
    auto* const planes = pressure.grid().first;
    exchange.messages().beside(
        stages, stage, {&pressure}, [&] { poisson.inverse(planes); }, [&] { poisson.begin_inverse(planes); },
        work, [&] { poisson.end_inverse(planes); });
  }

  Blocks blocks;
  std::shared_ptr<Link<Executor>> link;
  HaloExchange<Executor> exchange;
};

}  // namespace ulpine::les
