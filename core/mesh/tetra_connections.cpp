// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/exec/host.hpp"
#include "core/mesh/tetra_connections_impl.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace detail {

void refuse_rows(std::int32_t rows) {
  throw InputError(
      std::to_string(rows) +
      " nodes of a mesh have more than 255 neighbours (places in a row are stored in bytes) mesh the "
      "domain more evenly");
}

void refuse_size() {
  throw InputError(
      "a mesh is too large (its elements or the entries of a matrix on it pass 32 bits) use a coarser one");
}

}  // namespace detail

template class TetraConnections<Host>;
template PatternArrays<Host> second_order_pattern(Host, CsrPattern);

}  // namespace ulpine
