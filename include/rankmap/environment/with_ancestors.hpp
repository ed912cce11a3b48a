// SPDX-License-Identifier: MIT
// An environment and the processes above it, made by hand: for tests, recordings and programs that
// know who started them.
#ifndef RANKMAP_ENVIRONMENT_WITH_ANCESTORS_HPP
#define RANKMAP_ENVIRONMENT_WITH_ANCESTORS_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/version.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// An environment that offers ancestors. Usable in constant expressions if `Env` is. Copies the
/// environment and the ancestors, and views `set_inside`.
///
///     constexpr WithAncestors env(FixedEnvironment({{"SLURM_PROCID", "5"}, {"RANK", "0"}}),
///                                 {{"bash", RecordedEnvironment("RANK=0")}, {"slurmstepd"}});
template <Environment Env>
class WithAncestors {
 public:
  /// `ancestors`: parent first; std::nullopt if it is not known whether there are any.
  /// `set_inside`: the variables that the process itself set, as names with commas between them; it
  /// started with all others. Nothing if that is not known.
  constexpr WithAncestors(const Env& environment, const Ancestors& ancestors,
                          std::optional<std::string_view> set_inside = {})
      : environment_(environment), ancestors_(ancestors), set_inside_(set_inside) {}
  constexpr WithAncestors(const Env& environment, const std::optional<Ancestors>& ancestors,
                          std::optional<std::string_view> set_inside = {})
      : environment_(environment), ancestors_(ancestors), set_inside_(set_inside) {}

  constexpr std::optional<std::string_view> operator()(std::string_view name) const {
    return environment_(name);
  }
  constexpr const std::optional<Ancestors>& ancestors() const RANKMAP_LIFETIMEBOUND {
    return ancestors_;
  }
  /// Whether the process started with the variable; nothing if that is not known, and for a
  /// variable that is not set. O(set_inside).
  constexpr std::optional<bool> started_with(std::string_view name) const {
    if (!set_inside_ || !std::optional<std::string_view>(environment_(name))) return std::nullopt;
    return !detail::has_entry(*set_inside_, name);
  }
  /// The file of launchers of `Env`, if it reads files.
  constexpr LauncherFile launcher_file() const requires requires(const Env& environment) {
    environment.launcher_file();
  }
  { return environment_.launcher_file(); }
  /// Calls `visit(name, text)` for each variable, if `Env` can list them.
  template <class Visit>
  requires requires(const Env& environment, Visit& visit) { environment.for_each(visit); }
  constexpr void for_each(Visit&& visit) const { environment_.for_each(visit); }

 private:
  Env environment_;
  std::optional<Ancestors> ancestors_;
  std::optional<std::string_view> set_inside_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_WITH_ANCESTORS_HPP
