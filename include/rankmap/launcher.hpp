// SPDX-License-Identifier: MIT
// All of launcher/: the known launchers and the table of their variables.
#ifndef RANKMAP_LAUNCHER_HPP
#define RANKMAP_LAUNCHER_HPP

#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/launcher/row_layouts.hpp>

#endif  // RANKMAP_LAUNCHER_HPP
