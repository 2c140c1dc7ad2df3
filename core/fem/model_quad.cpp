// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/host.hpp"
#include "core/fem/assembler_impl.hpp"
#include "core/fem/make_impl.hpp"

namespace ulpine::fem {

template <>
struct PoliciesOf<float128> {
  using type = PolicyList<Quad>;
};

template std::unique_ptr<Assembler<float128>> make_assembler(Host, char const*, Assembly,
                                                             TetraConnectivity const&, float128 const*);
template std::unique_ptr<Core> make_of<float128>(Host, std::string const&, Assembly, Setup const&,
                                                 std::shared_ptr<Ranks> const&, SetupTimes*);

}  // namespace ulpine::fem
