// SPDX-License-Identifier: Apache-2.0
// What the values of others' files mean, and reading them in parts; written with netCDF itself.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "support/netcdf_writing.hpp"
#include "support/random_values.hpp"
#include "support/reference_data.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::NetcdfWriting;
using test::TemporaryFolder;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(InputFile, ReadsPackedClassicFiles) {
  auto const path = test::reference_file("les/eraint_uvz.nc");
  if (path.empty()) GTEST_SKIP() << "les/eraint_uvz.nc is not in ULPINE_TEST_DATA";
  InputFile const input{path};
  EXPECT_EQ(input.variables(), (std::vector<std::string>{"z", "u", "v"}));
  EXPECT_EQ(input.times("u"), (std::vector<double>{0, 6}));  // months 1 and 7
  auto const u = input.read("u", 1);
  EXPECT_EQ(u.info.shape, (std::vector<std::int64_t>{3, 241, 480}));
  EXPECT_EQ(u.info.units, "m s**-1");
  auto const at = [](FieldData const& data, int k, int j, int i) {
    return data.values[static_cast<std::size_t>((k * 241 + j) * 480 + i)];
  };
  // netCDF4-python 1.6.2: raw integer times scale_factor plus add_offset, in double.
  EXPECT_EQ(at(u, 1, 100, 7), -2.6877470167246535);
  EXPECT_EQ(at(input.read("z", 0), 0, 0, 0), 106837.51210858817);
  EXPECT_EQ(at(input.read("v", 1), 2, 240, 479), 3.3830342428126716);
  EXPECT_EQ(input.spacing("u"), 0);  // degrees
}

TEST(InputFile, ReadsGroups) {
  auto const path = test::reference_file("seaice/arctic_25km_topaz4_2010-01.nc");
  if (path.empty()) GTEST_SKIP() << "seaice/arctic_25km_topaz4_2010-01.nc is not in ULPINE_TEST_DATA";
  InputFile const input{path};
  EXPECT_TRUE(input.has("data/cice"));
  EXPECT_FALSE(input.has("cice"));
  EXPECT_FALSE(input.has("metadata/time/formatted"));
  auto const ice = input.read("data/cice");
  EXPECT_EQ(ice.info.shape, (std::vector<std::int64_t>{121, 154}));
  EXPECT_EQ(ice.info.dimensions, (std::vector<std::string>{"y", "x"}));
  EXPECT_TRUE(input.times("data/cice").empty());
  // netCDF4-python 1.6.2.
  EXPECT_EQ(ice.values[60 * 154 + 80], 0.994994353386442);
  double sum = 0;
  int missing = 0;
  for (auto const value : ice.values) std::isnan(value) ? void(++missing) : void(sum += value);
  EXPECT_EQ(missing, 5843);
  EXPECT_NEAR(sum, 11852.516796573973, 1e-9);
}

/// One value a place, NaN equal to NaN.
void expect_values(std::vector<double> const& found, std::vector<double> const& expected,
                   std::string const& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
        << what << ' ' << i << ": " << found[i] << " for " << expected[i];
  }
}

TEST(InputFile, ReadsIntegersAsUnsignedWhereTheySaySo) {
  TemporaryFolder const folder;
  struct Type {
    nc_type type;
    double modulus;
  };
  for (auto const& [type, modulus] : {Type{NC_BYTE, 0x1p8}, {NC_SHORT, 0x1p16}, {NC_INT, 0x1p32}}) {
    {
      NetcdfWriting file{folder / "a.nc", NC_CLOBBER};
      auto const v = file.variable("v", type, {file.dimension("x", 5)});
      file.text(v, "_Unsigned", "true");
      file.number(v, "_FillValue", type, {-1});
      file.values(v, {0, 5, -1, -2, -7});
    }
    expect_values(InputFile{folder / "a.nc"}.read("v").values, {0, 5, nan, modulus - 2, modulus - 7},
                  "unsigned");
    {
      // Before there was _Unsigned, a range that a signed type does not have said it.
      NetcdfWriting file{folder / "b.nc", NC_CLOBBER};
      auto const v = file.variable("v", type, {file.dimension("x", 3)});
      file.number(v, "valid_range", NC_DOUBLE, {0, modulus - 5});
      file.values(v, {3, -5, -4});
    }
    expect_values(InputFile{folder / "b.nc"}.read("v").values, {3, modulus - 5, nan}, "by range");
  }
  {
    NetcdfWriting file{folder / "c.nc"};
    auto const v = file.variable("v", NC_UBYTE, {file.dimension("x", 2)});
    file.text(v, "_Unsigned", "false");
    file.values(v, {127, 255});
  }
  expect_values(InputFile{folder / "c.nc"}.read("v").values, {127, -1}, "signed");
  {
    NetcdfWriting file{folder / "d.nc", NC_CLOBBER};
    auto const v = file.variable("v", NC_BYTE, {file.dimension("x", 3)});
    file.text(v, "_Unsigned", "true");
    file.number(v, "scale_factor", NC_DOUBLE, {0.5});
    file.number(v, "valid_max", NC_BYTE, {-3});  // 253
    file.values(v, {-3, -2, 100});
  }
  expect_values(InputFile{folder / "d.nc"}.read("v").values, {126.5, nan, 50}, "packed");
}

TEST(InputFile, TakesValuesOutOfTheirRangeForMissing) {
  TemporaryFolder const folder;
  auto const read = [&](nc_type type, nc_type of_attribute, std::vector<double> const& range, bool packed,
                        std::vector<double> const& values) {
    {
      NetcdfWriting file{folder / "a.nc"};
      auto const v = file.variable("v", type, {file.dimension("x", values.size())});
      if (packed) {
        file.number(v, "scale_factor", NC_DOUBLE, {0.1});
        file.number(v, "add_offset", NC_DOUBLE, {100});
      }
      if (std::isnan(range[0])) {
        file.number(v, "valid_max", of_attribute, {range[1]});
      } else if (std::isnan(range[1])) {
        file.number(v, "valid_min", of_attribute, {range[0]});
      } else {
        file.number(v, "valid_range", of_attribute, range);
      }
      file.values(v, values);
    }
    return InputFile{folder / "a.nc"}.read("v").values;
  };
  for (auto const type : {NC_BYTE, NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE}) {
    expect_values(read(type, type, {-3, 7}, false, {-4, -3, 0, 7, 8}), {nan, -3, 0, 7, nan}, "range");
    expect_values(read(type, type, {-3, nan}, false, {-4, -3, 90}), {nan, -3, 90}, "least");
    expect_values(read(type, type, {nan, 7}, false, {-90, 7, 8}), {-90, 7, nan}, "most");
  }
  // In packed units; floating-point ranges of packed integers are of unpacked ones.
  expect_values(read(NC_SHORT, NC_SHORT, {-3, 7}, true, {-4, -3, 7, 8}),
                {nan, -3 * 0.1 + 100, 7 * 0.1 + 100, nan}, "packed");
  expect_values(read(NC_SHORT, NC_DOUBLE, {99, 101}, true, {-11, -9, 9, 11}),
                {nan, -9 * 0.1 + 100, 9 * 0.1 + 100, nan}, "unpacked");
  // A float's range written in double: 0.1 is not the float 0.1, which it means.
  expect_values(read(NC_FLOAT, NC_DOUBLE, {0.1, 0.7}, false, {0.1f, 0.7f, 0.75f}), {0.1f, 0.7f, nan},
                "float");
}

/// A packing that a tool wrote as text, in numbers of any form, is the packing that is written as numbers.
TEST(InputFile, ReadsNumbersThatAttributesHaveAsText) {
  TemporaryFolder const folder;
  test::RandomValues random(17);
  char text[64];
  for (int trial = 0; trial < 40; ++trial) {
    auto const factor = random.ugly(-6, 2), offset = random.ugly(-3, 8);
    auto const missing = std::floor(random.between(-20, 20));
    std::vector<double> stored;
    for (int k = 0; k < 50; ++k) stored.push_back(std::floor(random.between(-20, 20)));
    std::vector<double> read[2];
    for (auto const as_text : {false, true}) {
      {
        NetcdfWriting file{folder / "a.nc"};
        auto const v = file.variable("v", NC_SHORT, {file.dimension("x", stored.size())});
        auto const put = [&](char const* name, nc_type type, double value) {
          std::snprintf(text, sizeof text, trial % 2 == 0 ? "%.17g" : " %+.16e ", value);
          as_text ? file.text(v, name, text) : file.number(v, name, type, {value});
        };
        put("scale_factor", NC_DOUBLE, factor);
        put("add_offset", NC_DOUBLE, offset);
        put("missing_value", NC_SHORT, missing);
        file.values(v, stored);
      }
      read[as_text ? 1 : 0] = InputFile{folder / "a.nc"}.read("v").values;
    }
    expect_values(read[1], read[0], text);
    for (std::size_t k = 0; k < stored.size(); ++k) {
      if (stored[k] == missing) {
        EXPECT_TRUE(std::isnan(read[1][k]));
      } else {
        EXPECT_EQ(read[1][k], stored[k] * factor + offset);
      }
    }
  }
}

TEST(InputFile, RefusesAttributesThatDoNotTellItsNumbers) {
  TemporaryFolder const folder;
  auto const refusal = [&](std::function<void(NetcdfWriting&, int)> const& spoil,
                           std::vector<double> const& stored = {1, 2, 3}) {
    {
      NetcdfWriting file{folder / "a.nc"};
      auto const v = file.variable("v", NC_SHORT, {file.dimension("x", stored.size())});
      spoil(file, v);
      file.values(v, stored);
    }
    InputFile const input{folder / "a.nc"};
    auto const message = test::message_of<UnreadableVariable>([&] { input.read("v"); });
    std::vector<double> values(stored.size());
    Box const whole{{0}, {static_cast<std::int64_t>(stored.size())}};
    EXPECT_EQ(test::message_of<UnreadableVariable>([&] { input.read("v", -1, whole, values); }), message);
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
  };
  for (auto const* name :
       {"scale_factor", "add_offset", "valid_min", "valid_max", "valid_range", "missing_value"}) {
    for (auto const* text : {"0.1f", "n/a", "1/8", "--1", "1e", "0x10", "1;2"}) {
      auto const message = refusal([&](auto& file, int v) { file.text(v, name, text); });
      EXPECT_NE(message.find("a.nc: v:" + std::string(name) + " is the text '" + text + "'"),
                std::string::npos)
          << message;
    }
  }
  for (auto const* name : {"scale_factor", "add_offset"}) {
    for (auto const value : {nan, HUGE_VAL, -HUGE_VAL}) {
      auto const message = refusal([&](auto& file, int v) { file.number(v, name, NC_DOUBLE, {value}); });
      EXPECT_NE(message.find("v:" + std::string(name) + " is "), std::string::npos) << message;
    }
    auto const message = refusal([&](auto& file, int v) { file.number(v, name, NC_DOUBLE, {1, 2}); });
    EXPECT_NE(message.find("v:" + std::string(name) + " has 2 numbers"), std::string::npos) << message;
    EXPECT_NE(refusal([&](auto& file, int v) { file.text(v, name, "0,125"); }).find(" has 2 numbers"),
              std::string::npos);
  }
  // A factor of 0 is how constants are packed, and loses all that differs.
  auto const zero = [](NetcdfWriting& file, int v) {
    file.number(v, "scale_factor", NC_DOUBLE, {0});
    file.number(v, "add_offset", NC_DOUBLE, {7.5});
    file.number(v, "missing_value", NC_SHORT, {9});
  };
  EXPECT_NE(refusal(zero).find("a.nc: v:scale_factor is 0 (its stored values differ"), std::string::npos);
  EXPECT_EQ(refusal(zero, {3, 9, 3}), "(nothing thrown)");
  expect_values(InputFile{folder / "a.nc"}.read("v").values, {7.5, nan, 7.5}, "constant");
}

TEST(InputFile, TakesWhatWasNeverWrittenForMissingButForBytes) {
  TemporaryFolder const folder;
  std::map<nc_type, bool> const missing = {
      {NC_BYTE, false}, {NC_UBYTE, false}, {NC_SHORT, true},  {NC_USHORT, true}, {NC_INT, true},
      {NC_UINT, true},  {NC_INT64, true},  {NC_UINT64, true}, {NC_FLOAT, true},  {NC_DOUBLE, true}};
  for (auto const mode : {NC_NETCDF4, NC_64BIT_DATA}) {
    for (auto const& [type, is_missing] : missing) {
      for (auto const filled : {true, false}) {
        {
          NetcdfWriting file{folder / "a.nc", mode};
          auto const v = file.variable("v", type, {file.dimension("x", 3)});
          if (filled) file.number(v, "_FillValue", type, {9});
          nc_enddef(file.file());
          std::size_t const at = 1, nine_at = 2, one = 1;
          double const value = 5, nine = 9;
          EXPECT_EQ(nc_put_vara_double(file.file(), v, &at, &one, &value), NC_NOERR);
          EXPECT_EQ(nc_put_vara_double(file.file(), v, &nine_at, &one, &nine), NC_NOERR);
        }
        auto const values = InputFile{folder / "a.nc"}.read("v").values;
        EXPECT_EQ(std::isnan(values[0]), is_missing || filled) << type << ' ' << filled;
        EXPECT_EQ(values[1], 5) << type;
        EXPECT_EQ(std::isnan(values[2]), filled) << type;
      }
    }
  }
  // Without prefilling the default value is one like others.
  {
    NetcdfWriting file{folder / "b.nc"};
    auto const v = file.variable("v", NC_SHORT, {file.dimension("x", 1)});
    EXPECT_EQ(nc_def_var_fill(file.file(), v, NC_NOFILL, nullptr), NC_NOERR);
    file.values(v, {NC_FILL_SHORT});
  }
  EXPECT_EQ(InputFile{folder / "b.nc"}.read("v").values[0], NC_FILL_SHORT);
}

TEST(InputFile, KeepsEveryBitOf64BitIntegers) {
  TemporaryFolder const folder;
  std::vector<long long> const given = {(1ll << 53) + 1,
                                        -(1ll << 53) - 1,
                                        std::numeric_limits<long long>::max(),
                                        std::numeric_limits<long long>::min(),
                                        0x123456789abcdef1,
                                        7,
                                        0x2000000000000011,
                                        NC_FILL_INT64};
  auto const write = [&](nc_type type, char const* as_unsigned, bool packed) {
    NetcdfWriting file{folder / "a.nc"};
    auto const v = file.variable("v", type, {file.dimension("x", given.size())});
    file.integer(v, "missing_value", type, 0x2000000000000010);  // the same double as 0x2000000000000011
    file.integer(v, "_FillValue", type, NC_FILL_INT64);
    if (as_unsigned != nullptr) file.text(v, "_Unsigned", as_unsigned);
    if (packed) file.number(v, "scale_factor", NC_DOUBLE, {0.25});
    nc_enddef(file.file());
    EXPECT_EQ(nc_put_var(file.file(), v, given.data()), NC_NOERR);
  };
  for (auto const type : {NC_INT64, NC_UINT64}) {
    for (auto const* as_unsigned : {static_cast<char const*>(nullptr), "true", "false"}) {
      write(type, as_unsigned, false);
      InputFile const input{folder / "a.nc"};
      EXPECT_TRUE(input.wide_integer("v"));
      std::vector<double> high(given.size()), low(given.size(), nan);
      input.read("v", -1, {{0}, {static_cast<std::int64_t>(given.size())}}, high, low);
      auto const is_unsigned =
          as_unsigned == nullptr ? type == NC_UINT64 : std::string{as_unsigned} == "true";
      for (std::size_t i = 0; i + 1 < given.size(); ++i) {
        auto const number = is_unsigned ? static_cast<long double>(static_cast<unsigned long long>(given[i]))
                                        : static_cast<long double>(given[i]);
        EXPECT_EQ(high[i], static_cast<double>(number));
        EXPECT_EQ(static_cast<long double>(high[i]) + low[i], number) << i;
      }
      EXPECT_TRUE(std::isnan(high.back()));
      expect_values(input.read("v").values, high, "whole");
    }
  }
  write(NC_INT64, nullptr, true);
  std::vector<double> high(1), low(1, nan);
  InputFile{folder / "a.nc"}.read("v", -1, {{5}, {1}}, high, low);
  EXPECT_EQ(high[0], 1.75);
  EXPECT_EQ(low[0], 0);
}

/// A variable of a.nc with coordinates, over time if `records`; values are their indices.
std::vector<double> write_chunked(std::filesystem::path const& path, std::vector<std::size_t> const& shape,
                                  std::vector<std::size_t> const& chunk, bool records) {
  NetcdfWriting file{path};
  std::vector<int> dimensions;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    char const name[] = {static_cast<char>('a' + d), '\0'};
    dimensions.push_back(file.dimension(records && d == 0 ? "time" : name, shape[d]));
  }
  auto const v = file.variable("v", NC_INT, dimensions);
  if (!chunk.empty()) nc_def_var_chunking(file.file(), v, NC_CHUNKED, chunk.data());
  std::size_t size = 1;
  for (auto const extent : shape) size *= extent;
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<double>(i);
  file.values(v, values);
  return values;
}

TEST(InputFile, BoxesMakeUpAFieldWithoutCuttingChunks) {
  TemporaryFolder const folder;
  struct Layout {
    std::vector<std::size_t> shape, chunk;
    bool records;
  };
  for (auto const& [shape, chunk, records] : {Layout{{7, 11, 13}, {}, false},
                                              {{3, 7, 11, 13}, {}, true},
                                              {{3, 7, 11, 13}, {1, 3, 4, 5}, true},
                                              {{40, 9}, {40, 2}, false},
                                              {{5, 6}, {5, 6}, false},
                                              {{2, 50}, {1, 50}, true},
                                              {{4}, {}, true}}) {
    auto const values = write_chunked(folder / "a.nc", shape, chunk, records);
    InputFile const input{folder / "a.nc"};
    auto const first = records ? 1u : 0u;
    for (std::int64_t const most : {1, 7, 60, 64, 100, 5000}) {
      for (std::int64_t time = 0; time < (records ? static_cast<std::int64_t>(shape[0]) : 1); ++time) {
        std::multiset<double> read;
        std::int64_t in_chunk = 1;
        for (std::size_t d = first; d < shape.size(); ++d) {
          in_chunk *= chunk.empty() ? 1 : static_cast<std::int64_t>(std::min(chunk[d], shape[d]));
        }
        for (auto const& box : input.boxes("v", most)) {
          ASSERT_LE(box.size(), most);
          for (std::size_t d = first; d < shape.size() && in_chunk <= most && !chunk.empty(); ++d) {
            auto const end = static_cast<std::size_t>(box.start[d - first] + box.count[d - first]);
            EXPECT_EQ(static_cast<std::size_t>(box.start[d - first]) % chunk[d], 0u);
            EXPECT_TRUE(end % chunk[d] == 0 || end == shape[d]);
          }
          std::vector<double> part(static_cast<std::size_t>(box.size()), nan);
          input.read("v", time, box, part);
          read.insert(part.begin(), part.end());
          // The first value's index follows from the box.
          std::size_t index = records ? static_cast<std::size_t>(time) : 0;
          for (std::size_t d = first; d < shape.size(); ++d) {
            index = index * shape[d] + static_cast<std::size_t>(box.start[d - first]);
          }
          EXPECT_EQ(part.front(), values[index]);
        }
        auto const whole = input.read("v", time).values;
        EXPECT_EQ(read, std::multiset<double>(whole.begin(), whole.end()));
      }
    }
    std::vector<double> few(1);
    EXPECT_THROW(input.read("v", 0, {{0}, {2}}, few), std::invalid_argument);
  }
}

TEST(InputFile, SpreadsCellMeasuresOverFurtherDimensions) {
  TemporaryFolder const folder;
  auto const write = [&](bool with_volume, bool named) {
    NetcdfWriting file{folder / "a.nc"};
    auto const time = file.dimension("time", NC_UNLIMITED), z = file.dimension("z", 2),
               y = file.dimension("y", 2), x = file.dimension("x", 3), mode = file.dimension("mode", 2),
               yn = file.dimension("yn", 2), xn = file.dimension("xn", 3);
    auto const area = file.variable("cell_area", NC_DOUBLE, {y, x});
    auto const volume =
        with_volume ? file.variable(named ? "room" : "cell_volume", NC_DOUBLE, {z, y, x}) : -1;
    auto const field = file.variable("f", NC_DOUBLE, {time, z, y, x});
    file.variable("m", NC_DOUBLE, {time, y, x, mode});
    file.variable("n", NC_DOUBLE, {yn, xn});  // of the area's shape, on another grid
    file.variable("t", NC_DOUBLE, {time, x, y});
    if (named) file.text(field, "cell_measures", "area: cell_area volume: room");
    file.values(area, {1, 2, 3, 4, 5, 6});
    if (with_volume) file.values(volume, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  };
  write(false, true);
  {
    InputFile const input{folder / "a.nc"};
    EXPECT_EQ(input.cell_measure("f")->name, "cell_area");
    EXPECT_EQ(input.weights("f"), (std::vector<double>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(input.weights("m"), (std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
    EXPECT_EQ(input.weights("t"), (std::vector<double>{1, 4, 2, 5, 3, 6}));
    EXPECT_FALSE(input.cell_measure("n"));
    EXPECT_TRUE(input.weights("n").empty());
    std::vector<double> part(4);
    input.read_weights(*input.cell_measure("f"), {{0, 1, 1}, {2, 1, 2}}, part);
    EXPECT_EQ(part, (std::vector<double>{5, 6, 5, 6}));
  }
  for (auto const named : {true, false}) {
    write(true, named);
    InputFile const input{folder / "a.nc"};
    EXPECT_EQ(input.cell_measure("f")->name, named ? "room" : "cell_volume");
    EXPECT_EQ(input.weights("f"), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(input.cell_measure("m")->name, "cell_area");
  }
}

TEST(InputFile, DescribesTheCoordinatesOfAGrid) {
  TemporaryFolder const folder;
  {
    NetcdfWriting file{folder / "a.nc"};
    auto const time = file.dimension("time", NC_UNLIMITED), j = file.dimension("j", 2),
               i = file.dimension("i", 3), k = file.dimension("k", 2);
    auto const row = file.variable("j", NC_FLOAT, {j}), column = file.variable("i", NC_SHORT, {i});
    file.text(row, "units", "degrees_north");
    file.text(column, "standard_name", "projection_x_coordinate");
    file.number(column, "scale_factor", NC_DOUBLE, {-0.5});
    auto const lat = file.variable("lat", NC_DOUBLE, {j, i}), stamp = file.variable("stamp", NC_DOUBLE, {j});
    file.text(stamp, "units", "days since 2000-01-01");
    auto const height = file.variable("height", NC_DOUBLE, {});
    (void)height;
    (void)k;
    auto const field = file.variable("f", NC_DOUBLE, {time, k, j, i});
    file.text(field, "coordinates", "lat stamp height time");
    file.text(lat, "units", "degrees_north");
    file.values(row, {1, 2});
  }
  InputFile const input{folder / "a.nc"};
  auto const coordinates = input.coordinates("f");
  ASSERT_EQ(coordinates.size(), 3u);
  EXPECT_FALSE(coordinates[0]);
  EXPECT_EQ(coordinates[1]->name, "j");
  EXPECT_EQ(coordinates[1]->axis, "y");
  EXPECT_EQ(coordinates[1]->relative_rounding, 0x1p-23);
  EXPECT_EQ(coordinates[2]->axis, "x");
  EXPECT_EQ(coordinates[2]->relative_rounding, 0);
  EXPECT_EQ(coordinates[2]->step, 0.5);
  auto const places = input.auxiliary_coordinates("f");
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].name, "lat");
  EXPECT_EQ(places[0].rank, 2);
  EXPECT_EQ(places[0].relative_rounding, 0x1p-52);
}

TEST(InputFile, TellsHowFinelyTypesTellTheirValues) {
  TemporaryFolder const folder;
  {
    NetcdfWriting file{folder / "a.nc"};
    auto const x = file.dimension("x", 2);
    file.variable("f", NC_FLOAT, {x});
    file.variable("d", NC_DOUBLE, {x});
    file.variable("i", NC_INT, {x});
    file.variable("b", NC_UBYTE, {x});
    file.variable("w", NC_INT64, {x});
    file.number(file.variable("s", NC_SHORT, {x}), "scale_factor", NC_DOUBLE, {-0.25});
    file.number(file.variable("o", NC_SHORT, {x}), "add_offset", NC_DOUBLE, {273});
    file.number(file.variable("p", NC_FLOAT, {x}), "scale_factor", NC_DOUBLE, {100});
  }
  InputFile const input{folder / "a.nc"};
  struct {
    char const *variable, *name;
    double relative_rounding, step;
  } const rows[] = {{"f", "float", 0x1p-23, 0},   {"d", "double", 0x1p-52, 0}, {"i", "int", 0, 1},
                    {"b", "unsigned char", 0, 1}, {"w", "long long", 0, 1},    {"s", "short", 0, 0.25},
                    {"o", "short", 0, 1},         {"p", "float", 0x1p-23, 0}};
  for (auto const& row : rows) {
    auto const type = input.stored_type(row.variable);
    EXPECT_EQ(type.name, row.name) << row.variable;
    EXPECT_EQ(type.relative_rounding, row.relative_rounding) << row.variable;
    EXPECT_EQ(type.step, row.step) << row.variable;
  }
}

/// In groups, dimensions may be unlimited in a group around the variable's.
TEST(InputFile, KnowsRecordsOfOuterGroups) {
  TemporaryFolder const folder;
  {
    NetcdfWriting file{folder / "a.nc"};
    auto const records = file.dimension("time", NC_UNLIMITED), x = file.dimension("x", 2);
    int group = -1, v = -1;
    ASSERT_EQ(nc_def_grp(file.file(), "inner", &group), NC_NOERR);
    int const dimensions[] = {records, x};
    ASSERT_EQ(nc_def_var(group, "v", NC_DOUBLE, 2, dimensions, &v), NC_NOERR);
    ASSERT_EQ(nc_put_att_string(group, v, "units", 1, std::vector<char const*>{"m"}.data()), NC_NOERR);
    std::size_t const start[] = {0, 0}, count[] = {3, 2};
    double const values[] = {1, 2, 3, 4, 5, 6};
    ASSERT_EQ(nc_put_vara_double(group, v, start, count, values), NC_NOERR);
  }
  InputFile const input{folder / "a.nc"};
  EXPECT_EQ(input.times("inner/v").size(), 3u);
  EXPECT_EQ(input.read("inner/v", 1).values, (std::vector<double>{3, 4}));
  EXPECT_EQ(input.info("inner/v").units, "m");
}

}  // namespace
}  // namespace ulpine::io
