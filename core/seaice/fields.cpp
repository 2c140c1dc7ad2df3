// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/fields.hpp"

namespace ulpine::seaice {

ULPINE_SEAICE_FIELDS(, Host)
#if defined(ULPINE_HAS_CUDA)
ULPINE_SEAICE_FIELDS(, Cuda)
template struct Fields<ScalarsOf<Tf32Products>, Cuda>;
#endif

}  // namespace ulpine::seaice
