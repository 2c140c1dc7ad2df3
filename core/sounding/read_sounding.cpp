// SPDX-License-Identifier: Apache-2.0
#include <system_error>

#include "core/sounding/sounding.hpp"
#include "core/sounding/sounding_text.hpp"
#include "io/error.hpp"
#include "io/regular_file.hpp"

namespace ulpine {

Sounding parse_sounding(std::string_view text, std::string const& source) {
  soundings::Lines const lines(text, source);
  if (soundings::is_table(lines)) return soundings::read_table(lines);
  if (soundings::is_arps(lines)) return soundings::read_arps(lines);
  if (soundings::is_cm1(lines)) return soundings::read_cm1(lines);
  lines.refuse(
      "is no sounding (it begins neither with pressure, theta and qv as input_sounding of CM1 does, nor is "
      "its "
      "sixth line 'height' 'potential temperature' ... as in a .snd of ARPS, nor has it a line PRES HGHT "
      "TEMP "
      "DWPT ... as tables of the University of Wyoming have) name another file, or convert it");
}

Sounding read_sounding(std::filesystem::path const& path) {
  constexpr std::uintmax_t most = 16u << 20;
  std::error_code failed;
  if (auto const bytes = std::filesystem::file_size(path, failed); !failed && bytes > most) {
    throw InputError(path.string() + ": is no sounding (it has " + std::to_string(bytes) +
                     " bytes, soundings are small) name another file");
  }
  auto const text = io::regular_file_content(path, most);
  if (!text) {
    throw InputError(path.string() + ": cannot be read (no such file, or no right to) check its path");
  }
  return parse_sounding(*text, path.string());
}

Sounding from_ground(Sounding sounding) {
  auto const ground = sounding.height.front();
  for (auto& height : sounding.height) height -= ground;
  return sounding;
}

}  // namespace ulpine
