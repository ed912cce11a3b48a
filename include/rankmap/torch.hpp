// SPDX-License-Identifier: MIT
// All of torch/: PyTorch's samplers, number for number.
#ifndef RANKMAP_TORCH_HPP
#define RANKMAP_TORCH_HPP

#include <rankmap/torch/detectron2_samplers.hpp>
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/length_grouped_sampler.hpp>
#include <rankmap/torch/random_sampler.hpp>
#include <rankmap/torch/randperm.hpp>
#include <rankmap/torch/train_sampler.hpp>
#include <rankmap/torch/weighted_random_sampler.hpp>

#endif  // RANKMAP_TORCH_HPP
