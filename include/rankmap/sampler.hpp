// SPDX-License-Identifier: MIT
// All of sampler/: which samples belong to a rank: shards, orders, epochs and their saved state.
#ifndef RANKMAP_SAMPLER_HPP
#define RANKMAP_SAMPLER_HPP

#include <rankmap/sampler/balance.hpp>
#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/block_shuffle.hpp>
#include <rankmap/sampler/endless_order.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/epoch_batches.hpp>
#include <rankmap/sampler/file_order.hpp>
#include <rankmap/sampler/file_shard.hpp>
#include <rankmap/sampler/file_state.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/make_shard.hpp>
#include <rankmap/sampler/mixture.hpp>
#include <rankmap/sampler/mixture_phases.hpp>
#include <rankmap/sampler/packed_rows.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/repeat_factor.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/sampler/token_batches.hpp>
#include <rankmap/sampler/weighted_draws.hpp>
#include <rankmap/sampler/weighted_order.hpp>
#include <rankmap/sampler/weighted_shard.hpp>
#include <rankmap/sampler/worker_shard.hpp>

#endif  // RANKMAP_SAMPLER_HPP
