// SPDX-License-Identifier: Apache-2.0
#include "probe/source/settings.hpp"

// The parser asserts of a key after "[" what a user may have written otherwise, and tells that as an error a
// line later.
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>

#include "io/error.hpp"
#include "io/regular_file.hpp"
#include "io/text.hpp"
#include "io/toml_depth.hpp"
#include "probe/source/rank_name.hpp"

namespace ulpine::probe {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 20;
constexpr auto largest_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view variable_prefix = "ULPINE_";

bool fits(std::string_view pattern, std::string_view text) {
  // Where the text goes on after the last *, should what follows that not fit.
  auto star = std::string_view::npos;
  std::size_t p = 0, t = 0, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// "1000-1100", "1000-" or "17"; empty where it is none.
std::optional<Steps> steps_of(std::string_view text) {
  Steps steps;
  auto const* const end = text.data() + text.size();
  auto const first = std::from_chars(text.data(), end, steps.first);
  if (first.ec != std::errc{} || steps.first < 0) return {};
  if (first.ptr == end) {
    steps.last = steps.first;
  } else {
    if (*first.ptr != '-') return {};
    if (first.ptr + 1 != end) {
      auto const last = std::from_chars(first.ptr + 1, end, steps.last);
      if (last.ec != std::errc{} || last.ptr != end || steps.last < steps.first) return {};
    }
  }
  return steps;
}

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  while (true) {
    auto const comma = list.find(',');
    parts.emplace_back(io::trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::string described(toml::node const& node) {
  if (auto const* text = node.as_string()) {
    return text->get().size() <= 60 ? "the text \"" + one_line(text->get()) + "\"" : "a long text";
  }
  if (auto const* integer = node.as_integer()) return "the integer " + std::to_string(integer->get());
  if (node.is_floating_point()) return "a number with a fraction";
  if (auto const* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_array_of_tables()) return "an array of tables";
  if (node.is_array()) return "an array";
  return node.is_table() ? "a table" : "a date or time";
}

/// Checks of values, whose messages begin with where they stand: "probe.toml:3: round[0].to" or
/// "ULPINE_ONLY".
class Value {
 public:
  explicit Value(std::string where) : where_{std::move(where)} {}

  /// `problem` is "what is wrong (why it matters) remedy".
  [[noreturn]] void refuse(std::string const& problem) const { throw InputError(where_ + ": " + problem); }

  Pattern pattern(std::string const& text) const {
    auto const wild = text.find_first_of("*?") != std::string::npos;
    if (text.empty() || one_line(text) != text || (text.find('.') == std::string::npos && !wild)) {
      refuse("\"" + one_line(text) +
             "\" chooses no field (it is no STAGE.FIELD) write e.g. \"convection.t\", \"*.t\" or \"*\"");
    }
    return Pattern{text};
  }
  Steps steps(std::string const& text) const {
    auto const found = steps_of(text);
    if (!found) {
      refuse("\"" + one_line(text) +
             "\" is no range of steps (first and last step are needed, from 0) write e.g. \"1000-1100\", "
             "\"1000-\" or \"17\"");
    }
    return *found;
  }
  std::string path(std::string const& text) const {
    if (text.empty() || one_line(text) != text) {
      refuse("not the name of a file (it is empty or has control characters) write e.g. \"trace.bin\"");
    }
    std::error_code failed;
    auto const whole = std::filesystem::absolute(text, failed);
    if (failed) refuse("cannot be found (" + failed.message() + ") write a path that starts with /");
    return whole.lexically_normal().string();
  }
  std::int64_t within(std::int64_t value, std::int64_t least, std::int64_t most) const {
    if (value < least || value > most) {
      refuse("must be " +
             (most == largest_integer ? "at least " + std::to_string(least)
                                      : "between " + std::to_string(least) + " and " + std::to_string(most)) +
             " (it is " + std::to_string(value) + ") write e.g. " +
             std::to_string(std::max<std::int64_t>(least, 1)));
    }
    return value;
  }

 private:
  std::string where_;
};

/// A table of the file. Each key that is asked for is known from then on; check() refuses the others.
class Table {
 public:
  Table(toml::table const& table, std::string const& file, std::string prefix)
      : table_{table}, file_{file}, prefix_{std::move(prefix)} {}

  toml::node const* find(char const* key) {
    known_.push_back(key);
    return table_.get(key);
  }
  Value at(char const* key) const {
    auto const* const node = table_.get(key);
    return place(node == nullptr ? table_ : *node, key);
  }
  Value place(toml::node const& node, std::string const& key) const {
    return Value{file_ + ":" + std::to_string(std::max<std::uint32_t>(node.source().begin.line, 1)) + ": " +
                 prefix_ + key};
  }

  std::optional<std::string> text(char const* key, char const* example) {
    auto const* const node = find(key);
    if (node == nullptr) return {};
    if (!node->is_string()) {
      at(key).refuse("must be a text (it is " + described(*node) + ") write e.g. " + key + " = \"" + example +
                     "\"");
    }
    return node->as_string()->get();
  }
  std::optional<std::int64_t> integer(char const* key, std::int64_t least,
                                      std::int64_t most = largest_integer) {
    auto const* const node = find(key);
    if (node == nullptr) return {};
    if (!node->is_integer()) {
      at(key).refuse("must be a whole number (it is " + described(*node) + ") write e.g. " + key + " = " +
                     std::to_string(std::max<std::int64_t>(least, 1)));
    }
    return at(key).within(node->as_integer()->get(), least, most);
  }
  void flag(char const* key, bool& value) {
    auto const* const node = find(key);
    if (node == nullptr) return;
    if (!node->is_boolean()) {
      at(key).refuse("must be true or false (it is " + described(*node) + ") write " + key + " = " +
                     (value ? "false" : "true"));
    }
    value = node->as_boolean()->get();
  }
  void path(char const* key, char const* example, std::string& value) {
    if (auto const found = text(key, example)) value = at(key).path(*found);
  }
  void steps(char const* key, Steps& value) {
    auto const* const node = find(key);
    if (node == nullptr) return;
    if (auto const* number = node->as_integer()) {
      value.first = value.last = at(key).within(number->get(), 0, largest_integer);
    } else if (auto const* words = node->as_string()) {
      value = at(key).steps(words->get());
    } else {
      at(key).refuse("must be steps (it is " + described(*node) + ") write e.g. " + key +
                     " = \"1000-1100\" or 17");
    }
  }
  /// A pattern, or an array of some.
  std::optional<What> what(char const* key) {
    auto const* const node = find(key);
    if (node == nullptr) return {};
    What found;
    if (auto const* one = node->as_string()) {
      found.patterns.push_back(at(key).pattern(one->get()));
    } else if (auto const* array = node->as_array(); array != nullptr && !array->empty()) {
      for (auto const& element : *array) {
        if (!element.is_string()) {
          at(key).refuse("must be texts (one is " + described(element) + ") write e.g. [\"*.t\", \"*.q\"]");
        }
        found.patterns.push_back(at(key).pattern(element.as_string()->get()));
      }
    } else {
      at(key).refuse("must choose fields (it is " + (node->is_array() ? "empty" : described(*node)) +
                     ") write e.g. " + key + " = \"*.t\" or [\"*.t\", \"*.q\"]");
    }
    return found;
  }
  What required_what() {
    auto found = what("what");
    if (!found) at("what").refuse("required (it chooses the fields) write e.g. what = \"convection.t\"");
    return std::move(*found);
  }
  template <class Found>
  Found required(char const* key, std::optional<Found> found, char const* why) const {
    if (!found) at(key).refuse(std::string{"required ("} + why);
    return std::move(*found);
  }
  /// The table `key`, written [key]; f(Table&) reads it.
  template <class F>
  void table(char const* key, F const& f) {
    auto const* const node = find(key);
    if (node == nullptr) return;
    if (!node->is_table()) {
      at(key).refuse("must be one table (it is " + described(*node) + ") write [" + key + "] above its keys");
    }
    Table inner{*node->as_table(), file_, prefix_ + key + "."};
    f(inner);
    inner.check();
  }
  /// The tables `key`, each written [[key]].
  template <class F>
  void tables(char const* key, F const& f) {
    auto const* const node = find(key);
    if (node == nullptr) return;
    if (!node->is_array_of_tables()) {
      at(key).refuse("must be tables (it is " + described(*node) + ") write [[" + key +
                     "]] above the keys of each");
    }
    std::size_t number = 0;
    for (auto const& element : *node->as_array()) {
      Table inner{*element.as_table(), file_, prefix_ + key + "[" + std::to_string(number++) + "]."};
      f(inner);
      inner.check();
    }
  }
  void check() const {
    for (auto const& [key, node] : table_) {
      auto const word = std::string{key.str()};
      if (std::ranges::find(known_, word) != known_.end()) continue;
      place(node, one_line(word)).refuse("unknown key" + choices_hint(one_line(word), known_));
    }
  }

 private:
  toml::table const& table_;
  std::string const& file_;
  std::string prefix_;
  std::vector<std::string> known_;
};

double amplitude_of(Table& table) {
  constexpr auto key = "amplitude";
  auto const* const node = table.find(key);
  constexpr auto remedy = "write e.g. amplitude = 1e-10, in the unit of the field";
  if (node == nullptr)
    table.at(key).refuse(std::string{"required (it is the noise's largest size) "} + remedy);
  if (!node->is_number()) {
    table.at(key).refuse("must be a number (it is " + described(*node) + ") " + remedy);
  }
  auto const value = *node->value<double>();
  if (!(value >= std::numeric_limits<double>::min() && std::isfinite(value))) {
    table.at(key).refuse(
        std::string{"must be finite and larger than 0 (other noise changes nothing, or all) "} + remedy);
  }
  return value;
}

NamedFormat format_of(Table& table, std::string const& name) {
  auto const format = parse_format(name);
  if (!format) {
    table.at("to").refuse("\"" + one_line(name) + "\" is no format (values are rounded to one) write " +
                          format_name_help + ", e.g. to = \"e8m23\"");
  }
  return *format;
}

PlantSetting plant_of(Table& table) {
  PlantSetting plant{.what = table.required_what(),
                     .step = table.integer("step", 0),
                     .element = table.integer("element", 0),
                     .at = {}};
  if (auto const* const node = table.find("at"); node != nullptr) {
    auto const place = table.at("at");
    auto const* const array = node->as_array();
    auto const usable = array != nullptr && !array->empty() && array->size() <= 7 &&
                        std::ranges::all_of(*array, [](auto const& index) { return index.is_integer(); });
    if (!usable)
      place.refuse("must be 1 to 7 whole numbers (the indices of a point) write e.g. at = [5, 7, 1]");
    for (auto const& index : *array)
      plant.at.push_back(place.within(index.as_integer()->get(), 0, largest_integer));
  }
  if (plant.element.has_value() != plant.at.empty()) {
    table.at("what").refuse(
        "needs either `element` or `at` of its table (a fault is planted at one point) write e.g. at = [5, "
        "7, 1]");
  }
  return plant;
}

PoisonSetting poison_of(Table& table) {
  PoisonSetting poison{table.required_what()};
  for (auto const& pattern : poison.what.patterns) {
    if (pattern.text() != "*" && !pattern.text().starts_with("*.")) {
      table.at("what").refuse(
          "\"" + pattern.text() +
          "\" names a stage (a field is filled before it is known which stage comes next) write \"*.FIELD\"");
    }
  }
  return poison;
}

void read(Table& table, Settings& settings) {
  table.path("trace", "trace.bin", settings.trace);
  settings.every = table.integer("every", 1).value_or(settings.every);
  table.steps("steps", settings.steps);
  if (auto only = table.what("only")) settings.only = std::move(*only);
  table.flag("blocks", settings.blocks);
  table.flag("times", settings.times);
  if (auto const zeros = table.text("zeros", "equal")) {
    if (*zeros != "equal" && *zeros != "differ") {
      table.at("zeros").refuse("unknown choice" + choices_hint(one_line(*zeros), {"differ", "equal"}));
    }
    settings.zeros_equal = *zeros == "equal";
  }
  table.path("fields", "fields.bin", settings.fields);
  table.path("seconds", "seconds.csv", settings.seconds);
  table.tables("record", [&](Table& one) {
    RecordSetting record{one.required_what(), settings.steps};
    one.steps("steps", record.steps);
    settings.record.push_back(std::move(record));
  });
  table.table("compare", [&](Table& one) {
    auto& compare = settings.compare.emplace();
    one.path("with", "ref/trace.bin", compare.with);
    one.path("values", "ref/fields.bin", compare.values);
    one.flag("stop", compare.stop);
    if (compare.with.empty() && compare.values.empty()) {
      one.at("with").refuse(
          "required (it is what the run is compared with) write e.g. with = \"ref/trace.bin\"");
    }
  });
  table.table("perturb", [&](Table& one) {
    auto& perturb = settings.perturb.emplace();
    perturb.what = one.required_what();
    perturb.amplitude = amplitude_of(one);
    perturb.seed = static_cast<std::uint64_t>(one.integer("seed", 0).value_or(1));
    perturb.member = static_cast<std::uint32_t>(
        one.integer("member", 0, std::numeric_limits<std::uint32_t>::max()).value_or(0));
    perturb.step = one.integer("step", 0);
  });
  table.tables("round", [&](Table& one) {
    RoundSetting round{one.required_what(), {}, {}};
    round.to = one.required("to", one.text("to", "e8m23"),
                            "it is the format of the values) write e.g. to = \"e8m23\"");
    round.format = format_of(one, round.to);
    settings.round.push_back(std::move(round));
  });
  table.tables("plant", [&](Table& one) { settings.plant.push_back(plant_of(one)); });
  table.tables("reset", [&](Table& one) {
    ResetSetting reset{one.required_what(), {}};
    one.path("from", "ref/fields.bin", reset.from);
    if (reset.from.empty()) {
      one.at("from").refuse(
          "required (it has the values) write e.g. from = \"ref/fields.bin\", recorded by [[record]]");
    }
    settings.reset.push_back(std::move(reset));
  });
  table.tables("poison", [&](Table& one) { settings.poison.push_back(poison_of(one)); });
}

Settings parsed(std::string const& text, std::string const& name) {
  if (auto const line = io::line_too_deep(text); line != 0) {
    throw InputError(name + ":" + std::to_string(line) + ": " + io::depth_problem());
  }
  Settings settings;
  try {
    auto const root = toml::parse(text, name);
    Table table{root, name, ""};
    read(table, settings);
    table.check();
  } catch (toml::parse_error const& failure) {
    throw InputError(name + ":" + std::to_string(failure.source().begin.line) + ": not valid TOML (" +
                     one_line(failure.description()) + ") correct this line");
  }
  return settings;
}

/// What follows from the keys together; `name` is where they stand.
void complete(Settings& settings, std::string const& name) {
  auto const asks = !settings.trace.empty() || settings.times || settings.compare || settings.perturb ||
                    !settings.record.empty() || !settings.round.empty() || !settings.plant.empty() ||
                    !settings.reset.empty() || !settings.poison.empty();
  if (!asks) {
    throw InputError(name +
                     ": asks for nothing (there is no trace, record, compare, change or times in it) write "
                     "e.g. trace = \"trace.bin\"");
  }
  auto const beside =
      std::filesystem::path{settings.trace.empty() ? Value{name}.path("trace.bin") : settings.trace}
          .parent_path();
  if (settings.fields.empty()) settings.fields = (beside / "fields.bin").string();
  if (settings.seconds.empty()) settings.seconds = (beside / "seconds.csv").string();

  // What is written, and must neither be what is read nor written twice.
  struct Named {
    char const* key;
    std::string const& path;
    bool used;
  };
  std::array const written = {Named{"trace", settings.trace, !settings.trace.empty()},
                              Named{"fields", settings.fields, !settings.record.empty()},
                              Named{"seconds", settings.seconds, settings.times}};
  std::vector<Named> read;
  auto const trace_of_compare = settings.compare ? trace_file(settings.compare->with) : "";
  auto const values_of_compare =
      settings.compare ? values_file(settings.compare->with, settings.compare->values) : "";
  read.push_back({"compare.with", trace_of_compare, settings.compare && !settings.compare->with.empty()});
  read.push_back({"compare.values", values_of_compare, settings.compare.has_value()});
  for (auto const& reset : settings.reset) read.push_back({"reset.from", reset.from, true});
  for (std::size_t i = 0; i < written.size(); ++i) {
    auto const& one = written[i];
    if (!one.used) continue;
    for (auto const& other : std::span{written}.subspan(i + 1)) {
      if (other.used && other.path == one.path) {
        throw InputError(name + ": " + one.key + " and " + other.key + " are the same file (" + one.path +
                         ") give one of them another name");
      }
    }
    for (auto const& other : read) {
      if (other.used && without_rank(other.path) == without_rank(one.path)) {
        throw InputError(name + ": " + one.key + " would be written over " + other.key + " (both are " +
                         one.path + ") write to another name or folder");
      }
    }
  }
}

/// Name, less the prefix, and value of each variable of ours.
std::vector<std::pair<std::string, std::string>> variables_of(char const* const* environment) {
  std::vector<std::pair<std::string, std::string>> found;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    std::string_view const entry = *environment;
    auto const equals = entry.find('=');
    if (!entry.starts_with(variable_prefix) || equals == std::string_view::npos) continue;
    found.emplace_back(entry.substr(variable_prefix.size(), equals - variable_prefix.size()),
                       entry.substr(equals + 1));
  }
  return found;
}

What what_of(Value const& value, std::string_view list) {
  What what;
  for (auto const& part : parts_of(list)) what.patterns.push_back(value.pattern(part));
  return what;
}

std::string file_content(std::string const& name) {
  auto const place = Value{"ULPINE"};
  if (one_line(name) != name)
    place.refuse("not the name of a file (it has control characters) name a file of settings");
  auto content = io::regular_file_content(name, largest_file);
  if (!content) {
    throw InputError(one_line(name) + ": settings cannot be read (" + std::strerror(errno) +
                     ") name a file of settings in ULPINE");
  }
  return std::move(*content);
}

}  // namespace

bool Pattern::matches(std::string_view stage, std::string_view field) const {
  std::string name{stage};
  return fits(text_, name.append(1, '.').append(field));
}

bool Pattern::matches_field(std::string_view field) const {
  return text_ == "*" || (text_.starts_with("*.") && fits(std::string_view{text_}.substr(2), field));
}

bool What::matches(std::string_view stage, std::string_view field) const {
  return std::ranges::any_of(patterns, [&](Pattern const& one) { return one.matches(stage, field); });
}

bool What::matches_field(std::string_view field) const {
  return std::ranges::any_of(patterns, [&](Pattern const& one) { return one.matches_field(field); });
}

std::string What::text() const {
  std::string text;
  for (auto const& pattern : patterns) text += (text.empty() ? "" : ", ") + pattern.text();
  return text;
}

std::optional<Settings> read_settings(char const* const* environment) {
  static constexpr std::array<char const*, 7> known = {"TRACE", "COMPARE", "EVERY", "ONLY",
                                                       "STEPS", "RECORD",  nullptr};
  std::string file;
  for (auto const* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view{*entry}.starts_with("ULPINE=")) file = *entry + std::strlen("ULPINE=");
  }
  auto const variables = variables_of(environment);
  std::map<std::string, std::string> values;
  for (auto const& [name, value] : variables) {
    auto const is_known =
        std::ranges::any_of(known, [&](char const* one) { return one != nullptr && name == one; });
    if (is_known && !value.empty()) values[name] = value;
    if (auto const hint = nearest_hint(name, known.data()); !is_known && !hint.empty()) {
      throw InputError("ULPINE_" + one_line(name) + ": no such variable" + hint +
                       " correct its name, or unset it");
    }
  }
  if (file.empty() && values.empty()) return {};

  auto settings = file.empty() ? Settings{} : parsed(file_content(file), file);
  auto const has = [&](char const* name) { return values.find(name) != values.end(); };
  auto const place = [](char const* name) { return Value{std::string{variable_prefix} + name}; };
  if (has("TRACE")) settings.trace = place("TRACE").path(values["TRACE"]);
  if (has("EVERY")) {
    auto const text = io::trimmed(values["EVERY"]);
    std::int64_t every = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), every);
    if (error != std::errc{} || end != text.data() + text.size()) {
      place("EVERY").refuse("\"" + one_line(text) +
                            "\" is no whole number (every so many steps are traced) write e.g. 10");
    }
    settings.every = place("EVERY").within(every, 1, largest_integer);
  }
  if (has("STEPS")) settings.steps = place("STEPS").steps(std::string{io::trimmed(values["STEPS"])});
  if (has("ONLY")) settings.only = what_of(place("ONLY"), values["ONLY"]);
  if (has("RECORD")) settings.record = {{what_of(place("RECORD"), values["RECORD"]), settings.steps}};
  if (has("COMPARE")) {
    auto const stop = !settings.compare || settings.compare->stop;
    settings.compare = CompareSetting{place("COMPARE").path(values["COMPARE"]), {}, stop};
  }
  complete(settings, file.empty() ? "ULPINE_" + values.begin()->first : file);
  return settings;
}

Settings parse_settings(std::string const& text, std::string const& name) {
  auto settings = parsed(text, name);
  complete(settings, name);
  return settings;
}

}  // namespace ulpine::probe
