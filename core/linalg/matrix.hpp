// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/memory.hpp"
#include "core/linalg/csr.hpp"

namespace ulpine::linalg {

/// A pattern in the executor's memory.
template <class Executor>
class SparsePattern {
 public:
  SparsePattern() = default;
  /// Copies `host`, which lies in host memory.
  SparsePattern(Executor executor, CsrPattern host)
      : rows_{host.rows},
        columns_{host.columns},
        lanes_{host.lanes},
        start_(executor, std::int64_t{host.rows} + 1),
        column_(executor, host.entries()) {
    start_.from_host(host.start);
    column_.from_host(host.column);
  }

  /// Takes `start`, rows + 1 numbers, and `column`, which lie in the executor's memory.
  SparsePattern(std::int32_t rows, std::int32_t columns, Array<std::int32_t, Executor>&& start,
                Array<std::int32_t, Executor>&& column)
      : rows_{rows},
        columns_{columns},
        lanes_{lanes_for(rows, column.size())},
        start_(static_cast<Array<std::int32_t, Executor>&&>(start)),
        column_(static_cast<Array<std::int32_t, Executor>&&>(column)) {}

  CsrPattern view() const { return {rows_, columns_, start_.view().data(), column_.view().data(), lanes_}; }
  std::int32_t rows() const { return rows_; }
  std::int32_t columns() const { return columns_; }
  std::int64_t entries() const { return column_.size(); }

 private:
  std::int32_t rows_ = 0, columns_ = 0, lanes_ = 4;
  Array<std::int32_t, Executor> start_, column_;
};

}  // namespace ulpine::linalg
