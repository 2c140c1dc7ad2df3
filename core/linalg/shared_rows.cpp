// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/shared_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace ulpine::linalg {
namespace {

std::size_t at(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace

OwnedRows::OwnedRows(CsrPattern held, PointsOfRank const& points) : skipped_{held.start[points.first()]} {
  auto const first = points.first(), end = first + points.owned();
  rows_.columns = points.all();
  for (auto row = first; row < end; ++row) rows_.start.push_back(held.start[row + 1] - skipped_);
  for (auto e = skipped_; e < held.start[end]; ++e) rows_.column.push_back(points.number(held.column[e]));
}

WholeRows::WholeRows(Ranks& ranks, CsrPattern held, PointsOfRank const& points)
    : ranks_{&ranks},
      lists_{ghost_lists(ranks, points)},
      first_{points.first()},
      end_{points.first() + points.owned()},
      skipped_{held.start[points.first()]} {
  std::vector<std::int32_t> lengths(at(points.held()), 0), each(lengths.size() + 1);
  std::iota(each.begin(), each.end(), 0);
  for (auto row = first_; row < end_; ++row) lengths[at(row)] = held.start[row + 1] - held.start[row];
  fetch(each, 1, lengths);
  rows_.columns = points.all();
  std::partial_sum(lengths.begin(), lengths.end(), std::back_inserter(rows_.start));
  rows_.column.resize(at(rows_.start.back()));
  auto own = rows_.column.begin() + rows_.start[at(first_)];
  for (auto e = skipped_; e < held.start[end_]; ++e) *own++ = points.number(held.column[e]);
  fetch(rows_.start, 1, rows_.column);
}

std::vector<double> WholeRows::values(double const* held, int components) const {
  std::int64_t const each = components;
  std::vector<double> all(at(each * rows_.entries()));
  auto const first = rows_.start[at(first_)], end = rows_.start[at(end_)];
  std::copy_n(held + each * skipped_, each * (end - first), all.begin() + each * first);
  fetch(rows_.start, each, all);
  return all;
}

template <class T>
void WholeRows::fetch(std::vector<std::int32_t> const& start, std::int64_t components,
                      std::vector<T>& values) const {
  auto const row = [&](std::int32_t place) {
    return std::pair{components * start[at(place)], components * start[at(place) + 1]};
  };
  auto const bytes = [](std::vector<T> const& of) {
    return static_cast<std::int64_t>(of.size() * sizeof(T));
  };
  std::vector<std::vector<T>> sent(lists_.sent.size()), received(lists_.received.size());
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t n = 0; n < sent.size(); ++n) {
    for (auto const place : lists_.sent[n].places) {
      auto const [begin, end] = row(place);
      sent[n].insert(sent[n].end(), values.begin() + begin, values.begin() + end);
    }
    out.push_back({lists_.sent[n].rank, sent[n].data(), bytes(sent[n])});
  }
  for (std::size_t n = 0; n < received.size(); ++n) {
    std::int64_t count = 0;
    for (auto const place : lists_.received[n].places) count += row(place).second - row(place).first;
    received[n].resize(at(count));
    in.push_back({lists_.received[n].rank, received[n].data(), bytes(received[n])});
  }
  ranks_->exchange(out, in);
  for (std::size_t n = 0; n < received.size(); ++n) {
    auto from = received[n].begin();
    for (auto const place : lists_.received[n].places) {
      auto const [begin, end] = row(place);
      std::copy_n(from, end - begin, values.begin() + begin);
      from += end - begin;
    }
  }
}

HostPattern square_rows(CsrPattern held, PointsOfRank const& points, CsrPattern whole) {
  return product_pattern({points.owned(), held.columns, held.start + points.first(), held.column}, whole);
}

}  // namespace ulpine::linalg
