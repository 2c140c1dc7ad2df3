// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ulpine::cli {

/// The analysis script, installed or in the source tree; empty where there is none.
std::filesystem::path report_script();
/// The Python that runs it: ULPINE_PYTHON, else /usr/bin/python3, else python3 on the path; empty where there
/// is none.
std::string report_python();
/// Has the script write STUDY/report.html. Returns an empty text, or one line on why there is none and what
/// to do.
std::string write_html_report(std::filesystem::path const& study);

}  // namespace ulpine::cli
