// SPDX-License-Identifier: MIT
//
// All of rankmap.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/batches.hpp>
#include <rankmap/config.hpp>
#include <rankmap/cpu_share.hpp>
#include <rankmap/device.hpp>
#include <rankmap/device_json.hpp>
#include <rankmap/device_kind.hpp>
#include <rankmap/device_policy.hpp>
#include <rankmap/device_request.hpp>
#include <rankmap/dims_create.hpp>
#include <rankmap/distributed_sampler.hpp>
#include <rankmap/draw_mesh.hpp>
#include <rankmap/draw_nodes.hpp>
#include <rankmap/draw_shards.hpp>
#include <rankmap/environment.hpp>
#include <rankmap/explain.hpp>
#include <rankmap/gather.hpp>
#include <rankmap/has_rank.hpp>
#include <rankmap/host_sources.hpp>
#include <rankmap/hostlist.hpp>
#include <rankmap/ids.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/layout.hpp>
#include <rankmap/mesh.hpp>
#include <rankmap/mesh_for_layout.hpp>
#include <rankmap/origin.hpp>
#include <rankmap/permutation.hpp>
#include <rankmap/placement.hpp>
#include <rankmap/random_sampler.hpp>
#include <rankmap/randperm.hpp>
#include <rankmap/rendezvous.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler.hpp>
#include <rankmap/sampler_state.hpp>
#include <rankmap/shard.hpp>
#include <rankmap/strided_indices.hpp>
#include <rankmap/topology.hpp>
#include <rankmap/topology_json.hpp>
#include <rankmap/torch_generator.hpp>
#include <rankmap/train_sampler.hpp>
#include <rankmap/version.hpp>
#include <rankmap/visible_devices.hpp>
#include <rankmap/weights.hpp>
#include <rankmap/worker_shard.hpp>

#endif  // RANKMAP_RANKMAP_HPP
