// SPDX-License-Identifier: MIT
//
// Launchers of which no record is used.
#ifndef RANKMAP_TOPOLOGY_DETAIL_LAUNCHER_SET_HPP
#define RANKMAP_TOPOLOGY_DETAIL_LAUNCHER_SET_HPP

#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <cstddef>
#include <span>

namespace rankmap::inline v0::detail {

/// A set of launchers, without allocation.
class LauncherSet {
 public:
  constexpr LauncherSet() = default;
  constexpr explicit LauncherSet(std::span<const Launcher> launchers) {
    for (const Launcher launcher : launchers) add(launcher);
  }
  constexpr void add(Launcher launcher) { has_[static_cast<std::size_t>(launcher)] = true; }
  constexpr bool has(Launcher launcher) const { return has_[static_cast<std::size_t>(launcher)]; }

 private:
  bool has_[launcher_count + 2] = {};  // Launcher::none and Launcher::config have no row
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_LAUNCHER_SET_HPP
