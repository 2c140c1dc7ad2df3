// SPDX-License-Identifier: Apache-2.0
#include "core/exec/emulating_host.hpp"
#include "core/exec/host.hpp"
#include "core/exec/plain_host.hpp"
#include "core/seaice/halos_impl.hpp"

namespace ulpine::seaice {

template class HaloRound<Host>;
template class HaloRound<PlainHost>;
template class HaloRound<EmulatingHost>;

}  // namespace ulpine::seaice
