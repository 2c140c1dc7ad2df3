// SPDX-License-Identifier: Apache-2.0
#include "io/grib_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "io/descriptor.hpp"
#include "io/netcdf_catalogue.hpp"

// Format: WMO, Manual on Codes, volume I.2, FM 92 GRIB, editions 1 and 2.

namespace ulpine::io {
namespace {

constexpr std::string_view begin_mark = "GRIB", end_mark = "7777";
constexpr std::size_t indicator_1 = 8, indicator_2 = 16;  // bytes of section 0

/// A number of several bytes, the most significant first; 0 beyond the end.
std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

/// Length of a message of edition 1. Beyond 2^23 bytes ECMWF counts units of 120, less what the length of
/// section 4, then smaller than 120, says.
std::uint64_t length_1(std::string_view bytes) {
  constexpr std::uint64_t in_units = 0x800000, unit = 120;
  auto const length = number_at(bytes, 4, 3);
  if ((length & in_units) == 0) return length;
  auto const flags = number_at(bytes, indicator_1 + 7, 1);
  auto place = indicator_1 + number_at(bytes, indicator_1, 3);
  for (auto const has : {flags & 0x80, flags & 0x40}) {  // sections 2 and 3
    if (has != 0) place += number_at(bytes, place, 3);
  }
  auto const last = number_at(bytes, place, 3);
  return last < unit ? (length & ~in_units) * unit - last + 4 : length;
}

/// Whether the sections of a message of edition 1 have room in it. ecCodes would read on behind its end.
bool sections_fit_1(std::string_view bytes, std::uint64_t length) {
  auto const flags = number_at(bytes, indicator_1 + 7, 1);
  auto place = std::uint64_t{indicator_1} + number_at(bytes, indicator_1, 3);
  for (auto const has : {flags & 0x80, flags & 0x40}) {  // sections 2 and 3
    if (has != 0) place += number_at(bytes, place, 3);
  }
  auto const last = number_at(bytes, place, 3);
  auto const in_units = (number_at(bytes, 4, 3) & 0x800000) != 0;
  return place + (in_units ? 0 : last) + end_mark.size() <= length;
}

/// A section of a message of edition 2.
struct Section {
  int number = 0;
  std::string_view bytes;
};

/// Sections 1 to 7 in their order; NetcdfFailure where their lengths make no sense.
std::vector<Section> sections_of(std::string_view message) {
  std::vector<Section> sections;
  auto rest = message.substr(indicator_2);
  while (rest.size() > end_mark.size()) {
    auto const length = number_at(rest, 0, 4);
    auto const number = static_cast<int>(number_at(rest, 4, 1));
    if (length < 5 || length > rest.size() - end_mark.size() || number < 1 || number > 7) {
      throw NetcdfFailure("the sections of a message make no sense");
    }
    sections.push_back({number, rest.substr(0, length)});
    rest.remove_prefix(length);
  }
  return sections;
}

std::size_t fields_in(std::string_view message) {
  std::size_t fields = 0;
  for (auto const& section : sections_of(message)) fields += section.number == 7 ? 1 : 0;
  return fields;
}

}  // namespace

GribFile::GribFile(std::string const& path) {
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat found {};
  if (file.number() < 0 || ::fstat(file.number(), &found) != 0) throw NetcdfFailure(std::strerror(errno));
  size_ = static_cast<std::size_t>(found.st_size);
  // ecCodes may write to a message that it was given: pages are this process' own.
  auto* const mapped =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number(), 0);
  if (mapped == MAP_FAILED) throw NetcdfFailure(std::strerror(errno));
  data_ = static_cast<char*>(mapped);
  try {
    find_messages();
  } catch (...) {
    ::munmap(data_, size_);
    throw;
  }
}

GribFile::~GribFile() { ::munmap(data_, size_); }

void GribFile::find_messages() {
  std::size_t end = 0, count = 0;
  auto const say = [&](std::string const& problem) {
    return NetcdfFailure("message " + std::to_string(count + 1) + " " + problem);
  };
  auto const pass_over = [&](std::string_view between) {
    if (between.find(end_mark) != std::string_view::npos) {
      throw say("does not begin as one of GRIB, though something ends there");
    }
  };
  for (;;) {
    auto const begin = bytes().find(begin_mark, end);
    if (begin == std::string_view::npos) break;
    pass_over(bytes().substr(end, begin - end));
    auto const rest = bytes().substr(begin);
    auto const edition = number_at(rest, 7, 1);
    if (edition != 1 && edition != 2) throw say("is of edition " + std::to_string(edition) + ", not 1 or 2");
    auto const length = edition == 1 ? length_1(rest) : number_at(rest, 8, 8);
    if (length < indicator_2 + end_mark.size()) throw say("has a length that makes no sense");
    if (length > rest.size()) {
      throw say("is cut short: " + std::to_string(rest.size()) + " of " + std::to_string(length) +
                " bytes are there");
    }
    auto const message = rest.substr(0, length);
    if (!message.ends_with(end_mark)) throw say("does not end as one of GRIB, with 7777");
    if (edition == 1 && !sections_fit_1(message, length)) throw say("has sections that make no sense");
    auto const fields = edition == 1 ? 1 : fields_in(message);
    for (std::size_t field = 0; field < fields; ++field) {
      places_.push_back({begin, static_cast<std::size_t>(length), field, fields});
    }
    end = begin + length;
    ++count;
  }
  pass_over(bytes().substr(end));
  if (places_.empty()) throw NetcdfFailure("it has no whole message");
}

std::string_view GribFile::message(GribPlace const& place, std::string& composed) const {
  auto const whole = bytes().substr(place.offset, place.length);
  if (place.fields == 1) return whole;
  // Sections hold until the next one of their number; a bitmap may be said to be the last one that was given.
  constexpr auto same_bitmap = 254;
  std::array<std::string_view, 8> current{};
  std::string_view bitmap;
  std::size_t field = 0;
  for (auto const& section : sections_of(whole)) {
    auto const number = static_cast<std::size_t>(section.number);
    current[number] = section.bytes;
    if (number == 6) {
      auto const indicator = number_at(section.bytes, 5, 1);
      if (indicator == 0) bitmap = section.bytes;
      if (indicator == same_bitmap) current[number] = bitmap;
    }
    if (number == 7 && field++ == place.field) break;
  }
  composed.assign(whole.substr(0, indicator_2));
  for (std::size_t number = 1; number < current.size(); ++number) composed += current[number];
  composed += end_mark;
  for (std::size_t i = 0; i < 8; ++i) {
    composed[8 + i] = static_cast<char>(composed.size() >> (8 * (7 - i)) & 0xff);
  }
  return composed;
}

}  // namespace ulpine::io
