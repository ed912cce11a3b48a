// SPDX-License-Identifier: MIT
#include <rankmap/device/device_policy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Device;
using rankmap::DeviceBasis;
using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::message;
using rankmap::Result;
using rankmap::visible_devices;
using rankmap::VisibleIndex;
namespace device_policy = rankmap::device_policy;

constexpr int max_processes = 9;
constexpr int max_devices = 9;

constexpr DeviceRequest ask(int local_rank, int size, int devices,
                            Isolation isolation = Isolation::shared) {
  DeviceRequest request;
  request.local_rank = LocalRank(local_rank);
  request.local_world_size = size;
  request.visible_count = devices;
  request.isolation.isolation = isolation;
  return request;
}

constexpr int failed = -1;
constexpr int index_of(const Result<Device>& device) {
  return device ? device->index.value : failed;
}
constexpr Errc code_of(const Result<Device>& device) {
  return device ? Errc::missing : device.error().code;
}

// ---- Every policy, 1..9 processes, 0..9 devices
// `expected(rank, size, devices)` is the index,
// or `failed`. Beyond the index: all processes of a node fail alike, the device can be seen, and
// where `unique` says so no two have the same.
template <class Policy, class Expected>
constexpr bool holds(const Policy& policy, Isolation isolation, bool unique, Expected expected,
                     int driven = 1, int smallest = 1, int largest = max_processes) {
  for (int size = smallest; size <= largest; ++size) {
    for (int devices = 0; devices <= max_devices; ++devices) {
      bool taken[max_devices] = {};
      int failures = 0;
      for (int rank = 0; rank != size; ++rank) {
        const auto device = policy(ask(rank, size, devices, isolation));
        if (index_of(device) != expected(rank, size, devices)) return false;
        if (!device) {
          ++failures;
          continue;
        }
        if (device->count != driven || device->kind != DeviceKind::cuda) return false;
        for (int d = device->index.value; d != device->index.value + driven; ++d) {
          if (d < 0 || d >= devices || (unique && taken[d])) return false;
          taken[d] = true;
        }
      }
      if (failures != 0 && failures != size) return false;
    }
  }
  return true;
}

constexpr int strict_shared(int rank, int size, int devices) {
  return size <= devices ? rank : failed;
}
constexpr int strict_bound(int, int size, int devices) {
  return size == 1 && devices != 0 ? 0 : failed;
}
constexpr int strict_own(int rank, int size, int devices) {
  return devices == 0 ? failed : devices < size ? 0 : rank;
}
constexpr int wrap_even(int rank, int size, int devices) {
  if (devices == 0 || (size > devices && size % devices != 0)) return failed;
  return rank % devices;
}
constexpr int wrap_uneven(int rank, int, int devices) {
  return devices == 0 ? failed : rank % devices;
}
constexpr int wrap_first(int, int, int devices) { return devices == 0 ? failed : 0; }
constexpr int block_even(int rank, int size, int devices) {
  if (devices == 0 || (size > devices && size % devices != 0)) return failed;
  return rank * devices / size;
}
constexpr int block_uneven(int rank, int size, int devices) {
  return devices == 0 ? failed : rank * devices / size;
}
constexpr int two_each(int rank, int size, int devices) {
  return 2 * size <= devices ? 2 * rank : failed;
}

using device_policy::block;
using device_policy::closest;
using device_policy::map;
using device_policy::or_cpu;
using device_policy::own;
using device_policy::per_process;
using device_policy::strict;
using device_policy::trainer;
using device_policy::wrap;

// The same at compile time, one size an expression: Clang counts the steps of each.
template <auto policy, Isolation isolation, bool unique, auto expected, int driven, int size>
constexpr bool holds_for = holds(policy, isolation, unique, expected, driven, size, size);
template <auto policy, Isolation isolation, bool unique, auto expected, int driven = 1>
constexpr bool holds_for_all() {
  return []<int... size>(std::integer_sequence<int, size...>) {
    return (holds_for<policy, isolation, unique, expected, driven, size + 1> && ...);
  }
  (std::make_integer_sequence<int, max_processes>());
}
static_assert(holds_for_all<strict{}, Isolation::shared, true, strict_shared>());
static_assert(holds_for_all<strict{}, Isolation::unknown, true, strict_shared>());
static_assert(holds_for_all<strict{}, Isolation::bound, true, strict_bound>());
static_assert(holds_for_all<strict{}, Isolation::own, false, strict_own>());
static_assert(holds_for_all<wrap{}, Isolation::shared, false, wrap_even>());
static_assert(holds_for_all<wrap{.uneven = true}, Isolation::shared, false, wrap_uneven>());
static_assert(holds_for_all<block{}, Isolation::shared, false, block_even>());
static_assert(holds_for_all<block{.uneven = true}, Isolation::shared, false, block_uneven>());
static_assert(holds_for_all<per_process{1}, Isolation::shared, true, strict_shared>());
static_assert(holds_for_all<per_process{2}, Isolation::shared, true, two_each, 2>());

TEST(Strict, gives_each_local_rank_its_own_device_or_none_any) {
  EXPECT_TRUE(holds(strict{}, Isolation::shared, true, strict_shared));
}
TEST(Strict, uses_the_only_visible_device_unless_it_is_shared) {
  EXPECT_TRUE(holds(strict{}, Isolation::unknown, true, strict_shared));
  EXPECT_TRUE(holds(strict{}, Isolation::bound, true, strict_bound));
}
TEST(Strict, uses_its_own_first_device_if_there_are_too_few_for_all) {
  EXPECT_TRUE(holds(strict{}, Isolation::own, false, strict_own));
}
TEST(Wrap, shares_by_modulo_and_evenly_unless_allowed) {
  EXPECT_TRUE(holds(wrap{}, Isolation::shared, false, wrap_even));
  EXPECT_TRUE(holds(wrap{.uneven = true}, Isolation::shared, false, wrap_uneven));
}
TEST(Block, keeps_neighbours_together_and_evenly_unless_allowed) {
  EXPECT_TRUE(holds(block{}, Isolation::shared, false, block_even));
  EXPECT_TRUE(holds(block{.uneven = true}, Isolation::shared, false, block_uneven));
}
TEST(PerProcess, gives_each_local_rank_k_devices_or_none_any) {
  EXPECT_TRUE(holds(per_process{2}, Isolation::shared, true, two_each, 2));
  for (int k = 1; k <= max_devices; ++k) {
    const auto k_each = [k](int rank, int size, int devices) {
      return k * size <= devices ? k * rank : failed;
    };
    EXPECT_TRUE(holds(per_process{k}, Isolation::shared, true, k_each, k)) << k;
  }
}
TEST(PerProcess, uses_the_visible_devices_if_they_are_proved_to_be_its_own) {
  EXPECT_TRUE(holds(per_process{2}, Isolation::unknown, true, two_each, 2));
  const auto own = [](int rank, int size, int devices) {
    return devices < 2 ? failed : devices < 2 * size ? 0 : 2 * rank;
  };
  EXPECT_TRUE(holds(per_process{2}, Isolation::own, false, own, 2));
}
TEST(Block, is_unique_with_enough_devices) {
  for (int size = 1; size <= max_processes; ++size) {
    for (int devices = size; devices <= max_devices; ++devices) {
      for (int rank = 1; rank < size; ++rank) {
        EXPECT_GT(index_of(block{}(ask(rank, size, devices))),
                  index_of(block{}(ask(rank - 1, size, devices))));
      }
    }
  }
}
TEST(Trainer, gives_a_launched_process_the_device_at_its_local_rank) {
  for (int size = 1; size <= max_processes; ++size) {
    for (int devices = 1; devices <= max_devices; ++devices) {
      for (int rank = 0; rank != size; ++rank) {
        const auto device = trainer{}(ask(rank, size, devices));
        EXPECT_EQ(index_of(device), strict_shared(rank, size, devices));
        EXPECT_EQ(device.value_or(Device{}).count, device ? 1 : 0);
      }
    }
  }
}

// Reversed, as on some machines.
TEST(Map, uses_the_entry_at_the_local_rank) {
  for (int size = 1; size <= max_processes; ++size) {
    for (int devices = 0; devices <= max_devices; ++devices) {
      std::vector<int> list;
      for (int i = 0; i != size; ++i) list.push_back(size - 1 - i);
      for (int rank = 0; rank != size; ++rank) {
        const auto device = map{list}(ask(rank, size, devices));
        EXPECT_EQ(index_of(device), size <= devices ? size - 1 - rank : failed);
        EXPECT_EQ(device.value_or(Device{}).count, device ? 1 : 0);
      }
    }
  }
}
TEST(Map, repeats_its_list_only_if_cyclic) {
  constexpr int list[] = {3, 1};
  for (int rank = 0; rank != 6; ++rank) {
    EXPECT_EQ(index_of(map{.list = list, .cyclic = true}(ask(rank, 6, 4))), list[rank % 2]);
    EXPECT_EQ(code_of(map{list}(ask(rank, 6, 4))), Errc::inconsistent);
  }
  EXPECT_EQ(code_of(map{.list = {}, .cyclic = true}(ask(0, 6, 4))), Errc::inconsistent);
  DeviceRequest unsized = ask(1, 2, 4);
  unsized.local_world_size = std::nullopt;
  EXPECT_EQ(index_of(map{list}(unsized)), 1);
  unsized.local_rank = LocalRank(2);
  EXPECT_EQ(code_of(map{list}(unsized)), Errc::inconsistent);
}
TEST(Map, fails_on_every_process_if_one_entry_is_not_visible) {
  for (const int wrong : {4, -1, 1000000}) {
    const int list[] = {0, 1, wrong, 3};
    for (int rank = 0; rank != 4; ++rank) {
      const auto device = map{list}(ask(rank, 4, 4));
      EXPECT_EQ(code_of(device), Errc::out_of_range);
      EXPECT_EQ(message(device.error()).view(),
                "device_policy::map::list=\"" + std::to_string(wrong) +
                    "\": expected a visible index in [0, 4); list visible indices, not physical "
                    "ids");
    }
  }
}

// ---- Closest

// The expected assignment, computed slowly for all processes at once.
std::vector<int> assign(const std::vector<int>& devices, const std::vector<int>& processes) {
  std::vector<int> place(processes.size(), failed);
  std::vector<bool> taken(devices.size());
  const auto take = [&](bool near) {
    for (std::size_t r = 0; r != processes.size(); ++r) {
      for (std::size_t d = 0; d != devices.size() && place[r] == failed; ++d) {
        if (taken[d] || (near && (processes[r] < 0 || devices[d] != processes[r]))) continue;
        taken[d] = true;
        place[r] = static_cast<int>(d);
      }
    }
  };
  take(true);
  take(false);
  return place;
}

// Every placement of up to 4 devices and 4 processes over nodes -1, 0 and 1.
TEST(Closest, is_the_same_unique_assignment_on_every_rank) {
  int cases = 0;
  for (int n = 1; n <= 4; ++n) {
    for (int size = 1; size <= 4; ++size) {
      int ways = 1;
      for (int i = 0; i != n + size; ++i) ways *= 3;
      for (int way = 0; way != ways; ++way) {
        int rest = way;
        std::vector<int> devices, processes;
        for (int i = 0; i != n; ++i, rest /= 3) devices.push_back(rest % 3 - 1);
        for (int i = 0; i != size; ++i, rest /= 3) processes.push_back(rest % 3 - 1);
        const std::vector<int> expected =
            n >= size ? assign(devices, processes)
                      : std::vector<int>(static_cast<std::size_t>(size), failed);
        for (int rank = 0; rank != size; ++rank) {
          const auto device =
              closest{.device_nodes = devices, .process_nodes = processes}(ask(rank, size, n));
          ASSERT_EQ(index_of(device), expected[static_cast<std::size_t>(rank)]) << way;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, (3 + 9 + 27 + 81) * (1 * 3 + 2 * 9 + 3 * 27 + 4 * 81));
}

TEST(Closest, is_unique_for_every_number_of_processes_and_devices) {
  constexpr int device_nodes[] = {3, 3, 1, 1, 0, 0, 2, 2, -1};
  constexpr int process_nodes[] = {0, 0, 1, 1, 2, 2, 3, 3, 0};
  for (int size = 1; size <= max_processes; ++size) {
    for (int devices = 0; devices <= max_devices; ++devices) {
      const closest policy{
          .device_nodes = std::span(device_nodes).first(static_cast<std::size_t>(devices)),
          .process_nodes = std::span(process_nodes).first(static_cast<std::size_t>(size))};
      std::vector<int> taken;
      for (int rank = 0; rank != size; ++rank) {
        const int index = index_of(policy(ask(rank, size, devices)));
        EXPECT_EQ(index == failed, devices < size);
        for (const int other : taken) EXPECT_TRUE(index == failed || index != other);
        taken.push_back(index);
      }
    }
  }
}

// Four sockets with two devices each, wired backwards: the order of LUMI-G.
constexpr int lumi_devices[] = {3, 3, 1, 1, 0, 0, 2, 2};
constexpr int lumi_processes[] = {0, 0, 1, 1, 2, 2, 3, 3};
constexpr bool lumi_holds() {
  constexpr int expected[] = {4, 5, 2, 3, 6, 7, 0, 1};  // Frontier's documented order, too
  for (int rank = 0; rank != 8; ++rank) {
    const auto device = closest{lumi_devices, lumi_processes}(ask(rank, 8, 8));
    if (index_of(device) != expected[rank]) return false;
  }
  return true;
}
static_assert(lumi_holds());

TEST(Closest, finds_the_documented_order_of_a_machine) {
  EXPECT_TRUE(lumi_holds());
  const auto device = closest{lumi_devices, lumi_processes}(ask(0, 8, 8));
  EXPECT_EQ(device->reason.view(), "on NUMA node 0 like this process");
}

TEST(Closest, explains_a_device_on_another_node) {
  constexpr int devices[] = {1, 1};
  constexpr int processes[] = {0, -1};
  const closest policy{.device_nodes = devices, .process_nodes = processes};
  EXPECT_EQ(policy(ask(0, 2, 2))->reason.view(),
            "in index order: no free device on this process's NUMA node");
  EXPECT_EQ(policy(ask(1, 2, 2))->reason.view(),
            "in index order: this process's NUMA node is not known");
}

TEST(Closest, uses_index_order_if_the_neighbours_are_not_known) {
  constexpr int nodes[] = {1, 0};
  const auto device = closest{.device_nodes = nodes, .this_node = 0}(ask(0, 2, 2));
  EXPECT_EQ(index_of(device), 0);
  EXPECT_EQ(device->reason.view(),
            "in index order: the NUMA nodes of the other local processes are not given");
}

TEST(Closest, uses_the_nearest_of_its_own_devices) {
  constexpr int nodes[] = {1, 0, -1};
  const auto own = [&](int node) {
    return index_of(
        closest{.device_nodes = nodes, .this_node = node}(ask(1, 4, 3, Isolation::own)));
  };
  EXPECT_EQ(own(0), 1);
  EXPECT_EQ(own(1), 0);
  EXPECT_EQ(own(7), 0);
  EXPECT_EQ(own(-1), 0);  // unknown is near to nothing, not to the device of unknown node
  const auto chosen = closest{.device_nodes = nodes, .this_node = 0}(ask(1, 4, 3, Isolation::own));
  EXPECT_EQ(chosen->basis, DeviceBasis::isolated);
  for (int rank = 0; rank != 3; ++rank) {  // enough for all: they may be everybody's
    EXPECT_EQ(
        index_of(closest{.device_nodes = nodes, .this_node = 0}(ask(rank, 3, 3, Isolation::own))),
        rank);
  }
  for (const int node : {0, 1}) {  // alone on its node
    const auto alone =
        closest{.device_nodes = nodes, .this_node = node}(ask(0, 1, 3, Isolation::own));
    EXPECT_EQ(index_of(alone), 1 - node);
    EXPECT_EQ(alone->basis, DeviceBasis::policy);
    EXPECT_EQ(alone->reason.view(), "on NUMA node " + std::to_string(node) + " like this process");
  }
  const auto far = closest{.device_nodes = nodes, .this_node = 7}(ask(0, 1, 3, Isolation::own));
  EXPECT_EQ(index_of(far), 0);
  EXPECT_EQ(far->basis, DeviceBasis::local_rank);
}

TEST(Closest, needs_a_node_for_each_device_and_each_process) {
  constexpr int two[] = {0, 1};
  constexpr int three[] = {0, 0, 1};
  EXPECT_EQ(code_of(closest{three, two}(ask(0, 2, 2))), Errc::inconsistent);
  EXPECT_EQ(code_of(closest{two, three}(ask(0, 2, 2))), Errc::inconsistent);
}

// ---- What holds for all of them

template <class Policy>
void check_rejects(const Policy& policy) {
  EXPECT_EQ(code_of(policy(ask(0, 2, -1))), Errc::out_of_range);
  EXPECT_EQ(code_of(policy(ask(-1, 2, 2))), Errc::out_of_range);
  EXPECT_EQ(code_of(policy(ask(2, 2, 4))), Errc::out_of_range);  // a global rank, most likely
  EXPECT_EQ(code_of(policy(ask(INT32_MAX, 2, 4))), Errc::out_of_range);
  EXPECT_EQ(code_of(policy(ask(0, 0, 4))), Errc::out_of_range);
}
TEST(DevicePolicies, reject_impossible_numbers) {
  constexpr int list[] = {0, 1};
  check_rejects(strict{});
  check_rejects(wrap{});
  check_rejects(block{});
  check_rejects(map{list});
  check_rejects(per_process{2});
  check_rejects(closest{list, list});
  check_rejects(trainer{});
  check_rejects(or_cpu{strict{}});
  EXPECT_EQ(code_of(per_process{0}(ask(0, 2, 4))), Errc::out_of_range);
  EXPECT_EQ(code_of(per_process{-2}(ask(0, 2, 4))), Errc::out_of_range);
  EXPECT_EQ(code_of(per_process{INT32_MAX}(ask(1, 2, 4))), Errc::not_enough_devices);
}

TEST(DevicePolicies, fail_without_devices_except_trainer_and_or_cpu) {
  constexpr int list[] = {0, 1};
  EXPECT_EQ(code_of(strict{}(ask(0, 2, 0))), Errc::no_device);
  EXPECT_EQ(code_of(wrap{}(ask(0, 2, 0))), Errc::no_device);
  EXPECT_EQ(code_of(block{}(ask(0, 2, 0))), Errc::no_device);
  EXPECT_EQ(code_of(map{list}(ask(0, 2, 0))), Errc::no_device);
  EXPECT_EQ(code_of(per_process{2}(ask(0, 2, 0))), Errc::no_device);
  EXPECT_EQ(code_of(closest{}(ask(0, 2, 0))), Errc::no_device);
  for (const auto& device : {trainer{}(ask(0, 2, 0)), or_cpu{strict{}}(ask(0, 2, 0))}) {
    ASSERT_TRUE(device);
    EXPECT_EQ(device->kind, DeviceKind::cpu);
    EXPECT_EQ(device->count, 0);
    EXPECT_EQ(device->basis, DeviceBasis::no_device);
  }
}

TEST(DevicePolicies, do_not_use_the_cpu_where_a_variable_lists_devices) {
  constexpr FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", "4,5"}});
  constexpr FixedEnvironment hidden({{"CUDA_VISIBLE_DEVICES", "-1"}});
  constexpr auto listed = visible_devices(DeviceKind::cuda, env);
  constexpr auto none = visible_devices(DeviceKind::cuda, hidden);
  DeviceRequest request = ask(0, 2, 0);
  request.visible = &listed;
  EXPECT_EQ(code_of(or_cpu{strict{}}(request)), Errc::bad_device_list);
  EXPECT_EQ(code_of(trainer{}(request)), Errc::bad_device_list);
  request.visible = &none;
  EXPECT_TRUE(or_cpu{strict{}}(request));
  EXPECT_TRUE(trainer{}(request));
}

TEST(DevicePolicies, do_not_use_the_cpu_because_of_a_malformed_variable) {
  constexpr FixedEnvironment env({{"ASCEND_RT_VISIBLE_DEVICES", "1,0"}});
  constexpr auto visible = visible_devices(DeviceKind::npu, env);
  DeviceRequest request = ask(0, 2, 0);
  request.kind = DeviceKind::npu;
  request.visible = &visible;
  for (const auto& device : {strict{}(request), trainer{}(request), or_cpu{wrap{}}(request)}) {
    EXPECT_EQ(code_of(device), Errc::bad_device_list);
    EXPECT_EQ(message(device.error()).view(),
              "ASCEND_RT_VISIBLE_DEVICES=\"1,0\" at byte 2: expected a list that the vendor's "
              "software accepts "
              "(here: not above the previous entry); Ascend accepts strictly ascending ids only, "
              "and else shows no device; correct or unset it");
  }
}

struct Blamed {
  DeviceKind kind;
  std::string_view first_name, first, second_name, second;
  std::string_view message;
};
TEST(DevicePolicies, name_the_malformed_variable) {
  constexpr std::string_view rocr = "ROCR_VISIBLE_DEVICES";
  constexpr std::string_view hip = "HIP_VISIBLE_DEVICES";
  for (const Blamed& row : {
           // a vendor that passes entries over stops nowhere
           Blamed{DeviceKind::xpu, "ZE_AFFINITY_MASK", "8,9", "OTHER", "",
                  "ZE_AFFINITY_MASK=\"8,9\": expected a list that the vendor's software accepts; "
                  "correct or unset "
                  "it"},
           Blamed{DeviceKind::rocm, rocr, "0,1", hip, "x",
                  "HIP_VISIBLE_DEVICES=\"x\" at byte 0: expected a list that the vendor's software "
                  "accepts (here: "
                  "not an entry that this variable accepts); correct or unset it"},
           // the first hides everything on purpose; what the second lists is then not there
           Blamed{DeviceKind::rocm, rocr, "-1", hip, "0",
                  "visible rocm devices=\"0\": expected at least one; check the driver, the "
                  "allocation and the visibility variables; in the program, use DeviceKind::cpu or "
                  "device_policy::or_cpu"},
           Blamed{DeviceKind::rocm, rocr, "0,1,", hip, "2",
                  "HIP_VISIBLE_DEVICES=\"2\" at byte 0: expected a list that the vendor's software "
                  "accepts (here: "
                  "no device has this number); correct or unset it"},
           // these may be wrong, too
           Blamed{
               DeviceKind::rocm, rocr, "0,1", hip, "0",
               "HIP_VISIBLE_DEVICES=\"0\": expected devices, but none is shown; correct or unset "
               "it, or check the driver and the allocation"},
       }) {
    const FixedEnvironment env({{row.first_name, row.first}, {row.second_name, row.second}});
    const auto visible = visible_devices(row.kind, env, 4);
    DeviceRequest request = ask(0, 2, 0);
    request.kind = row.kind;
    request.visible = &visible;
    EXPECT_EQ(message(strict{}(request).error()).view(), row.message);
  }
}

TEST(DevicePolicies, name_the_range_of_the_local_rank) {
  EXPECT_EQ(message(strict{}(ask(2, 2, 4)).error()).view(),
            "local rank=\"2\": expected a number in [0, 2); pass the local rank, not the global "
            "rank, and the number of processes on this node");
  DeviceRequest request = ask(-1, 2, 4);
  request.local_world_size = std::nullopt;
  EXPECT_EQ(message(strict{}(request).error()).view(),
            "local rank=\"-1\": expected 0 or more; pass the local rank, not the global rank, and "
            "the number of processes on this node");
  request = ask(3, 4, 2);  // shared, and no evidence to name
  EXPECT_EQ(strict{}(request).error().expected.view(),
            "4 or more: 1 for each of 4 local processes, which see the same devices");
}

TEST(DevicePolicies, use_the_cpu_if_a_variable_hides_everything) {
  constexpr FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", "-1"}});
  constexpr auto visible = visible_devices(DeviceKind::cuda, env);
  DeviceRequest request = ask(0, 2, 0);
  request.visible = &visible;
  EXPECT_EQ(trainer{}(request)->kind, DeviceKind::cpu);
  constexpr FixedEnvironment amd({{"ROCR_VISIBLE_DEVICES", "-1"}, {"HIP_VISIBLE_DEVICES", "0"}});
  constexpr auto hidden = visible_devices(DeviceKind::rocm, amd);
  request.kind = DeviceKind::rocm;
  request.visible = &hidden;
  for (const auto& device : {trainer{}(request), or_cpu{strict{}}(request)}) {
    ASSERT_TRUE(device) << message(device.error()).view();
    EXPECT_EQ(device->kind, DeviceKind::cpu);
  }
}

TEST(Strict, names_both_numbers_and_the_remedies) {
  DeviceRequest request = ask(3, 4, 2);
  request.isolation.because = "TORCHELASTIC_RUN_ID=none";
  EXPECT_EQ(message(strict{}(request).error()).view(),
            "visible cuda devices=\"2\": expected 4 or more: 1 for each of 4 local processes, "
            "which see the same devices (TORCHELASTIC_RUN_ID=none); start fewer processes, or show "
            "them more devices; in the program, share by device_policy::wrap or block, or list "
            "devices by device_policy::map");
}

TEST(Strict, names_its_basis) {
  DeviceRequest request = ask(3, 4, 1, Isolation::own);
  request.isolation.because = "SLURM_GPUS_PER_TASK=1";
  EXPECT_EQ(strict{}(request)->basis, DeviceBasis::isolated);
  EXPECT_EQ(strict{}(request)->reason.view(),
            "no other process has this device (SLURM_GPUS_PER_TASK=1)");
  request.local_world_size.reset();
  EXPECT_EQ(strict{}(request)->basis, DeviceBasis::isolated);
  request.local_rank = LocalRank(1);
  EXPECT_EQ(strict{}(request)->basis, DeviceBasis::isolated);
  request.local_rank = LocalRank(0);  // which it may be alone: the rule of all the others holds
  EXPECT_EQ(strict{}(request)->basis, DeviceBasis::local_rank);
  EXPECT_EQ(strict{}(ask(3, 4, 4))->basis, DeviceBasis::local_rank);
}

// One visible device was once taken for this process's own, without a proof.
TEST(Strict, asks_for_a_proof_that_a_device_is_not_shared) {
  DeviceRequest request = ask(3, 4, 1, Isolation::unknown);
  EXPECT_EQ(code_of(strict{}(request)), Errc::ambiguous);
  EXPECT_EQ(message(strict{}(request).error()).view(),
            "visible cuda devices=\"1\": expected 4 or more: 1 for each of 4 local processes, or "
            "proof that each has its own; bind by srun --gpus-per-task, or show all devices to "
            "all; in the program, say so by device_policy::own if each has its own, or share by "
            "wrap");
  request.isolation.because = "SLURM_GPUS_PER_TASK=1, but SLURM_GPUS_ON_NODE=1";
  EXPECT_EQ(message(strict{}(request).error()).view(),
            "visible cuda devices=\"1\": expected 4 or more: 1 for each of 4 local processes, or "
            "proof that each has its own (SLURM_GPUS_PER_TASK=1, but SLURM_GPUS_ON_NODE=1); bind "
            "by srun --gpus-per-task, or show all devices to all; in the program, say so by "
            "device_policy::own if each has its own, or share by wrap");
  request.visible_count = 2;
  EXPECT_EQ(code_of(strict{}(request)), Errc::ambiguous);
}

TEST(DevicePolicies, name_a_binding_by_which_lists_overlap) {
  constexpr int nodes[] = {0, 1};
  DeviceRequest request = ask(1, 2, 2, Isolation::bound);
  request.isolation.because = "SLURM_GPU_BIND=closest";
  constexpr std::string_view expected =
      "visible cuda devices=\"2\": expected a binding by which no two local processes can get "
      "the same, unlike SLURM_GPU_BIND=closest; bind by srun --gpus-per-task alone, or not at all "
      "by "
      "--gpu-bind=none; in the program, choose by device_policy::disjoint, or by own if each has "
      "its own";
  for (const auto& device :
       {strict{}(request), per_process{1}(request), trainer{}(request), wrap{}(request),
        block{}(request), closest{.device_nodes = nodes, .process_nodes = nodes}(request)}) {
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, Errc::ambiguous);
    EXPECT_EQ(message(device.error()).view(), expected);
  }
  EXPECT_EQ(index_of(wrap{.uneven = true}(request)), 1);
  EXPECT_EQ(index_of(block{.uneven = true}(request)), 1);
  request.visible_count = 1;  // nothing to choose
  EXPECT_EQ(index_of(wrap{}(request)), 0);
  request = ask(0, 1, 2, Isolation::bound);  // one process on the node
  EXPECT_EQ(index_of(strict{}(request)), 0);
}

TEST(DevicePolicies, share_a_device_as_often_as_they_may) {
  for (int size = 1; size <= max_processes; ++size) {
    for (int devices = 1; devices <= max_devices; ++devices) {
      for (int sharing = 1; sharing <= 4; ++sharing) {
        for (const bool in_blocks : {false, true}) {
          int used[max_devices] = {};
          int failures = 0;
          for (int rank = 0; rank != size; ++rank) {
            const auto device =
                in_blocks ? block{.uneven = true, .sharing = sharing}(ask(rank, size, devices))
                          : wrap{.uneven = true, .sharing = sharing}(ask(rank, size, devices));
            failures += device ? 0 : 1;
            if (device) ++used[device->index.value];
          }
          EXPECT_EQ(failures, size > devices * sharing ? size : 0);
          for (const int processes : used) EXPECT_LE(processes, sharing);
        }
      }
    }
  }
  EXPECT_EQ(message(wrap{.sharing = 2}(ask(3, 8, 2)).error()).view(),
            "visible cuda devices=\"2\": expected 4 or more: 8 local processes, at most 2 on each; "
            "start fewer processes, or show them more devices; in the program, raise `sharing` of "
            "the policy");
  EXPECT_EQ(message(block{.sharing = -1}(ask(0, 8, 2)).error()).view(),
            "device_policy::block::sharing=\"-1\": expected 1 or more; pass how many processes may "
            "use each device");
  DeviceRequest open = ask(0, 2, 2);
  open.local_world_size.reset();
  EXPECT_EQ(code_of(wrap{.uneven = true, .sharing = 2}(open)), Errc::missing);
}

TEST(Own, is_the_first_because_the_program_says_so) {
  EXPECT_TRUE(holds(own{}, Isolation::unknown, false, wrap_first));
  EXPECT_TRUE(holds(own{}, Isolation::bound, false, wrap_first));
  const auto device = own{2}(ask(3, 4, 2, Isolation::unknown));
  EXPECT_EQ(device->count, 2);
  EXPECT_EQ(device->basis, DeviceBasis::policy);
  EXPECT_EQ(device->reason.view(), "the program says that no other process has it");
  EXPECT_EQ(message(own{2}(ask(3, 4, 1)).error()).view(),
            "visible cuda devices=\"1\": expected 2 or more, for this process alone; show it more "
            "devices; in the program, pass a smaller k");
  EXPECT_EQ(message(own{0}(ask(3, 4, 1)).error()).view(),
            "device_policy::own::k=\"0\": expected 1 or more; pass how many devices each process "
            "uses");
}

TEST(DevicePolicies, report_a_missing_local_world_size) {
  DeviceRequest request = ask(1, 2, 4);
  request.local_world_size = std::nullopt;
  EXPECT_EQ(index_of(strict{}(request)), 1);
  EXPECT_EQ(index_of(per_process{2}(request)), 2);
  EXPECT_EQ(code_of(per_process{3}(request)), Errc::not_enough_devices);
  EXPECT_EQ(code_of(wrap{}(request)), Errc::missing);
  EXPECT_EQ(index_of(wrap{.uneven = true}(request)), 1);
  EXPECT_EQ(code_of(block{}(request)), Errc::missing);
  EXPECT_EQ(code_of(block{.uneven = true}(request)), Errc::missing);
  // A remedy that helps: block needs the number with `uneven`, too.
  for (const bool uneven : {false, true}) {
    EXPECT_EQ(
        message(block{.uneven = uneven}(request).error()).view(),
        "local world size is not set: expected the number of processes on this node, to share "
        "devices evenly; set LOCAL_WORLD_SIZE; in the program, pass it");
  }
  request.local_rank = LocalRank(4);
  EXPECT_EQ(code_of(strict{}(request)), Errc::not_enough_devices);
  request.local_rank = LocalRank(INT32_MAX);
  EXPECT_EQ(code_of(strict{}(request)), Errc::not_enough_devices);
}

// ---- The Trainer's rule

struct TrainerRow {
  DeviceKind kind;
  bool launched;
  int local_rank, devices;
  trainer policy;
  std::string_view expected;  // device and how many it drives
};
constexpr TrainerRow trainer_rows[] = {
    {DeviceKind::cuda, true, 1, 4, {.use_cpu = true}, "cpu 0"},
    {DeviceKind::cuda, false, -1, 4, {.use_cpu = true}, "cpu 0"},
    {DeviceKind::cuda, false, -1, 0, {.use_cpu = true}, "cpu 0"},
    {DeviceKind::tpu, true, 1, 4, {}, "tpu:0 0"},
    {DeviceKind::tpu, true, 4, 4, {}, "error"},
    {DeviceKind::tpu, true, 1, 0, {}, "error"},
    {DeviceKind::cuda, true, 0, 0, {.sagemaker_local_rank = LocalRank(3)}, "error"},
    {DeviceKind::cuda, true, 0, 4, {.sagemaker_local_rank = LocalRank(3)}, "cuda:3 1"},
    {DeviceKind::cuda, false, -1, 4, {.sagemaker_local_rank = LocalRank(2)}, "cuda:2 1"},
    {DeviceKind::cuda, false, -1, 4, {}, "cuda:0 4"},
    {DeviceKind::cuda, false, -1, 1, {}, "cuda:0 1"},
    {DeviceKind::cuda, false, -1, 0, {}, "cpu 0"},
    {DeviceKind::rocm, false, -1, 8, {}, "rocm:0 8"},
    {DeviceKind::npu, false, -1, 8, {}, "npu:0 1"},
    {DeviceKind::xpu, false, -1, 8, {}, "xpu:0 1"},
    {DeviceKind::mlu, false, -1, 8, {}, "mlu:0 1"},
    {DeviceKind::musa, false, -1, 8, {}, "musa:0 1"},
    {DeviceKind::hpu, false, -1, 8, {}, "hpu:0 1"},
    {DeviceKind::neuron, false, -1, 8, {}, "neuron:0 1"},
    {DeviceKind::npu, false, -1, 0, {}, "cpu 0"},
    {DeviceKind::cuda, true, 1, 4, {}, "cuda:1 1"},
    {DeviceKind::npu, true, 3, 4, {}, "npu:3 1"},
    {DeviceKind::npu, true, 1, 1, {}, "error"},   // its own, or the same for all of them
    {DeviceKind::cuda, true, 3, 2, {}, "error"},  // no silent modulo
};
constexpr rankmap::StaticString<31> answer(const TrainerRow& row) {
  DeviceRequest request = ask(row.local_rank, 4, row.devices, Isolation::unknown);
  request.kind = row.kind;
  request.launched = row.launched;
  const auto device = row.policy(request);
  if (!device) return "error";
  return rankmap::detail::concat<31>(to_string(*device).view(), " ", device->count);
}
static_assert(std::ranges::all_of(trainer_rows, [](const TrainerRow& row) {
  return answer(row) == row.expected;
}));

TEST(Trainer, fails_without_devices_for_a_tpu_or_sagemaker_rank) {
  DeviceRequest none = ask(1, 2, 0);
  EXPECT_EQ(code_of(trainer{.sagemaker_local_rank = LocalRank(1)}(none)), Errc::no_device);
  EXPECT_EQ(code_of(trainer{.sagemaker_local_rank = LocalRank(2)}(ask(1, 2, 4))),
            Errc::out_of_range);
  none.kind = DeviceKind::tpu;
  EXPECT_EQ(code_of(trainer{}(none)), Errc::no_device);
}

TEST(Trainer, follows_hugging_faces_rule) {
  for (const TrainerRow& row : trainer_rows) {
    EXPECT_EQ(answer(row).view(), row.expected)
        << rankmap::name(row.kind) << (row.launched ? " launched, " : " alone, ") << row.devices;
  }
}

}  // namespace
