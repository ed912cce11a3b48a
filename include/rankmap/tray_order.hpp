// SPDX-License-Identifier: MIT
//
// In which order JAX passes through the devices of one TPU tray: most often a ring of neighbours.
#ifndef RANKMAP_TRAY_ORDER_HPP
#define RANKMAP_TRAY_ORDER_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// The trays whose order is known, by generation and shape.
enum class TpuTray : std::uint8_t {
  v2_v3,       ///< 8 devices: four chips of two cores
  two_by_two,  ///< 4 devices
  v5e_4x2,     ///< 8 devices
  v5e_2x2x2,   ///< 8 devices, on both sides of two boards: no ring
  v5p_2x2x2,   ///< 8 devices
};

/// The devices of a tray as a ring, each beside the one before and the last beside the first; but
/// that of v5e_2x2x2 is no ring. Devices are numbered by their coordinates sorted by (z, y, x), the
/// cores of v2_v3 as JAX lists them, chip by chip.
struct TrayOrder {
  int size = 0;
  int devices[8] = {};

  /// Precondition: 0 <= place < size.
  RANKMAP_HD constexpr int operator[](int place) const { return devices[place]; }
  constexpr const int* begin() const { return devices; }
  constexpr const int* end() const { return devices + size; }
};

/// The order that JAX takes for a mesh of one axis over one tray. Apply it to the devices before
/// they are seen as a mesh: element i of the axis is device `tray_order(tray)[i]`. O(1).
/// Source: jax/_src/mesh_utils.py.
constexpr TrayOrder tray_order(TpuTray tray) {
  switch (tray) {
    case TpuTray::v2_v3:
      return {8, {0, 1, 2, 3, 6, 7, 4, 5}};
    case TpuTray::two_by_two:
      return {4, {0, 1, 3, 2}};
    case TpuTray::v5e_4x2:
      return {8, {0, 1, 2, 3, 7, 6, 5, 4}};
    case TpuTray::v5e_2x2x2:
      return {8, {0, 4, 2, 6, 1, 5, 3, 7}};
    case TpuTray::v5p_2x2x2:
      break;
  }
  return {8, {0, 1, 3, 2, 6, 7, 5, 4}};
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TRAY_ORDER_HPP
