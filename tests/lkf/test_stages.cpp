// SPDX-License-Identifier: Apache-2.0
// The single stages against shapes worked out by hand, plain oracles and their symmetries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include "verification/lkf/stages.hpp"

namespace ulpine::lkf::test {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr Rules all_rules[] = {Rules::repaired, Rules::lkf_tools};
using Image = std::vector<std::uint8_t>;
using Shape = std::set<Cell>;

constexpr std::int32_t side = 64;

Image drawn(Shape const& shape) {
  Image image(side * side, 0);
  for (auto const& [row, column] : shape) image[row * side + column] = 1;
  return image;
}

/// `count` cells from `from` on in the direction (row, column).
Shape line(Cell from, Cell direction, int count) {
  Shape shape;
  for (int k = 0; k < count; ++k) shape.insert({from[0] + k * direction[0], from[1] + k * direction[1]});
  return shape;
}

Shape operator+(Shape a, Shape const& b) {
  a.insert(b.begin(), b.end());
  return a;
}

std::vector<std::size_t> sizes(std::vector<Segment> const& segments) {
  std::vector<std::size_t> result;
  for (auto const& segment : segments) result.push_back(segment.size());
  return result;
}

std::vector<Segment> traced(Shape const& shape, Rules rules) {
  return detail::trace(drawn(shape), side, side, 500, rules);
}

using Sizes = std::vector<std::size_t>;

TEST(Trace, ArmsOfAnLShareTheCorner) {
  for (auto const rules : all_rules) {
    auto const segments = traced(line({10, 10}, {1, 0}, 11) + line({20, 10}, {0, 1}, 11), rules);

    ASSERT_EQ(sizes(segments), (Sizes{11, 11}));
    EXPECT_EQ(segments[0].back(), (Cell{20, 10}));
    EXPECT_EQ(segments[1].back(), (Cell{20, 10}));
  }
}

TEST(Trace, CrossingLinesGiveFourArmsAndATThree) {
  auto const x = line({20, 20}, {1, 1}, 21) + line({20, 40}, {1, -1}, 21);
  auto const t = line({20, 20}, {0, 1}, 21) + line({20, 30}, {1, 0}, 11);
  for (auto const rules : all_rules) {
    EXPECT_EQ(traced(x, rules).size(), 4u);
    EXPECT_EQ(traced(t, rules).size(), 3u);
  }
}

TEST(Trace, TracesFromBothEndsMeetInTheMiddle) {
  for (auto const rules : all_rules) {
    for (Cell const direction : {Cell{0, 1}, Cell{1, 0}, Cell{1, 1}, Cell{1, -1}}) {
      auto const odd = traced(line({10, 40}, direction, 17), rules);
      ASSERT_EQ(sizes(odd), (Sizes{9, 9}));
      EXPECT_EQ(odd[0].back(), odd[1].back());
      EXPECT_EQ(sizes(traced(line({10, 40}, direction, 16), rules)), (Sizes{8, 8}));
    }
  }
}

TEST(Trace, AnIsolatedPixelIsListedTwiceAndAPairNotAtAll) {
  for (auto const rules : all_rules) {
    EXPECT_EQ(traced({{10, 10}}, rules), (std::vector<Segment>{{{10, 10}, {10, 10}}}));
    EXPECT_TRUE(traced({{10, 10}, {10, 11}}, rules).empty());
    EXPECT_TRUE(traced({{10, 10}, {11, 9}}, rules).empty());
  }
}

/// A line of 17 pixels, bent after the fourth: the traces from its ends meet in the middle only if the one
/// from the shorter side gets round the bend. At a sharp turn the next pixel is lost.
TEST(Trace, ARightAngleBreaksALineAndHalfOfItDoesNot) {
  auto const slight = line({10, 10}, {0, 1}, 4) + line({11, 14}, {1, 1}, 13);
  auto const sharp = line({10, 20}, {1, 1}, 4) + line({14, 22}, {1, -1}, 13);
  for (auto const rules : all_rules) {
    EXPECT_EQ(sizes(traced(slight, rules)), (Sizes{9, 9}));
    EXPECT_EQ(sizes(traced(sharp, rules)), (Sizes{4, 12}));
  }
}

/// Every pixel of the octagon has two neighbours, so that there is no end to start from.
TEST(Trace, AClosedRingIsStartedAtItsFirstTwoPixels) {
  auto const ring = line({10, 20}, {0, 1}, 8) + line({10, 27}, {1, 1}, 8) + line({17, 34}, {1, 0}, 8) +
                    line({24, 34}, {1, -1}, 8) + line({31, 27}, {0, -1}, 8) + line({31, 20}, {-1, -1}, 8) +
                    line({24, 13}, {-1, 0}, 8) + line({17, 13}, {-1, 1}, 8);
  ASSERT_EQ(ring.size(), 56u);
  for (auto const rules : all_rules) {
    auto const segments = traced(ring, rules);

    EXPECT_EQ(sizes(segments), (Sizes{27, 27}));
    Shape covered{{10, 20}, {10, 21}};
    for (auto const& segment : segments) covered.insert(segment.begin(), segment.end());
    EXPECT_EQ(covered, ring);
  }
}

/// Two arms of a Y meet in the very step in which two traces listed before them find no pixel any more.
/// lkf_tools then stops the wrong traces and both arms go on into the stem.
TEST(Trace, ArmsThatMeetStopUnderRepairedRulesOnly) {
  constexpr int m = 6;
  auto const bar = line({5, 10}, {0, 1}, 2 * m);
  auto const y =
      line({10, 20}, {1, 1}, m) + line({10, 20 + 2 * m}, {1, -1}, m) + line({10 + m, 20 + m}, {1, 0}, 21);

  EXPECT_EQ(sizes(traced(bar + y, Rules::repaired)), (Sizes{m, m, m + 1, m + 1, 20}));
  EXPECT_EQ(sizes(traced(bar + y, Rules::lkf_tools)), (Sizes{m, m, m + 2, m + 2, 19}));
  EXPECT_EQ(sizes(traced(y, Rules::lkf_tools)), (Sizes{m + 1, m + 1, 20}));
}

TEST(Trace, StopsAfterTheGivenNumberOfSteps) {
  auto const image = drawn(line({10, 10}, {0, 1}, 40));
  EXPECT_EQ(sizes(detail::trace(image, side, side, 7, Rules::lkf_tools)), (Sizes{8, 8}));
}

Image random_image(std::int64_t rows, std::int64_t columns, double share, unsigned seed) {
  std::mt19937_64 generator{seed};
  std::bernoulli_distribution draw{share};
  Image image(rows * columns);
  for (auto& x : image) x = draw(generator) ? 1 : 0;
  return image;
}

/// Sets of set pixels that hang together over sides or corners.
int components(Image image, std::int64_t rows, std::int64_t columns) {
  int count = 0;
  std::vector<std::int64_t> open;
  for (std::int64_t start = 0; start < rows * columns; ++start) {
    if (image[start] == 0) continue;
    ++count;
    image[start] = 0;
    open.push_back(start);
    while (!open.empty()) {
      auto const i = open.back() / columns, j = open.back() % columns;
      open.pop_back();
      for (auto r = std::max<std::int64_t>(i - 1, 0); r <= std::min(i + 1, rows - 1); ++r) {
        for (auto c = std::max<std::int64_t>(j - 1, 0); c <= std::min(j + 1, columns - 1); ++c) {
          if (std::exchange(image[r * columns + c], 0) != 0) open.push_back(r * columns + c);
        }
      }
    }
  }
  return count;
}

TEST(Thin, KeepsASubsetAndIsDoneWhenDone) {
  auto const image = random_image(40, 29, 0.6, 3);
  auto const once = detail::thin(image, 40, 29);
  for (std::size_t k = 0; k < image.size(); ++k) EXPECT_LE(once[k], image[k]);
  EXPECT_EQ(detail::thin(once, 40, 29), once);
  auto const straight = drawn(line({5, 5}, {1, 1}, 30) + line({50, 3}, {0, 1}, 40));
  EXPECT_EQ(detail::thin(straight, side, side), straight);
}

/// The table of Zhang and Suen as printed wipes out squares of 2 x 2 pixels.
TEST(Thin, LeavesWhatHangsTogetherTogether) {
  for (auto const share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      auto const image = random_image(33, 47, share, seed);
      EXPECT_EQ(components(detail::thin(image, 33, 47), 33, 47), components(image, 33, 47))
          << share << ", seed " << seed;
    }
  }
}

TEST(Thin, TakesTheCornerOfAnLAway) {
  auto const shape = line({10, 10}, {1, 0}, 11) + line({20, 10}, {0, 1}, 11);
  auto without_corner = shape;
  without_corner.erase({20, 10});
  EXPECT_EQ(detail::thin(drawn(shape), side, side), drawn(without_corner));
}

std::vector<double> random_field(std::size_t size, unsigned seed) {
  std::mt19937_64 generator{seed};
  std::lognormal_distribution<double> draw{-3, 1.5};
  std::vector<double> field(size);
  for (auto& x : field) x = draw(generator);
  return field;
}

TEST(Equalise, GivesRisingWholeNumbersFrom0To255) {
  auto eps = random_field(5000, 5);
  eps[17] = nan;
  eps[18] = 0;
  eps[19] = -1;
  eps[20] = std::numeric_limits<double>::infinity();

  auto const levels = detail::equalise(eps);

  std::vector<std::pair<double, double>> pairs;
  for (std::size_t k = 0; k < eps.size(); ++k) {
    if (k >= 17 && k <= 20) {
      EXPECT_TRUE(std::isnan(levels[k]));
      continue;
    }
    ASSERT_EQ(levels[k], std::floor(levels[k]));
    ASSERT_GE(levels[k], 0);
    ASSERT_LE(levels[k], 255);
    pairs.emplace_back(eps[k], levels[k]);
  }
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t k = 1; k < pairs.size(); ++k) ASSERT_LE(pairs[k - 1].second, pairs[k].second);
  // Half of the cells lie below the middle level, up to the share of one bin.
  EXPECT_NEAR(pairs[pairs.size() / 2].second, 127.5, 5);
}

/// The sum over both axes at once, with the edges mirrored cell by cell.
double plain_difference(std::vector<double> const& field, int rows, int columns, int i, int j, double narrow,
                        double wide) {
  auto const mirrored = [](int k, int n) {
    while (k < 0 || k >= n) k = k < 0 ? -1 - k : 2 * n - 1 - k;
    return k;
  };
  auto const mean = [&](double sigma) {
    auto const radius = static_cast<int>(2 * sigma + 0.5);
    long double sum = 0, share = 0;
    for (int di = -radius; di <= radius; ++di) {
      for (int dj = -radius; dj <= radius; ++dj) {
        auto const x = field[mirrored(i + di, rows) * columns + mirrored(j + dj, columns)];
        if (std::isnan(x)) continue;
        auto const weight = std::exp(-static_cast<long double>(di * di + dj * dj) / (2 * sigma * sigma));
        sum += weight * x;
        share += weight;
      }
    }
    return sum / share;
  };
  return static_cast<double>(mean(narrow) - mean(wide));
}

TEST(DifferenceOfGaussians, IsThePlainSumAlsoOnFieldsSmallerThanTheKernel) {
  for (auto const& [rows, columns] : {std::pair{31, 23}, {4, 3}, {1, 9}, {1, 1}}) {
    auto field = random_field(rows * columns, 11);
    if (field.size() > 5) field[4] = nan;
    auto const got = detail::difference_of_gaussians(field, rows, columns, 1, 5);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        EXPECT_NEAR(got[i * columns + j], plain_difference(field, rows, columns, i, j, 0.5, 2.5), 1e-14);
      }
    }
  }
}

TEST(DifferenceOfGaussians, LastKernelIsThatOfArangeWhereKernelsAreFractions) {
  // 4 km: kernels 2.0625 to 10.3125, the last of 2.0625, 3.0625, ... below 11.3125 is 11.0625; 2 km likewise.
  for (auto const& [first, last, sigma] : {std::tuple{2.0625, 10.3125, 5.53125}, {3.625, 18.125, 9.3125}}) {
    constexpr int n = 61;
    std::vector<double> field(n * n, 0);
    field[30 * n + 30] = 1;
    auto const got = detail::difference_of_gaussians(field, n, n, first, last);
    EXPECT_NEAR(got[30 * n + 30], plain_difference(field, n, n, 30, 30, first / 2, sigma), 1e-14);
    EXPECT_NEAR(got[25 * n + 33], plain_difference(field, n, n, 25, 33, first / 2, sigma), 1e-14);
    auto const radius = static_cast<int>(2 * sigma + 0.5);
    EXPECT_LT(got[30 * n + 30 + radius], 0);
    EXPECT_EQ(got[30 * n + 30 + radius + 1], 0);
  }
}

/// Pairs of segments in one straight line, with all slopes and lengths up to 12.
std::pair<int, int> joined_of_aligned(Rules rules) {
  std::vector<double> const eps(256 * 256, 0.1);
  int pairs = 0, joined = 0;
  for (std::int32_t a = 0; a <= 12; ++a) {
    for (std::int32_t b = 1; b <= 12; ++b) {
      for (std::int32_t second = 1; second <= 3; ++second) {
        Segment const one{{10, 10}, {10 + a, 10 + b}};
        Segment const two{{11 + a, 11 + b}, {11 + a + second * a, 11 + b + second * b}};
        ++pairs;
        joined += detail::join({one, two}, eps, 256, {4, 1, 50, 0.5}, rules).size() == 1 ? 1 : 0;
      }
    }
  }
  return {pairs, joined};
}

TEST(Join, ExactlyAlignedSegmentsAlwaysJoinUnderRepairedRulesOnly) {
  auto const [pairs, joined] = joined_of_aligned(Rules::repaired);
  EXPECT_EQ(joined, pairs);
  auto const [same_pairs, joined_by_lkf_tools] = joined_of_aligned(Rules::lkf_tools);
  EXPECT_LT(joined_by_lkf_tools, same_pairs);
  EXPECT_GT(joined_by_lkf_tools, same_pairs / 2);
}

TEST(Join, PutsNearEndsTogetherWhicheverWayTheSegmentsRun) {
  std::vector<double> const eps(64 * 64, 0.1);
  Segment const left{{5, 5}, {5, 6}, {5, 7}};
  Segment const right{{5, 9}, {6, 10}, {6, 11}};
  Segment const expected{{5, 5}, {5, 6}, {5, 7}, {5, 9}, {6, 10}, {6, 11}};
  for (bool const flip_left : {false, true}) {
    for (bool const flip_right : {false, true}) {
      auto a = left;
      auto b = right;
      if (flip_left) std::reverse(a.begin(), a.end());
      if (flip_right) std::reverse(b.begin(), b.end());
      EXPECT_EQ(detail::join({a, b}, eps, 64, {4, 2, 45, 1}, Rules::repaired),
                std::vector<Segment>{expected});
    }
  }
}

TEST(Join, KeepsApartWhatIsTooFarTooBentTooDifferentOrBehind) {
  std::vector<double> eps(64 * 64, 0.1);
  Segment const one{{20, 10}, {20, 11}, {20, 12}, {20, 13}};
  auto const joins = [&](Segment const& other) {
    return detail::join({one, other}, eps, 64, {4, 3, 35, 0.5}, Rules::repaired).size() == 1;
  };
  EXPECT_TRUE(joins({{20, 16}, {20, 17}, {20, 19}, {21, 20}}));
  EXPECT_FALSE(joins({{20, 18}, {20, 19}, {20, 20}, {21, 21}}));  // 5 cells away
  EXPECT_FALSE(joins({{20, 15}, {21, 16}, {22, 17}, {23, 18}}));  // 45 degrees
  EXPECT_FALSE(joins({{23, 14}, {23, 15}, {23, 16}, {23, 17}}));  // 3 aside: sqrt(1 + 3 * 9) > 4
  EXPECT_FALSE(joins({{20, 12}, {20, 11}, {21, 10}, {21, 9}}));   // runs back over it
  for (int j = 16; j <= 20; ++j) eps[20 * 64 + j] = eps[21 * 64 + j] = 1;
  EXPECT_FALSE(joins({{20, 16}, {20, 17}, {20, 19}, {21, 20}}));  // ten times the deformation
}

// log10 of the deformation: 0 on eight cells, then 1 on two: 0.2 on all ten, from which 1.2 is within 1.1 and
// 1.4 is not. The short piece alone would be near to both.
TEST(Join, WeighsTheDeformationOfWhatIsJoinedByLength) {
  std::vector<double> eps(64 * 64, 1);
  auto const piece = [&](std::int32_t first, int count, double logarithm) {
    Segment segment;
    for (std::int32_t j = first; j < first + count; ++j) {
      segment.push_back({20, j});
      eps[20 * 64 + j] = std::pow(10, logarithm);
    }
    return segment;
  };
  auto const middle = piece(20, 8, 0), right = piece(29, 2, 1);
  auto const left_over = [&](double logarithm) {
    return detail::join({piece(15, 4, logarithm), middle, right}, eps, 64, {10, 1, 45, 1.1}, Rules::repaired)
        .size();
  };
  EXPECT_EQ(left_over(1.2), 1u);
  EXPECT_EQ(left_over(1.4), 2u);
}

/// All pairs looked at anew before each join, indices of what is left.
std::vector<Segment> join_by_all_pairs(std::vector<Segment> segments, std::vector<double> const& eps,
                                       int columns, detail::JoinLimits const& limits) {
  std::vector<double> means;
  for (auto const& segment : segments) {
    double sum = 0;
    for (auto const& [i, j] : segment) sum += std::log10(eps[i * columns + j]);
    means.push_back(sum / static_cast<double>(segment.size()));
  }
  std::vector<std::size_t> last_joined(segments.size(),
                                       0);  // the side that was joined later looks at the other
  std::size_t joins = 0;
  // Sets both segments so that their near ends are I's last and J's first cell.
  auto const face = [](Segment& I, Segment& J) {
    auto least = std::numeric_limits<double>::infinity();
    std::pair<bool, bool> flips;
    for (bool const flip_j : {false, true}) {
      for (bool const flip_i : {true, false}) {
        auto const& a = flip_i ? I.front() : I.back();
        auto const& b = flip_j ? J.back() : J.front();
        auto const d = std::hypot(a[0] - b[0], a[1] - b[1]);
        if (d < least) {
          least = d;
          flips = {flip_i, flip_j};
        }
      }
    }
    if (flips.first) std::reverse(I.begin(), I.end());
    if (flips.second) std::reverse(J.begin(), J.end());
    return least;
  };
  for (;;) {
    auto best = 1.0;
    std::pair<std::size_t, std::size_t> pair;
    for (std::size_t row = 0; row < segments.size(); ++row) {
      for (auto column = row + 1; column < segments.size(); ++column) {
        auto const swapped = last_joined[column] > last_joined[row];
        auto I = segments[swapped ? column : row];
        auto J = segments[swapped ? row : column];
        auto const distance = face(I, J);
        if (distance > limits.distance) continue;
        auto const angle_of = [](Cell const& a, Cell const& b) {
          return std::atan2(b[0] - a[0], b[1] - a[1]);
        };
        auto const u = angle_of(I.front(), I.back());
        auto const v = angle_of(J.front(), J.back());
        if (I.front() == I.back() || J.front() == J.back()) continue;
        auto turn = std::abs(u - v);
        turn = std::min(turn, 2 * M_PI - turn) * 180 / M_PI;
        auto const gap = angle_of(I.back(), J.front());
        auto const seen = [&](double direction) {
          return std::hypot(distance * std::cos(gap - direction),
                            std::sqrt(limits.ellipse_factor) * distance * std::sin(gap - direction));
        };
        if (distance > 0 && std::cos(gap - u) < -1e-12) continue;
        if (std::max(seen(u), seen(v)) > limits.distance + 1e-12) continue;
        auto const p = std::hypot(std::abs(means[row] - means[column]) / limits.deformation,
                                  turn / limits.angle, (seen(u) + seen(v)) / 2 / limits.distance);
        if (p < best) {
          best = p;
          pair = {row, column};
        }
      }
    }
    if (best == 1.0) return segments;
    auto& I = segments[pair.first];
    auto& J = segments[pair.second];
    face(I, J);
    auto const n_i = static_cast<double>(I.size());
    auto const n_j = static_cast<double>(J.size());
    means[pair.first] = (means[pair.first] * n_i + means[pair.second] * n_j) / (n_i + n_j);
    last_joined[pair.first] = ++joins;
    I.insert(I.end(), J.begin(), J.end());
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(pair.second));
    means.erase(means.begin() + static_cast<std::ptrdiff_t>(pair.second));
    last_joined.erase(last_joined.begin() + static_cast<std::ptrdiff_t>(pair.second));
  }
}

TEST(Join, NearbyCandidatesGiveTheAnswerOfAllPairs) {
  constexpr int n = 80;
  auto const eps = random_field(n * n, 23);
  int joins = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 generator{seed};
    std::uniform_int_distribution<std::int32_t> place{4, n - 5}, step{-1, 1};
    std::vector<Segment> segments;
    for (int k = 0; k < 70; ++k) {
      Cell at{place(generator), place(generator)};
      Cell const direction{step(generator), step(generator)};
      Segment segment;
      for (int s = 0; s < 4; ++s) {
        segment.push_back(at);
        at[0] = std::clamp(at[0] + direction[0] + (step(generator) > 0 ? 1 : 0), 0, n - 1);
        at[1] = std::clamp(at[1] + direction[1], 0, n - 1);
      }
      segments.push_back(segment);
    }
    for (detail::JoinLimits const limits :
         {detail::JoinLimits{4, 2, 45, 2}, {1.5, 1, 50, 2}, {9.7, 3, 60, 3}}) {
      auto const expected = join_by_all_pairs(segments, eps, n, limits);
      EXPECT_EQ(detail::join(segments, eps, n, limits, Rules::repaired), expected) << seed;
      joins += static_cast<int>(segments.size() - expected.size());
    }
  }
  EXPECT_GT(joins, 200);
}

}  // namespace
}  // namespace ulpine::lkf::test
