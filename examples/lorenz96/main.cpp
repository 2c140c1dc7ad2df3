// SPDX-License-Identifier: Apache-2.0
#include <ulpine/cli/command.hpp>
#include "lorenz96/lorenz.hpp"

int main(int argc, char** argv) {
  return ulpine::command_main(argc, argv, [] { ulpine::lorenz96::register_lorenz(); });
}
