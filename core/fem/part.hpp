// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/fem/parameters.hpp"
#include "core/model/core.hpp"
#include "io/case_keys.hpp"

namespace ulpine::fem {

/// A process of the air. A part is a class template P<D> of a Domain with
///
///   static std::vector<io::CaseKey> keys();      its keys of a case, if it has any
///   static bool needed(Parameters const& case);  whether a case has it, unless all have: else it declares
///                                                neither field nor stage
///   explicit P(D& domain);                       declares its fields
///
/// and the functions below, each what it does at one point of a run: by default nothing. At each point the
/// parts are called in the order of core/fem/CMakeLists.txt.
class Part {
 public:
  Part() = default;
  Part(Part const&) = delete;
  Part& operator=(Part const&) = delete;
  virtual ~Part() = default;

  /// Declares its stages; the fields of all parts are declared.
  virtual void declare_stages() {}
  /// Sets its fields to what the case gives every node.
  virtual void start() {}
  /// Constants that follow from that, such as matrices, by Domain::constants.
  virtual void assemble_constants() {}
  /// Makes its solvers; all constants are there.
  virtual void prepare() {}
  /// The state was replaced, on each rank at the nodes that it owns.
  virtual void state_replaced() {}

  /// A step begins.
  virtual void begin() {}
  /// A pass over the equations begins: what is given in it.
  virtual void begin_pass() {}
  /// Its equations, of the pass.
  virtual void advance() {}
  /// All passes are done.
  virtual void end() {}

  /// Adds sources to the right-hand side of potential temperature, of the wind or of continuity, in the stage
  /// that assembles it.
  virtual void add_heat() {}
  virtual void add_force() {}
  virtual void add_mass() {}

  virtual std::vector<IntegralDescription> integrals() const { return {}; }
};

}  // namespace ulpine::fem
