// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "io/hash_log.hpp"
#include "io/own_files.hpp"
#include "io/provenance.hpp"

namespace ulpine::ensembles {

inline constexpr int fewest_checkpoints = 2, usual_checkpoints = 16, most_checkpoints = 4096;

/// Where a run keeps its checkpoints: `checkpoints` in its folder, with the case (`case.toml`), the log of
/// hashes (`hashes.bin`) and restart files (`step-N.nc`).
std::filesystem::path checkpoint_folder(std::filesystem::path const& run);
/// The file of the run's log of hashes, without which files there are no checkpoints of the run.
std::filesystem::path checkpoint_log(std::filesystem::path const& run);
std::filesystem::path checkpoint_file(std::filesystem::path const& run, std::int64_t step);
/// Steps of the restart files in the run's checkpoint folder, ascending.
std::vector<std::int64_t> checkpoint_steps(std::filesystem::path const& run);
/// Steps between the checkpoints of a run that has done `steps`: the least power of 2 at which there are no
/// more than `most`, that of its start with them.
std::int64_t checkpoint_spacing(std::int64_t steps, int most);

/// Keeps what it takes to repeat any step of a run: the hash of the state after every step (8 bytes each) and
/// at most `most` restart files, at spacings that double as the run grows. To repeat a step then takes at
/// most 2 / most of the run's steps.
class Checkpoints {
 public:
  /// Begins with the model's state, at the start of a run or behind a restart. Where the folder's log holds
  /// that very state of the same run behind its first, it is to go on; else it starts anew in a folder of a
  /// temporary name. What was there stays until place().
  Checkpoints(std::filesystem::path run, int most, Model const& model, io::HashLogAttributes attributes,
              io::Provenance provenance, std::string const& case_text);
  Checkpoints(Checkpoints const&) = delete;
  Checkpoints& operator=(Checkpoints const&) = delete;
  /// Whether it goes on with the log that was there.
  bool goes_on() const { return goes_on_; }
  /// Puts what was begun into the run, before the first step: the new folder, whose place must be free, or
  /// the log in place of that which it continues, without the checkpoints of later steps.
  void place();
  /// Keeps hash and, when due, checkpoint. To be called after every step.
  void after_step(Model const& model);
  /// Marks the log as whole.
  void close();

 private:
  void keep(Model const& model);

  std::filesystem::path run_, folder_;  ///< folder_: where the files are at the time
  bool goes_on_ = false;
  int most_;
  io::Provenance provenance_;
  std::int64_t first_ = 0, begin_ = 0;  ///< steps: of the log's first hash, of the model at the beginning
  /// The folder, where it is new, and in it the log, until place(); what it has not placed goes.
  std::vector<io::BegunFile> begun_;
  std::unique_ptr<io::HashLogWriter> log_;
};

}  // namespace ulpine::ensembles
