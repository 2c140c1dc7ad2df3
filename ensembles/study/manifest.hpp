// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

enum class RunState { planned, done, failed };

struct ManifestEntry {
  PlannedRun run;
  RunState state = RunState::planned;
  std::string hash = {};  ///< hash of the final state, where done
  double wall_s = 0;
  std::string reason = {};  ///< why it failed; else what is to be said of it: its files, a late end
};

/// DIR/manifest.json: the plan and the state of every run.
struct Manifest {
  StudyPlan plan;  ///< its runs are in `entries`
  std::string core, case_name;
  std::string case_text;  ///< CaseFile::resolved
  std::string case_hash;  ///< 16 hex digits
  std::string version;    ///< version of the program that made the plan
  /// The noise of a member is the same at every amplitude but for its size: planned by an earlier version.
  bool same_noise = false;
  std::string quad_note;  ///< why there is no run in `quad`, where none was planned of oneself
  std::vector<ManifestEntry> entries;
  std::int64_t cells = 0, memory_bytes = 0;  ///< of the model on the host; not in the file
};

/// InputError where missing, unreadable or of an unknown schema (those of earlier versions are known: of one
/// device, with the same noise at every amplitude); Interrupted.
Manifest read_manifest(std::filesystem::path const& study, std::atomic<bool> const* cancel = nullptr);
/// Under a temporary name, then renamed, so that a kill leaves the old or the new one.
/// Interrupted before anything is written.
void write_manifest(std::filesystem::path const& study, Manifest const& manifest,
                    std::atomic<bool> const* cancel = nullptr);
/// InputError, one line that names the manifest and what differs, unless a study planned as `stored` can be
/// gone on with as `wanted`. The device of a study on one, threads and number of jobs may differ: they do not
/// change what is asked.
void require_same_study(std::filesystem::path const& study, Manifest const& stored, Manifest const& wanted);
/// Takes state, hash and wall_s of each entry of the share from its run.json, where that is whole, belongs to
/// this plan and case and has the output.nc that the run wrote; all others become `planned`, with the reason
/// where there is more to say than that the run has no record. Reads every output once, so many at a time;
/// Interrupted.
void refresh_states(std::filesystem::path const& study, Manifest& manifest,
                    std::atomic<bool> const* cancel = nullptr, Share share = {}, int threads = 1);
/// As refresh_states(), for one entry.
void refresh_state(std::filesystem::path const& study, Manifest const& manifest, ManifestEntry& entry);
/// InputError where a run.json in the folder is whole but of another plan or case: it would be overwritten.
void require_own_runs(std::filesystem::path const& study, Manifest const& manifest);
/// InputError, with file, line and key, where the study's case.toml is not as planned. Tolerances
/// (`verify.*`) and the other tables that say how runs are judged (judging_tables()) may have been edited.
void require_same_case(std::filesystem::path const& study, Manifest const& manifest);

}  // namespace ulpine::ensembles
