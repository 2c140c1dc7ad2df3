// SPDX-License-Identifier: Apache-2.0
#include "core/fem/counted.hpp"
#include "core/fem/make_impl.hpp"

extern "C" {
extern ulpine::Instance const ulpine_fem_counted[];
ulpine::Instance const ulpine_fem_counted[] = {
    ulpine::instance<ulpine::fem::Maker<ulpine::CountingHost>>(
        "make", ulpine::fem::make_in<ulpine::CountedPolicy, ulpine::CountingHost>),
    {}};
}
