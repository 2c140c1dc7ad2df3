// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ensembles/runs/run.hpp"

namespace ulpine::ensembles {

/// Name of the folder, in that of a run, in which its program works.
inline constexpr char const* program_folder = "program";
/// Names in that folder that are the run's own: what the program says, settings of the probe and what it
/// tells, and a mark that the folder may be removed.
inline constexpr char const* output_log = "stdout.log";
inline constexpr char const* message_log = "stderr.log";
inline constexpr char const* probe_settings = "ulpine-probe.toml";
inline constexpr char const* program_mark = ".ulpine-program";

/// Name in a run's provenance of the instant at which its output begins, s on the scale of its own files'
/// times.
inline constexpr char const* output_begins = "output_begins";
/// Name there of what was left out of its output, and why.
inline constexpr char const* output_notes = "output_notes";

/// Runs a variant of the program that the case names, `request.variant`, in a folder of its own, looks
/// whether it has succeeded, and writes `output.nc` of what its output files hold, and `run.json` last, which
/// marks a run that has come to its end. All that the program wrote stays in `program`, but for members of
/// studies. InputError, also where the folder holds what the run may not replace; EnvironmentError where the
/// program cannot be started; RunFailed after run.json recorded the failure.
RunRecord run_program(RunRequest const& request, io::CaseFile const& case_file);

/// The instant, s on the scale of its own files' times, from which the times of a program's output.nc count.
/// InputError where the file does not say.
double program_time_origin(std::filesystem::path const& output);

/// Whether the run failed since its program, which was to be watched or changed, never called the probe.
bool called_no_probe(RunRecord const& record);

/// Whether a run made the folder for its program, so that all in it may be removed.
bool is_own_program_folder(std::filesystem::path const& work);
/// InputError where the `program` folder in `folder` is none that a run made.
void require_own_program_folder(std::filesystem::path const& folder);

}  // namespace ulpine::ensembles
