// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "core/field/rows.hpp"
#include "core/field/table.hpp"
#include "core/stage/runner.hpp"

namespace ulpine {

/// The fields and stages of a core on one executor, which its parts declare and find by name. A part is a
/// process such as rain: it knows of others no more than the fields that they declare.
template <class ExecutorType>
class Declarations {
 public:
  using Executor = ExecutorType;

  /// `core` is the first word of all stages' names; null ranks: of a program on one rank.
  Declarations(std::string core, Executor on, std::shared_ptr<Ranks> ranks)
      : executor{on}, fields{std::move(ranks)}, core_{std::move(core)} {}
  Declarations(Declarations const&) = delete;
  Declarations& operator=(Declarations const&) = delete;

  /// Declares a field; std::logic_error where another part has one of that name.
  template <class V>
  FieldOf<V, Executor>& add(FieldDescription description, Layout const& layout) {
    return fields.template add<V>(executor, std::move(description), layout);
  }
  /// Declares a field that nobody looks at but traces.
  template <class V>
  FieldOf<V, Executor>& work(std::string name, std::string units, Layout const& layout) {
    return add<V>({.name = std::move(name), .units = std::move(units)}, layout);
  }
  /// The declared field of that name; null where there is none. std::logic_error where it holds another type.
  template <class V>
  FieldOf<V, Executor>* find(std::string const& name) const {
    for (auto const& field : fields.all()) {
      if (field->name() != name) continue;
      auto* const found = dynamic_cast<FieldOf<V, Executor>*>(field.get());
      if (found == nullptr) throw std::logic_error("field " + name + " is of another type");
      return found;
    }
    return nullptr;
  }

  /// Declares the stage "core.name", one launch of which moves at least `bytes`; `doc` is one plain sentence
  /// without a full stop.
  Stage stage(std::string const& name, std::string doc, double bytes,
              Guarantee guarantee = Guarantee::bitwise) {
    return stages.add({core_ + "." + name, std::move(doc), bytes, guarantee});
  }
  /// Launches `kernel` over `extent` as a stage that writes `writes`.
  template <class Extent, class Kernel>
  void run(Stage stage, Extent extent, Kernel const& kernel, std::initializer_list<Field const*> writes) {
    stages.run(stage, executor, extent, kernel, writes);
  }

  std::string const& core() const { return core_; }

  Executor executor;
  FieldTable fields;
  StageRunner stages;

 private:
  std::string core_;
};

/// A field that a part uses, by its name: looked up at the first use, when all parts have declared theirs.
template <class V, class Executor>
class Named {
 public:
  Named(Declarations<Executor> const& all, char const* name) : all_{&all}, name_{name} {}

  /// Whether any part declares it in this run.
  bool declared() const { return found() != nullptr; }
  FieldOf<V, Executor>& operator*() const {
    if (found() == nullptr) throw std::logic_error(std::string("no part declares field ") + name_);
    return *field_;
  }
  FieldOf<V, Executor>* operator->() const { return &**this; }
  operator Field const*() const { return &**this; }
  /// Its points, to read; null where no part declares it.
  Rows<V const> in() const {
    return declared() ? Rows<V const>(std::as_const(*field_).grid()) : Rows<V const>{};
  }
  /// Its points, to write.
  Rows<V> out() const { return (**this).grid(); }

 private:
  FieldOf<V, Executor>* found() const {
    if (!looked_) field_ = all_->template find<V>(name_);
    looked_ = true;
    return field_;
  }
  Declarations<Executor> const* all_;
  char const* name_;
  mutable FieldOf<V, Executor>* field_ = nullptr;
  mutable bool looked_ = false;
};

}  // namespace ulpine
