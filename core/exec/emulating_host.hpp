// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exec/point_host.hpp"
#include "precision/emulated_number.hpp"

namespace ulpine {

/// The formats of a run: one for all of it, others for single stages, and which of them is in force. Within a
/// stage results round as its format says. Between stages, where cores are set up and make diagnostics, they
/// round as the run's format does, but never at random, so that reading a field changes nothing.
class EmulatedRun {
 public:
  /// `stages`: name and format of those that have one of their own.
  explicit EmulatedRun(NamedFormat const& format,
                       std::vector<std::pair<std::string, NamedFormat>> const& stages = {})
      : everywhere_(format), between_(everywhere_.to_nearest()) {
    for (auto const& [name, own] : stages) stages_.emplace_back(name, Emulation(own));
  }

  void begin_step() { launches_ = 0; }
  /// Launches from now on belong to `stage`; `place` tells the stage and its loops from others.
  void begin_stage(std::string_view stage, std::uint64_t place) {
    present_ = &everywhere_;
    for (auto const& [name, own] : stages_) {
      if (name == stage) present_ = &own;
    }
    place_ = place;
  }
  void end_stage() { present_ = &between_; }

  /// Whether the format in force is binary64, rounding to nearest; whether it ever is, and whether always.
  bool in_double() const { return present_->is_double(); }
  bool ever_in_double() const {
    return everywhere_.is_double() ||
           std::ranges::any_of(stages_, [](auto const& stage) { return stage.second.is_double(); });
  }
  bool always_in_double() const {
    return everywhere_.is_double() &&
           std::ranges::all_of(stages_, [](auto const& stage) { return stage.second.is_double(); });
  }

  /// Settings for the next launch, told by random numbers from all others of its step.
  Emulation launch() {
    auto settings = *present_;
    settings.begin_launch(place_ + 0x9e3779b97f4a7c15u * ++launches_);
    return settings;
  }
  /// Makes the calling thread compute as between stages.
  void enter() const { emulation = between_; }

 private:
  Emulation everywhere_, between_;
  std::vector<std::pair<std::string, Emulation>> stages_;
  Emulation const* present_ = &between_;
  std::uint64_t place_ = 0, launches_ = 0;
};

/// Runs kernels of EmulatedPolicy on the host, in the formats of `run`.
struct EmulatingHost : Host {
  static constexpr bool by_points = true;
  EmulatedRun* run = nullptr;

  void begin_step() const { run->begin_step(); }
  void begin_stage(std::string_view stage, std::uint64_t place) const { run->begin_stage(stage, place); }
  void end_stage() const { run->end_stage(); }
};

/// body(point) for every point in [0, count), as one launch.
template <class Body>
void for_each(EmulatingHost host, std::int64_t count, Body const& body) {
  auto const settings = host.run->launch();
#pragma omp parallel num_threads(host.threads) if (host.threads > 1)
  {
    emulation = settings;
#pragma omp for schedule(static)
    for (std::int64_t point = 0; point < count; ++point) {
      emulation.begin_point(static_cast<std::uint64_t>(point));
      body(point);
    }
  }
  host.run->enter();
}

}  // namespace ulpine
