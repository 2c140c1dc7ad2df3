// SPDX-License-Identifier: Apache-2.0
#include "probe/source/reference.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "io/error.hpp"
#include "probe/source/element_text.hpp"
#include "probe/source/rank_name.hpp"
#include "probe/source/whole_fields.hpp"

namespace ulpine::probe {
namespace {

std::string const* attribute_of(io::TraceEntry const& entry, std::string_view key) {
  for (auto const& [name, value] : entry.attributes) {
    if (name == key) return &value;
  }
  return nullptr;
}

/// A record of the reference.
struct Expected {
  std::int64_t step = 0, count = 0, missing = 0;
  std::uint64_t hash = 0;
  std::vector<std::uint64_t> blocks;
  std::string stage, field;
  bool came = false;
};

/// Records by key_of() their places, in the order of the reference.
struct Records {
  std::vector<Expected> all;
  std::unordered_map<std::string, std::size_t> numbers;
  std::unordered_map<std::string, io::TraceEntry> fields;

  /// Adds those of one rank to what is there of others.
  void add(io::Trace const& trace) {
    for (auto const& field : trace.header.fields) fields.try_emplace(field.name, field);
    for (auto const& record : trace.records) {
      auto const& stage = trace.header.stages[record.stage].name;
      auto const& field = trace.header.fields[record.field].name;
      auto const [number, is_new] =
          numbers.try_emplace(key_of(Place{record.position, stage, field}), all.size());
      if (is_new) {
        all.push_back({record.position.front().index, record.count, record.missing, record.hash,
                       record.blocks, stage, field});
        continue;
      }
      if (record.replicated) continue;
      auto& sum = all[number->second];
      sum.hash += record.hash;
      sum.missing -= record.count - record.missing;
      if (sum.blocks.size() == record.blocks.size()) {
        for (std::size_t b = 0; b < sum.blocks.size(); ++b) sum.blocks[b] += record.blocks[b];
      }
    }
  }
  Expected* find(std::string const& key) {
    auto const found = numbers.find(key);
    return found == numbers.end() ? nullptr : &all[found->second];
  }
};

/// The first element of a record that differs, of the parts told so far.
struct ValueDifference {
  std::int64_t index = std::numeric_limits<std::int64_t>::max(), elements = 0;
  std::array<std::byte, 8> here, there;
};

/// A part without its memory: for its type and domain.
Part shape_of(Part part) {
  part.data = nullptr;
  for (auto& axis : part.axes) axis.numbers = nullptr;
  return part;
}

ValueDifference compare_values(Part const& part, WholeField const& field, bool zeros_equal, bool& complete) {
  ValueDifference found;
  auto const size = static_cast<std::size_t>(element_size(part.type));
  for_each_row(part, [&](std::int64_t index, auto const* address, std::int64_t count, std::int64_t stride) {
    for (std::int64_t k = 0; k < count; ++k, address += stride) {
      if (!field.there[static_cast<std::size_t>(index + k)]) {
        complete = false;
        continue;
      }
      auto const* const there = field.at(index + k);
      if (std::memcmp(address, there, size) == 0 || same_element(part.type, zeros_equal, address, there))
        continue;
      ++found.elements;
      if (index + k >= found.index) continue;
      found.index = index + k;
      std::memcpy(found.here.data(), address, size);
      std::memcpy(found.there.data(), there, size);
    }
  });
  return found;
}

/// The first and last element of the first block that differs; nothing where blocks do not tell it.
std::optional<std::pair<std::int64_t, std::int64_t>> block_of(io::TraceRecord const& record,
                                                              Expected const& expected) {
  if (record.blocks.size() != expected.blocks.size()) return {};
  auto const size = io::trace_block_size(record.count);
  for (std::size_t b = 0; b < record.blocks.size(); ++b) {
    if (record.blocks[b] == expected.blocks[b]) continue;
    auto const first = static_cast<std::int64_t>(b) * size;
    return std::pair{first, std::min(first + size, record.count) - 1};
  }
  return {};
}

std::string counted(std::int64_t count, std::string const& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace

struct Reference::State {
  Settings const settings;
  Tell const tell;
  int const ranks;
  std::string trace;               ///< empty: values only
  bool own = false;                ///< records are those of this rank, of as many ranks
  std::vector<std::string> files;  ///< of all ranks of the reference
  Records records;
  std::unique_ptr<WholeFields> values;
  mutable std::mutex mutex;         ///< guards what is below, and Expected::came
  std::optional<Records> everyone;  ///< sums of all ranks, once they are needed beside this rank's own
  std::unordered_map<std::string, Part> shapes;           ///< by field
  std::unordered_map<std::string, std::uint64_t> places;  ///< sums of the parts of each field's first record
  std::unordered_map<std::string, std::string> first_keys;  ///< of each field's first record
  std::unordered_map<std::string, ValueDifference> open;    ///< of records that are not closed, by key
  std::set<std::string> told;
  std::int64_t compared = 0, differing = 0, strange = 0, left_out = 0;
  std::int64_t first_step = std::numeric_limits<std::int64_t>::max(),
               last_step = std::numeric_limits<std::int64_t>::min();
  std::string first_strange, first_left_out;

  State(Settings const& settings, int ranks, Tell tell)
      : settings{settings}, tell{std::move(tell)}, ranks{ranks} {}

  std::string const& name() const { return trace.empty() ? values->file().name() : trace; }

  void read_traces(int rank) {
    files = rank_files(trace);
    if (files.empty()) {
      throw InputError(
          trace +
          ": no such trace (the run is to be compared with it) give compare.with a trace of a probed run");
    }
    own = ranks > 1 && static_cast<int>(files.size()) == ranks;
    for (std::size_t k = 0; k < files.size(); ++k) {
      if (!own || static_cast<int>(k) == rank) read_trace(files[k], records, true);
    }
  }
  void read_trace(std::string const& file, Records& sum, bool tells) const {
    auto const read = io::read_trace(file, {.partial = true});
    if (read.end == io::TraceEnd::altered) static_cast<void>(io::read_trace(file));  // says what is wrong
    if (tells && read.end == io::TraceEnd::cut) {
      tell(file + ": trace cut short after " +
           counted(static_cast<std::int64_t>(read.records.size()), "record") +
           " (its run was stopped) it is compared as far as it goes");
    }
    sum.add(read);
  }
  /// The record of a field that this process has as a whole, and every rank of the reference a part of.
  Expected const* sum_of_ranks(std::string const& key) {
    if (!everyone) {
      everyone.emplace();
      for (auto const& file : files) read_trace(file, *everyone, false);
    }
    return everyone->find(key);
  }

  void tell_once(std::string const& key, std::string const& line) {
    {
      std::lock_guard const lock{mutex};
      if (!told.insert(key).second) return;
    }
    tell(line);
  }

  /// The record to compare with; null where there is none that could be compared, and `why` (or nothing,
  /// where the reference has no such record at all).
  Expected const* comparable(Place const& place, io::TraceRecord const& record, std::string const& key,
                             std::string& why) {
    std::lock_guard const lock{mutex};
    auto* expected = records.find(key);
    if (expected != nullptr) expected->came = true;
    Expected const* const sum = own && record.missing == 0 && (expected == nullptr || expected->missing != 0)
                                    ? sum_of_ranks(key)
                                    : nullptr;
    if (sum == nullptr && expected == nullptr) return nullptr;
    auto const& said = (sum != nullptr ? *everyone : records).fields.at(std::string{place.field});
    return can_compare(place, record, sum != nullptr ? *sum : *expected, said, why)
               ? (sum != nullptr ? sum : expected)
               : nullptr;
  }
  bool can_compare(Place const& place, io::TraceRecord const& record, Expected const& expected,
                   io::TraceEntry const& said, std::string& why) const {
    auto const field = "field " + std::string{place.field};
    auto const shape = shapes.find(std::string{place.field});
    if (expected.count != record.count) {
      why = field + " has " + counted(record.count, "element") + " here and " +
            std::to_string(expected.count) + " there";
      return false;
    }
    if (auto const* type = attribute_of(said, "type");
        type != nullptr && shape != shapes.end() && *type != type_name(shape->second)) {
      why = field + " is of type " + std::string{type_name(shape->second)} + " here and " + *type + " there";
      return false;
    }
    auto const* const zeros = attribute_of(said, "zeros");
    if ((zeros != nullptr && *zeros == "equal") != settings.zeros_equal) {
      why = "-0 and 0 are told apart in one of the two runs only (key `zeros`)";
      return false;
    }
    if (record.missing == 0 && expected.missing == 0) return true;
    auto const* const elements = attribute_of(said, "places");
    auto const here = places.find(std::string{place.field});
    if (!own || elements == nullptr || here == places.end()) {
      why = "parts of fields on " + counted(ranks, "rank") +
            " need a reference of as many ranks or with recorded values, this one is of " +
            counted(static_cast<std::int64_t>(files.size()), "rank");
      if (own) why = field + " is in one part in one of the two runs only";
      return false;
    }
    if (record.missing != expected.missing || *elements != io::hex(here->second)) {
      why = "this rank has other elements of " + field + " than in the reference";
      return false;
    }
    return true;
  }

  std::string indices(Place const& place, std::int64_t index) const {
    auto const shape = shapes.find(std::string{place.field});
    return shape == shapes.end() ? "element " + std::to_string(index) : indices_text(shape->second, index);
  }

  /// What is said of the first record that differs.
  std::string line(Place const& place, io::TraceRecord const& record, ValueDifference const* value,
                   Expected const* expected) const {
    std::lock_guard const lock{mutex};
    auto text = "first difference from " + name() + ": " + text_of(place);
    if (value != nullptr) {
      auto const where = indices(place, value->index);
      auto const type = shapes.at(std::string{place.field}).type;
      return text + (where.empty() ? "" : ", " + where) + ": " +
             difference_text(type, value->here.data(), value->there.data()) + "; " +
             counted(value->elements, "element") + (value->elements == 1 ? " differs" : " differ");
    }
    auto const block = block_of(record, *expected);
    if (block) {
      text += ", within " + indices(place, block->first) +
              (block->first == block->second ? "" : " to " + indices(place, block->second));
    }
    return text + " (values are told where the reference has them: [[record]])";
  }
};

Reference::Reference(Settings const& settings, int rank, int ranks, Tell tell)
    : state_{std::make_unique<State>(settings, ranks, std::move(tell))} {
  auto const& compare = *settings.compare;
  if (!compare.with.empty()) {
    state_->trace = trace_file(compare.with);
    state_->read_traces(rank);
  }
  auto const values = values_file(compare.with, compare.values);
  if (!compare.values.empty() || !rank_files(values).empty()) {
    state_->values = std::make_unique<WholeFields>(values);
    if (!state_->values->file().whole()) {
      state_->tell(values + ": values cut short (their run was stopped) they are compared as far as they go");
    }
  }
}

Reference::~Reference() = default;

bool Reference::reads_values() const { return state_->values != nullptr; }

void Reference::check(Place const& place, Part const& part) {
  auto& s = *state_;
  if (!s.settings.traced(place.step()) || !s.settings.traced(place.stage, place.field)) return;
  auto const key = key_of(place);
  auto const field = std::string{place.field};
  {
    auto const all = part.count() == part.whole_count();
    std::lock_guard const lock{s.mutex};
    s.shapes.insert_or_assign(field, shape_of(part));
    auto const first = s.first_keys.try_emplace(field, key).first;
    if (!all && first->second == key) s.places[field] += places_of(part);
  }
  if (s.values == nullptr || part.on_device) return;
  auto const recorded = s.values->find(place);
  if (recorded == nullptr) return;
  if (!recorded->goes_with(part)) {
    s.tell_once("values\n" + field, "values of field " + field +
                                        " cannot be compared (type or shape are others in " +
                                        s.values->file().name() + ") they are left out");
    return;
  }
  auto complete = true;
  auto const found = compare_values(part, *recorded, s.settings.zeros_equal, complete);
  if (!complete) {
    s.tell_once("elements\n" + field, "some values of field " + field +
                                          " cannot be compared (they are not in " + s.values->file().name() +
                                          ") they are left out");
  }
  std::lock_guard const lock{s.mutex};
  auto& open = s.open[key];
  open.elements += found.elements;
  if (found.elements == 0 || found.index >= open.index) return;
  open.index = found.index;
  open.here = found.here;
  open.there = found.there;
}

bool Reference::check(Place const& place, io::TraceRecord const& record) {
  auto& s = *state_;
  auto const key = key_of(place);
  std::string why;
  auto const* const expected = s.trace.empty() ? nullptr : s.comparable(place, record, key, why);
  std::optional<ValueDifference> value;
  auto is_first = false, differs = false, is_compared = true;
  {
    std::lock_guard const lock{s.mutex};
    auto const open = s.open.extract(key);
    auto const has_values = !open.empty();
    if (has_values && open.mapped().elements > 0) value = open.mapped();
    s.first_step = std::min(s.first_step, place.step());
    s.last_step = std::max(s.last_step, place.step());
    if (expected == nullptr && !has_values) {
      auto& first = why.empty() ? s.first_strange : s.first_left_out;
      if (first.empty()) first = text_of(place);
      ++(why.empty() ? s.strange : s.left_out);
      is_compared = false;
    } else {
      ++s.compared;
      differs = value || (expected != nullptr && expected->hash != record.hash);
      is_first = differs && s.differing++ == 0;
    }
  }
  // Hashes that cannot be compared are of no concern where values are.
  if (!is_compared && !why.empty()) s.tell_once(why, "not compared with " + s.name() + ": " + why);
  if (is_first) s.tell(s.line(place, record, value ? &*value : nullptr, expected));
  return differs;
}

std::vector<std::string> Reference::summary() const {
  auto const& s = *state_;
  std::lock_guard const lock{s.mutex};
  std::vector<std::string> lines;
  auto const with = s.name();
  if (s.compared == 0) {
    lines.push_back("nothing was compared with " + with);
  } else if (s.differing == 0) {
    lines.push_back("compared " + counted(s.compared, "record") + " with " + with + ": no difference");
  } else {
    lines.push_back(std::to_string(s.differing) + " of " + counted(s.compared, "record") +
                    (s.differing == 1 ? " differs" : " differ") + " from " + with);
  }
  if (s.strange > 0) {
    lines.push_back(counted(s.strange, "record") + " not in " + with + ", the first: " + s.first_strange);
  }
  if (s.left_out > 0) {
    lines.push_back(counted(s.left_out, "record") + " could not be compared with " + with +
                    ", the first: " + s.first_left_out);
  }
  if (s.ranks > 1 && !s.own) return lines;
  std::int64_t absent = 0;
  Expected const* first = nullptr;
  for (auto const& one : s.records.all) {
    auto const asked = one.step >= s.first_step && one.step <= s.last_step && s.settings.traced(one.step) &&
                       s.settings.traced(one.stage, one.field);
    if (!asked || one.came) continue;
    ++absent;
    if (first == nullptr) first = &one;
  }
  if (first != nullptr) {
    lines.push_back(counted(absent, "record") + " of " + with + " did not come, the first: step " +
                    std::to_string(first->step) + ", stage " + first->stage + ", field " + first->field);
  }
  return lines;
}

}  // namespace ulpine::probe
