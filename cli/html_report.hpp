// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ulpine::cli {

/// The analysis script, installed or in the source tree; empty where there is none.
std::filesystem::path report_script();
/// The Python that runs it: ULPINE_PYTHON, else /usr/bin/python3, else python3 on the path; empty where there
/// is none.
std::string report_python();
/// What the page of a study offers for choosing.
struct ChosenFields {
  std::vector<std::string> names = {};  ///< empty: as many as it has room for
  bool none = false;
};
/// What an earlier page is of where no new one can be made.
enum class EarlierPage {
  of_others,  ///< of results that have been written anew since: it is removed
  of_these    ///< it stays
};
/// Has the script write STUDY/report.html. Returns an empty text, or one line on why there is none and what
/// to do; InputError where the files or fields named cannot be used, or something of the page's or a figure's
/// name is none and is not to be overwritten.
std::string write_html_report(std::filesystem::path const& study, ChosenFields const& fields = {},
                              EarlierPage earlier = EarlierPage::of_others, bool overwrite = false);
/// The same of a comparison that has just been written: `page` from the file `comparison`; `retry` is the
/// command that tries again.
std::string write_html_comparison(std::filesystem::path const& comparison, std::filesystem::path const& page,
                                  std::string const& retry, bool overwrite = false);

}  // namespace ulpine::cli
