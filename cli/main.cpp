// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "core/fdm/register.hpp"
#include "core/fem/register.hpp"
#include "core/les/register.hpp"
#include "core/seaice/register.hpp"

int main(int argc, char** argv) {
  return ulpine::command_main(argc, argv, [] {
    ulpine::seaice::register_core();
    ulpine::les::register_core();
    ulpine::fdm::register_core();
    ulpine::fem::register_core();
  });
}
