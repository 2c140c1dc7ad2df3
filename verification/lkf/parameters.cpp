// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/error.hpp"

namespace ulpine::lkf {
namespace {

constexpr char const* set_names[] = {"cells",           "eps_default",     "dog15", "rgps",
                                     "process_dataset", "multday_use_eps", nullptr};
constexpr double design_spacing_km = 12.5;  // of the RGPS grid for which lkf_tools' lengths were chosen
constexpr char const* keys[] = {"min_kernel",  "max_kernel", "dog_thres", "use_eps", "dis_thres", "ellp_fac",
                                "angle_thres", "eps_thres",  "lmin",      "max_ind", nullptr};

std::string listed(char const* const* names) {
  std::string text;
  for (; *names != nullptr; ++names) text += (text.empty() ? "" : ", ") + std::string{*names};
  return text;
}

template <class Number>
Number number(std::string const& key, std::string_view text) {
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InputError{"cannot read the value of '" + key + "' (found '" + std::string{text} + "') give a " +
                     (std::is_integral_v<Number> ? "whole number" : "number")};
  }
  return value;
}

bool truth(std::string const& key, std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw InputError{"cannot read the value of '" + key + "' (found '" + std::string{text} +
                   "') give true or false"};
}

void assign(Parameters& p, std::string const& key, std::string_view value) {
  if (key == "min_kernel") {
    p.min_kernel = number<double>(key, value);
  } else if (key == "max_kernel") {
    p.max_kernel = number<double>(key, value);
  } else if (key == "dog_thres") {
    p.dog_thres = number<double>(key, value);
  } else if (key == "use_eps") {
    p.use_eps = truth(key, value);
  } else if (key == "dis_thres") {
    p.dis_thres = number<double>(key, value);
  } else if (key == "ellp_fac") {
    p.ellp_fac = number<double>(key, value);
  } else if (key == "angle_thres") {
    p.angle_thres = number<double>(key, value);
  } else if (key == "eps_thres") {
    p.eps_thres = number<double>(key, value);
  } else if (key == "lmin") {
    p.lmin = number<double>(key, value);
  } else if (key == "max_ind") {
    p.max_ind = number<std::int64_t>(key, value);
  } else {
    throw InputError{"unknown LKF parameter '" + key + "' (known: " + listed(keys) + ")" +
                     nearest_hint(key, keys)};
  }
}

void require(bool holds, char const* key, char const* range) {
  if (!holds)
    throw InputError{std::string{"LKF parameter '"} + key + "' is out of range (must be " + range + ")"};
}

}  // namespace

void detail::validate(Parameters const& p) {
  require(p.min_kernel > 0 && p.min_kernel <= 10000, "min_kernel", "above 0 and at most 10000 cells");
  require(p.max_kernel >= p.min_kernel && p.max_kernel <= 10000, "max_kernel", "min_kernel to 10000 cells");
  require(std::isfinite(p.dog_thres), "dog_thres", "finite");
  require(p.dis_thres > 0 && p.dis_thres <= 10000, "dis_thres", "above 0 and at most 10000 cells");
  require(p.ellp_fac >= 0 && std::isfinite(p.ellp_fac), "ellp_fac", "0 or more");
  require(p.angle_thres > 0 && p.angle_thres <= 180, "angle_thres", "above 0 and at most 180 degrees");
  require(p.eps_thres > 0 && std::isfinite(p.eps_thres), "eps_thres", "above 0");
  require(p.lmin >= 0 && std::isfinite(p.lmin), "lmin", "0 or more");
  require(p.max_ind >= 1, "max_ind", "1 or more");
}

Parameters named_parameters(std::string const& name, double corfac) {
  if (!(corfac > 0 && corfac <= 1000)) {
    throw InputError{
        "the scale of LKF parameters is out of range (12.5 km / grid spacing must be above 0 and at "
        "most 1000) check the grid spacing, or choose 'cells', which counts them on any grid"};
  }
  Parameters p;
  if (name == "dog15") {
    p = {.dog_thres = 15, .ellp_fac = 2, .angle_thres = 45, .eps_thres = 1.25, .lmin = 3};
  } else if (name == "rgps") {
    p = {.dog_thres = 15, .ellp_fac = 2, .angle_thres = 35, .eps_thres = 1.25, .lmin = 3};
  } else if (name == default_set || name == "process_dataset" || name == "multday_use_eps") {
    p = {.dog_thres = 0.01, .use_eps = true, .ellp_fac = 2, .angle_thres = 45, .eps_thres = 1.25, .lmin = 3};
  } else if (name != "eps_default") {
    throw InputError{"unknown set of LKF parameters '" + name + "' (known: " + listed(set_names) + ")" +
                     nearest_hint(name, set_names)};
  }
  p.min_kernel *= (1 + corfac) / 2;
  p.max_kernel *= (1 + corfac) / 2;
  p.dis_thres *= corfac;
  p.lmin *= corfac;
  p.max_ind = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(p.max_ind) * corfac));
  return p;
}

Parameters parse_parameters(std::string const& text, double corfac) {
  std::vector<std::string> parts(1);
  for (auto const c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  auto const named = parts.front().find('=') == std::string::npos;
  auto parameters = named_parameters(named ? parts.front() : default_set, corfac);
  if (named) parts.erase(parts.begin());
  for (auto const& part : parts) {
    auto const equals = part.find('=');
    if (equals == std::string::npos) {
      throw InputError{"cannot read '" + part + "' (LKF parameters are NAME,key=value,...)" +
                       nearest_hint(part, keys)};
    }
    assign(parameters, part.substr(0, equals), std::string_view{part}.substr(equals + 1));
  }
  detail::validate(parameters);
  return parameters;
}

Parameters parameters_on(std::string const& text, std::optional<Spacing> const& spacing_km) {
  auto const name = text.substr(0, text.find(','));
  auto const scales = spacing_km && (name == "process_dataset" || name == "multday_use_eps");
  return parse_parameters(text, scales ? design_spacing_km / spacing_km->mean() : 1);
}

}  // namespace ulpine::lkf
