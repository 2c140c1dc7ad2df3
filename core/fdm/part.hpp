// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/fdm/parameters.hpp"
#include "io/case_keys.hpp"

namespace ulpine::fdm {

/// What a part of a step spans, from the state in which the step began.
struct Interval {
  double length;  ///< s
  bool whole;     ///< the last of the step
  bool leaps;     ///< of a leapfrog step: over the state between
};

/// A process of the air. A part is a class template P<D> of a Domain with
///
///   static std::vector<io::CaseKey> keys();      its keys of a case, if it has any
///   static bool needed(Parameters const& case);  if not every case has it: else it declares neither field
///   nor
///                                                stage
///   explicit P(D& domain);                       declares its fields
///
/// and the functions below, each what it does at one point of a step: by default nothing. At each point the
/// parts are called in the order of core/fdm/CMakeLists.txt, the only list that a new one is added to.
class Part {
 public:
  Part() = default;
  Part(Part const&) = delete;
  Part& operator=(Part const&) = delete;
  virtual ~Part() = default;

  /// Declares its stages; the fields of all parts are declared.
  virtual void declare_stages() = 0;
  /// Sets its fields to what a run starts from.
  virtual void start() {}

  /// The state in which a Runge-Kutta step begins is at hand: keeps it.
  virtual void keep_state() {}
  /// Once a step, from the state in which it begins.
  virtual void force_slowly() {}
  /// From the state now, before any rates: what rates depend on.
  virtual void diagnose() {}
  /// Rates of change of the state now, for small steps of that length.
  virtual void add_rates(double /*small_length*/) {}

  /// What of the small steps does not depend on the state; may be done while halos are exchanged.
  virtual void prepare_small_steps(SmallSteps const&) {}
  virtual void begin_small_steps(SmallSteps const&) {}
  /// In small step `number` from 0: the wind along the levels.
  virtual void push_wind(SmallSteps const&, int /*number*/) {}
  /// Then w and pressure of each column.
  virtual void solve_columns(SmallSteps const&, int /*number*/) {}
  virtual void end_small_step(SmallSteps const&, int /*number*/) {}

  /// Wind and pressure after the interval.
  virtual void end_wind(Interval const&) {}
  /// What the wind carries, after the interval.
  virtual void end_scalars(Interval const&) {}
  /// What changes the state after the interval at once, such as rain.
  virtual void adjust(Interval const&) {}
  /// The last of end_scalars() (1) and adjust() (2) in which it writes the state, its last stage by
  /// Domain::run_last(); 0 for none.
  virtual int last_change(Interval const&) const { return 0; }

  virtual std::int64_t bytes() const { return 0; }  ///< of memory that is no field
};

}  // namespace ulpine::fdm
