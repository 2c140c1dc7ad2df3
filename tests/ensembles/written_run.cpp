// SPDX-License-Identifier: Apache-2.0
#include "ensembles/written_run.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/provenance.hpp"
#include "io/seal.hpp"

namespace ulpine::test {

void write_run_record(std::filesystem::path const& study, ensembles::Manifest const& manifest,
                      ensembles::PlannedRun const& run, std::string const& hash, double end_s,
                      double final_volume) {
  nlohmann::json const none;
  auto const content = io::content_of(study / run.path / "output.nc");
  nlohmann::json const json = {
      {"schema", "ulpine.run/1"},
      {"id", run.id},
      {"core", manifest.core},
      {"case", manifest.case_name},
      {"case_hash", manifest.case_hash},
      {"policy", run.configuration.policy},
      {"assembly", name_of(run.configuration.assembly)},
      {"device", "cpu"},
      {"epsilon", run.epsilon ? nlohmann::json(run.epsilon->value) : none},
      {"member", run.member ? nlohmann::json(*run.member) : none},
      {"failed", nullptr},
      {"start_s", 0},
      {"end_s", end_s},
      {"wall_s", 2.5},
      {"model_wall_s", 2},
      {"steps", 1},
      {"cells", 4},
      {"hash", hash},
      {"memory_bytes", 32},
      {"peak_rss_bytes", 1000},
      {"copy_bandwidth", 0},
      {"seed", run.seed},
      {"perturbed", run.epsilon ? manifest.plan.options.perturb : std::vector<std::string>{}},
      {"files", {{"output.nc", {{"bytes", content.bytes}, {"xxh64", io::hex(content.hash)}}}}},
      {"stages", nlohmann::json::array()},
      {"integrals", {{"ice_volume", {{"units", "m3"}, {"initial", 4}, {"final", final_volume}}}}},
      {"provenance", {{"version", "0"}, {"commit", "c"}, {"seed", "0"}}}};
  std::ofstream(study / run.path / "run.json") << io::sealed_json(json.dump());
}

}  // namespace ulpine::test
