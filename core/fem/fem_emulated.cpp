// SPDX-License-Identifier: Apache-2.0
#include "core/fem/emulated.hpp"
#include "core/fem/make_impl.hpp"

extern "C" {
extern ulpine::Instance const ulpine_fem_emulated[];
ulpine::Instance const ulpine_fem_emulated[] = {
    ulpine::instance<ulpine::fem::Maker<ulpine::EmulatingHost>>(
        "make", ulpine::fem::make_in<ulpine::EmulatedPolicy, ulpine::EmulatingHost>),
    {}};
}
