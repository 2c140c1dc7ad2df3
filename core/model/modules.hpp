// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// A core is compiled in parts, such as one a policy. A program holds some of them itself; each of the others
/// is a module, a shared library beside the program, which is opened when a run asks for it.
namespace ulpine {

/// A function of a part. A part is an array of them that ends with an empty one, and has C linkage: of core
/// "fem" in "quad" it is ulpine_fem_quad, alone in the module fem_quad.so.
struct Instance {
  char const* name = nullptr;
  void (*function)() = nullptr;
};

/// `function`, of type F, under a name by which find_instance() gives it again.
template <class F>
Instance instance(char const* name, std::type_identity_t<F>* function) {
  return {name, reinterpret_cast<void (*)()>(function)};
}

/// A part that a program holds itself.
struct LinkedPart {
  char const* name;
  Instance const* instances;
};

namespace detail {
void (*find_instance(char const* core, std::string const& part, std::string_view name,
                     std::span<LinkedPart const> linked))();
}  // namespace detail

/// The function `name` of that part of a core, which is one of `linked` or else opened: from the folder of
/// modules that belongs to the program's own, and from nowhere else. The caller knows its type F.
/// EnvironmentError, with the command that builds it, where the part was not built, or was built from another
/// commit.
template <class F>
F* find_instance(char const* core, std::string const& part, std::string_view name,
                 std::span<LinkedPart const> linked) {
  return reinterpret_cast<F*>(detail::find_instance(core, part, name, linked));
}

}  // namespace ulpine
