// SPDX-License-Identifier: MIT
// One type for every kind of environment: what reads one is compiled once, not once for each.
#ifndef RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP
#define RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Any Environment, as functions that are not templates take it: made as an EnvironmentViewOf.
/// Empty counts as unset, since no launcher makes a difference of the two. A member is one look-up.
class EnvironmentView {
 public:
  /// The text of a variable, or nothing if it is unset or empty.
  RANKMAP_RARE constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    // A row of a table without a variable has an empty name, and some environments hold a variable
    // with one ("=C:=C:\\" on Windows).
    if (name.empty()) return std::nullopt;
    const std::optional<std::string_view> text = look_up(name);
    return text && !text->empty() ? text : std::nullopt;
  }
  /// The text of a variable, or an empty one.
  RANKMAP_RARE constexpr std::string_view text_or_empty(std::string_view name) const {
    return (*this)(name).value_or(std::string_view());
  }
  /// Whether a variable is set and not empty.
  RANKMAP_RARE constexpr bool has(std::string_view name) const { return (*this)(name).has_value(); }

  /// Makes ancestors() and answer() say nothing, without a look at any process.
  constexpr void hide_processes() { has_processes_ = false; }
  /// The processes above this one: nothing if the environment is not that of a process, and none
  /// if they cannot be read. `limit`: how many are enough; an environment may give more.
  constexpr std::optional<Ancestors> ancestors(std::size_t limit = Ancestors::limit) const {
    return has_processes_ ? list_ancestors(limit) : std::nullopt;
  }
  /// Whether the process started with the variable as it is now, rather than having set it itself;
  /// nothing if that cannot be read, or if the variable is unset or empty.
  constexpr std::optional<bool> started_with(std::string_view name) const {
    StartQuestion question{name, text_or_empty(name), {}};
    if (!question.text.empty()) answer({&question, 1});
    return question.is_same;
  }
  /// The same for several variables, each with the text that it has.
  constexpr void answer(StartQuestions questions) const {
    if (has_processes_) answer_start(questions);
  }
  /// The file that RANKMAP_LAUNCHERS names; not named where the environment reads no files.
  constexpr LauncherFile launcher_file() const { return read_launcher_file(); }
  /// Calls `visit(name, text)` for each variable that is set and not empty; not at all if the
  /// environment cannot list its variables.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    struct Adapter final : Visitor {
      constexpr explicit Adapter(Visit& to) : to_(to) {}
      constexpr void visit(std::string_view name, std::string_view text) override {
        if (!name.empty() && !text.empty()) to_(name, text);
      }
      Visit& to_;
    };
    Adapter adapter(visit);
    list_variables(adapter);
  }

 protected:
  /// What list_variables() calls with each name and text.
  class Visitor {
   public:
    constexpr virtual void visit(std::string_view name, std::string_view text) = 0;

   protected:
    constexpr ~Visitor() = default;
  };

  constexpr EnvironmentView() = default;
  constexpr EnvironmentView(const EnvironmentView&) = default;
  constexpr EnvironmentView& operator=(const EnvironmentView&) = default;
  constexpr ~EnvironmentView() = default;  // never deleted through this type

 private:
  constexpr virtual std::optional<std::string_view> look_up(std::string_view name) const = 0;
  constexpr virtual std::optional<Ancestors> list_ancestors(std::size_t limit) const = 0;
  constexpr virtual void answer_start(StartQuestions questions) const = 0;
  constexpr virtual LauncherFile read_launcher_file() const = 0;
  constexpr virtual void list_variables(Visitor& visitor) const = 0;

  bool has_processes_ = true;
};

/// The view of one environment, which must outlive it. Usable in constant expressions. Offers what
/// the environment offers, by these members:
///   ancestors()         Ancestors, an optional of it, or any range of Ancestor, parent first
///   ancestors(limit)    the same, no more than are enough
///   started_with(name)  an optional bool
///   answer(questions)   the same for several, as StartQuestion says
///   launcher_file()     a LauncherFile
///   for_each(visit)     calls visit(name, text) for each variable
template <Environment Env>
class EnvironmentViewOf final : public EnvironmentView {
 public:
  constexpr explicit EnvironmentViewOf(const Env& environment) : environment_(environment) {}
  explicit EnvironmentViewOf(const Env&&) = delete;  // it would be gone: give it a name

 private:
  constexpr std::optional<std::string_view> look_up(std::string_view name) const override {
    return environment_(name);
  }
  RANKMAP_RARE constexpr std::optional<Ancestors> list_ancestors(std::size_t limit) const override {
    if constexpr (requires { std::optional<Ancestors>(environment_.ancestors(limit)); }) {
      return std::optional<Ancestors>(environment_.ancestors(limit));
    } else if constexpr (requires { std::optional<Ancestors>(environment_.ancestors()); }) {
      return std::optional<Ancestors>(environment_.ancestors());
    } else if constexpr (requires { environment_.ancestors(); }) {
      Ancestors out;
      for (const Ancestor& ancestor : environment_.ancestors()) out.add(ancestor);
      return out;
    } else {
      return std::nullopt;
    }
  }
  RANKMAP_RARE constexpr void answer_start(StartQuestions questions) const override {
    if constexpr (requires { environment_.answer(questions); }) {
      environment_.answer(questions);
    } else if constexpr (requires { environment_.started_with(std::string_view()); }) {
      for (StartQuestion& question : questions) {
        question.is_same = environment_.started_with(question.variable);
      }
    }
  }
  constexpr LauncherFile read_launcher_file() const override {
    if constexpr (requires { LauncherFile(environment_.launcher_file()); }) {
      return environment_.launcher_file();
    } else {
      return {};
    }
  }
  constexpr void list_variables(Visitor& visitor) const override {
    // Copyable, as callables are expected to be.
    const auto visit = [&visitor](std::string_view name, std::string_view text) {
      visitor.visit(name, text);
    };
    if constexpr (requires { environment_.for_each(visit); }) environment_.for_each(visit);
  }
  const Env& environment_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP
