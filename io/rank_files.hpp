// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>

namespace ulpine::io {

/// The files that the ranks of a launch have written under one name.
struct RankFiles {
  int ranks = 1;                                    ///< of the launch, as the names tell: 0 where they do not
  std::map<int, std::filesystem::path> files = {};  ///< by rank
};

/// The files that `name` stands for: "trace.bin" for itself or, where it is not there, for
/// trace.0-of-4.bin, trace.1-of-4.bin, ...; one of these for all of them, as far as they are there; and
/// "trace-{rank}.bin" for trace-0.bin, trace-1.bin, ... InputError where nothing is of that name, or files of
/// several launches are.
RankFiles rank_files(std::filesystem::path const& name);

}  // namespace ulpine::io
