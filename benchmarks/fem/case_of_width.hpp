// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "io/error.hpp"

namespace ulpine::bench {

/// The text of a case of a box, with `width` cells along x and y and 3/4 of that along z (0: as many as it
/// says), for programs that know one core only. InputError where the file cannot be read.
inline std::string case_of_width(std::string const& path, int width) {
  std::ifstream file(path);
  if (!file) throw InputError(path + " cannot be read (is it there?) name a case file");
  std::ostringstream text;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("core = ", 0) != 0) text << line << '\n';
  }
  auto all = text.str();
  if (width == 0) return all;
  auto const set = [&](std::string const& key, int value) {
    auto const place = all.find("\n" + key + " = ");
    if (place == all.npos) return;
    all.replace(place, all.find('\n', place + 1) - place, "\n" + key + " = " + std::to_string(value));
  };
  set("nx", width);
  set("ny", width);
  set("nz", width * 3 / 4);
  return all;
}

}  // namespace ulpine::bench
