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
/// The fields that the page of a study lets its reader choose from.
struct ChosenFields {
  std::vector<std::string> names = {};  ///< empty: as many as it has room for
  bool none = false;
};
/// Which results an earlier page shows, where no new page can be made.
enum class EarlierPage {
  of_others,  ///< older results, written anew since: it is removed
  of_these    ///< these results: it stays
};
/// Has the script write STUDY/report.html. Returns an empty text, or one line on why there is none and what
/// to do; InputError where the files or fields named cannot be used, or something of the page's or a figure's
/// name is none and is not to be overwritten.
std::string write_html_report(std::filesystem::path const& study, ChosenFields const& fields = {},
                              EarlierPage earlier = EarlierPage::of_others, bool overwrite = false);
/// As write_html_report(), for a comparison just written: `page` from the file `comparison`; `retry` is the
/// command that tries again.
std::string write_html_comparison(std::filesystem::path const& comparison, std::filesystem::path const& page,
                                  std::string const& retry, bool overwrite = false);

}  // namespace ulpine::cli
