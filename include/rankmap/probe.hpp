// SPDX-License-Identifier: MIT
// All of probe/: what the kernel's files say about devices, NICs, CPUs and this process. Reads
// files; rankmap.hpp leaves it out.
#ifndef RANKMAP_PROBE_HPP
#define RANKMAP_PROBE_HPP

#include <rankmap/probe/cores.hpp>
#include <rankmap/probe/cpu_quota.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/probe/nics.hpp>
#include <rankmap/probe/numa.hpp>
#include <rankmap/probe/probe_devices.hpp>
#include <rankmap/probe/process.hpp>
#include <rankmap/probe/route.hpp>

#endif  // RANKMAP_PROBE_HPP
