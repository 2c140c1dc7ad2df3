// SPDX-License-Identifier: Apache-2.0
#include "io/former_keys.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "io/error.hpp"

namespace ulpine::io {
namespace {

using Formers = std::map<std::string, FormerKey>;

struct Registry {
  std::mutex mutex;
  std::map<std::string, Formers> of_core;
  FormerKeysReporter tell = nullptr;
  std::set<std::string> told;
};

Registry& registry() {
  static Registry all;
  return all;
}

/// "start.bubble.centre" of "start.bubble.centre[0]".
std::string key_of(FormerKey const& former) { return former.name.substr(0, former.name.find('[')); }

std::optional<std::size_t> element_of(FormerKey const& former) {
  auto const bracket = former.name.find('[');
  if (bracket == std::string::npos) return {};
  return std::stoul(former.name.substr(bracket + 1));
}

/// The present key's entry that follows from `entry`, the value of the former key. InputError.
Entry present_entry(FormerKey const& former, Entry const& entry) {
  auto present = entry;
  if (auto const element = element_of(former)) {
    auto const refuse = [&](std::string const& problem) {
      return InputError(entry.where + ": " + key_of(former) + ": " + problem +
                        std::to_string(former.elements));
    };
    auto const* const array = std::get_if<Array>(&entry.value);
    if (array == nullptr) {
      throw refuse("must be an array of numbers (it is " + describe(entry) + ") give an array of ");
    }
    if (array->elements.size() != former.elements) {
      throw refuse("wrong number of elements (it has " + std::to_string(array->elements.size()) + ") give ");
    }
    return array->elements[*element];
  }
  if (auto* const text = std::get_if<std::string>(&present.value)) {
    auto const was = std::ranges::find(former.values, *text, &std::pair<std::string, std::string>::first);
    if (was != former.values.end()) *text = was->second;
  }
  return present;
}

/// Whether the present key counts, of which the case has both names.
bool present_counts(std::string const& key, Entry const& is, FormerKey const& former, Entry const& was) {
  auto const override_of = [](Entry const& entry) { return std::get<0>(entry.order); };
  if (override_of(is) != override_of(was)) return override_of(is) > override_of(was);
  throw InputError(was.where + ": " + key_of(former) + ": is the former name of " + key +
                   ", which stands at " + is.where + " (one of them can count) take one out");
}

}  // namespace

bool declare_former_keys(std::string const& core, std::vector<CaseKey> const& keys) {
  Formers formers;
  for (auto const& key : keys) {
    if (key.formerly.empty()) continue;
    FormerKey former{key.formerly};
    if (former.name.ends_with(']')) {
      auto const array = std::string_view(former.name).substr(0, former.name.find('[') + 1);
      former.elements = static_cast<std::size_t>(std::ranges::count_if(
          keys, [&](CaseKey const& other) { return other.formerly.starts_with(array); }));
    }
    for (auto const& choice : key.choices) {
      if (!choice.formerly.empty()) former.values.emplace_back(choice.formerly, choice.name);
    }
    formers.emplace(key.name, std::move(former));
  }
  std::lock_guard const lock{registry().mutex};
  registry().of_core.insert_or_assign(core, std::move(formers));
  return true;
}

FormerKeys::FormerKeys(Entries& entries) {
  auto const core = entries.find("core");
  auto const* const name = core == entries.end() ? nullptr : std::get_if<std::string>(&core->second.value);
  if (name == nullptr) return;
  {
    std::lock_guard const lock{registry().mutex};
    formers_ = registry().of_core[*name];
  }
  std::set<std::string> found;
  auto first = entries.end();
  for (auto const& [key, former] : formers_) {
    auto const was = entries.find(key_of(former));
    if (was == entries.end()) continue;
    found.insert(was->first);
    auto const is = entries.find(key);
    if (is != entries.end() && present_counts(key, is->second, former, was->second)) continue;
    auto const added = entries.insert_or_assign(key, present_entry(former, was->second)).first;
    spelled_.emplace(key, former.name);
    if (first == entries.end() || added->second.order < first->second.order) first = added;
  }
  for (auto const& key : found) entries.erase(key);
  if (spelled_.empty()) return;
  auto const more = spelled_.size() - 1;
  note_ = first->second.where + ": " + spelled_.at(first->first) + ": is called " + first->first + " now" +
          (more == 0 ? "" : " and " + std::to_string(more) + " more have other names") +
          " (the former ones are still read) `ulpine cases --keys " + *name + "` has them";
}

std::string FormerKeys::spelling(std::string const& key) const {
  auto const end = std::min(key.find('['), key.size());
  auto const found = spelled_.find(key.substr(0, end));
  return found == spelled_.end() ? key : found->second + key.substr(end);
}

std::map<std::string, std::string> FormerKeys::renamed_back(
    std::map<std::string, std::string> const& texts) const {
  std::map<std::string, std::string> back;
  std::map<std::string, std::vector<std::string>> arrays;
  for (auto const& [key, text] : texts) {
    auto const found = formers_.find(key);
    if (found == formers_.end()) {
      back[key] = text;
      continue;
    }
    auto const& former = found->second;
    if (auto const element = element_of(former)) {
      auto& array = arrays[key_of(former)];
      array.resize(former.elements);
      array[*element] = text;
    } else if (former.values.empty()) {
      back[former.name] = text;
    } else {
      for (auto const& [was, is] : former.values) {
        if (toml_text(is) == text) back[former.name] = toml_text(was);
      }
    }
  }
  for (auto const& [key, elements] : arrays) back[key] = toml_array(elements);
  return back;
}

void set_former_keys_reporter(FormerKeysReporter tell) {
  std::lock_guard const lock{registry().mutex};
  registry().tell = tell;
}

void report_former_keys(std::string const& line) {
  auto& all = registry();
  std::lock_guard const lock{all.mutex};
  if (all.tell != nullptr && all.told.insert(line).second) all.tell(line);
}

}  // namespace ulpine::io
