// SPDX-License-Identifier: MIT
// All of rankmap, apart from what reads files about devices (probe.hpp). A program that needs one
// folder includes its facade.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/all_gather.hpp>
#include <rankmap/device.hpp>
#include <rankmap/domain.hpp>
#include <rankmap/draw.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/environment.hpp>
#include <rankmap/hosts.hpp>
#include <rankmap/identity.hpp>
#include <rankmap/job.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/layout.hpp>
#include <rankmap/mesh.hpp>
#include <rankmap/orders.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler.hpp>
#include <rankmap/small_string.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology.hpp>
#include <rankmap/torch.hpp>
#include <rankmap/version.hpp>

#endif  // RANKMAP_RANKMAP_HPP
