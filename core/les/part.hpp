// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/les/runge_kutta.hpp"
#include "core/model/core.hpp"
#include "core/stage/runner.hpp"
#include "io/case_keys.hpp"

namespace ulpine::les {

/// In the order of these the stages of all parts are listed and numbered.
enum class Point { preparation, tendencies, scalars, pressure, messages, correction };
inline constexpr Point all_points[] = {Point::preparation, Point::tendencies, Point::scalars,
                                       Point::pressure,    Point::messages,   Point::correction};

/// A stage of the Runge-Kutta scheme.
struct Pass {
  StageRunner& stages;  ///< runs its stages
  RungeKuttaStage const& scheme;
  std::int32_t length;  ///< number of its lengths (Domain::length)
  bool last;            ///< of its step
};

/// Stages that may be run beside messages, as a function that outlives the call it is given to.
class Beside {
 public:
  template <class Work>
  Beside(Work const& work) : work_{&work}, run_{[](void const* of) { (*static_cast<Work const*>(of))(); }} {}
  void operator()() const { run_(work_); }

 private:
  void const* work_;
  void (*run_)(void const*);
};
inline constexpr auto nothing = [] {};

/// A process of the air. Its constructor declares its fields, unless the case does without it (needed()),
/// and each function below is what it does at one point of a run; by default nothing. At each point the parts
/// are called in the order of their list.
class Part {
 public:
  Part() = default;
  Part(Part const&) = delete;
  Part& operator=(Part const&) = delete;
  virtual ~Part() = default;

  /// Declares its stages of that point; the fields of all parts are declared. Random rounding draws by a
  /// stage's number: a stage that some cases have no use for is listed in all of them.
  virtual void declare_stages(Point) {}
  /// What follows from the case alone; the state is not there yet, and may be overwritten.
  virtual void prepare() {}
  /// Sets its fields to what a run starts from.
  virtual void start() {}
  /// The wind was set without regard to its divergence: takes that out, with halos.
  virtual void end_divergence() {}

  /// Before a step that begins at `time` s: changes the wind at once. Whether it did.
  virtual bool disturb(double /*time*/) { return false; }
  /// Where a step that begins at `time` s ends at the latest, s.
  virtual double latest_end(double /*time*/) const { return std::numeric_limits<double>::infinity(); }
  /// From the state now, in a step and for outputs: what tendencies depend on.
  virtual void diagnose(StageRunner&) {}
  /// The lengths of the step that begins at `time` s, of `left` s at most.
  virtual void choose_step(double /*time*/, double /*left*/) {}

  /// Tendencies of the wind, and their exchange.
  virtual void force_wind(Pass const&) {}
  /// Whether it carries a scalar in this case, by the two functions that follow.
  virtual bool carries() const { return false; }
  virtual void force_scalar(Pass const&) {}
  /// The scalar at the end of the pass, after all tendencies.
  virtual void step_scalar(Pass const&) {}
  /// The pressure that makes the wind at the end of the pass free of divergence; work that touches neither
  /// wind nor pressure may run beside the messages of the transforms.
  virtual void solve_pressure(Pass const&, Beside const& /*forward*/, Beside const& /*inverse*/) {}
  /// The wind at the end of the pass, with the halos of the state where `fills`, beside whose messages stages
  /// may run.
  virtual void correct_wind(Pass const&, bool /*fills*/) {}
  /// Whether it changes the wind after that in this case, by the function that follows.
  virtual bool drives() const { return false; }
  virtual void drive(Pass const&) {}

  virtual std::vector<Recurrence> recurrences() const { return {}; }
  virtual std::vector<IntegralDescription> integrals() const { return {}; }
  virtual std::int64_t bytes() const { return 0; }  ///< of memory that is no field
};

}  // namespace ulpine::les
