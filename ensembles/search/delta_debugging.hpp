// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace ulpine::ensembles::search {

/// Some of the things that a search is about, by number, in its order.
using Subset = std::vector<std::size_t>;

/// The place of the first of `candidates` that passes, tried in their order; empty where none does.
using FirstPassing = std::function<std::optional<std::size_t>(std::vector<Subset> const& candidates)>;

/// A subset of `items` that passes and is 1-minimal: without any single one of its members it does not (ddmin
/// of Zeller and Hildebrandt, IEEE Trans. Softw. Eng. 28, 2002, algorithm 5). `items` itself has to pass; the
/// empty subset is tried first. At most n^2 + 3n + 1 candidates are asked about for n items, whatever the
/// test; asked about twice are some, so that a test which costs anything remembers.
Subset minimal_passing(Subset items, FirstPassing const& first_passing);

}  // namespace ulpine::ensembles::search
