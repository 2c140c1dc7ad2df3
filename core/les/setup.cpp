// SPDX-License-Identifier: Apache-2.0
#include "core/les/setup.hpp"

namespace ulpine::les {

Setup read_case(io::CaseFile const& case_file) {
  Parameters const parameters(case_file);
  return {parameters, Tables(parameters), {}, {}};
}

}  // namespace ulpine::les
