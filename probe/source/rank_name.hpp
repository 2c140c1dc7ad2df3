// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// Names of the files of a run of several ranks.

namespace ulpine::probe {

/// The name of a rank's file: of one rank `name` itself, else "trace.3-of-8.bin" of "trace.bin"; "{rank}"
/// within the file's name is replaced by the rank's number instead.
std::string rank_name(std::string const& name, int rank, int ranks);

/// All files of `name` that are there: `name` itself, or the files of every rank of one run in order. Empty
/// where there is none. InputError where ranks are missing, or files of several numbers of ranks lie there.
std::vector<std::string> rank_files(std::string const& name);

/// `name` without the rank that rank_name() adds.
std::string without_rank(std::string const& name);

/// The trace that `with` names: itself, or trace.bin in the folder `with`.
std::string trace_file(std::string const& with);
/// The recorded fields that a comparison uses: `values`, or fields.bin beside the trace that `with` names.
std::string values_file(std::string const& with, std::string const& values);

}  // namespace ulpine::probe
