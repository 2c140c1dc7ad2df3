// SPDX-License-Identifier: Apache-2.0
#include "lkf/npy.hpp"

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace ulpine::lkf::test {
namespace {

std::string slurp(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{"cannot open " + path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

template <class Number>
Number read(std::string const& bytes, std::size_t position) {
  Number value;
  if (position + sizeof value > bytes.size()) throw std::runtime_error{"truncated file"};
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

template <class Number>
void copy(std::string const& bytes, std::size_t start, std::vector<double>& values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<double>(read<Number>(bytes, start + k * sizeof(Number)));
  }
}

Array parse(std::string const& bytes) {
  if (bytes.substr(0, 6) != "\x93NUMPY" || bytes.at(6) != 1)
    throw std::runtime_error{"not a version 1 npy file"};
  auto const length = read<std::uint16_t>(bytes, 8);
  auto const header = bytes.substr(10, length);
  std::smatch match;
  std::regex const form{R"('descr': '(<f8|\|b1|\|u1)', 'fortran_order': False, 'shape': \((\d+), (\d+)\))"};
  if (!std::regex_search(header, match, form)) throw std::runtime_error{"unknown array: " + header};
  Array array{std::stoll(match[2]), std::stoll(match[3]), {}};
  array.values.resize(array.rows * array.columns);
  if (match[1] == "<f8") {
    copy<double>(bytes, 10 + length, array.values);
  } else {
    copy<std::uint8_t>(bytes, 10 + length, array.values);
  }
  return array;
}

std::string inflated(std::string const& packed, std::size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::runtime_error{"zlib does not start"};
  auto const status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) throw std::runtime_error{"damaged zip entry"};
  return out;
}

}  // namespace

Array read_npy(std::string const& path) { return parse(slurp(path)); }

std::map<std::string, Array> read_npz(std::string const& path) {
  auto const zip = slurp(path);
  auto const end = zip.rfind("PK\5\6");
  if (end == std::string::npos) throw std::runtime_error{"not a zip file: " + path};
  auto const entries = read<std::uint16_t>(zip, end + 10);
  std::size_t at = read<std::uint32_t>(zip, end + 16);
  std::map<std::string, Array> arrays;
  for (int entry = 0; entry < entries; ++entry) {
    auto const method = read<std::uint16_t>(zip, at + 10);
    auto const packed = read<std::uint32_t>(zip, at + 20);
    auto const size = read<std::uint32_t>(zip, at + 24);
    auto const name_length = read<std::uint16_t>(zip, at + 28);
    auto const name = zip.substr(at + 46, name_length);
    std::size_t const local = read<std::uint32_t>(zip, at + 42);
    auto const data =
        local + 30 + read<std::uint16_t>(zip, local + 26) + read<std::uint16_t>(zip, local + 28);
    auto const bytes = zip.substr(data, packed);
    arrays[name.substr(0, name.rfind(".npy"))] = parse(method == 0 ? bytes : inflated(bytes, size));
    at += 46u + name_length + read<std::uint16_t>(zip, at + 30) + read<std::uint16_t>(zip, at + 32);
  }
  return arrays;
}

}  // namespace ulpine::lkf::test
