// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::atlas {

/// What a child process does for the rows of NCCL, whose choices are read once a process: sums over so many
/// GPUs of this host, written to `path`. The exit code.
int nccl_sums(int ranks, char const* path);

}  // namespace ulpine::atlas
