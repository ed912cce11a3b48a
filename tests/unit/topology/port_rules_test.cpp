// SPDX-License-Identifier: MIT
#include <rankmap/topology/port_rules.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

namespace port_rules = rankmap::port_rules;

TEST(PortRules, give_a_port_for_every_job_and_step) {
  for (const auto& rule :
       {port_rules::job_and_step, port_rules::lightning, port_rules::jax, port_rules::enroot}) {
    for (const std::uint64_t job : {std::uint64_t{0}, std::uint64_t{9999}, std::uint64_t{123456789},
                                    UINT64_MAX - 1, UINT64_MAX}) {
      for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{7}, UINT64_MAX}) {
        const int port = rule.port(job, step);
        EXPECT_GE(port, 10000) << rule.name;
        EXPECT_LE(port, 65535) << rule.name;
      }
    }
  }
  EXPECT_EQ(port_rules::job_and_step.port(123456789, 4294967295),
            20000 + (6789 + 7295 * 617) % 10000);
  EXPECT_EQ(port_rules::lightning.port(123456789, 5), 21789);
  EXPECT_EQ(port_rules::jax.port(123456789, 5), 123456789 % 4096 + 61440);
  EXPECT_EQ(port_rules::enroot.port(123456789, 5), 123456789 % 4536 + 61000);
}

TEST(PortRules, give_the_steps_of_a_job_different_ports) {
  for (std::uint64_t step = 1; step != 10000; ++step) {
    ASSERT_NE(port_rules::job_and_step.port(42, step), port_rules::job_and_step.port(42, 0))
        << step;
  }
}

}  // namespace
