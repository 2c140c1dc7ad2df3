// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precision/format_name.hpp"

// What is asked of a run: docs/reference/probe-settings.md.

namespace ulpine::probe {

/// STAGE.FIELD, where * stands for any characters and ? for one: "convection.*", "*.t", "*".
class Pattern {
 public:
  explicit Pattern(std::string text) : text_{std::move(text)} {}
  bool matches(std::string_view stage, std::string_view field) const;
  /// Whether some stage may come that makes STAGE.field match.
  bool matches_field(std::string_view field) const;
  std::string const& text() const { return text_; }

 private:
  std::string text_;
};

/// One or more patterns; none: matches nothing.
struct What {
  std::vector<Pattern> patterns;
  bool matches(std::string_view stage, std::string_view field) const;
  bool matches_field(std::string_view field) const;
  std::string text() const;  ///< "convection.*, *.t"
};

/// First to last step, both included.
struct Steps {
  std::int64_t first = std::numeric_limits<std::int64_t>::min(),
               last = std::numeric_limits<std::int64_t>::max();
  bool holds(std::int64_t step) const { return first <= step && step <= last; }
};

struct RecordSetting {
  What what;
  Steps steps;
};
struct CompareSetting {
  std::string with;  ///< a trace, or a folder with trace.bin; empty: values only
  std::string
      values;  ///< a file of recorded fields; empty: the fields.bin beside the trace, where there is one
  bool stop = true;
};
struct RoundSetting {
  What what;
  std::string to;
  NamedFormat format;
};
struct PerturbSetting {
  What what;
  double amplitude = 0;  ///< in units of the field
  std::uint64_t seed = 1;
  std::uint32_t member = 0;
  std::optional<std::int64_t> step;  ///< none: the first at which the field is told
};
struct ResetSetting {
  What what;
  std::string from;
};
struct PlantSetting {
  What what;
  std::optional<std::int64_t> step;     ///< none: the first at which the field is told
  std::optional<std::int64_t> element;  ///< dense index in the domain, or
  std::vector<std::int64_t> at;         ///< indices as the model counts them
};
struct PoisonSetting {
  What what;
};

/// Paths are absolute: relative ones start at the folder of the process when it read them. Names of files are
/// as asked for: rank_name() makes those of a rank.
struct Settings {
  std::string trace;  ///< empty: no trace is written
  std::int64_t every = 1;
  Steps steps;
  What only{{Pattern{"*"}}};
  bool blocks = true;
  bool times = false;
  bool zeros_equal = false;  ///< -0 counts as 0
  std::string fields;        ///< file of recorded values
  std::string seconds;       ///< table of seconds
  std::vector<RecordSetting> record;
  std::optional<CompareSetting> compare;
  std::optional<PerturbSetting> perturb;
  std::vector<RoundSetting> round;
  std::vector<PlantSetting> plant;
  std::vector<ResetSetting> reset;
  std::vector<PoisonSetting> poison;

  /// Whether records are needed: for a trace or a comparison.
  bool hashes() const { return !trace.empty() || (compare && !compare->with.empty()); }
  /// Whether any field of this step is hashed: step n of `steps` that is a multiple of `every`, or the first
  /// of `steps`.
  bool traced(std::int64_t step) const;
  /// Whether this field is hashed in such a step.
  bool traced(std::string_view stage, std::string_view field) const { return only.matches(stage, field); }
};

/// The value of a variable of the environment, or null.
using Environment = std::function<char const*(char const*)>;
/// Reads the file named by ULPINE, then ULPINE_TRACE, ULPINE_COMPARE, ULPINE_EVERY, ULPINE_ONLY, ULPINE_STEPS
/// and ULPINE_RECORD, which replace its keys. Nothing where nothing is asked for: an empty variable counts as
/// absent. InputError: one line with file and line, key and remedy.
std::optional<Settings> read_settings(Environment const& variable);
/// The same of a TOML text, called `name` in messages. InputError.
Settings parse_settings(std::string const& text, std::string const& name);

/// The name of a rank's file: of one rank `name` itself, else "trace.3-of-8.bin" of "trace.bin"; "{rank}"
/// within the file's name is replaced by the rank's number instead.
std::string rank_name(std::string const& name, int rank, int ranks);
/// All files of `name` that are there: `name` itself, or the files of every rank of one run in order. Empty
/// where there is none. InputError where ranks are missing, or files of several numbers of ranks lie there.
std::vector<std::string> rank_files(std::string const& name);

}  // namespace ulpine::probe
