// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Names of the files of a run of several ranks.

namespace ulpine::probe {

/// The name of a rank's file: of one rank `name` itself, else "trace.3-of-8.bin" of "trace.bin"; "{rank}"
/// within the file's name is replaced by the rank's number instead.
std::string rank_name(std::string const& name, int rank, int ranks);

/// All files of `name` that are there: `name` itself, or the files of every rank of one run in order. Empty
/// where there is none. InputError where ranks are missing, or files of several numbers of ranks lie there.
std::vector<std::string> rank_files(std::string const& name);

/// Removes what earlier runs left under the name of this rank's file and, by rank 0, under those of other
/// numbers of ranks, so that none of it passes for a file of this run. `magic` is what such files begin with.
/// InputError where the file of this rank is another one: it stays.
void remove_earlier(std::string const& name, int rank, int ranks, std::string_view magic);

/// `name` without the rank that rank_name() adds.
std::string without_rank(std::string const& name);

/// The trace that `with` names: itself, or trace.bin in the folder `with`.
std::string trace_file(std::string const& with);
/// The recorded fields that a comparison uses: `values`, or fields.bin beside the trace that `with` names.
std::string values_file(std::string const& with, std::string const& values);

}  // namespace ulpine::probe
