// SPDX-License-Identifier: MIT
#include <rankmap/environment/ancestor.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::RecordedEnvironment;

constexpr Ancestor shell = {"bash", RecordedEnvironment("RANK=0\nEMPTY=\n")};
constexpr Ancestor daemon_of_slurm = {"slurmstepd"};

static_assert(std::is_trivially_copyable_v<Ancestors>);

TEST(Ancestor, started_with_a_variable_if_its_text_is_the_same) {
  static_assert(shell.started_with("RANK", "0") == true);
  static_assert(shell.started_with("RANK", "1") == false);
  static_assert(shell.started_with("RANK", "") == false);
  static_assert(shell.started_with("RAN", "0") == false);
  static_assert(shell.started_with("EMPTY", "") == true);
  EXPECT_EQ(shell.started_with("UNSET", ""), false) << "unset is not empty";
}

TEST(Ancestor, without_its_variables_is_no_evidence) {
  static_assert(!daemon_of_slurm.started_with("RANK", "0"));
  EXPECT_EQ(daemon_of_slurm.started_with("RANK", "0"), std::nullopt);
}

TEST(Ancestor, name_is_cut_as_the_kernel_cuts_it) {
  constexpr Ancestor proxy = {"hydra_pmi_proxy"};
  constexpr Ancestor longer = {"mpirun.openmpi-very-long"};
  static_assert(proxy.name == "hydra_pmi_proxy" && !proxy.name.cut());
  EXPECT_EQ(longer.name.view(), "mpirun.openmpi-");
}

TEST(Ancestors, keep_their_order) {
  static_assert(Ancestors().empty() && Ancestors().size() == 0);
  constexpr Ancestors above = {shell, daemon_of_slurm};
  static_assert(above.size() == 2 && !above.empty());
  static_assert(above[0].name == "bash" && above[1].name == "slurmstepd");
  std::size_t seen = 0;
  for (const Ancestor& ancestor : above) EXPECT_EQ(&ancestor, &above[seen++]);
  EXPECT_EQ(seen, 2U);
}

TEST(Ancestors, beyond_the_limit_are_ignored) {
  constexpr Ancestors above = [] {
    Ancestors out;
    for (char letter = 'A'; letter != 'A' + 40; ++letter) {
      out.add({std::string_view(&letter, 1)});
    }
    return out;
  }();
  static_assert(above.size() == Ancestors::limit && Ancestors::limit == 32);
  EXPECT_EQ(above[0].name.view(), "A");
  EXPECT_EQ(above[31].name.view(), "`");
}

}  // namespace
