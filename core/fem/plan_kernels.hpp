// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/row_sums.hpp"
#include "core/linalg/kernels.hpp"
#include "core/mesh/tetra_kernels.hpp"

/// How plan.hpp's lists are built, on any executor: the same lists for any number of threads and any block.
namespace ulpine::fem {

/// Which rows a patch owns.
struct PatchRows {
  std::int32_t rows, nodes;  ///< of a patch, of the mesh

  ULPINE_HD std::int32_t count() const { return (nodes - 1) / rows + 1; }
  ULPINE_HD std::int32_t first(std::int64_t row) const { return static_cast<std::int32_t>(row - row % rows); }
  ULPINE_HD std::int32_t last(std::int64_t row) const {
    auto const end = static_cast<std::int64_t>(first(row)) + rows;
    return end < nodes ? static_cast<std::int32_t>(end) : nodes;
  }
};

/// Row r of the entry lists: where each of its entries' contributions begin, and the contributions off the
/// diagonal, called after where a patch keeps them (Patches::contribution), in the order of the visits. The
/// row has a_visit of them a visit, so that rows need nothing of each other.
struct EntryLister {
  static constexpr int a_visit = 3;
  TetraConnectivity mesh;
  PatchRows patch;
  std::int32_t* start;  ///< of each entry, and the end; zeros before
  std::uint16_t* contribution;

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const r = static_cast<std::int32_t>(at);
    auto const first = mesh.pattern.start[r], last = mesh.pattern.start[r + 1];
    auto const begin = mesh.visit_start[r], end = mesh.visit_start[r + 1];
    for (auto v = begin; v < end; ++v) {
      for (int j = 0; j < 4; ++j) {
        if (mesh.visit[v].local() != j) ++start[entry(first, v, j)];
      }
    }
    auto next = a_visit * begin;
    for (auto e = first; e < last; ++e) {
      auto const own = start[e];
      start[e] = next;
      next += own;
    }
    auto const before = mesh.visit_start[patch.first(r)];
    for (auto v = begin; v < end; ++v) {
      int const i = mesh.visit[v].local();
      for (int j = 0; j < 4; ++j) {
        if (i == j) continue;
        contribution[start[entry(first, v, j)]++] =
            static_cast<std::uint16_t>(4 * place_of_visit(v - before) + turned(i, j));
      }
    }
    // Each entry's place has run on to where the next one begins.
    for (auto e = last; e-- > first;) start[e] = e == first ? a_visit * begin : start[e - 1];
    if (r + 1 == mesh.nodes) start[last] = a_visit * end;
  }

 private:
  ULPINE_HD std::int32_t entry(std::int32_t first, std::int32_t visit, int j) const {
    return first + static_cast<std::int32_t>(mesh.slot[visit] >> (8 * j) & 255U);
  }
};

/// The elements of the rows of a mesh, and which of them an earlier row of the patch has too. For NewCounter
/// and NewLister.
struct ElementsMet {
  TetraConnectivity mesh;

  ULPINE_HD std::int32_t begin(std::int64_t r) const { return mesh.visit_start[r]; }
  ULPINE_HD std::int32_t member(std::int32_t k) const { return mesh.visit[k].element(); }
  ULPINE_HD bool is_new(std::int32_t first, std::int32_t, std::int32_t r, std::int32_t element) const {
    auto const* const node = nodes_of(mesh.element, element);
    bool met = false;
    for (int j = 0; j < 4; ++j) met = met || (node[j] >= first && node[j] < r);
    return !met;
  }
};

/// A row's nodes that are no rows of the patch, and which of them an earlier row of it has too.
struct NodesMet {
  CsrPattern pattern;

  ULPINE_HD std::int32_t begin(std::int64_t r) const { return pattern.start[r]; }
  ULPINE_HD std::int32_t member(std::int32_t k) const { return pattern.column[k]; }
  ULPINE_HD bool is_new(std::int32_t first, std::int32_t last, std::int32_t r, std::int32_t node) const {
    if (node >= first && node < last) return false;
    // The pattern is symmetric: the first of the patch's rows that has the node is in the node's own row.
    auto const* const row = pattern.column + pattern.start[node];
    return row[ulpine::detail::lower_place(row, pattern.start[node + 1] - pattern.start[node], first)] == r;
  }
};

/// How many members the patch first meets in row r.
template <class Members>
struct NewCounter {
  Members members;
  PatchRows patch;
  std::int32_t* count;

  ULPINE_HD void operator()(std::int64_t r) const {
    auto const row = static_cast<std::int32_t>(r), first = patch.first(r), last = patch.last(r);
    std::int32_t met = 0;
    for (auto k = members.begin(r); k < members.begin(r + 1); ++k) {
      if (members.is_new(first, last, row, members.member(k))) ++met;
    }
    count[r] = met;
  }
};

/// Lists the members that the patch first meets in row r, from start[r] on, ascending.
template <class Members>
struct NewLister {
  Members members;
  PatchRows patch;
  std::int32_t const* start;
  std::int32_t* list;

  ULPINE_HD void operator()(std::int64_t r) const {
    auto const row = static_cast<std::int32_t>(r), first = patch.first(r), last = patch.last(r);
    auto next = start[r];
    for (auto k = members.begin(r); k < members.begin(r + 1); ++k) {
      auto const member = members.member(k);
      if (members.is_new(first, last, row, member)) list[next++] = member;
    }
  }
};

/// How long the lists of patch p's rows are together.
struct PatchLength {
  PatchRows patch;
  std::int32_t const* row_start;
  std::int32_t* length;

  ULPINE_HD void operator()(std::int64_t p) const {
    auto const first = p * patch.rows;
    length[p] = row_start[patch.last(first)] - row_start[first];
  }
};

/// Where the rows of patch p begin, or those of the last one end; its other lists are empty.
struct RowsStarter {
  TetraConnectivity mesh;
  PatchRows patch;
  PatchStart* start;

  ULPINE_HD void operator()(std::int64_t p) const {
    auto const row = p < patch.count() ? p * patch.rows : patch.nodes;
    start[p] = {0, 0, mesh.visit_start[row], mesh.pattern.start[row]};
  }
};

/// Where a list of patch p begins, from where its first row does.
struct PatchStarter {
  PatchRows patch;
  std::int32_t const* row_start;
  PatchStart* start;
  bool of_nodes;  ///< the list is that of nodes; else of elements

  ULPINE_HD void operator()(std::int64_t p) const {
    begin(start[p]) = row_start[p * patch.rows];
    if (p + 1 == patch.count()) begin(start[p + 1]) = row_start[patch.nodes];
  }

 private:
  ULPINE_HD std::int32_t& begin(PatchStart& of) const { return of_nodes ? of.node : of.element; }
};

/// The members that the patch first meets in row r, to their places among all of the patch, which are those
/// of several ascending rows.
struct PatchMerger {
  PatchRows patch;
  std::int32_t const *row_start, *row_list;
  std::int32_t* list;

  ULPINE_HD void operator()(std::int64_t r) const {
    auto const first = patch.first(r), last = patch.last(r);
    for (auto k = row_start[r]; k < row_start[r + 1]; ++k) {
      auto place = k - row_start[r];
      for (auto q = first; q < last; ++q) {
        if (q == r) continue;
        place += ulpine::detail::lower_place(row_list + row_start[q], row_start[q + 1] - row_start[q],
                                             row_list[k]);
      }
      list[row_start[first] + place] = row_list[k];
    }
  }
};

/// Where row r has its entry of the diagonal.
struct DiagonalFinder {
  CsrPattern pattern;
  std::int32_t* diagonal;

  ULPINE_HD void operator()(std::int64_t r) const {
    diagonal[r] = linalg::entry_of(pattern, static_cast<std::int32_t>(r), static_cast<std::int32_t>(r));
  }
};

/// The elements of a patch by the corners that it owns, ascending among those that have the same: what
/// threads side by side do not own they need not integrate. Point 16 p + c lists those of patch p that own
/// the corners c ^ (c >> 1), so that from one list to the next a single corner comes or goes (a Gray code).
struct ElementsByCorners {
  static constexpr int lists = 16;

  PatchStart const* start;
  PatchElement const* ascending;
  PatchElement* element;

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const p = at / lists, list = at % lists;
    auto const begin = start[p].element, end = start[p + 1].element;
    auto next = begin;
    for (auto k = begin; k < end; ++k) {
      if (list_of(ascending[k]) < list) ++next;
    }
    for (auto k = begin; k < end; ++k) {
      if (list_of(ascending[k]) == list) element[next++] = ascending[k];
    }
  }

 private:
  ULPINE_HD static int list_of(PatchElement const& of) {
    int corners = 0;
    for (int i = 0; i < 4; ++i) corners |= of.place(i) == PatchElement::elsewhere ? 0 : 1 << i;
    return corners ^ corners >> 1 ^ corners >> 2 ^ corners >> 3;
  }
};

/// The k-th of the elements of all patches.
struct PatchElementNamer {
  TetraConnectivity mesh;
  PatchRows patch;
  PatchStart const* start;
  std::int32_t const *element, *node;  ///< of the patches, and their other nodes
  PatchElement* named;

  ULPINE_HD void operator()(std::int64_t k) const {
    auto const at = static_cast<std::int32_t>(k);
    auto const p = patch_of(at);
    auto const first = p * patch.rows, last = patch.last(first);
    auto const* const others = node + start[p].node;
    auto const other_count = start[p + 1].node - start[p].node;
    PatchElement out;
    for (int i = 0; i < 4; ++i) {
      auto const n = nodes_of(mesh.element, element[k])[i];
      bool const own = n >= first && n < last;
      auto const named_node = static_cast<std::uint32_t>(
          own ? n - first : last - first + ulpine::detail::lower_place(others, other_count, n));
      auto const place =
          own ? static_cast<std::uint32_t>(place_of_visit(visit_of(n, element[k]) - mesh.visit_start[first]))
              : PatchElement::elsewhere;
      out.corner[i] = named_node | place << 16;
    }
    named[k] = out;
  }

 private:
  /// The patch of the k-th element: no patch has none.
  ULPINE_HD std::int32_t patch_of(std::int32_t k) const {
    std::int32_t low = 0, high = patch.count() - 1;
    while (low < high) {
      auto const middle = (low + high + 1) / 2;
      if (start[middle].element <= k) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
  ULPINE_HD std::int32_t visit_of(std::int32_t n, std::int32_t e) const {
    auto low = mesh.visit_start[n], high = mesh.visit_start[n + 1] - 1;
    while (low < high) {
      auto const middle = (low + high) / 2;
      if (mesh.visit[middle].element() < e) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

}  // namespace ulpine::fem
