// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ulpine::fuzz {

/// What became of one altered file. From `crash` on it is a failure.
enum class Fate {
  refused,   ///< with one line that names it; of a study: the run is told to have failed, or is done anew
  harmless,  ///< taken, and the answer is that of the intact file
  accepted,  ///< taken as another valid file (never of the program's own, but for those sealed anew)
  crash,     ///< a signal, a report of a sanitizer, an exit code that is none of the program's
  hang,      ///< stopped only when asked to, or not even then; or took all memory
  believed,  ///< a file of the program's own gave an answer that is not the intact file's
  unmended,  ///< `--resume` left the study other than it was
  unclear    ///< refused, but not with one clear line
};
constexpr std::size_t fates = 8;
char const* name_of(Fate fate);

struct Verdict {
  Fate fate = Fate::refused;
  std::string command;  ///< words of the command that was called
  std::string detail;   ///< of a failure, the same for the same cause as far as can be told
};

/// Names of the kinds of files.
std::vector<std::string> const& kinds();

/// Alters file `number` of a kind, lets the program use it in `work` (emptied before), and judges what it
/// does. The altered file stays there, see `altered_file`.
class Trials {
 public:
  Trials(std::filesystem::path bases, std::filesystem::path work, std::uint64_t seed);
  Verdict run(std::string const& kind, std::int64_t number);
  std::filesystem::path const& altered_file() const { return altered_; }

 private:
  std::filesystem::path bases_, work_, altered_;
  std::uint64_t seed_;
};

}  // namespace ulpine::fuzz
