// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/replay.hpp"

#include <fmt/format.h>

#include <limits>

#include "cli/console.hpp"
#include "cli/output_folder.hpp"
#include "ensembles/study/progress.hpp"

namespace ulpine::cli {

int replay(ReplayOptions const& options) {
  OutputFolder const folder(options.output);
  ensembles::ReplayRequest request{.run = options.run, .step = options.step, .output = options.output};
  request.from = options.from;
  request.record = options.record;
  request.overwrite = options.common.overwrite;
  request.cancel = &cancelled();
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  request.progress = [&](std::int64_t done, std::int64_t steps) {
    progress.update(static_cast<double>(done) / static_cast<double>(steps),
                    std::numeric_limits<double>::infinity(), fmt::format("step {}/{}", done, steps));
  };
  auto const result = ensembles::replay(request);
  progress.finish();
  print(options.common,
        fmt::format("step {} repeated from step {}: {} outputs of stages\n{}\n", options.step, result.from,
                    result.count, (options.output / (options.record ? "field.nc" : "trace.bin")).string()));
  return exit_code::done;
}

}  // namespace ulpine::cli
