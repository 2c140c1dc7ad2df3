// SPDX-License-Identifier: Apache-2.0
#include "cli/stages_from.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "core/model/model.hpp"
#include "ensembles/case_source.hpp"
#include "ensembles/configuration.hpp"
#include "ensembles/stage_file.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"

namespace ulpine::cli {
namespace {

/// The file; says where it was found for another case, or in runs that end before these, which go on `until`
/// (the case's end where that is empty; not known where there is none).
ensembles::StageFile stage_file(std::filesystem::path const& path, ensembles::CaseSource const& source,
                                std::optional<std::string> const& until, bool quiet) {
  auto file = ensembles::read_stage_file(path);
  auto const case_file = source.load();
  make_model(case_file, {});  // which reads all its keys
  if (file.case_hash != io::hex(case_file.hash()) && !quiet) {
    complain(path.string() + ": was found for another case (" +
             (file.case_name.empty() ? "unnamed" : file.case_name) + ", hash " +
             (file.case_hash.empty() ? "unknown" : file.case_hash) + ", not " + io::hex(case_file.hash()) +
             "): nothing is known of its errors here");
  }
  if (!until || quiet) return file;
  auto const end = until->empty() ? ensembles::end_time(case_file) : duration_option("--until", *until);
  if (file.until_s && *file.until_s < end) {
    complain(fmt::format("{}: was found in runs of {} s (not of {} s): nothing is known of later errors",
                         path.string(), *file.until_s, end));
  }
  return file;
}

}  // namespace

std::vector<StageOverride> stages_of(RunOptions const& options) {
  auto texts = options.stages;
  if (!options.stages_from.empty()) {
    auto const until = options.steps ? std::nullopt : std::optional(options.until);
    auto const file =
        stage_file(options.stages_from, {options.case_file, options.set}, until, options.common.quiet);
    if (file.policy != options.policy) {
      throw InputError(options.stages_from.string() + ": is for runs in " + file.policy +
                       " (this one is in " + options.policy + ") use --policy " + file.policy);
    }
    for (auto const& [stage, policy] : file.stages) texts.push_back(stage + "=" + policy);
  }
  return ensembles::parse_stages(texts);
}

void add_stages_from(EnsembleOptions const& options, ensembles::StudyOptions& study) {
  auto const file =
      stage_file(options.stages_from, {options.case_file, options.set}, options.until, options.common.quiet);
  if (study.configurations.empty()) {
    for (auto const& device : study.devices) {
      for (auto const& policy : study.policies) {
        for (auto const& assembly : study.assemblies) {
          study.configurations.push_back(device + "/" + policy + "/" + assembly);
        }
      }
    }
  }
  auto configuration = ensembles::parse_device(study.devices.front());
  configuration.policy = file.policy;
  configuration.stages = file.stages;
  study.configurations.push_back(ensembles::to_text(configuration));
}

}  // namespace ulpine::cli
