// SPDX-License-Identifier: MIT
//
// One type for every kind of environment. So the launcher table can hold plain functions, and the
// resolver is compiled once rather than once for each environment type.
#ifndef RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP
#define RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP

#include <rankmap/environment/environment.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Any Environment behind one type, as functions that are not templates take it. Empty counts as
/// unset: an empty rank is no rank, and no variable of a launcher makes a difference of the two.
/// Made as an EnvironmentViewOf. Each member is one look-up in the environment.
class EnvironmentView {
 public:
  /// The text of a variable, or nothing if it is unset or empty.
  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    // A row of a table without a variable has an empty name, and some environments hold a variable
    // with one ("=C:=C:\\" on Windows).
    if (name.empty()) return std::nullopt;
    const std::optional<std::string_view> text = look_up(name);
    return text && !text->empty() ? text : std::nullopt;
  }
  /// The text of a variable, or an empty one.
  constexpr std::string_view text_or_empty(std::string_view name) const {
    return (*this)(name).value_or(std::string_view());
  }
  /// Whether a variable is set and not empty.
  constexpr bool has(std::string_view name) const { return (*this)(name).has_value(); }

 protected:
  constexpr EnvironmentView() = default;
  constexpr EnvironmentView(const EnvironmentView&) = default;
  constexpr EnvironmentView& operator=(const EnvironmentView&) = default;
  constexpr ~EnvironmentView() = default;  // never deleted through this type

 private:
  constexpr virtual std::optional<std::string_view> look_up(std::string_view name) const = 0;
};

/// The view of one environment, which must outlive it. Usable in constant expressions.
template <Environment Env>
class EnvironmentViewOf final : public EnvironmentView {
 public:
  constexpr explicit EnvironmentViewOf(const Env& environment) : environment_(environment) {}

 private:
  constexpr std::optional<std::string_view> look_up(std::string_view name) const override {
    return environment_(name);
  }
  const Env& environment_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP
