// SPDX-License-Identifier: Apache-2.0
#include "probe/source/changes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/exec/random.hpp"
#include "precision/bits.hpp"
#include "precision/emulation.hpp"
#include "probe/source/whole_fields.hpp"

namespace ulpine::probe {
namespace {

/// Puts a value to memory of any alignment.
template <class T>
void store(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

bool is_floating(Part const& part) { return part.type == ULPINE_F32 || part.type == ULPINE_F64; }

/// f(dense index, address) for each element.
template <class F>
void for_each_element(Part const& part, F const& f) {
  for_each_row(part, [&f](std::int64_t index, auto* address, std::int64_t count, std::int64_t stride) {
    for (std::int64_t k = 0; k < count; ++k) f(index + k, address + k * stride);
  });
}

/// value = f(dense index, value) of floating-point elements, in double.
template <class F>
void change_values(Part const& part, F const& f) {
  PlainArithmetic const plain;
  for_each_element(part, [&](std::int64_t index, std::byte* address) {
    if (part.type == ULPINE_F32) {
      store(address, static_cast<float>(f(index, static_cast<double>(load<float>(address)))));
    } else {
      store(address, f(index, load<double>(address)));
    }
  });
}

/// The neighbour away from zero, of the largest finite value that towards zero: as core's add_one_ulp() has
/// it.
template <class Word>
Word one_further(Word bits, Word infinity) {
  constexpr auto sign = Word{1} << (sizeof(Word) * 8 - 1);
  auto const magnitude = static_cast<Word>(bits & ~sign);
  return magnitude + 1 == infinity ? bits - 1 : bits + 1;
}

/// The bits of elements that nobody has written: a signalling NaN, or an integer that no model counts to.
std::uint64_t unset_bits(ulpine_type type) {
  switch (type) {
    case ULPINE_F32:
      return 0x7fa5a5a5u;
    case ULPINE_F64:
      return 0x7ff5a5a5a5a5a5a5u;
    default:
      return 0xa5a5a5a5a5a5a5a5u;
  }
}

/// A setting that acts at one place of the run: the first that it chooses, in the step that it names or else
/// the first.
class Once {
 public:
  explicit Once(std::optional<std::int64_t> step) : step_{step} {}
  /// Whether this is that place, for this field; all its parts are told at it.
  bool is_at(Place const& place) {
    if (step_ && *step_ != place.step()) return false;
    std::lock_guard const lock{mutex_};
    auto const [found, is_new] = places_.try_emplace(std::string{place.field});
    if (is_new) found->second = key_of(place);
    return found->second == key_of(place);
  }

 private:
  std::optional<std::int64_t> step_;
  std::mutex mutex_;
  std::map<std::string, std::string> places_;  ///< by field
};

/// A setting, and whether it ever chose a field.
template <class Setting>
struct Used {
  explicit Used(Setting setting) : setting{std::move(setting)} {}
  Setting setting;
  std::atomic<bool> used = false;

  bool chooses(Place const& place) {
    auto const chosen = setting.what.matches(place.stage, place.field);
    if (chosen) used = true;
    return chosen;
  }
};

struct Noise : Used<PerturbSetting> {
  explicit Noise(PerturbSetting const& setting) : Used{setting}, once{setting.step} {}
  Once once;
};
struct Rounding : Used<RoundSetting> {
  explicit Rounding(RoundSetting const& setting) : Used{setting}, emulation{setting.format} {}
  Emulation const emulation;
};
struct Fault : Used<PlantSetting> {
  explicit Fault(PlantSetting const& setting) : Used{setting}, once{setting.step} {}
  Once once;
};
struct Reset : Used<ResetSetting> {
  Reset(ResetSetting const& setting, std::shared_ptr<WholeFields> fields)
      : Used{setting}, fields{std::move(fields)} {}
  std::shared_ptr<WholeFields> fields;
};
using Poison = Used<PoisonSetting>;

template <class One, class Setting>
std::vector<std::unique_ptr<One>> made(std::vector<Setting> const& settings) {
  std::vector<std::unique_ptr<One>> all;
  for (auto const& setting : settings) all.push_back(std::make_unique<One>(setting));
  return all;
}

}  // namespace

struct Changes::State {
  Tell tell;
  std::unique_ptr<Noise> noise;
  std::vector<std::unique_ptr<Rounding>> roundings;
  std::vector<std::unique_ptr<Fault>> faults;
  std::vector<std::unique_ptr<Reset>> resets;
  std::vector<std::unique_ptr<Poison>> poisons;
  std::mutex mutex;  ///< guards what is below
  std::set<std::string> told;
  std::set<std::string, std::less<>> filled;  ///< fields that unset() has filled, in part at least

  void tell_once(std::string const& key, std::string const& line) {
    {
      std::lock_guard const lock{mutex};
      if (!told.insert(key).second) return;
    }
    tell(line);
  }

  /// Whether `table` may change this part; else that is told.
  bool can_change(char const* table, Place const& place, Part const& part, bool floating_only) {
    auto const field = std::string{place.field};
    auto const what = std::string{table} + ": field " + field + " is left as it is (";
    auto const key = std::string{table} + "\n" + field;
    if (part.on_device) {
      tell_once(key, what + "it is in a GPU's memory) tell it from the host's");
      return false;
    }
    if (floating_only && !is_floating(part)) {
      tell_once(key, what + "it is of type " + std::string{type_name(part)} +
                         ") choose fields of floating-point numbers");
      return false;
    }
    return true;
  }

  void add_noise(Place const& place, Part const& part) {
    if (noise == nullptr || !noise->chooses(place) || !can_change("[perturb]", place, part, true) ||
        !noise->once.is_at(place)) {
      return;
    }
    auto const& setting = noise->setting;
    auto const key = name_key(place.field);
    change_values(part, [&](std::int64_t index, double value) {
      return value + setting.amplitude * uniform_symmetric(setting.seed, setting.member, key, index);
    });
  }

  void round(Place const& place, Part const& part) {
    for (auto const& one : roundings) {
      if (!one->chooses(place) || !can_change("[[round]]", place, part, true)) continue;
      auto arithmetic = one->emulation;
      arithmetic.begin_launch(random_key(place));
      change_values(part, [&arithmetic](std::int64_t index, double value) {
        arithmetic.begin_point(static_cast<std::uint64_t>(index));
        return arithmetic.result(value);
      });
    }
  }

  /// The dense index of the planted element; nothing where the domain has no such, which is told.
  std::optional<std::int64_t> element_of(PlantSetting const& setting, Place const& place, Part const& part) {
    auto const axes = static_cast<std::size_t>(part.complex ? part.rank - 1 : part.rank);
    auto const refuse = [&](std::string const& why) {
      tell_once("[[plant]]\n" + std::string{place.field}, "[[plant]]: no fault is planted in field " +
                                                              std::string{place.field} + " (" + why +
                                                              ") choose an element of it");
      return std::nullopt;
    };
    if (setting.element) {
      if (*setting.element < part.whole_count()) return setting.element;
      return refuse("element " + std::to_string(*setting.element) + " does not exist, it has " +
                    std::to_string(part.whole_count()));
    }
    if (setting.at.size() != axes) {
      return refuse(std::to_string(setting.at.size()) + " indices are given, it has " + std::to_string(axes));
    }
    std::int64_t index = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      auto const along = part.fastest_first ? setting.at[axes - 1 - a] - 1 : setting.at[a];
      if (along < 0 || along >= part.axes[a].whole) return refuse("`at` is no point of it");
      index = index * part.axes[a].whole + along;
    }
    return part.complex ? 2 * index : index;
  }

  void plant(Place const& place, Part const& part) {
    for (auto const& one : faults) {
      if (!one->chooses(place) || !can_change("[[plant]]", place, part, true) || !one->once.is_at(place))
        continue;
      auto const element = element_of(one->setting, place, part);
      if (!element) continue;
      auto finite = true;
      for_each_row(part, [&](std::int64_t index, auto* address, std::int64_t count, std::int64_t stride) {
        if (*element < index || *element >= index + count) return;
        auto* const value = address + (*element - index) * stride;
        if (part.type == ULPINE_F32) {
          constexpr std::uint32_t infinity = 0x7f800000u;
          auto const bits = load<std::uint32_t>(value);
          finite = (bits & infinity) != infinity;
          if (finite) store(value, one_further(bits, infinity));
        } else {
          constexpr std::uint64_t infinity = 0x7ff0000000000000u;
          auto const bits = load<std::uint64_t>(value);
          finite = (bits & infinity) != infinity;
          if (finite) store(value, one_further(bits, infinity));
        }
      });
      if (!finite) {
        tell_once("[[plant]]\n" + std::string{place.field},
                  "[[plant]]: no fault is planted in field " + std::string{place.field} + " (element " +
                      std::to_string(*element) + " is not finite) choose another element");
      }
    }
  }

  void reset(Place const& place, Part const& part) {
    for (auto const& one : resets) {
      if (!one->chooses(place) || !can_change("[[reset]]", place, part, false)) continue;
      auto const field = one->fields->find(place);
      auto const refuse = [&](std::string const& why) {
        tell_once("[[reset]]\n" + std::string{place.field} + why,
                  "[[reset]]: " + text_of(place) + " is left as it is (" + one->setting.from + " " + why +
                      ") record it by [[record]]");
      };
      if (field == nullptr) {
        refuse("has no values of it");
        continue;
      }
      if (!field->goes_with(part)) {
        refuse("has it with another type or shape");
        continue;
      }
      auto const size = static_cast<std::size_t>(field->element_size);
      auto missing = false;
      for_each_element(part, [&](std::int64_t index, std::byte* address) {
        if (field->there[static_cast<std::size_t>(index)]) {
          std::memcpy(address, field->at(index), size);
        } else {
          missing = true;
        }
      });
      if (missing) refuse("has not all of its elements");
    }
  }
};

Changes::Changes(Settings const& settings, Tell tell) : state_{std::make_unique<State>()} {
  state_->tell = std::move(tell);
  if (settings.perturb) state_->noise = std::make_unique<Noise>(*settings.perturb);
  state_->roundings = made<Rounding>(settings.round);
  state_->faults = made<Fault>(settings.plant);
  state_->poisons = made<Poison>(settings.poison);
  std::map<std::string, std::shared_ptr<WholeFields>> files;
  for (auto const& reset : settings.reset) {
    auto& fields = files[reset.from];
    if (fields == nullptr) fields = std::make_shared<WholeFields>(reset.from);
    state_->resets.push_back(std::make_unique<Reset>(reset, fields));
  }
}

Changes::~Changes() = default;

bool Changes::any() const {
  auto const& s = *state_;
  return s.noise != nullptr || !s.roundings.empty() || !s.faults.empty() || !s.resets.empty() ||
         !s.poisons.empty();
}

void Changes::before(Place const& place, Part const& part) {
  state_->add_noise(place, part);
  state_->round(place, part);
  state_->plant(place, part);
}

void Changes::after(Place const& place, Part const& part) { state_->reset(place, part); }

void Changes::unset(std::string_view field, Part const& part) {
  auto chosen = false;
  for (auto const& poison : state_->poisons) {
    if (!poison->setting.what.matches_field(field)) continue;
    poison->used = true;
    chosen = true;
  }
  static std::vector<io::LoopIndex> const nowhere;
  if (!chosen || !state_->can_change("[[poison]]", Place{nowhere, "", field}, part, false)) return;
  auto const bits = unset_bits(part.type);
  auto const size = static_cast<std::size_t>(element_size(part.type));
  for_each_element(part, [&](std::int64_t, std::byte* address) { std::memcpy(address, &bits, size); });
  std::lock_guard const lock{state_->mutex};
  state_->filled.emplace(field);
}

void Changes::look_for_unset(Place const& place, Part const& part) {
  if (state_->poisons.empty() || part.on_device) return;
  {
    std::lock_guard const lock{state_->mutex};
    if (state_->filled.find(place.field) == state_->filled.end()) return;
  }
  auto const bits = unset_bits(part.type);
  auto const size = static_cast<std::size_t>(element_size(part.type));
  std::int64_t left = 0, first = std::numeric_limits<std::int64_t>::max();
  for_each_element(part, [&](std::int64_t index, std::byte const* address) {
    if (std::memcmp(address, &bits, size) != 0) return;
    ++left;
    first = std::min(first, index);
  });
  if (left == 0) return;
  auto const where = indices_text(part, first);
  state_->tell_once("left\n" + std::string{place.stage} + "\n" + std::string{place.field},
                    text_of(place) + ": " + std::to_string(left) + " of " + std::to_string(part.count()) +
                        " elements were not written by the stage (they are as [[poison]] left them)" +
                        (where.empty() ? "" : ", the first at " + where));
}

std::vector<std::string> Changes::unused() const {
  std::vector<std::string> lines;
  auto const add = [&lines](char const* table, auto const& one) {
    if (!one.used)
      lines.push_back(std::string{table} + " what = \"" + one.setting.what.text() +
                      "\" chose no field that was told by ulpine_" +
                      (std::string_view{table} == "[[poison]]" ? "unset" : "state"));
  };
  if (state_->noise != nullptr) add("[perturb]", *state_->noise);
  for (auto const& one : state_->roundings) add("[[round]]", *one);
  for (auto const& one : state_->faults) add("[[plant]]", *one);
  for (auto const& one : state_->resets) add("[[reset]]", *one);
  for (auto const& one : state_->poisons) add("[[poison]]", *one);
  return lines;
}

}  // namespace ulpine::probe
