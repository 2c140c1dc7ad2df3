// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ulpine::io {

/// The files that the ranks of a launch have written under one name.
struct RankFiles {
  int ranks = 1;                                    ///< of the launch, as the names tell: 0 where they do not
  std::map<int, std::filesystem::path> files = {};  ///< by rank
};

/// Stands for the rank's number in the names of files.
inline constexpr std::string_view rank_placeholder = "{rank}";
/// Whether the file's name, not that of its folder, has the placeholder.
bool has_rank_placeholder(std::filesystem::path const& name);

/// What is before and after the rank in the names of files: "trace." and ".bin" of "trace.bin".
struct AroundRank {
  std::string before, after;
};
AroundRank around_rank(std::filesystem::path const& name);

/// Rank and ranks of "3-of-8"; nothing where the text is none such.
std::optional<std::pair<int, int>> ranks_of(std::string_view text);

/// The launches that have files of ranks under this name, by their number of ranks; the one of number 0 has
/// those whose names do not tell it, as of "trace-{rank}.bin". `name` itself does not count.
std::map<int, RankFiles> launches_of(std::filesystem::path const& name);

/// The files that `name` stands for: "trace.bin" for itself or, where it is not there, for
/// trace.0-of-4.bin, trace.1-of-4.bin, ...; one of these for all of them, as far as they are there; and
/// "trace-{rank}.bin" for trace-0.bin, trace-1.bin, ... InputError where nothing is of that name, or files of
/// several launches are.
RankFiles rank_files(std::filesystem::path const& name);

}  // namespace ulpine::io
