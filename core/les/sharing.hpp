// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/ranks/blocks.hpp"
#include "core/ranks/link.hpp"
#include "core/stage/halo.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

/// How several ranks share a domain that is periodic along x and y: this one's block, and what it sends.
/// The launches need the executor's for_each before this is included.
template <class Executor>
struct Sharing {
  Sharing(Executor executor, std::shared_ptr<Link<Executor>> between, Blocks const& all)
      : blocks{all}, link{std::move(between)}, exchange{executor, *link, blocks, true, true} {}
  Sharing(Sharing const&) = delete;
  Sharing& operator=(Sharing const&) = delete;

  bool several() const { return link->several(); }

  Blocks blocks;
  std::shared_ptr<Link<Executor>> link;
  HaloExchange<Executor> exchange;
};

}  // namespace ulpine::les
