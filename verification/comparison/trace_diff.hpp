// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/trace_file.hpp"
#include "verification/comparison/field_indices.hpp"
#include "verification/comparison/trace_merge.hpp"

namespace ulpine::verification {

/// The first place where two traces diverge.
struct Divergence {
  enum class Kind {
    values,          ///< same record, other bits
    shape,           ///< same record, another number of elements
    missing_record,  ///< the first trace has a record that the second has not
    extra_record,    ///< the second has one that the first has not
    order,           ///< both have both records, in another order
    parts            ///< what ranks tell of the record does not make one field
  };
  Kind kind = Kind::values;
  std::vector<io::LoopIndex> position;  ///< loop indices of the record, outermost first
  std::string stage, field;
  std::int64_t first = 0,
               last =
                   0;  ///< elements of the first block that differs, inclusive; all where blocks do not tell
  std::int64_t blocks_differing = 0, blocks = 0;
  std::int64_t count_a = 0, count_b = 0;     ///< elements on either side
  std::int64_t records_equal = 0;            ///< records before this one
  std::string parts = {};                    ///< of such a record: in which of the traces, and what is wrong
  std::optional<FieldIndices> indices = {};  ///< of the field, where the trace tells
};

/// The first difference of two traces in the order of records; none where all records agree. Stage and field
/// numbers of the files may differ, their names count. What a trace without its end does not have is no
/// difference.
std::optional<Divergence> first_divergence(io::Trace const& a, io::Trace const& b);
/// The same of traces of several ranks. Records that lack the same elements on both sides are compared as
/// they are.
std::optional<Divergence> first_divergence(MergedTrace const& a, MergedTrace const& b);

/// One line: "step 3, substep 17, stage seaice.stress, field s11: elements 1024 to 2047 differ (2 of 9
/// blocks; ...)".
std::string describe(Divergence const& divergence);

}  // namespace ulpine::verification
