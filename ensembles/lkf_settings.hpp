// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/case_file.hpp"
#include "verification/lkf/detector.hpp"

namespace ulpine::ensembles {

/// How a case wants linear kinematic features detected: `lkf.rules` ("repaired") and `lkf.parameters`
/// ("dog15"; a named set or key=value list).
struct LkfSettings {
  lkf::Rules rules = lkf::Rules::repaired;
  std::string parameters;

  static LkfSettings read(io::CaseFile const& case_file);
  /// Parameters on a grid of `spacing` metres: the sets of lkf_tools' process_dataset scale with it, all
  /// others count cells; 0: unknown, not scaled.
  lkf::Parameters on_grid(double spacing) const;
};

}  // namespace ulpine::ensembles
