// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_magic.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

namespace ulpine::io {

bool has_netcdf_magic(std::filesystem::path const& path) {
  using namespace std::string_view_literals;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  std::ifstream file{path, std::ios::binary};
  std::array<char, 8> bytes{};
  constexpr std::streamoff first_block = 512;
  for (std::streamoff place = 0; file.seekg(place); place = place == 0 ? first_block : 2 * place) {
    bytes.fill(0);
    file.read(bytes.data(), bytes.size());
    std::string_view const found(bytes.data(), static_cast<std::size_t>(file.gcount()));
    auto const version = found.size() > 3 ? found[3] : '\0';
    if (place == 0 && found.starts_with("CDF") && (version == 1 || version == 2 || version == 5)) return true;
    if (found == "\x89HDF\r\n\x1a\n"sv) return true;
    if (!file) return false;  // the end
  }
  return false;
}

}  // namespace ulpine::io
