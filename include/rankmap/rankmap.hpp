// SPDX-License-Identifier: MIT
//
// All of rankmap.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/select_device.hpp>
#include <rankmap/device/json.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/device_policy.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/mesh/dims_create.hpp>
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/draw/mesh.hpp>
#include <rankmap/draw/nodes.hpp>
#include <rankmap/draw/shards.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/hosts/host_sources.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/mesh/hybrid_mesh.hpp>
#include <rankmap/topology/origin.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/mesh/placement.hpp>
#include <rankmap/torch/random_sampler.hpp>
#include <rankmap/torch/randperm.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/topology/topology.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/train_sampler.hpp>
#include <rankmap/version.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/sampler/weighted_shard.hpp>
#include <rankmap/sampler/worker_shard.hpp>

#endif  // RANKMAP_RANKMAP_HPP
