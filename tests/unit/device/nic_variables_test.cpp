// SPDX-License-Identifier: MIT
#include <rankmap/device/nic_variables.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::fi_cxi_device_name;
using rankmap::nccl_ib_hca;
using rankmap::Nic;
using rankmap::NicChoice;
using rankmap::NicKind;
using rankmap::NicPolicy;
using rankmap::nics_for_devices;
using rankmap::NicState;
using rankmap::PciPlace;
using rankmap::ucx_net_devices;

constexpr Nic nic(std::string_view name, NicKind kind, int port) {
  Nic out;
  out.name = name;
  out.kind = kind;
  out.port = port;
  out.state = NicState::active;
  out.link_layer = rankmap::LinkLayer::infiniband;
  return out;
}

constexpr bool texts_hold() {
  const std::array<Nic, 4> nics = {nic("mlx5_1", NicKind::verbs, 1),
                                   nic("mlx5_10", NicKind::verbs, 2),
                                   nic("rdmap0s6", NicKind::efa, 1), nic("cxi0", NicKind::cxi, 0)};
  const std::array<PciPlace, 2> devices = {};
  const NicChoice choice = *nics_for_devices(devices, nics, NicPolicy::rail);
  return nccl_ib_hca(choice, nics, 0) == "=mlx5_1:1,mlx5_10:2" &&
         nccl_ib_hca(choice, nics, 1).empty() &&
         nccl_ib_hca(choice, nics) == "=mlx5_1:1,mlx5_10:2" &&
         ucx_net_devices(choice, nics, 0) == "mlx5_1:1,mlx5_10:2" &&
         ucx_net_devices(choice, nics, 1) == "rdmap0s6:1" &&
         ucx_net_devices(choice, nics) == "mlx5_1:1,mlx5_10:2,rdmap0s6:1" &&
         fi_cxi_device_name(choice, nics, 0).empty() &&
         fi_cxi_device_name(choice, nics, 1) == "cxi0" &&
         fi_cxi_device_name(choice, nics) == "cxi0";
}
static_assert(texts_hold());

TEST(NicVariables, list_the_nics_that_a_library_can_use) { EXPECT_TRUE(texts_hold()); }

TEST(NicVariables, leave_out_a_port_without_number_or_name) {
  const std::vector<Nic> nics = {nic("mlx5_0", NicKind::verbs, 0), nic("", NicKind::verbs, 1),
                                 nic("", NicKind::cxi, 1)};
  const std::vector<PciPlace> devices(1);
  const NicChoice choice = nics_for_devices(devices, nics, NicPolicy::rail).value();
  EXPECT_EQ(choice.count(0), 3);
  EXPECT_TRUE(nccl_ib_hca(choice, nics, 0).empty());
  EXPECT_TRUE(ucx_net_devices(choice, nics, 0).empty());
  EXPECT_TRUE(fi_cxi_device_name(choice, nics, 0).empty());
}

TEST(NicVariables, report_a_cut_list) {
  const std::vector<Nic> nics(64, nic("a_name_of_thirty_characters_012", NicKind::verbs, 1));
  const std::vector<PciPlace> devices(1);
  const NicChoice choice = nics_for_devices(devices, nics, NicPolicy::rail).value();
  EXPECT_TRUE(nccl_ib_hca(choice, nics, 0).cut());
  const std::vector<Nic> usual(64, nic("ibP16p3s0", NicKind::verbs, 1));
  EXPECT_FALSE(nccl_ib_hca(nics_for_devices(devices, usual, NicPolicy::rail).value(), usual).cut());
}

}  // namespace
