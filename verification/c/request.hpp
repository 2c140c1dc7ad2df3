// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ulpine::verification {

/// A JSON object whose keys are read one by one; a key that is left out, or null, has the usual value.
/// InputError, which begins with the key, for values of another type, and from finish() for keys that nobody
/// has read.
class Request {
 public:
  explicit Request(char const* text);
  ~Request();

  std::string text(std::string const& key, std::string const& usual = {});
  bool flag(std::string const& key, bool usual);
  std::optional<std::int64_t> whole(std::string const& key);
  /// A whole number, as whole(), from `least` to `most`.
  std::int64_t whole(std::string const& key, std::int64_t usual, std::int64_t least, std::int64_t most);
  /// A number from `least` to `most`.
  std::optional<double> number(std::string const& key, double least, double most);
  std::vector<std::string> texts(std::string const& key);
  std::vector<std::filesystem::path> paths(std::string const& key);
  std::vector<std::pair<std::string, std::string>> table_of_texts(std::string const& key);
  std::vector<std::pair<std::string, std::int64_t>> table_of_whole(std::string const& key);
  std::vector<std::pair<std::string, double>> table_of_positive(std::string const& key);
  /// Two distances above 0, of rows and of columns.
  std::optional<std::array<double, 2>> spacing(std::string const& key);
  void finish() const;

 private:
  nlohmann::ordered_json const* find(std::string const& key);
  template <class T, class Is>
  std::vector<std::pair<std::string, T>> table(std::string const& key, Is const& is, char const* what);

  std::unique_ptr<nlohmann::ordered_json const> object_;
  std::set<std::string> read_;
};

}  // namespace ulpine::verification
