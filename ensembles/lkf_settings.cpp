// SPDX-License-Identifier: Apache-2.0
#include "ensembles/lkf_settings.hpp"

namespace ulpine::ensembles {

LkfSettings LkfSettings::read(io::CaseFile const& case_file) {
  LkfSettings settings;
  auto const rules = case_file.choice("lkf.rules", "repaired", {"repaired", "lkf_tools"});
  settings.rules = rules == "repaired" ? lkf::Rules::repaired : lkf::Rules::lkf_tools;
  settings.parameters = case_file.text("lkf.parameters", "dog15");
  try {
    settings.on_grid(0);
  } catch (InputError const& problem) {
    throw case_file.error("lkf.parameters", problem.what());
  }
  return settings;
}

lkf::Parameters LkfSettings::on_grid(double spacing) const {
  constexpr double design_spacing =
      12500;  // m, of the RGPS grid for which lkf_tools' lengths in cells were chosen
  auto const name = parameters.substr(0, parameters.find(','));
  auto const scales = (name == "process_dataset" || name == "multday_use_eps") && spacing > 0;
  return lkf::parse_parameters(parameters, scales ? design_spacing / spacing : 1);
}

}  // namespace ulpine::ensembles
