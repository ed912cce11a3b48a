// SPDX-License-Identifier: MIT
//
// The devices that this process may choose from, without a vendor's runtime.
#ifndef RANKMAP_EXAMPLES_RANKMAP_DEVICES_HPP
#define RANKMAP_EXAMPLES_RANKMAP_DEVICES_HPP

#include <rankmap/device.hpp>
#include <rankmap/probe.hpp>

#include <optional>
#include <string_view>

namespace program {

// The devices of a kind here, as far as the driver's files and the variables show them.
struct Devices {
  rankmap::DeviceProbe probe;
  rankmap::VisibleDevices visible;

  rankmap::DeviceKind kind() const { return probe.kind; }
  int count() const { return visible.count().value_or(0); }
  // The last variable that chooses devices, other than `except`, or null.
  const rankmap::VisibilityLayer* chooser(std::string_view except = {}) const;
};

struct FoundDevices {
  std::optional<Devices> best;   // with a count of 1 or more, or a malformed variable
  std::optional<Devices> rival;  // another vendor's, of which as much can be said
};

// A variable may be set where its vendor's devices are not, as Slurm does without AutoDetect: those
// that a driver shows come first.
FoundDevices find_devices();

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_DEVICES_HPP
