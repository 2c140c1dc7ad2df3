// SPDX-License-Identifier: Apache-2.0
#include "io/provenance.hpp"

#include <charconv>

namespace ulpine::io {

std::vector<std::pair<std::string, std::string>> Provenance::items() const {
  return {{"version", version},
          {"commit", commit},
          {"compiler", compiler},
          {"flags", flags},
          {"libraries", libraries},
          {"host_cpu", host_cpu},
          {"device", device},
          {"driver", driver},
          {"policy", policy},
          {"assembly", assembly},
          {"threads", std::to_string(threads)},
          {"block", std::to_string(block)},
          {"ranks", std::to_string(ranks)},
          {"case_hash", case_hash},
          {"seed", std::to_string(seed)},
          {"created", created}};
}

std::string hex(std::uint64_t value) {
  char digits[16];
  auto const end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  std::string const text{digits, end};
  return std::string(16 - text.size(), '0') + text;
}

}  // namespace ulpine::io
