// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  /// Of "*" or "*.FIELD": whether every stage's field of this name matches.
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
/// as asked for: rank_name.hpp makes those of a rank.
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
  bool hashes() const { return !trace.empty() || compare.has_value(); }
  /// Whether any field of this step is hashed: step n of `steps` that is a multiple of `every`, or the first
  /// of `steps`.
  bool traced(std::int64_t step) const { return steps.holds(step) && step % every == 0; }
  /// Whether this field is hashed in such a step.
  bool traced(std::string_view stage, std::string_view field) const { return only.matches(stage, field); }
};

/// Reads the file named by ULPINE, then ULPINE_TRACE, ULPINE_COMPARE, ULPINE_EVERY, ULPINE_ONLY, ULPINE_STEPS
/// and ULPINE_RECORD, which replace its keys, from an environment as `environ` has it: "NAME=value"..., null.
/// Nothing where nothing is asked for: an empty variable counts as absent. InputError: one line with file and
/// line or variable, key and remedy, also where a variable's name is nearly one of these.
std::optional<Settings> read_settings(char const* const* environment);
/// The same of a TOML text, called `name` in messages. InputError.
Settings parse_settings(std::string const& text, std::string const& name);

}  // namespace ulpine::probe
