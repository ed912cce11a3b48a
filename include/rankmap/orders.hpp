// SPDX-License-Identifier: MIT
// All of orders/: the orders of other frameworks, number for number.
#ifndef RANKMAP_ORDERS_HPP
#define RANKMAP_ORDERS_HPP

#include <rankmap/orders/grain_shuffle.hpp>
#include <rankmap/orders/megatron_blend.hpp>
#include <rankmap/orders/megatron_gpt.hpp>
#include <rankmap/orders/numpy_random.hpp>
#include <rankmap/orders/streaming_shuffle.hpp>

#endif  // RANKMAP_ORDERS_HPP
