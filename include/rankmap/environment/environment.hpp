// SPDX-License-Identifier: MIT
// What an environment is. Every function that reads variables takes one as an argument, so that
// tests, recordings and programs with their own configuration can pass theirs.
#ifndef RANKMAP_ENVIRONMENT_ENVIRONMENT_HPP
#define RANKMAP_ENVIRONMENT_ENVIRONMENT_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/version.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

namespace detail {

/// Whether one of some arguments, deduced as `Text&&...`, is a temporary that may hold its text
/// itself: what views it reads freed memory from the next statement on.
template <class... Text>
concept OwningTemporary = ((std::is_convertible_v<Text, std::string_view> &&
                            !std::is_lvalue_reference_v<Text> &&
                            !std::is_pointer_v<std::remove_reference_t<Text>> &&
                            !std::is_same_v<std::remove_cvref_t<Text>, std::string_view>) ||
                           ...);

/// False for a look-up that returns a text of its own such as std::string, which would be gone, or
/// a pointer, which may be null.
template <class T>
inline constexpr bool leaves_its_text =
    std::is_lvalue_reference_v<T>
        ? !std::is_pointer_v<std::remove_reference_t<T>>
        : std::is_same_v<std::remove_cvref_t<T>, std::string_view> ||
              std::is_same_v<std::remove_cvref_t<T>, std::optional<std::string_view>> ||
              std::is_same_v<std::remove_cvref_t<T>, std::nullopt_t>;

}  // namespace detail

/// Any callable that gives a variable's text, or nothing where the variable is not set. Unset and
/// empty differ. The text must stay valid while the call that received the environment runs;
/// rankmap copies what it keeps. Lambdas qualify:
/// `[&](std::string_view name) -> std::optional<std::string_view> { ... }`.
/// Callables that return an owning text such as std::string, or a pointer as getenv does, do not.
template <class T>
concept Environment = requires(const T& environment, std::string_view name) {
  { environment(name) } -> std::convertible_to<std::optional<std::string_view>>;
  requires detail::leaves_its_text<decltype(environment(name))>;
};

/// Whether a process started with a variable and exactly this text.
struct StartQuestion {
  std::string_view variable = {};
  std::string_view text = {};
  std::optional<bool> is_same = {};  ///< the answer; nothing: that cannot be read
  bool is_unset = false;             ///< known to have started without it; then is_same is false
};

/// Questions about different variables, which are answered together, in one pass over what the
/// process started with. A view, lighter to include than a std::span.
struct StartQuestions {
  StartQuestion* first = nullptr;
  std::size_t size = 0;

  constexpr StartQuestion* begin() const { return first; }
  constexpr StartQuestion* end() const { return first + size; }
};

/// The variable that names a file in which whoever runs the job declares launchers.
inline constexpr std::string_view launcher_file_variable = "RANKMAP_LAUNCHERS";

/// That file, as an environment offers it by a member `launcher_file()`. The text stays valid as
/// long as what is found by it is used.
struct LauncherFile {
  static constexpr std::size_t max_bytes = 8192;  ///< of one text of declarations

  bool is_named = false;                      ///< the variable is set, and the file was looked at
  std::optional<std::string_view> text = {};  ///< nothing: it cannot be read
};

/// One variable of a FixedEnvironment. The texts are viewed: literals and texts that someone keeps,
/// such as a std::string with a name, are taken, and temporaries refused.
struct Variable {
  constexpr Variable() = default;
  constexpr Variable(std::string_view name_of, std::string_view value_of)
      : name(name_of), value(value_of) {}
  template <class Name, class Value>
  requires detail::OwningTemporary<Name, Value>
  constexpr Variable(Name&&, Value&&) = delete;  // its text would be gone: use MapEnvironment

  std::string_view name;
  std::string_view value;
};

/// A fixed list of `Count` variables; constexpr, for tests and for configuration from elsewhere.
/// The texts are viewed, not copied; MapEnvironment copies them. If a name occurs twice, the first
/// one counts. O(Count) for each look-up, O(Count^2) to visit all.
///
///     constexpr FixedEnvironment env({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}});
template <std::size_t Count>
class FixedEnvironment {
  static constexpr std::size_t capacity = Count == 0 ? 1 : Count;  // there are no arrays of none

 public:
  constexpr FixedEnvironment() requires(Count == 0) = default;
  constexpr FixedEnvironment(const Variable (&variables)[capacity]) {  // NOLINT
    for (std::size_t i = 0; i != Count; ++i) variables_[i] = variables[i];
  }

  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    const std::size_t place = find(name);
    if (place == Count) return std::nullopt;
    return variables_[place].value;
  }
  /// Calls `visit(name, text)` for each variable.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i != Count; ++i) {
      if (find(variables_[i].name) == i) visit(variables_[i].name, variables_[i].value);
    }
  }

 private:
  constexpr std::size_t find(std::string_view name) const {
    std::size_t place = 0;
    while (place != Count && variables_[place].name != name) ++place;
    return place;
  }

  Variable variables_[capacity] = {};
};
FixedEnvironment()->FixedEnvironment<0>;
template <std::size_t Count>
FixedEnvironment(const Variable (&)[Count]) -> FixedEnvironment<Count>;

/// A recorded environment: one text of `NAME=value` entries, separated by `separator`: '\n' for the
/// output of `env`, '\0' for /proc/PID/environ or `env -0` (values that hold newlines need that).
/// The text is viewed, not copied, so a temporary is refused; MapEnvironment takes one. An entry
/// without '=' is no variable. If a name occurs twice, the first one counts. O(text) for each
/// look-up, O(text x variables) to visit all.
class RecordedEnvironment {
 public:
  constexpr explicit RecordedEnvironment(std::string_view text, char separator = '\n')
      : text_(text), separator_(separator) {}
  template <detail::OwningTemporary Text>
  explicit RecordedEnvironment(Text&&, char = '\n') = delete;  // use MapEnvironment

  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    for (detail::ListEntries entries(text_, separator_); entries.next();) {
      const std::string_view entry = entries.text();
      if (entry.size() > name.size() && entry[name.size()] == '=' &&
          entry.substr(0, name.size()) == name) {
        return entry.substr(name.size() + 1);
      }
    }
    return std::nullopt;
  }
  /// Calls `visit(name, text)` for each variable.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (detail::ListEntries entries(text_, separator_); entries.next();) {
      const auto [name, text] = detail::split_at(entries.text(), '=');
      if (text && (*this)(name)->data() == text->data()) visit(name, *text);
    }
  }

 private:
  std::string_view text_;
  char separator_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_ENVIRONMENT_HPP
