// SPDX-License-Identifier: MIT
//
// One face for every kind of environment, so that the launcher table can hold plain functions and
// the resolver is compiled once rather than once per environment type.
#ifndef RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP
#define RANKMAP_ENVIRONMENT_ENVIRONMENT_VIEW_HPP

#include <rankmap/environment/environment.hpp>
#include <rankmap/version.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

class EnvironmentView {
 public:
  /// The text, or nothing where the variable is unset or empty: an empty rank is no rank, and every
  /// launcher variable read here means the same by "empty" as by "unset".
  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    // What has no variable has an empty name, and some environments hold one ("=C:=C:\\" on
    // Windows).
    if (name.empty()) return std::nullopt;
    const std::optional<std::string_view> text = look_up(name);
    return text && !text->empty() ? text : std::nullopt;
  }
  constexpr std::string_view text_or_empty(std::string_view name) const {
    return (*this)(name).value_or(std::string_view());
  }
  constexpr bool has(std::string_view name) const { return (*this)(name).has_value(); }

 protected:
  constexpr EnvironmentView() = default;
  constexpr EnvironmentView(const EnvironmentView&) = default;
  constexpr EnvironmentView& operator=(const EnvironmentView&) = default;
  constexpr ~EnvironmentView() = default;  // never deleted through this face

 private:
  constexpr virtual std::optional<std::string_view> look_up(std::string_view name) const = 0;
};

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
