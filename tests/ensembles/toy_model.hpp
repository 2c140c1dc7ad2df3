// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "ensembles/plan.hpp"

namespace ulpine::test {

/// Makes the core `toy` known: two chaotic fields (Lorenz 1996, along rows and along columns, coupled through
/// their mean) that carry two tracers on a periodic grid. Small, in all host policies, with the names of the
/// sea-ice output, so that studies of it exercise all that studies of a real core do. Keys besides the grid
/// and the time: `toy.sleep_ms` a step; `toy.blow_up_policy` and `toy.blow_up_step`: that policy's state
/// becomes NaN there; `toy.amplify_policy`: makes that policy's forcing 5 % stronger.
void register_toy_model();

/// A case of it on a 24 x 20 grid: 12 steps of 60 s, output every 240 s.
std::string toy_case();

/// Two policies, two assemblies, two amplitudes, three members: 16 runs.
ensembles::StudyOptions toy_study();

/// A folder of its own below the system's temporary folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;
  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  /// Writes `text` to the file `name` in it.
  std::filesystem::path write(std::string const& name, std::string const& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace ulpine::test
