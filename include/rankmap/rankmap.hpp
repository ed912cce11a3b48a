// SPDX-License-Identifier: MIT
//
// All of rankmap but device_probe.hpp, the one header that reads files.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/cpu_share.hpp>
#include <rankmap/device.hpp>
#include <rankmap/device_kind.hpp>
#include <rankmap/device_policy.hpp>
#include <rankmap/device_request.hpp>
#include <rankmap/environment.hpp>
#include <rankmap/ids.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>
#include <rankmap/visible_devices.hpp>

#endif  // RANKMAP_RANKMAP_HPP
