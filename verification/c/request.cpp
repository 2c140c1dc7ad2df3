// SPDX-License-Identifier: Apache-2.0
#include "verification/c/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/error.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto least_whole = std::numeric_limits<std::int64_t>::min();
constexpr auto most_whole = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void refuse(std::string const& key, Json const& value, std::string const& what) {
  auto shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
  throw InputError(key + ": " + shown + " is not taken (" + what + " is) give that");
}

bool is_text(Json const& value) { return value.is_string(); }
bool is_whole(Json const& value) {
  return value.is_number_integer() &&
         !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most_whole));
}
bool is_positive(Json const& value) {
  return value.is_number() && value.get<double>() > 0 && std::isfinite(value.get<double>());
}

}  // namespace

Request::Request(char const* text)
    : object_{std::make_unique<Json const>(Json::parse(text == nullptr ? "" : text, nullptr, false))} {
  if (!object_->is_object()) throw InputError("request: is no JSON object (calls take one) give an object");
}

Request::~Request() = default;

Json const* Request::find(std::string const& key) {
  read_.insert(key);
  auto const found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::string Request::text(std::string const& key, std::string const& usual) {
  auto const* const value = find(key);
  if (value == nullptr) return usual;
  if (!is_text(*value)) refuse(key, *value, "a text");
  return value->get<std::string>();
}

bool Request::flag(std::string const& key, bool usual) {
  auto const* const value = find(key);
  if (value == nullptr) return usual;
  if (!value->is_boolean()) refuse(key, *value, "true or false");
  return value->get<bool>();
}

std::optional<std::int64_t> Request::whole(std::string const& key) {
  auto const* const value = find(key);
  if (value == nullptr) return {};
  if (!is_whole(*value)) refuse(key, *value, "a whole number");
  return value->get<std::int64_t>();
}

std::int64_t Request::whole(std::string const& key, std::int64_t usual, std::int64_t least,
                            std::int64_t most) {
  auto const value = whole(key).value_or(usual);
  if (value < least || value > most)
    refuse(key, value, fmt::format("a whole number from {} to {}", least, most));
  return value;
}

std::optional<double> Request::number(std::string const& key, double least, double most) {
  auto const* const value = find(key);
  if (value == nullptr) return {};
  auto const number = value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
  // NaN fails both comparisons.
  if (!(number >= least && number <= most)) {
    refuse(key, *value, fmt::format("a number from {:g} to {:g}", least, most));
  }
  return number;
}

std::vector<std::string> Request::texts(std::string const& key) {
  auto const* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array() || !std::ranges::all_of(*value, is_text)) refuse(key, *value, "a list of texts");
  return value->get<std::vector<std::string>>();
}

std::vector<std::filesystem::path> Request::paths(std::string const& key) {
  auto const names = texts(key);
  return {names.begin(), names.end()};
}

template <class T, class Is>
std::vector<std::pair<std::string, T>> Request::table(std::string const& key, Is const& is,
                                                      char const* what) {
  auto const* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is_object() || !std::ranges::all_of(*value, is)) refuse(key, *value, what);
  std::vector<std::pair<std::string, T>> table;
  for (auto const& [name, item] : value->items()) table.emplace_back(name, item.template get<T>());
  return table;
}

std::vector<std::pair<std::string, std::string>> Request::table_of_texts(std::string const& key) {
  return table<std::string>(key, is_text, "a table of texts");
}
std::vector<std::pair<std::string, std::int64_t>> Request::table_of_whole(std::string const& key) {
  return table<std::int64_t>(key, is_whole, "a table of whole numbers");
}
std::vector<std::pair<std::string, double>> Request::table_of_positive(std::string const& key) {
  return table<double>(key, is_positive, "a table of numbers above 0");
}

std::optional<std::array<double, 2>> Request::spacing(std::string const& key) {
  auto const* const value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array() || value->size() != 2 || !std::ranges::all_of(*value, is_positive)) {
    refuse(key, *value, "a pair of distances above 0, of rows and of columns,");
  }
  return value->get<std::array<double, 2>>();
}

void Request::finish() const {
  for (auto const& [key, value] : object_->items()) {
    if (read_.contains(key)) continue;
    throw InputError(key + ": unknown" + choices_hint(key, {read_.begin(), read_.end()}));
  }
}

}  // namespace ulpine::verification
