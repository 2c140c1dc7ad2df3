// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/host.hpp"
#include "core/fem/make_impl.hpp"

namespace ulpine::fem {

template std::unique_ptr<Core> make_of<float128>(Host, std::string const&, Assembly, Setup const&,
                                                 std::shared_ptr<Ranks> const&, SetupTimes*);

}  // namespace ulpine::fem
