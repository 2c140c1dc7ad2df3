// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "probe/source/place.hpp"
#include "probe/source/settings.hpp"

namespace ulpine::probe {

/// What the settings do to fields of ulpine_state and ulpine_unset. All of it depends on the settings, the
/// place and dense indices alone: not on ranks, threads or how a field comes in parts. Thread-safe; parts of
/// one array at once must not overlap. What cannot be done is told once and left out.
class Changes {
 public:
  /// InputError where a [[reset]] has no usable file.
  Changes(Settings const& settings, Tell tell);
  ~Changes();
  /// Whether there is anything to do at all.
  bool any() const;
  /// Before hashing, of ulpine_state: noise, then rounding, then planted faults.
  void before(Place const& place, Part const& part);
  /// After hashing and comparing, of ulpine_state: the reference's values are put back.
  void after(Place const& place, Part const& part);
  /// Of ulpine_unset: values that show where the next stage does not write. Floating-point numbers become
  /// signalling NaN.
  void unset(std::string_view field, Part const& part);
  /// Of every field told, ahead of before(): tells the user where elements still are as unset() left them.
  void look_for_unset(Place const& place, Part const& part);
  /// Settings that chose no field, as lines for the user.
  std::vector<std::string> unused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulpine::probe
