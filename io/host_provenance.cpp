// SPDX-License-Identifier: Apache-2.0
#include "io/host_provenance.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include "io/error.hpp"
#include "ulpine_version.hpp"

namespace ulpine::io {
namespace {

/// The processor's model, as Linux says it; "unknown" where it does not (some ARM kernels, other systems).
std::string host_processor() {
  std::ifstream cpuinfo{"/proc/cpuinfo"};
  for (std::string line; std::getline(cpuinfo, line);) {
    auto const colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// Seconds since 1970: now, or what SOURCE_DATE_EPOCH has instead
/// (https://reproducible-builds.org/specs/source-date-epoch).
std::time_t time_of_creation() {
  auto const* const given = std::getenv("SOURCE_DATE_EPOCH");
  if (given == nullptr) return std::time(nullptr);
  constexpr std::int64_t end_of_9999 = 253402300799;
  std::string_view const text = given;
  std::int64_t seconds = -1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > end_of_9999) {
    throw InputError("SOURCE_DATE_EPOCH is '" + std::string(text) +
                     "' (it is the seconds since 1970 that files are to have as their date, a whole number) "
                     "mend or unset it");
  }
  return seconds;
}

std::string date_of_creation() {
  auto const seconds = time_of_creation();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

Provenance host_provenance() {
  Provenance provenance;
  provenance.version = build::version;
  provenance.commit = build::commit;
  provenance.compiler = build::compiler;
  provenance.flags = build::flags;
  provenance.host_cpu = host_processor();
  provenance.created = date_of_creation();
  return provenance;
}

}  // namespace ulpine::io
