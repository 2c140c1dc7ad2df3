// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ulpine::io {

/// Where one field lies in a GRIB file: a message of edition 2 may hold several, of which all but the first
/// share sections with those before.
struct GribPlace {
  std::size_t offset = 0, length = 0;  ///< of the message
  std::size_t field = 0, fields = 1;
};

/// The messages of a GRIB file, which is mapped, not read: what nobody asks for is not touched.
class GribFile {
 public:
  /// NetcdfFailure where a message is cut short or does not end as it should. What lies between messages (a
  /// bulletin's heading, padding) is passed over, unless a message ends in it that does not begin.
  explicit GribFile(std::string const& path);
  GribFile(GribFile const&) = delete;
  GribFile& operator=(GribFile const&) = delete;
  ~GribFile();

  std::vector<GribPlace> const& places() const { return places_; }
  std::size_t size() const { return size_; }
  /// A message with the one field; `composed` holds it where it is not as the file has it.
  std::string_view message(GribPlace const& place, std::string& composed) const;

 private:
  std::string_view bytes() const { return {data_, size_}; }
  void find_messages();

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<GribPlace> places_;
};

}  // namespace ulpine::io
