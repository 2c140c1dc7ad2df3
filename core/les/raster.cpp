// SPDX-License-Identifier: Apache-2.0
#include "core/les/raster.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>

#include "core/exec/memory.hpp"
#include "io/axis.hpp"
#include "io/error.hpp"
#include "io/grid_variable.hpp"
#include "io/netcdf.hpp"
#include "io/netcdf_magic.hpp"
#include "io/regular_file.hpp"
#include "io/standard_name.hpp"
#include "io/units.hpp"

namespace ulpine::les {
namespace {

constexpr double highest = 9000;   // m, as no mountain is; 9999 often stands for no value
constexpr double agreeing = 1e-3;  // spacings, relative: coordinates are often floats far from their origin
constexpr double finest = 0.01;    // m; what is finer are degrees
constexpr double coarsest = 1e4;   // m
constexpr double customary_missing = -9999;  // of an ESRI ASCII grid whose header has no NODATA_value

constexpr char const* names_of_heights[] = {"height",    "altitude",  "elevation", "building",
                                            "thickness", "orography", "terrain",   "topography",
                                            "level",     "datum",     "ellipsoid"};

/// InputError about the file.
InputError fault(std::filesystem::path const& path, std::string const& problem) {
  return InputError(path.string() + ": " + problem);
}

std::string shape_text(std::int64_t ny, std::int64_t nx) {
  return std::to_string(ny) + " rows of " + std::to_string(nx);
}

void require_sizes(std::filesystem::path const& path, std::int64_t ny, std::int64_t nx) {
  if (std::min(nx, ny) < 1 || std::max(nx, ny) > most_raster_points) {
    throw fault(path, "has " + shape_text(ny, nx) + " heights (1 to " + std::to_string(most_raster_points) +
                          " a side can be read) cut it to the town, or make it coarser");
  }
  require_host_memory(nx * ny * static_cast<std::int64_t>(2 * sizeof(double)), "a raster of buildings");
}

/// `row` and `column` count as the file does, from 0.
std::string height_at(std::int64_t row, std::int64_t column) {
  return "the height in row " + std::to_string(row) + ", column " + std::to_string(column);
}

double checked(std::filesystem::path const& path, double height, std::int64_t row, std::int64_t column) {
  if (height >= 0 && height <= highest) return height;
  throw fault(path, height_at(row, column) + " is " + io::number_text(height) +
                        " (heights of buildings are 0 to " + io::number_text(highest) +
                        " m above the ground) set it to 0 if it is ground, or declare what stands for no "
                        "value (_FillValue, NODATA_value)");
}

void turn_rows(HeightRaster& raster) {
  auto const nx = raster.nx;
  for (std::int64_t low = 0, high = raster.ny - 1; low < high; ++low, --high) {
    std::swap_ranges(raster.heights.begin() + low * nx, raster.heights.begin() + (low + 1) * nx,
                     raster.heights.begin() + high * nx);
  }
}

/// Whether a value of a text stands for none: what the header says, in as many digits as either has. Numbers
/// near the ends of float are written with 6 to 17 digits.
bool is_missing(double value, double missing) {
  if (std::isnan(value) || value == missing) return true;
  constexpr double beyond_measurement = 1e30, digits = 1e-5;
  return std::abs(missing) > beyond_measurement && std::abs(value - missing) <= digits * std::abs(missing);
}

/// "nan" in letters of any size and with a sign, or as older C libraries of Windows write it (1.#QNAN).
bool is_nan_text(std::string_view text) {
  std::string word(text.substr(0, 16));
  for (auto& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
  return word == "nan" || word.starts_with("1.#qnan") || word.starts_with("1.#ind") ||
         word.starts_with("1.#snan");
}

/// Words of a text file, with the line that each stands in.
class Words {
 public:
  explicit Words(std::filesystem::path const& path) : path_{path} {
    io::require_regular_file(path);
    std::error_code failed;
    auto const bytes = std::filesystem::file_size(path, failed);
    std::ifstream in(path, std::ios::binary);
    if (failed || !in) {
      throw fault(path, "cannot be read (no such file, or no permission) name a raster of heights");
    }
    require_host_memory(static_cast<std::int64_t>(bytes), "a text of heights");
    text_.resize(bytes);
    in.read(text_.data(), static_cast<std::streamsize>(bytes));
    text_.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
  }

  std::size_t line() const { return line_; }
  InputError error(std::string const& problem) const {
    return InputError(path_.string() + ":" + std::to_string(line_) + ": " + problem);
  }
  /// The next word, empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && is_blank(text_[at_])) {
      line_ += text_[at_] == '\n' ? 1 : 0;
      ++at_;
    }
    auto const begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }
  /// The next word, which stays the next one.
  std::string_view peek() {
    auto const at = at_;
    auto const line = line_;
    auto const word = next();
    at_ = at, line_ = line;
    return word;
  }
  /// Whether the line that the last word stands in has no more.
  bool line_ends() const {
    auto at = at_;
    while (at < text_.size() && is_blank(text_[at]) && text_[at] != '\n') ++at;
    return at == text_.size() || text_[at] == '\n';
  }
  /// `what()` names it in the error. NaN is a number where `nan_too`.
  template <class What>
  double number(What const& what, bool nan_too = false) {
    auto const word = next();
    if (word.empty()) throw error("the file ends before " + what() + " (it is cut short) fetch it again");
    if (nan_too && is_nan_text(word)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    double value = 0;
    auto const [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
      throw error(what() + " is '" + one_line(word.substr(0, 40)) +
                  "' (numbers with a decimal point are expected, with blanks between them) mend the file");
    }
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

  std::filesystem::path path_;
  std::string text_;
  std::size_t at_ = 0, line_ = 1;
};

std::string lower_case(std::string_view word) {
  std::string text(word);
  for (auto& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

bool starts_a_number(std::string_view word) {
  return !word.empty() && std::string_view("+-.0123456789").find(word.front()) != std::string_view::npos;
}

std::int64_t header_count(Words& words, std::string const& key) {
  auto const value = words.number([&] { return key; });
  if (value != std::floor(value) || value < 1 || value > static_cast<double>(most_raster_points)) {
    throw words.error(key + " is " + io::number_text(value) + " (1 to " + std::to_string(most_raster_points) +
                      " rows and columns can be read) mend the file, or cut it to the town");
  }
  return static_cast<std::int64_t>(value);
}

/// Why cells of such widths can be no town's; empty where they can.
std::string problem_of_cells(HeightRaster const& raster) {
  for (auto const width : {raster.dx, raster.dy}) {
    if (width > 0 && width < finest) {
      return io::number_text(width) +
             " wide (in degrees, it seems; a town is laid out in metres) project the raster first, as by "
             "gdalwarp -t_srs EPSG:25833";
    }
    if (width > coarsest) {
      return io::number_text(width) + " m wide (" + io::number_text(finest) + " to " +
             io::number_text(coarsest) + " m are possible) check the size and its unit";
    }
  }
  return "";
}

HeightRaster read_esri(std::filesystem::path const& path, Words& words) {
  HeightRaster raster;
  auto missing = customary_missing;
  std::set<std::string> seen;
  while (!words.peek().empty() && !starts_a_number(words.peek()) && !is_nan_text(words.peek())) {
    auto const key = lower_case(words.next());
    auto const name = [&] { return key; };
    if (!seen.insert(key).second) {
      throw words.error(key +
                        " stands in the header twice (which of them counts is unknown) mend the header");
    }
    if (key == "ncols") {
      raster.nx = header_count(words, key);
    } else if (key == "nrows") {
      raster.ny = header_count(words, key);
    } else if (key == "cellsize") {
      raster.dx = raster.dy = words.number(name);
    } else if (key == "dx") {
      raster.dx = words.number(name);
    } else if (key == "dy") {
      raster.dy = words.number(name);
    } else if (key == "nodata_value") {
      missing = words.number(name, true);
    } else if (key == "byteorder") {
      words.next();  // of a binary grid that was made from it
    } else if (key == "xllcorner" || key == "yllcorner" || key == "xllcenter" || key == "yllcenter") {
      words.number(name);  // a town is placed by its own offset
    } else {
      throw words.error("'" + one_line(key.substr(0, 40)) +
                        "' is no key of an ESRI ASCII grid (known are ncols, nrows, xllcorner, xllcenter, "
                        "yllcorner, yllcenter, cellsize, dx, dy, nodata_value, byteorder) mend the header");
    }
  }
  if (raster.nx == 0 || raster.ny == 0 || !(raster.dx > 0) || !(raster.dy > 0)) {
    throw words.error("the header of the ESRI ASCII grid lacks ncols, nrows or a positive cellsize mend it");
  }
  if (auto const problem = problem_of_cells(raster); !problem.empty()) {
    throw words.error("the cells of the ESRI ASCII grid are " + problem);
  }
  require_sizes(path, raster.ny, raster.nx);
  raster.heights.reserve(static_cast<std::size_t>(raster.nx * raster.ny));
  for (std::int64_t row = 0; row < raster.ny; ++row) {
    for (std::int64_t column = 0; column < raster.nx; ++column) {
      auto const value = words.number([&] { return height_at(row, column); }, true);
      raster.heights.push_back(is_missing(value, missing) ? 0 : checked(path, value, row, column));
    }
  }
  if (!words.next().empty()) {
    throw words.error("something follows the last height (ncols and nrows say " +
                      shape_text(raster.ny, raster.nx) + ") mend the file");
  }
  turn_rows(raster);
  return raster;
}

HeightRaster read_plain(std::filesystem::path const& path, Words& words) {
  HeightRaster raster;
  std::int64_t column = 0;
  while (!words.peek().empty()) {
    auto const value = words.number([&] { return height_at(raster.ny, column); });
    raster.heights.push_back(checked(path, value, raster.ny, column));
    ++column;
    if (!words.line_ends()) continue;
    if (raster.ny == 0) raster.nx = column;
    if (column != raster.nx) {
      throw words.error("the row has " + std::to_string(column) + " heights (the first has " +
                        std::to_string(raster.nx) + ") mend the file");
    }
    ++raster.ny;
    column = 0;
  }
  require_sizes(path, raster.ny, raster.nx);
  turn_rows(raster);
  return raster;
}

/// Refuses an axis whose steps are not equal.
void require_even(std::filesystem::path const& path, io::GridAxis const& axis) {
  auto const& places = axis.places;
  if (places.size() < 2) return;
  auto const step = (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  // Floats are rounded to 2^-24 of their distance from the origin, which may be many domains away.
  auto const tolerance =
      agreeing * step + 0x1p-22 * std::max(std::abs(places.front()), std::abs(places.back()));
  for (std::size_t n = 0; n < places.size(); ++n) {
    auto const expected = places.front() + static_cast<double>(n) * step;
    if (std::abs(places[n] - expected) <= tolerance) continue;
    throw fault(path, axis.coordinate + "[" + std::to_string(axis.falls ? places.size() - 1 - n : n) +
                          "] is " + io::number_text(places[n]) + " (rasters have equal steps; " +
                          io::number_text(expected) + " is expected) put it onto an even grid first");
  }
}

HeightRaster read_netcdf(std::filesystem::path const& path, std::string const& variable) {
  io::InputFile const file(path);
  auto const field = [&] {
    try {
      return io::GridVariable(file, variable);
    } catch (InputError const& error) {
      throw fault(path, error.what());
    }
  }();
  if (auto const times = file.times(variable).size(); times > 1) {
    throw fault(path, variable + " has " + std::to_string(times) +
                          " times (heights have one at most) write one of them alone, or name another "
                          "variable");
  }
  if (auto const& name = field.info().standard_name; !io::may_mean(name, names_of_heights)) {
    throw fault(path, variable + " is no height (its standard_name is " + one_line(name) +
                          ") name the variable of the heights");
  }
  auto const divisor = io::divisor_of(io::lengths(), field.info().units);
  if (!divisor) {
    throw fault(path, variable + " is in '" + one_line(field.info().units) + "' (heights are read in " +
                          io::spellings_of(io::lengths()) + ") convert it, or name another variable");
  }
  HeightRaster raster{field.nx(), field.ny(), field.x().spacing(), field.y().spacing(), {}};
  require_sizes(path, raster.ny, raster.nx);
  for (auto const* axis : {&field.y(), &field.x()}) {
    if (axis->in_degrees) {
      throw fault(path, (axis->coordinate.empty() ? axis->dimension : axis->coordinate) +
                            " is in degrees (a town is laid out in metres) project the raster first");
    }
    if (axis->units != "1" && !io::divisor_of(io::lengths(), axis->units)) {
      throw fault(path, axis->coordinate + " is in '" + one_line(axis->units) +
                            "' (a town is laid out in metres) project the raster first");
    }
    require_even(path, *axis);
  }
  if (auto const problem = problem_of_cells(raster); !problem.empty()) {
    throw fault(path, "its cells are " + problem);
  }
  io::even_out(raster.dx, raster.dy);
  raster.heights = field.read();
  for (std::size_t n = 0; n < raster.heights.size(); ++n) {
    auto& height = raster.heights[n];
    auto const at = static_cast<std::int64_t>(n);
    auto const row = at / raster.nx, column = at % raster.nx;
    height = std::isnan(height)
                 ? 0
                 : checked(path, height / *divisor, field.y().falls ? raster.ny - 1 - row : row,
                           field.x().falls ? raster.nx - 1 - column : column);
  }
  return raster;
}

/// Names the format of a file that cannot be read as a raster, where its first bytes tell, and a program that
/// converts it.
std::string known_otherwise(std::string_view first_word) {
  auto const by_gdal = [](std::string const& what) {
    return "is a " + what +
           " (NetCDF, an ESRI ASCII grid or rows of plain numbers can be read) convert it by "
           "gdal_translate -of netCDF";
  };
  if (first_word.starts_with("II*") || first_word.starts_with("II+") || first_word.starts_with("MM")) {
    return by_gdal("TIFF");
  }
  if (first_word.starts_with("DSAA") || first_word.starts_with("DSBB") || first_word.starts_with("DSRB")) {
    return by_gdal("grid of Surfer");
  }
  return "is no raster of heights (NetCDF, an ESRI ASCII grid, which begins with ncols, or rows of plain "
         "numbers "
         "can be read) convert it";
}

}  // namespace

HeightRaster read_height_raster(std::filesystem::path const& path, std::string const& variable) {
  io::require_regular_file(path);
  if (io::has_netcdf_magic(path)) return read_netcdf(path, variable);
  Words words(path);
  auto const first = words.peek();
  if (first.empty()) throw fault(path, "is empty (a raster of heights is expected) name another file");
  if (starts_a_number(first)) return read_plain(path, words);
  auto const key = lower_case(first);
  if (key != "ncols" && key != "nrows") {
    throw fault(path, known_otherwise(first));
  }
  return read_esri(path, words);
}

HeightRaster read_height_raster(io::KeyReader const& keys) {
  constexpr char const *file_key = "buildings.file", *spacing_key = "buildings.spacing";
  auto const& case_file = keys.case_file();
  auto const path = keys.file(file_key, true);
  auto const variable = keys.text("buildings.variable");
  auto raster = [&] {
    try {
      return read_height_raster(path, variable);
    } catch (InputError const& error) {
      throw case_file.error(file_key, error.what());
    }
  }();
  if (keys.has(spacing_key)) {
    auto const spacing = keys.number(spacing_key, 1);
    auto const differs = [&](double own) { return own > 0 && std::abs(own - spacing) > agreeing * spacing; };
    if (differs(raster.dx) || differs(raster.dy)) {
      throw case_file.error(spacing_key, "is " + io::number_text(spacing) + " (the file's own is " +
                                             io::number_text(differs(raster.dx) ? raster.dx : raster.dy) +
                                             " m) leave it out");
    }
    if (!(raster.dx > 0)) raster.dx = spacing;
    if (!(raster.dy > 0)) raster.dy = spacing;
  }
  if (!(raster.dx > 0) || !(raster.dy > 0)) {
    throw case_file.error(spacing_key, "is missing (" + path.filename().string() +
                                           " does not tell how far apart its heights are) set it, in m");
  }
  return raster;
}

}  // namespace ulpine::les
