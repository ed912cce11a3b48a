// SPDX-License-Identifier: MIT
#include <rankmap/all_gather.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <span>

namespace {

constexpr auto returns_int = [](std::span<const std::byte>, std::span<std::byte>) { return 0; };
constexpr auto returns_bool = [](std::span<const std::byte>, std::span<std::byte>) { return true; };
constexpr auto returns_void = [](std::span<const std::byte>, std::span<std::byte>) {};
static_assert(!rankmap::AllGather<const decltype(returns_int)>);
static_assert(rankmap::AllGather<const decltype(returns_bool)>);
static_assert(rankmap::AllGather<const decltype(returns_void)>);
constexpr auto takes_nothing = [] {};
constexpr auto writes_what_is_sent = [](std::span<std::byte>, std::span<std::byte>) {};
static_assert(!rankmap::AllGather<const decltype(takes_nothing)>);
static_assert(!rankmap::AllGather<const decltype(writes_what_is_sent)>);
static_assert(!rankmap::AllGather<int>);

using Function = bool (*)(std::span<const std::byte>, std::span<std::byte>);

TEST(AllGather, may_be_a_function) { EXPECT_TRUE(rankmap::AllGather<Function>); }

}  // namespace
