// SPDX-License-Identifier: MIT
//
// All of rankmap.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/batches.hpp>
#include <rankmap/environment.hpp>
#include <rankmap/permutation.hpp>
#include <rankmap/randperm.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler.hpp>
#include <rankmap/sampler_state.hpp>
#include <rankmap/shard.hpp>
#include <rankmap/torch.hpp>
#include <rankmap/version.hpp>
#include <rankmap/weights.hpp>

#endif  // RANKMAP_RANKMAP_HPP
