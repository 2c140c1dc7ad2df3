// SPDX-License-Identifier: Apache-2.0
#include "core/exec/collector.hpp"

#include <algorithm>
#include <utility>

namespace ulpine {

void StreamHandle::use_own() const { collector_->use(); }

void LaunchList::keep(Give give, Extent3 extent, std::span<std::byte const> arguments) {
  launches_.push_back({give, extent, arguments_.size(), arguments.size(), {}});
  arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
}

void LaunchList::add_own(std::function<void()> launch) { launches_.push_back({.own = std::move(launch)}); }

bool LaunchList::alike(LaunchList const& other) const {
  return std::ranges::equal(launches_, other.launches_, [](Launch const& a, Launch const& b) {
    return (a.own == nullptr) == (b.own == nullptr) && a.give == b.give && a.bytes == b.bytes &&
           a.extent.nx == b.extent.nx && a.extent.ny == b.extent.ny && a.extent.nz == b.extent.nz;
  });
}

void LaunchList::give(Cuda cuda, std::size_t number, std::span<LaunchList const* const> lists) {
  std::vector<std::byte const*> arguments;
  arguments.reserve(lists.size());
  for (auto const* list : lists) {
    arguments.push_back(list->arguments_.data() + list->launches_[number].first);
  }
  auto const& launch = lists.front()->launches_[number];
  launch.give(cuda, launch.extent, arguments);
}

void LaunchList::give(Cuda own) const {
  auto const* const self = this;
  for (std::size_t number = 0; number < size(); ++number) {
    if (is_own(number)) {
      give_own(number);
    } else {
      give(own, number, {&self, 1});
    }
  }
}

void Collector::begin_step() {
  if (!round_.open) return;
  round_.members.push_back(this);
  state_ = State::collecting;
}

void Collector::catch_up() {
  if (auto const wait = std::exchange(catch_up_, nullptr)) wait(own_);
}

void Collector::use() {
  if (state_ == State::recording || state_ == State::recording_while_collecting) return;
  state_ = State::direct;
  used_ = true;
  catch_up();
  std::exchange(list_, {}).give(own_);
}

void Collector::begin_recording() {
  catch_up();
  state_ = state_ == State::collecting ? State::recording_while_collecting : State::recording;
}

void Collector::end_recording() {
  state_ = state_ == State::recording_while_collecting ? State::collecting : State::direct;
}

LaunchList Collector::take() {
  state_ = State::direct;
  return std::exchange(list_, {});
}

}  // namespace ulpine
