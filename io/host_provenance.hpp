// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/provenance.hpp"

namespace ulpine::io {

/// What build_provenance() says but for the libraries: it needs none of them. InputError where
/// SOURCE_DATE_EPOCH is set and no whole number of seconds since 1970.
Provenance host_provenance();

}  // namespace ulpine::io
