// SPDX-License-Identifier: Apache-2.0
// When compare() calls the values of two files equal.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/netcdf_writing.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/equality_of_files.hpp"

namespace ulpine::verification {
namespace {

using equality_of_files::EqualityOfFiles, equality_of_files::Values;
using test::NetcdfWriting;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_F(EqualityOfFiles, LooksAtEveryTime) {
  auto const series = [&](Values const& values) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", values.size() / 2), x = file.dimension("x", 2);
      auto const t = file.variable("time", NC_DOUBLE, {time}), h = file.variable("h", NC_DOUBLE, {time, x});
      file.text(t, "units", "hours since 2000-01-31 18:00:00");
      file.values(t, {0, 6, 12});
      file.values(h, values);
    });
  };
  auto const y = series({1, 2, 3, 4, 5, 6}), x = series({1, 2, 3, 9, 5, 6});
  auto const all = compare(y, x);
  EXPECT_EQ(all.equal(), Equality::no);
  EXPECT_EQ(of(all, "h").compared_times, 3);
  EXPECT_EQ(of(all, "h").differing, 1);
  auto const& worst = of(all, "h").times.at(0);
  EXPECT_EQ(worst.date, "2000-02-01 00:00:00");
  EXPECT_EQ(worst.time_s, 21600);
  EXPECT_EQ(worst.largest->index, (std::vector<std::pair<std::string, std::int64_t>>{{"x", 1}}));
  EXPECT_EQ(compare(y, y).equal(), Equality::yes);
  // The last time alone is equal, and says nothing of the others.
  auto const last = compare(y, x, {}, Times::last);
  EXPECT_EQ(of(last, "h").same, Sameness::bits);
  EXPECT_EQ(last.equal(), Equality::unknown);
  EXPECT_TRUE(tells(last.not_compared, "h: 2 earlier times"));
  EXPECT_EQ(of(compare(y, x, {}, Times::all), "h").times.size(), 3u);
}

TEST_F(EqualityOfFiles, IsNotSaidWhereVariablesWereLeftOut) {
  auto const two = [&](double second) {
    return write([&](NetcdfWriting& file) {
      auto const x = file.dimension("x", 1);
      auto const a = file.variable("a", NC_DOUBLE, {x}), b = file.variable("b", NC_DOUBLE, {x});
      file.values(a, {1});
      file.values(b, {second});
    });
  };
  auto const one_of_two = compare(two(2), two(3), {"a"});
  EXPECT_EQ(one_of_two.equal(), Equality::unknown);
  EXPECT_EQ(of(one_of_two, "a").same, Sameness::bits);
  EXPECT_NE(to_text(one_of_two).find("not all was compared"), std::string::npos);
  // What the test alone has was not looked at, either.
  auto const alone = write([&](NetcdfWriting& file) {
    file.values(file.variable("a", NC_DOUBLE, {file.dimension("x", 1)}), {1});
  });
  EXPECT_EQ(compare(alone, two(2), {"a"}).equal(), Equality::unknown);
}

TEST_F(EqualityOfFiles, TellsBitsFromValues) {
  EXPECT_EQ(of(compare(field({0, 1}), field({-0., 1})), "h").same, Sameness::values);
  EXPECT_EQ(compare(field({0, 1}), field({-0., 1})).equal(), Equality::yes);
  EXPECT_EQ(of(compare(field({0.5, 1}), field({0.5, 1}, NC_FLOAT)), "h").same, Sameness::values);
  EXPECT_EQ(of(compare(field({0.1, 1}), field({0.1, 1}, NC_FLOAT)), "h").same, Sameness::no);
  // Another mark for what is missing.
  auto const marked = [&](double mark) { return field({mark, 1}, NC_DOUBLE, {{"_FillValue", {mark}}}); };
  EXPECT_EQ(of(compare(marked(-9), marked(1e20)), "h").same, Sameness::values);
  EXPECT_EQ(of(compare(marked(-9), marked(-9)), "h").same, Sameness::bits);
  EXPECT_EQ(of(compare(marked(nan), marked(1e20)), "h").same, Sameness::values);
  auto const infinite = field({std::numeric_limits<double>::infinity(), 1});
  EXPECT_EQ(compare(infinite, infinite).equal(), Equality::yes);
}

TEST_F(EqualityOfFiles, SeesThroughRangesAndWeightsThatHideValues) {
  // All values lie outside of a range that another field left behind.
  auto const hidden = [&](double value) { return field({value, 2}, NC_DOUBLE, {{"valid_min", {250}}}); };
  auto const comparison = compare(hidden(1), hidden(3));
  EXPECT_EQ(comparison.equal(), Equality::unknown);
  EXPECT_EQ(of(comparison, "h").times.at(0).metrics.points, 0);
  EXPECT_TRUE(tells(comparison.not_compared, "h: 2 places are outside of their valid range"));
  EXPECT_EQ(compare(hidden(1), hidden(1)).equal(), Equality::yes);
  auto const weighted = [&](double value) {
    return write([&](NetcdfWriting& file) {
      auto const x = file.dimension("x", 2);
      auto const area = file.variable("cell_area", NC_DOUBLE, {x}), h = file.variable("h", NC_DOUBLE, {x});
      file.number(h, "valid_max", NC_DOUBLE, {100});
      file.values(area, {0, 1});
      file.values(h, {value, 2});
    });
  };
  auto const of_no_weight = compare(weighted(1), weighted(5));
  EXPECT_EQ(of(of_no_weight, "h").times.at(0).metrics["linf"].number(), 0);
  EXPECT_EQ(of(of_no_weight, "h").differing, 1);
  EXPECT_EQ(of_no_weight.equal(), Equality::no);
  EXPECT_EQ(compare(weighted(200), weighted(300)).equal(), Equality::unknown);
}

TEST_F(EqualityOfFiles, CountsWhatOneFileAloneHas) {
  auto const marked = [&](Values const& values) { return field(values, NC_DOUBLE, {{"_FillValue", {-9}}}); };
  auto const comparison = compare(marked({1, 2, -9, nan, 5, -9}), marked({1, -9, 3, 4, 6, -9}));
  auto const& h = of(comparison, "h");
  auto const& metrics = h.times.at(0).metrics;
  EXPECT_EQ(metrics.points, 2);
  EXPECT_EQ(metrics["linf"].number(), 1);
  EXPECT_EQ(metrics.one_sided.missing_in_test, 1);
  EXPECT_EQ(metrics.one_sided.missing_in_reference, 1);
  EXPECT_EQ(metrics.one_sided.nan_in_reference, 1);
  EXPECT_EQ(metrics.one_sided.nan_in_test, 0);
  EXPECT_EQ(h.differing, 4);
  EXPECT_EQ(comparison.equal(), Equality::no);
  EXPECT_FALSE(comparison.usable());
  EXPECT_NE(to_text(comparison)
                .find("h: 3 places have a value in one file only (1 missing in the reference only, "
                      "1 missing in the test only, 1 NaN in the reference only)"),
            std::string::npos);
  // NaN beside a missing value: perhaps the same, perhaps not.
  EXPECT_EQ(compare(marked({nan, 2}), marked({-9, 2})).equal(), Equality::unknown);
}

TEST_F(EqualityOfFiles, MeasuresInUnitsOfTheStoredType) {
  auto const largest = [&](io::InputFile const& y, io::InputFile const& x) {
    return of(compare(y, x), "h").times.at(0).metrics["max_ulp"].number();
  };
  float const one = 1, next = std::nextafter(std::nextafter(one, 2.f), 2.f);
  EXPECT_EQ(largest(field({one}, NC_FLOAT), field({next}, NC_FLOAT)), 2);
  EXPECT_EQ(largest(field({one}, NC_DOUBLE), field({next}, NC_FLOAT)), 2);
  EXPECT_EQ(largest(field({1}), field({std::nextafter(1., 2)})), 1);
  EXPECT_EQ(largest(field({3}, NC_INT), field({-4}, NC_INT)), 7);
  auto const packed = [&](double stored) {
    return write([&](NetcdfWriting& file) {
      auto const h = file.variable("h", NC_SHORT, {file.dimension("x", 1)});
      file.number(h, "scale_factor", NC_DOUBLE, {0.01});
      file.values(h, {stored});
    });
  };
  EXPECT_EQ(largest(packed(100), packed(103)), 3);
}

/// One text, enumeration, compound, row of numbers or opaque value is another one.
TEST_F(EqualityOfFiles, IsOfValuesWithoutNumbersToo) {
  struct Pair {
    double r, i;
  };
  auto const others = [&](int changed) {
    return write([&](NetcdfWriting& file) {
      auto const nc = file.file();
      auto const x = file.dimension("x", 2), n = file.dimension("n", 3);
      int enumeration = -1, compound = -1, rows = -1, opaque = -1;
      signed char const clear = 0, cloud = 1;
      EXPECT_EQ(nc_def_enum(nc, NC_BYTE, "cover", &enumeration), NC_NOERR);
      nc_insert_enum(nc, enumeration, "clear", &clear);
      nc_insert_enum(nc, enumeration, "cloud", &cloud);
      EXPECT_EQ(nc_def_compound(nc, sizeof(Pair), "complex", &compound), NC_NOERR);
      nc_insert_compound(nc, compound, "r", offsetof(Pair, r), NC_DOUBLE);
      nc_insert_compound(nc, compound, "i", offsetof(Pair, i), NC_DOUBLE);
      EXPECT_EQ(nc_def_vlen(nc, "row", NC_INT, &rows), NC_NOERR);
      EXPECT_EQ(nc_def_opaque(nc, 3, "blob", &opaque), NC_NOERR);
      file.values(file.variable("number", NC_DOUBLE, {x}), {1, 2});
      signed char const skies[] = {0, static_cast<signed char>(changed == 1)};
      EXPECT_EQ(nc_put_var(nc, file.variable("sky", enumeration, {x}), skies), NC_NOERR);
      Pair const pairs[] = {{1, 2}, {3, changed == 2 ? 5. : 4.}};
      EXPECT_EQ(nc_put_var(nc, file.variable("spectral", compound, {x}), pairs), NC_NOERR);
      int first[] = {1}, second[] = {2, 3, changed == 3 ? 5 : 4};
      nc_vlen_t const both[] = {{1, first}, {3, second}};
      EXPECT_EQ(nc_put_var(nc, file.variable("rows", rows, {x}), both), NC_NOERR);
      char const* texts[] = {"north", changed == 4 ? "sooth" : "south"};
      EXPECT_EQ(nc_put_var_string(nc, file.variable("names", NC_STRING, {x}), texts), NC_NOERR);
      EXPECT_EQ(
          nc_put_var_text(nc, file.variable("codes", NC_CHAR, {x, n}), changed == 5 ? "abcdeg" : "abcdef"),
          NC_NOERR);
      EXPECT_EQ(nc_put_var(nc, file.variable("blobs", opaque, {x}), changed == 6 ? "abcdeg" : "abcdef"),
                NC_NOERR);
    });
  };
  auto const y = others(0);
  EXPECT_EQ(compare(y, others(0)).equal(), Equality::yes);
  char const* const names[] = {"", "sky", "spectral", "rows", "names", "codes", "blobs"};
  for (int changed = 1; changed <= 6; ++changed) {
    auto const comparison = compare(y, others(changed));
    EXPECT_EQ(comparison.equal(), Equality::no) << names[changed];
    for (int k = 1; k <= 6; ++k) {
      auto const& variable = of(comparison, names[k]);
      EXPECT_EQ(variable.differing, k == changed ? 1 : 0) << names[k];
      EXPECT_TRUE(variable.labels);
    }
    EXPECT_TRUE(comparison.usable());
  }
}

/// Of a variable that is not prefilled netCDF gives back whatever memory holds, or a fill value.
TEST_F(EqualityOfFiles, TakesWhatWasNeverWrittenForMissing) {
  for (auto const type : {NC_DOUBLE, NC_FLOAT, NC_INT, NC_SHORT}) {
    auto const part = [&](bool records) {
      return write([&](NetcdfWriting& file) {
        auto const time = file.dimension("time", NC_UNLIMITED), x = file.dimension("x", 40);
        auto const later = file.variable("later", type, {records ? time : x});
        std::size_t const chunk = 10;
        EXPECT_EQ(nc_def_var_chunking(file.file(), later, NC_CHUNKED, &chunk), NC_NOERR);
        EXPECT_EQ(nc_def_var_fill(file.file(), later, NC_NOFILL, nullptr), NC_NOERR);
        auto const written = file.variable("written", NC_DOUBLE, {time});
        nc_enddef(file.file());
        std::size_t const start = 10, count = 10, first = 0, all = 30;
        Values const ones(30, 1);
        EXPECT_EQ(nc_put_vara_double(file.file(), later, &start, &count, ones.data()), NC_NOERR);
        EXPECT_EQ(nc_put_vara_double(file.file(), written, &first, &all, ones.data()), NC_NOERR);
      });
    };
    auto const chunks = part(false);
    for (int call = 0; call < 3; ++call) {
      auto const comparison = compare(chunks, part(false));
      EXPECT_EQ(comparison.equal(), Equality::yes) << type;
      EXPECT_EQ(of(comparison, "later").times.at(0).metrics.points, 10) << type;
      EXPECT_EQ(of(comparison, "later").times.at(0).metrics.missing, 30) << type;
    }
    auto const records = compare(part(true), part(true), {}, Times::all);
    EXPECT_EQ(of(records, "later").times.at(25).metrics.points, 0) << type;
    EXPECT_EQ(of(records, "later").times.at(15).metrics.points, 1) << type;
  }
}

TEST_F(EqualityOfFiles, FilesWithoutRecordsYetAreCompared) {
  auto const begun = [&](double depth, std::size_t records) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", NC_UNLIMITED), x = file.dimension("x", 2);
      auto const h = file.variable("h", NC_DOUBLE, {time, x}), d = file.variable("depth", NC_DOUBLE, {x});
      file.values(d, {depth, 2});
      std::size_t const start[] = {0, 0}, count[] = {records, 2};
      Values const values(2 * records, 3);
      EXPECT_EQ(nc_put_vara_double(file.file(), h, start, count, values.data()), NC_NOERR);
    });
  };
  EXPECT_EQ(compare(begun(1, 0), begun(1, 0)).equal(), Equality::yes);
  EXPECT_EQ(of(compare(begun(1, 0), begun(4, 0)), "depth").differing, 1);
  // Records without times count: one file has more of them.
  auto const longer = compare(begun(1, 2), begun(1, 3));
  EXPECT_EQ(of(longer, "h").same, Sameness::bits);
  EXPECT_EQ(longer.equal(), Equality::no);
  auto const later = compare(begun(1, 0), begun(1, 3));
  EXPECT_EQ(later.equal(), Equality::no);
  EXPECT_EQ(of(later, "depth").same, Sameness::bits);
  EXPECT_EQ(of(later, "h").failure(), "no time in common");
}

TEST_F(EqualityOfFiles, NamesThePlaceOfTheLargestDifference) {
  auto const plane = [&](double small, double large) {
    return write([&](NetcdfWriting& file) {
      auto const y = file.dimension("y", 2), x = file.dimension("x", 3);
      auto const rows = file.variable("y", NC_DOUBLE, {y}), lon = file.variable("lon", NC_DOUBLE, {y, x});
      auto const h = file.variable("h", NC_DOUBLE, {y, x});
      file.text(rows, "units", "m");
      file.text(lon, "units", "degrees_east");
      file.text(h, "coordinates", "lon");
      file.values(rows, {10, 20});
      file.values(lon, {1, 2, 3, 4, 5, 6});
      file.values(h, {0, small, 0, 0, 0, large});
    });
  };
  auto const y = plane(1, 2), x = plane(1.5, 4);
  for (std::int64_t const bytes : {8, 24, 1000}) {
    auto const comparison = compare(y, x, {}, Times::worst, bytes);
    auto const& largest = of(comparison, "h").times.at(0).largest;
    ASSERT_TRUE(largest);
    EXPECT_EQ(largest->index, (std::vector<std::pair<std::string, std::int64_t>>{{"y", 1}, {"x", 2}}))
        << bytes;
    EXPECT_EQ(largest->coordinates,
              (std::vector<std::pair<std::string, std::string>>{{"y", "20 m"}, {"lon", "6 degrees_east"}}));
  }
}

TEST_F(EqualityOfFiles, KnowsTextsByTheirBytes) {
  auto const named = [&](std::string const& name) {
    return write([&](NetcdfWriting& file) {
      auto const station = file.dimension("station", 1), n = file.dimension("n", 8);
      auto const names = file.variable("name", NC_CHAR, {station, n}),
                 h = file.variable("h", NC_DOUBLE, {station});
      file.text(h, "coordinates", "name");
      file.values(h, {1});
      auto padded = name;
      padded.resize(8, '\0');
      EXPECT_EQ(nc_put_var_text(file.file(), names, padded.c_str()), NC_NOERR);
    });
  };
  EXPECT_EQ(compare(named("Z\xc3\xbcrich"), named("Z\xc3\xb6rich")).equal(), Equality::no);
  EXPECT_EQ(compare(named("Bern"), named("Bern")).equal(), Equality::yes);
  // Padded by blanks or by nothing: the same text in other bytes.
  auto const padded = compare(named("Bern"), named("Bern    "));
  EXPECT_EQ(of(padded, "h").failure(), "");
  EXPECT_EQ(place(padded, "name").same, Sameness::values);
  EXPECT_EQ(place(compare(named("Bern"), named("Bern")), "name").same, Sameness::bits);
}

TEST_F(EqualityOfFiles, ReadsLabelsAsTheyAre) {
  auto const ranged = [&] {
    return write([&](NetcdfWriting& file) {
      auto const x = file.dimension("x", 3);
      int type = -1;
      signed char const members[] = {0, 1};
      EXPECT_EQ(nc_def_enum(file.file(), NC_BYTE, "state_t", &type), NC_NOERR);
      nc_insert_enum(file.file(), type, "dry", &members[0]);
      nc_insert_enum(file.file(), type, "wet", &members[1]);
      auto const v = file.variable("state", type, {x});
      file.number(v, "valid_range", NC_DOUBLE, {0, 2});
      file.number(v, "scale_factor", NC_DOUBLE, {0.5});
      signed char const values[] = {0, 1, 0};
      EXPECT_EQ(nc_put_var(file.file(), v, values), NC_NOERR);
    });
  };
  EXPECT_EQ(compare(ranged(), ranged()).equal(), Equality::yes);
}

/// A line within a text is no attribute of its own.
TEST_F(EqualityOfFiles, TakesNoLineOfATextForAnAttribute) {
  auto const told = [&](std::string const& comment) {
    return write([&](NetcdfWriting& file) {
      auto const h = file.variable("h", NC_DOUBLE, {file.dimension("x", 1)});
      file.text(h, "comment", comment);
      file.values(h, {1});
    });
  };
  EXPECT_EQ(compare(told("first\nflag_meanings: dry"), told("first\nflag_meanings: wet")).equal(),
            Equality::yes);
}

}  // namespace
}  // namespace ulpine::verification
