// SPDX-License-Identifier: Apache-2.0
#include "cli/stages_from.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "core/model/model.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/configuration.hpp"
#include "ensembles/study/stage_file.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"

namespace ulpine::cli {
namespace {

/// The end of the runs that a stage file is read for, s; empty: the case's.
using End = std::optional<double>;

/// InputError, with the file's name, where the case cannot run as the file says. Models are made on the host.
void require_applicable(ensembles::StageFile const& file, std::filesystem::path const& path,
                        io::CaseFile const& case_file) {
  ensembles::Configuration configuration;
  configuration.policy = file.policy;
  configuration.stages = file.stages;
  try {
    make_model(case_file, ensembles::model_options(configuration));
  } catch (InputError const& problem) {
    throw InputError(path.string() + ": " + problem.what());
  }
}

/// The file; says where it was found for another case, or in runs that end before these, which go on `until`
/// (not known where there is none). InputError where it is of another case and names no stage: it would
/// change nothing.
ensembles::StageFile stage_file(std::filesystem::path const& path, ensembles::CaseSource const& source,
                                std::optional<End> const& until, bool quiet) {
  auto file = ensembles::read_stage_file(path);
  auto const case_file = source.load();
  make_model(case_file, {});  // which reads all its keys
  if (file.case_hash != io::hex(case_file.hash())) {
    auto const other = (file.case_name.empty() ? "unnamed" : file.case_name) + ", hash " +
                       (file.case_hash.empty() ? "unknown" : file.case_hash) + ", not " +
                       io::hex(case_file.hash());
    if (file.stages.empty()) {
      throw InputError(path.string() + ": stages: names none, for another case (" + other +
                       ": it would change nothing) name a file of this case, or leave --stages-from out");
    }
    if (!quiet) {
      complain(path.string() + ": was found for another case (" + other +
               "): nothing is known of its errors here");
    }
  }
  if (!file.stages.empty()) require_applicable(file, path, case_file);
  if (!until || quiet) return file;
  auto const end = *until ? **until : ensembles::end_time(case_file);
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
    auto const until = options.request.steps ? std::nullopt : std::optional<End>(options.request.until);
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
  auto const file = stage_file(options.stages_from, {options.case_file, options.set},
                               std::optional<End>(options.study.until), options.common.quiet);
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
