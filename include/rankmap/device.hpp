// SPDX-License-Identifier: MIT
// All of device/: which devices, CPUs and NICs belong to this process.
#ifndef RANKMAP_DEVICE_HPP
#define RANKMAP_DEVICE_HPP

#include <rankmap/device/core_share.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/cpu_groups.hpp>
#include <rankmap/device/device_isolation.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/device_offers.hpp>
#include <rankmap/device/device_policy.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/device/json.hpp>
#include <rankmap/device/mps.hpp>
#include <rankmap/device/nic.hpp>
#include <rankmap/device/nic_choice.hpp>
#include <rankmap/device/nic_variables.hpp>
#include <rankmap/device/numa_binding.hpp>
#include <rankmap/device/pci_distance.hpp>
#include <rankmap/device/select_device.hpp>
#include <rankmap/device/thread_count.hpp>
#include <rankmap/device/visibility.hpp>
#include <rankmap/device/visible_devices.hpp>

#endif  // RANKMAP_DEVICE_HPP
