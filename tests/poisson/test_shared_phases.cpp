// SPDX-License-Identifier: Apache-2.0
// The launches come first.
#include "core/exec/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/poisson/phases.hpp"
#include "core/poisson/shared_phases.hpp"
#include "io/error.hpp"
#include "poisson/discrete.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;

/// What is in planes before and after each phase, of points.
template <class T>
using Seen = std::vector<Cells<T>>;

template <class T, class Format>
Seen<T> phases_of_one(PoissonGrid const& g, Cells<T> const& d, PoissonMethod method) {
  auto const phases = make_poisson_phases<T, Format>(Host{1}, g, method);
  std::vector<T> planes(static_cast<std::size_t>(g.plane()) * static_cast<std::size_t>(g.nz));
  auto const row = 2 * g.modes_x();
  auto const place = [&](int k, int j, int i) {
    return &planes[static_cast<std::size_t>(k * g.plane() + j * row + i)];
  };
  for_cells(g, [&](int k, int j, int i) { *place(k, j, i) = d[at(g, k, j, i)]; });
  Seen<T> seen;
  auto const look = [&] {
    seen.emplace_back(d.size());
    for_cells(g, [&](int k, int j, int i) { seen.back()[at(g, k, j, i)] = *place(k, j, i); });
  };
  phases->forward(planes.data());
  look();
  phases->tridiagonal(planes.data());
  look();
  phases->inverse(planes.data());
  look();
  return seen;
}

/// A transform of rows in pieces by that of rows, as devices have one of their own.
template <class T, class Format>
class PackedRows final : public RowsInPieces<T> {
 public:
  explicit PackedRows(RowsOfLevels const& rows)
      : of_{rows},
        values_{2 * (rows.nx / 2 + 1)},
        whole_(static_cast<std::size_t>(std::int64_t{values_} * rows.rows * rows.levels)),
        transform_{
            make_portable_transform<T, Format>(Host{1}, rows.levels, rows.rows, rows.nx, PlaneLines::rows)} {}
  void forward(T* rows, RowPieces<T> const& pieces) override {
    visit(rows, [](T* row, T* whole, int values) { std::copy_n(row, values, whole); });
    transform_->forward(whole_.data());
    visit(pieces, [](T& value, T whole) { value = whole; });
  }
  void inverse(RowPieces<T> const& pieces, T* rows) override {
    visit(pieces, [](T value, T& whole) { whole = value; });
    transform_->inverse(whole_.data());
    visit(rows, [](T* row, T* whole, int values) { std::copy_n(whole, values, row); });
  }
  std::int64_t work_bytes() const override { return 1; }

 private:
  T* whole(int k, int j) { return &whole_[static_cast<std::size_t>((k * of_.rows + j) * values_)]; }
  template <class Visit>
  void visit(T* rows, Visit const& visit) {
    for (int k = 0; k < of_.levels; ++k) {
      for (int j = 0; j < of_.rows; ++j) visit(rows + k * of_.level + j * of_.row, whole(k, j), values_);
    }
  }
  template <class Visit>
  void visit(RowPieces<T> const& pieces, Visit const& visit) {
    for (int p = 0; 2 * pieces.begin[p] < values_; ++p) {
      auto* value = pieces.first[p];
      for (int j = 0; j < of_.rows; ++j) {
        for (int k = 0; k < of_.levels; ++k) {
          for (int i = 2 * pieces.begin[p]; i < 2 * pieces.begin[p + 1]; ++i) visit(*value++, whole(k, j)[i]);
        }
      }
    }
  }

  RowsOfLevels of_;
  int values_;
  std::vector<T> whole_;
  std::unique_ptr<PlaneTransform<T>> transform_;
};

/// Counts in `made` the transforms of rows in pieces.
template <class T, class Format>
std::unique_ptr<PoissonPhases<T>> phases_in_pieces(PoissonGrid const& g, PoissonShare const& share,
                                                   std::shared_ptr<Link<Host>> const& link, int& made) {
  return std::make_unique<SharedPlanePhases<T, Host>>(
      Host{1}, g, share, link, Guarantee::bitwise,
      [](auto... sizes) { return make_portable_transform<T, Format>(Host{1}, sizes...); },
      [&](RowsOfLevels const& rows) {
        ++made;
        return std::make_unique<PackedRows<T, Format>>(rows);
      },
      [&](Modes modes) { return make_column_solver<T, Format>(Host{1}, g, modes, ColumnPasses::fewest); });
}

/// What packing reads and writes in a phase beside what its messages do.
template <class T>
double bytes_of_packing(PoissonGrid const& g, PlaneShares const& shares) {
  auto const rows = shares.rows_of_rank();
  auto const modes = shares.modes_of_rank().count;
  auto const leaving = rows * (g.modes_x() - modes), coming = (g.ny - rows) * modes;
  return 2.0 * sizeof(T) * g.nz * (leaving + coming);
}

/// Several ranks leave the same in their blocks: in the end, and where `shown` after every phase.
template <class T, class Format>
void expect_the_bits_of_one(PoissonGrid const& g, std::vector<int> const& numbers, PoissonMethod method,
                            Cutting cutting = Cutting::short_rims, std::atomic<int>* in_pieces = nullptr) {
  auto const d = converted<T>(right_hand_side(g, 5));
  auto const expected = phases_of_one<T, Format>(g, d, method);
  for (auto const ranks : numbers) {
    SCOPED_TRACE(testing::Message() << g.nx << " x " << g.ny << " x " << g.nz << " on " << ranks);
    on_thread_ranks(ranks, [&](std::shared_ptr<Ranks> const& team) {
      Blocks const blocks(g.nx, g.ny, team.get(), 1, "the grid", cutting);
      // Whole rows as planes have them are transformed in place, with what lies between levels.
      std::int64_t const row = cutting == Cutting::whole_rows ? 2 * g.modes_x() : blocks.nx() + 5,
                         plane = row * (blocks.ny() + 1);
      std::vector<T> memory(static_cast<std::size_t>(plane * g.nz + row));
      auto* const planes = memory.data() + 1;
      PoissonShare const share{blocks, plane, row};
      auto const link = std::make_shared<Link<Host>>(Host{1}, team);
      auto phases = make_poisson_phases<T, Format>(Host{1}, g, method, share, link);
      if (in_pieces) {
        auto const packing = phases->minimal_bytes();
        int made = 0;
        phases = phases_in_pieces<T, Format>(g, share, link, made);
        auto const less = made * bytes_of_packing<T>(g, {g, *link});
        EXPECT_EQ(packing[0] - phases->minimal_bytes()[0], less);
        EXPECT_EQ(packing[2] - phases->minimal_bytes()[2], less);
        *in_pieces += made;
      }
      EXPECT_GT(phases->work_bytes(), 0);
      auto const visit = [&](auto const& visit) {
        for (int k = 0; k < g.nz; ++k) {
          for (int j = 0; j < blocks.ny(); ++j) {
            for (int i = 0; i < blocks.nx(); ++i) {
              visit(planes[k * plane + j * row + i], at(g, k, blocks.first_y() + j, blocks.first_x() + i));
            }
          }
        }
      };
      auto const expect = [&](std::size_t phase) {
        int wrong = 0;
        visit([&](T& value, std::size_t cell) {
          wrong += std::memcmp(&value, &expected[phase][cell], sizeof(T)) == 0 ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0) << "phase " << phase;
      };
      struct Way {
        bool shown, in_parts;
      };
      for (auto const [shown, in_parts] :
           {Way{false, false}, Way{true, true}, Way{true, false}, Way{false, true}}) {
        phases->show(shown);
        visit([&](T& value, std::size_t cell) { value = d[cell]; });
        if (in_parts) {
          phases->begin_forward(planes);
          EXPECT_THROW(team->begin({}, {}), std::logic_error) << "no message is under way";
          phases->end_forward(planes);
        } else {
          phases->forward(planes);
        }
        if (shown) expect(0);
        phases->tridiagonal(planes);
        if (shown) expect(1);
        if (in_parts) {
          phases->begin_inverse(planes);
          EXPECT_THROW(team->begin({}, {}), std::logic_error) << "no message is under way";
          phases->end_inverse(planes);
        } else {
          phases->inverse(planes);
        }
        expect(2);
      }
    });
  }
}

TEST(SharedPhases, HaveTheBitsOfOneRank) {
  for (auto const& [name, g] : grids()) {
    if (g.nx < 4 || g.ny < 3) continue;
    SCOPED_TRACE(name);
    expect_the_bits_of_one<double, Exact>(g, {2, 3, 4}, PoissonMethod::portable);
    expect_the_bits_of_one<float, Exact>(g, {2, 4}, PoissonMethod::portable);
    expect_the_bits_of_one<float, Exact>(g, {2, 3}, PoissonMethod::portable, Cutting::whole_rows);
  }
}
TEST(SharedPhases, HaveThemWithRowsInPieces) {
  std::atomic<int> made = 0;
  for (auto const& [name, g] : grids()) {
    if (g.nx < 4 || g.ny < 7) continue;
    SCOPED_TRACE(name);
    expect_the_bits_of_one<double, Exact>(g, {2, 3, 7}, PoissonMethod::portable, Cutting::whole_rows, &made);
  }
  EXPECT_GT(made, 12);
}
/// More ranks than levels, or than rows, and blocks that are odd.
TEST(SharedPhases, HaveThemWhereSomeRanksHaveNothingToDo) {
  expect_the_bits_of_one<double, Exact>(uniform_poisson_grid(29, 3, 2, 1, 2, 3), {5, 8},
                                        PoissonMethod::portable);
  expect_the_bits_of_one<float, Tf32>(uniform_poisson_grid(14, 13, 5, 1, 2, 3), {7, 8},
                                      PoissonMethod::portable);
  expect_the_bits_of_one<float128, Exact>(uniform_poisson_grid(6, 7, 3, 1, 2, 3), {3},
                                          PoissonMethod::portable);
}
/// Rows and columns apart have other plans than planes: the solution is that of one rank to rounding. A
/// transform of n values errs by some log2(n) roundings relative to its norm, and each mode is solved for
/// with a small relative error; four transforms of each are compared.
TEST(SharedPhases, TakeTheVendorsTransform) {
  auto const g = uniform_poisson_grid(12, 10, 6, 1, 2, 3);
  auto const d = right_hand_side(g, 5);
  auto const expected = phases_of_one<double, Exact>(g, converted<double>(d), PoissonMethod::vendor).back();
  for (auto const cutting : {Cutting::short_rims, Cutting::whole_rows}) {
    Cells<double> found(expected.size());
    on_thread_ranks(4, [&](std::shared_ptr<Ranks> const& team) {
      Blocks const blocks(g.nx, g.ny, team.get(), 1, "the grid", cutting);
      std::int64_t const row = blocks.nx() + 2, plane = row * blocks.ny();
      std::vector<double> planes(static_cast<std::size_t>(plane * g.nz));
      auto const visit = [&](auto const& visit) {
        for_cells(uniform_poisson_grid(blocks.nx(), blocks.ny(), g.nz, 1, 2, 3), [&](int k, int j, int i) {
          visit(planes[static_cast<std::size_t>(k * plane + j * row + i)],
                at(g, k, blocks.first_y() + j, blocks.first_x() + i));
        });
      };
      visit([&](double& value, std::size_t cell) { value = static_cast<double>(d[cell]); });
      auto const phases =
          make_poisson_phases<double, Exact>(Host{1}, g, PoissonMethod::vendor, {blocks, plane, row},
                                             std::make_shared<Link<Host>>(Host{1}, team));
      EXPECT_EQ(phases->guarantee(), Guarantee::run_to_run);
      phases->solve(planes.data());
      visit([&](double& value, std::size_t cell) { found[cell] = value; });
    });
    double error = 0, norm = 0;
    for (std::size_t cell = 0; cell < found.size(); ++cell) {
      error += (found[cell] - expected[cell]) * (found[cell] - expected[cell]);
      norm += expected[cell] * expected[cell];
    }
    auto const roundings = 4 * std::log2(g.nx * g.ny) + g.nz;
    EXPECT_LT(std::sqrt(error / norm), roundings * std::numeric_limits<double>::epsilon());
    EXPECT_GT(norm, 0);
  }
}

}  // namespace
