// SPDX-License-Identifier: MIT
#include <rankmap/device/visible_devices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

using rankmap::DeviceHierarchy;
using rankmap::DeviceInventory;
using rankmap::DeviceKind;
using rankmap::explain;
using rankmap::FixedEnvironment;
using rankmap::ParseStop;
using rankmap::PhysicalId;
using rankmap::Visibility;
using rankmap::visible_devices;
using rankmap::VisibleDevices;
using rankmap::VisibleIndex;

static_assert(std::is_trivially_copyable_v<VisibleDevices>);

using Shown = rankmap::StaticString<200>;

// "0 1" for ids, the entry's own text where the id is not known, "0.1+2" for sub-devices.
constexpr Shown shown(const VisibleDevices& devices) {
  Shown out;
  switch (devices.state()) {
    case Visibility::unset:
      return "unset";
    case Visibility::all:
      return "all";
    case Visibility::none:
      return "{}";
    case Visibility::rejected:
      return "rejected";
    case Visibility::unknown:
      return "unknown";
    case Visibility::list:
      break;
  }
  for (int i = 0; i < devices.size(); ++i) {
    const auto device = devices[VisibleIndex(i)];
    if (i != 0) out.append(' ');
    if (device.physical) {
      out.append_number(device.physical->value);
    } else {
      out.append(device.text.empty() ? std::string_view("?") : device.text);
    }
    char mark = '.';
    for (unsigned s = 0; s != 64; ++s) {
      if ((device.sub_devices >> s & 1U) == 0) continue;
      out.append(mark).append_number(std::uint64_t{s});
      mark = '+';
    }
  }
  return out;
}

constexpr VisibleDevices read(DeviceKind kind, std::string_view variable, std::string_view text,
                              const DeviceInventory& inventory) {
  return visible_devices(kind, FixedEnvironment({{variable, text}}), inventory);
}

constexpr DeviceInventory devices(int count) {
  DeviceInventory inventory;
  inventory.count = count;
  return inventory;
}

// ---- One text, five vendors, four devices
// How each vendor's own reader understands the same text. A red row is a process on a wrong device.

struct FiveVendors {
  std::string_view text;
  std::string_view cuda, rocr, hip, npu, mlu;
};
constexpr FiveVendors five_vendors[] = {
    {"", "{}", "{}", "all", "{}", "{}"},       {"0", "0", "0", "0", "0", "0"},
    {"1,0", "1 0", "1 0", "1 0", "{}", "1 0"}, {"0,1", "0 1", "0 1", "0 1", "0 1", "0 1"},
    {"3,1", "3 1", "3 1", "3 1", "{}", "3 1"}, {"0,0", "{}", "0", "0", "{}", "{}"},
    {"1,2,1", "{}", "1 2", "1 2", "{}", "{}"}, {"0,1,1", "{}", "0 1", "0 1", "{}", "{}"},
    {"-1", "{}", "{}", "{}", "{}", "{}"},      {"0,-1,1", "0", "0", "0", "0", "0"},
    {"0,9,1", "0", "0", "0", "0", "0"},        {"9", "{}", "{}", "{}", "{}", "{}"},
    {" 1", "1", "1", "{}", "{}", "1"},         {"0, 1", "0 1", "0 1", "0", "0", "0 1"},
    {"0 ,1", "0 1", "0 1", "{}", "0", "0 1"},  {"0,1,", "0 1", "0 1", "0 1", "0 1", "0 1"},
    {"0,,1", "0", "rejected", "0", "0", "0"},  {",0", "{}", "rejected", "{}", "{}", "{}"},
    {"+1", "1", "1", "{}", "{}", "{}"},        {"01", "1", "1", "{}", "1", "1"},
    {"0x1", "0", "1", "{}", "0", "{}"},        {"1gpu,2", "1 2", "{}", "{}", "1", "{}"},
    {"two,1", "{}", "{}", "{}", "{}", "{}"},   {"NoDevFiles", "{}", "{}", "{}", "{}", "{}"},
    {"all", "{}", "{}", "{}", "{}", "{}"},     {"none", "{}", "{}", "{}", "{}", "{}"},
    {"0;1", "0", "{}", "{}", "0", "{}"},       {"0-1", "0", "{}", "{}", "0", "{}"},
    {"2,1", "2 1", "2 1", "2 1", "{}", "2 1"},
};

struct Vendor {
  std::string_view name;
  DeviceKind kind;
  std::string_view variable;
  std::string_view FiveVendors::*expected;
};
constexpr Vendor vendors[] = {
    {"CUDA", DeviceKind::cuda, "CUDA_VISIBLE_DEVICES", &FiveVendors::cuda},
    {"ROCR", DeviceKind::rocm, "ROCR_VISIBLE_DEVICES", &FiveVendors::rocr},
    {"HIP", DeviceKind::rocm, "HIP_VISIBLE_DEVICES", &FiveVendors::hip},
    {"CUDA's name on AMD", DeviceKind::rocm, "CUDA_VISIBLE_DEVICES", &FiveVendors::hip},
    {"Ascend", DeviceKind::npu, "ASCEND_RT_VISIBLE_DEVICES", &FiveVendors::npu},
    {"MLU", DeviceKind::mlu, "MLU_VISIBLE_DEVICES", &FiveVendors::mlu},
    {"CN", DeviceKind::mlu, "CN_VISIBLE_DEVICES", &FiveVendors::mlu},
};

constexpr bool five_vendors_hold() {
  for (const FiveVendors& row : five_vendors) {
    for (const Vendor& vendor : vendors) {
      if (shown(read(vendor.kind, vendor.variable, row.text, devices(4))) != row.*vendor.expected) {
        return false;
      }
    }
  }
  return true;
}
static_assert(five_vendors_hold());

TEST(VisibleDevices, depend_on_how_each_vendor_reads_the_text) {
  for (const FiveVendors& row : five_vendors) {
    for (const Vendor& vendor : vendors) {
      const auto visible = read(vendor.kind, vendor.variable, row.text, devices(4));
      EXPECT_EQ(shown(visible).view(), row.*vendor.expected)
          << vendor.name << " of \"" << row.text << '"';
      EXPECT_TRUE(visible.restricted()) << vendor.name << " of \"" << row.text << '"';
    }
  }
}

TEST(VisibleDevices, show_every_device_if_no_variable_is_set) {
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto visible = visible_devices(static_cast<DeviceKind>(i), FixedEnvironment(), 4);
    EXPECT_EQ(visible.state(), Visibility::unset);
    EXPECT_EQ(visible.count(), 4);
    EXPECT_FALSE(visible.restricted());
    EXPECT_EQ(visible.physical(VisibleIndex(3)), PhysicalId(3));
    EXPECT_EQ(visible.physical(VisibleIndex(4)), std::nullopt);
    EXPECT_EQ(visible.find(PhysicalId(2)), VisibleIndex(2));
    EXPECT_EQ(visible.find(PhysicalId(4)), std::nullopt);
    EXPECT_EQ(visible_devices(static_cast<DeviceKind>(i), FixedEnvironment()).count(),
              std::nullopt);
  }
}

// ---- Each vendor's own rows

struct Row {
  DeviceKind kind;
  std::string_view variable, text;
  int count;  // -1: not known
  std::string_view expected;
};

constexpr auto cuda = DeviceKind::cuda;
constexpr auto rocm = DeviceKind::rocm;
constexpr auto npu = DeviceKind::npu;
constexpr auto xpu = DeviceKind::xpu;
constexpr auto mlu = DeviceKind::mlu;
constexpr auto musa = DeviceKind::musa;
constexpr auto hpu = DeviceKind::hpu;
constexpr auto neuron = DeviceKind::neuron;
constexpr auto tpu = DeviceKind::tpu;
constexpr std::string_view cuda_list = "CUDA_VISIBLE_DEVICES";
constexpr std::string_view rocr_list = "ROCR_VISIBLE_DEVICES";
constexpr std::string_view npu_list = "ASCEND_RT_VISIBLE_DEVICES";
constexpr std::string_view xpu_list = "ZE_AFFINITY_MASK";
constexpr std::string_view mlu_list = "MLU_VISIBLE_DEVICES";
constexpr std::string_view musa_list = "MUSA_VISIBLE_DEVICES";
constexpr std::string_view hpu_list = "HABANA_VISIBLE_MODULES";
constexpr std::string_view neuron_list = "NEURON_RT_VISIBLE_CORES";
constexpr std::string_view tpu_list = "TPU_VISIBLE_CHIPS";

constexpr Row rows[] = {
    // PyTorch's parser tests, and the rest of the sentence in the CUDA guide: "0,2,-1,1" is 0,2.
    {cuda, cuda_list, "1gpu2,2ampere", -1, "1 2"},
    {cuda, cuda_list, "0, 1, 2, -1, 3", -1, "0 1 2"},
    {cuda, cuda_list, "0, 1, 2, 1", -1, "{}"},
    {cuda, cuda_list, "2, +3, -0, 5", -1, "2 3 0 5"},
    {cuda, cuda_list, "one,two,3,4", -1, "{}"},
    {cuda, cuda_list, "4,3,two,one", -1, "4 3"},
    {cuda, cuda_list, "GPU-9e8d35e3", -1, "GPU-9e8d35e3"},
    {cuda, cuda_list, "MIG-89c850dc", -1, "MIG-89c850dc"},
    {cuda, cuda_list, "GPU-123, 2", -1, "GPU-123"},
    {cuda, cuda_list, "1, 0", 2, "1 0"},
    {cuda, cuda_list, "1, 5, 0", 2, "1"},
    {cuda, cuda_list, "0,2,-1,1", 4, "0 2"},
    {cuda, cuda_list, "+", 4, "{}"},
    {cuda, cuda_list, "-", 4, "{}"},
    {cuda, cuda_list, " GPU-1", 4, "{}"},
    {cuda, cuda_list, "0,GPU-1", 4, "0"},
    {cuda, cuda_list, "MIG-a,GPU-b", 4, "MIG-a"},
    {cuda, cuda_list, "gpu-1", 4, "{}"},
    {cuda, cuda_list, "GPU-1, GPU-2", 4, "GPU-1"},
    {cuda, cuda_list, "GPU-1,GPU-2", 4, "GPU-1 GPU-2"},
    {cuda, cuda_list, "GPU-1 ,GPU-2", 4, "GPU-1  GPU-2"},  // a blank is part of the first name
    {cuda, cuda_list, "GPU-1,GPU-1", 4, "{}"},
    {cuda, cuda_list, "MIG-a,MIG-b", 4, "MIG-a"},  // a process sees one instance
    {cuda, cuda_list, "MIG-a,MIG-a", 4, "{}"},
    {cuda, cuda_list, "MIG-GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f/7/0", 4,
     "MIG-GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f/7/0"},
    {cuda, cuda_list, "0,9,9", 4, "{}"},  // repeats are found before the count is checked
    {cuda, cuda_list, "99999999999", 4, "{}"},
    {cuda, cuda_list, "18446744073709551616", 4, "{}"},
    {cuda, cuda_list, "0,1", 0, "{}"},
    {cuda, cuda_list, "0,\n1\v,\f2\r,\t3 ", -1, "0 1 2 3"},

    {rocm, rocr_list, "0x1,02", 4, "1 2"},
    {rocm, rocr_list, "0X1,0X", 4, "1"},
    {rocm, rocr_list, "1,GPU-ab,2", -1, "1 GPU-ab 2"},
    {rocm, rocr_list, "08", 16, "{}"},
    {rocm, rocr_list, "010", 16, "8"},
    {rocm, rocr_list, "10,0xB", 16, "10 11"},
    {rocm, rocr_list, "0x", 4, "{}"},
    {rocm, rocr_list, "-0", 4, "0"},
    {rocm, rocr_list, "-1", -1, "{}"},
    {rocm, rocr_list, ",", 4, "rejected"},
    {rocm, rocr_list, "0,1,,", 2, "0 1"},  // reads no more entries than there are devices
    {rocm, rocr_list, "0,1,,", 3, "rejected"},
    {rocm, rocr_list, "0", 0, "{}"},
    {rocm, rocr_list, "GPU", 4, "{}"},
    {rocm, rocr_list, "GPU-", -1, "{}"},
    {rocm, rocr_list, " GPU-ab ,2", -1, "GPU-ab 2"},
    {rocm, rocr_list, "GPU-C34EC50444DD0A6DF", -1, "{}"},  // 21 characters
    {rocm, rocr_list, "GPU-C34EC50444DD0A6D", -1, "GPU-C34EC50444DD0A6D"},
    {rocm, rocr_list, "GPU-ab,gpu-AB", -1, "GPU-ab"},
    {rocm, "HIP_VISIBLE_DEVICES", "12,-0", 16, "12"},

    // CANN's test texts, for 8 devices.
    {npu, npu_list, "", 8, "{}"},
    {npu, npu_list, ",", 8, "{}"},
    {npu, npu_list, " ,", 8, "{}"},
    {npu, npu_list, ", ", 8, "{}"},
    {npu, npu_list, "0,", 8, "0"},
    {npu, npu_list, ",0", 8, "{}"},
    {npu, npu_list, "0, ", 8, "0"},
    {npu, npu_list, "0, 1", 8, "0"},
    {npu, npu_list, "0 ,1", 8, "0"},
    {npu, npu_list, "0,1", 8, "0 1"},
    {npu, npu_list, "0,32,1", 8, "0"},
    {npu, npu_list, "0,32,0", 8, "0"},
    {npu, npu_list, "0,0", 8, "{}"},
    {npu, npu_list, "0,1,1", 8, "{}"},
    {npu, npu_list, "npu0", 8, "{}"},
    {npu, npu_list, "1,0", 8, "{}"},
    {npu, npu_list, "1, 2,3", 8, "1"},
    {npu, npu_list, "1,3,8", 8, "1 3"},
    {npu, npu_list, "4,5,6,7", 8, "4 5 6 7"},

    {xpu, xpu_list, "1,0", 4, "0 1"},
    {xpu, xpu_list, "0,0", 4, "0"},
    {xpu, xpu_list, "9", 4, "{}"},
    {xpu, xpu_list, "90", 4, "{}"},
    {xpu, xpu_list, "0,9,1", 4, "0 1"},
    {xpu, xpu_list, "", 4, "all"},
    {xpu, xpu_list, "default", 4, "all"},
    {xpu, xpu_list, "3,,1", 4, "1 3"},
    {xpu, xpu_list, "0.0", 4, "unknown"},  // depends on the hierarchy, which is not known
    {xpu, xpu_list, "a,1", 4, "1"},
    {xpu, "ONEAPI_DEVICE_SELECTOR", "0", 4, "unknown"},

    // torch_mlu's tests.
    {mlu, mlu_list, "1gpu2,2ampere", -1, "{}"},
    {mlu, mlu_list, "0, 1, 2, -1, 3", -1, "0 1 2"},
    {mlu, mlu_list, "0, 1, 2, 1", -1, "{}"},
    {mlu, mlu_list, "2, +3, -0, 5", -1, "2"},
    {mlu, mlu_list, "one,two,3,4", -1, "{}"},
    {mlu, mlu_list, "4,3,two,one", -1, "4 3"},
    {mlu, mlu_list, "MLU-0123456789012345-01234567890123456", -1,
     "MLU-0123456789012345-01234567890123456"},
    {mlu, mlu_list, "MLU-1", -1, "{}"},
    {mlu, mlu_list, "MLU_0123456789012345_01234567890123456", -1, "{}"},

    // An unpublished grammar: only what all others read in the same way.
    {musa, musa_list, "0", 4, "0"},
    {musa, musa_list, "0,2", 4, "0 2"},
    {musa, musa_list, "2,0", 4, "unknown"},
    {musa, musa_list, "0,0", 4, "unknown"},
    {musa, musa_list, "", 4, "unknown"},
    {musa, musa_list, "all", 4, "unknown"},
    {musa, musa_list, "0, 1", 4, "unknown"},
    {musa, musa_list, "01", 4, "unknown"},
    {musa, musa_list, "0,9", 4, "unknown"},

    {hpu, hpu_list, "4,5", 2, "4 5"},  // module ids are the board's, not below the count
    {hpu, hpu_list, "6,7,0,1", 8, "6 7 0 1"},
    {hpu, hpu_list, "0,0", 8, "rejected"},
    {hpu, hpu_list, "8", 8, "rejected"},
    {hpu, hpu_list, "a", 8, "rejected"},
    {hpu, hpu_list, "", 8, "unknown"},

    // torch_xla's tests of Neuron core lists.
    {neuron, neuron_list, "1", 32, "1"},
    {neuron, neuron_list, "1-3", 32, "1 2 3"},
    {neuron, neuron_list, "1-3,5-8", 32, "1 2 3 5 6 7 8"},
    {neuron, neuron_list, "1,3,5-8", 32, "1 3 5 6 7 8"},
    {neuron, neuron_list, "1-3,5-8,3-5", 32, "rejected"},
    {neuron, neuron_list, "5-8-5", 32, "rejected"},
    {neuron, neuron_list, "a", 32, "rejected"},
    {neuron, neuron_list, "3-1", 32, "rejected"},
    {neuron, neuron_list, "3-1", -1, "rejected"},
    {neuron, neuron_list, "1,", 32, "rejected"},
    {neuron, neuron_list, "-1", 32, "rejected"},
    {neuron, neuron_list, "30-40", 32, "rejected"},
    {neuron, neuron_list, "0-128", -1, "unknown"},    // one more than are kept
    {neuron, "NEURON_RT_NUM_CORES", "2", 32, "? ?"},  // any two: the runtime chooses
    {neuron, "NEURON_RT_NUM_CORES", "0", 32, "all"},
    {neuron, "NEURON_RT_NUM_CORES", "two", 32, "rejected"},
    {neuron, "NEURON_RT_NUM_CORES", "3", 2, "rejected"},  // as a list that names a third one
    {neuron, "NEURON_RT_NUM_CORES", "129", -1, "unknown"},
    {neuron, "NEURON_RT_NUM_CORES", "1000000", -1, "unknown"},

    {tpu, tpu_list, "0,1,2,3", 4, "0 1 2 3"},
    {tpu, "TPU_VISIBLE_DEVICES", "2", 4, "2"},
    {tpu, tpu_list, "0,0", 4, "unknown"},
    {tpu, tpu_list, "x", 4, "unknown"},
};

constexpr VisibleDevices read(const Row& row) {
  DeviceInventory inventory;
  if (row.count >= 0) inventory.count = row.count;
  return read(row.kind, row.variable, row.text, inventory);
}
static_assert(std::ranges::all_of(rows,
                                  [](const Row& row) { return shown(read(row)) == row.expected; }));

static_assert(read(neuron, neuron_list, "0-127", {}).size() == 128);
static_assert(read(neuron, "NEURON_RT_NUM_CORES", "128", {}).size() == 128);

TEST(VisibleDevices, agree_with_each_vendors_own_tests) {
  for (const Row& row : rows) {
    const VisibleDevices visible = read(row);
    EXPECT_EQ(shown(visible).view(), row.expected)
        << row.variable << "=\"" << row.text << "\" of " << row.count;
    for (const auto& layer : visible.layers()) {
      if (layer.state != Visibility::list) {
        EXPECT_EQ(layer.count, 0) << row.variable << "=\"" << row.text << '"';
      }
    }
  }
}

// ---- Names

// The eight devices of PyTorch's test.
constexpr std::string_view eight_uuids[] = {
    "GPU-9942190a-aa31-4ff1-4aa9-c388d80f85f1", "GPU-9e8d35e3-a134-0fdd-0e01-23811fdbd293",
    "GPU-e429a63e-c61c-4795-b757-5132caeb8e70", "GPU-eee1dfbc-0a0f-6ad8-5ff6-dc942a8b9d98",
    "GPU-bbcd6503-5150-4e92-c266-97cc4390d04e", "GPU-472ea263-58d7-410d-cc82-f7fdece5bd28",
    "GPU-e56257c4-947f-6a5b-7ec9-0f45567ccf4e", "GPU-1c20e77d-1c1a-d9ed-fe37-18b8466a78ad"};

struct NameRow {
  std::string_view text, expected;
  ParseStop stop;
};
constexpr NameRow cuda_names[] = {
    {"GPU-9e8d35e3", "1", ParseStop::end},
    {"GPU-e4,GPU-9e8d35e3", "2 1", ParseStop::end},
    {"GPU-9e8d35e3,GPU-1,GPU-47", "1 7 5", ParseStop::end},
    {"GPU-123,GPU-9e8d35e3", "{}", ParseStop::unknown_uuid},
    {"GPU-9e8d35e3,GPU-123,GPU-47", "1", ParseStop::unknown_uuid},
    {"GPU-9e8d35e3,GPU-e,GPU-47", "1", ParseStop::ambiguous_uuid},
    {"GPU-9e8d35e3,GPU-47,GPU-9e8", "{}", ParseStop::repeated},
    {"MIG-a", "MIG-a", ParseStop::end},  // a table of whole GPUs says nothing about instances
};

// The four devices of ROCr's header.
constexpr std::string_view four_uuids[] = {"GPU-BABABABABABABABA", "GPU-ABBAABBAABBAABBA",
                                           "GPU-BABAABBAABBABABA", "GPU-ABBABABABABAABBA"};
constexpr NameRow rocr_names[] = {
    {"", "{}", ParseStop::end},
    {"-1", "{}", ParseStop::bad_entry},
    {"GPU-XX", "{}", ParseStop::unknown_uuid},
    {"3,GPU-BABABABABABABABA,4", "3 0", ParseStop::out_of_range},
    {"3,GPU-BABAABBA,GPU-XX", "3 2", ParseStop::unknown_uuid},
    // The header's own comment says 1,2; its code finds that the name is device 1's.
    {"1,GPU-ABBAABBAABBAABBA,GPU-XX", "1", ParseStop::repeated},
    {"GPU-BABA", "{}", ParseStop::ambiguous_uuid},
    {"GPU-ABBA", "{}", ParseStop::ambiguous_uuid},
    {"gpu-babaa", "2", ParseStop::end},
    {"GPU-BABAB,GPU-ABBAB", "0 3", ParseStop::end},
    {"GPU", "{}", ParseStop::bad_entry},
    {"GPU-BABABABABABABABAB", "{}", ParseStop::bad_entry},
    {"GPU-{|}~", "{}", ParseStop::unknown_uuid},
};
constexpr NameRow hip_names[] = {
    {"GPU-baba", "0", ParseStop::end},  // the first that contains it, though two do
    {"GPU-babaa", "2", ParseStop::end},
    {"GPU-BABAA", "{}",
     ParseStop::unknown_uuid},  // the runtime's name is lower-case, and so is this match
    {"GPU-babaa,2,1", "2 1", ParseStop::end},
    {"1,GPU-abbab,x", "1 3", ParseStop::bad_entry},
};

// An instance has a name of its own, unlike that of its GPU.
constexpr std::string_view mig_uuids[] = {"GPU-5c89852c", "MIG-89c850dc", "MIG-89c9dd27",
                                          "MIG-9e8d35e3"};
constexpr NameRow mig_names[] = {
    {"MIG-9", "3", ParseStop::end},
    {"MIG-89c8,MIG-9", "1", ParseStop::second_instance},
    {"MIG-89c", "{}", ParseStop::ambiguous_uuid},
    {"MIG-5c", "{}", ParseStop::unknown_uuid},
    {"GPU-5", "0", ParseStop::end},
};
// torch_mlu compares whole names.
constexpr std::string_view mlu_uuids[] = {"MLU-0000000000000000-0000000000000001",
                                          "MLU-0000000000000000-0000000000000002",
                                          "MLU-0000000000000000-0000000000000002"};
constexpr NameRow mlu_names[] = {
    {"MLU-0000000000000000-0000000000000002,0", "1 0", ParseStop::end},
    {"MLU-0000000000000000-000000000000000", "{}", ParseStop::unknown_uuid},
    {"MLU-0000000000000000-0000000000000003", "{}", ParseStop::unknown_uuid},
};

constexpr bool names_hold(DeviceKind kind, std::string_view variable,
                          std::span<const std::string_view> uuids, std::span<const NameRow> table) {
  for (const NameRow& row : table) {
    DeviceInventory inventory;
    inventory.uuids = uuids;
    const auto visible = read(kind, variable, row.text, inventory);
    bool stops = false;
    for (const auto& layer : visible.layers()) stops = stops || layer.stop == row.stop;
    if (shown(visible) != row.expected || !stops) return false;
  }
  return true;
}
static_assert(names_hold(cuda, cuda_list, eight_uuids, cuda_names));
static_assert(names_hold(rocm, rocr_list, four_uuids, rocr_names));
static_assert(names_hold(rocm, "HIP_VISIBLE_DEVICES", four_uuids, hip_names));
static_assert(names_hold(cuda, cuda_list, mig_uuids, mig_names));
static_assert(names_hold(mlu, mlu_list, mlu_uuids, mlu_names));

TEST(VisibleDevices, are_found_by_names_that_the_caller_knows) {
  const auto check = [](DeviceKind kind, std::string_view variable,
                        std::span<const std::string_view> uuids, std::span<const NameRow> table) {
    for (const NameRow& row : table) {
      EXPECT_TRUE(names_hold(kind, variable, uuids, {&row, 1})) << variable << '=' << row.text;
    }
  };
  check(cuda, cuda_list, eight_uuids, cuda_names);
  check(rocm, rocr_list, four_uuids, rocr_names);
  check(rocm, "HIP_VISIBLE_DEVICES", four_uuids, hip_names);
  check(cuda, cuda_list, mig_uuids, mig_names);
  check(mlu, mlu_list, mlu_uuids, mlu_names);
}

TEST(VisibleDevices, keep_names_as_text_if_the_caller_knows_none) {
  const auto visible = read(cuda, cuda_list, "GPU-47,GPU-9e8d35e3", devices(8));
  ASSERT_EQ(visible.size(), 2);
  EXPECT_EQ(visible[VisibleIndex(1)].text, "GPU-9e8d35e3");
  EXPECT_EQ(visible[VisibleIndex(1)].physical, std::nullopt);
  EXPECT_FALSE(visible.checked());
  EXPECT_EQ(visible.count(), 2);
}

TEST(VisibleDevices, report_whether_every_entry_was_checked) {
  EXPECT_TRUE(read(cuda, cuda_list, "0,1", devices(4)).checked());
  EXPECT_FALSE(read(cuda, cuda_list, "GPU-47", devices(4)).checked());
  EXPECT_FALSE(read(cuda, cuda_list, "0,1", {}).checked());
  EXPECT_TRUE(read(cuda, cuda_list, "", {}).checked());
}

// ---- Two layers: AMD

struct TwoLayers {
  std::string_view rocr, hip, cuda_name;  // "-": not set
  std::string_view expected;
};
constexpr TwoLayers two_layers[] = {
    {"1", "1", "-", "{}"},  // the second indexes what the first left
    {"1", "0", "-", "1"},
    {"1", "-", "1", "{}"},
    {"0,3,4,7", "0,1", "-", "0 3"},
    {"0,3,4,7", "3,2", "-", "7 4"},
    {"3,1", "1", "-", "1"},
    {"-", "2", "1", "2"},  // HIP's name wins
    {"-", "", "1", "1"},   // an empty one does not
    {"-", "", "-", "all"},
    {"-", "-", "", "all"},
    {"", "0", "-", "{}"},
    {"2,3", "", "", "2 3"},
    {"2,3", "-1", "-", "{}"},
    {"0,,1", "0", "-", "rejected"},
    {"GPU-C34EC50444DD0A6D,1", "0", "-", "GPU-C34EC50444DD0A6D"},
    {"-", "-", "-", "unset"},
};
constexpr VisibleDevices read(const TwoLayers& row, std::optional<int> count) {
  const auto env = [&](std::string_view name) -> std::optional<std::string_view> {
    const std::string_view text = name == "ROCR_VISIBLE_DEVICES"   ? row.rocr
                                  : name == "HIP_VISIBLE_DEVICES"  ? row.hip
                                  : name == "CUDA_VISIBLE_DEVICES" ? row.cuda_name
                                                                   : "-";
    if (text == "-") return std::nullopt;
    return text;
  };
  return visible_devices(rocm, env, count);
}
static_assert(std::ranges::all_of(two_layers, [](const TwoLayers& row) {
  return shown(read(row, 8)) == row.expected;
}));

TEST(VisibleDevices, apply_amds_second_variable_to_the_first) {
  for (const TwoLayers& row : two_layers) {
    EXPECT_EQ(shown(read(row, 8)).view(), row.expected)
        << "ROCR=" << row.rocr << " HIP=" << row.hip << " CUDA=" << row.cuda_name;
  }
}

TEST(VisibleDevices, are_found_by_name_among_what_the_first_layer_left) {
  DeviceInventory inventory;
  inventory.uuids = four_uuids;
  constexpr FixedEnvironment env(
      {{"ROCR_VISIBLE_DEVICES", "3,2"}, {"HIP_VISIBLE_DEVICES", "GPU-baba,0"}});
  EXPECT_EQ(shown(visible_devices(rocm, env, inventory)).view(), "2 3");
  // two more devices, whose names the caller does not know
  inventory.count = 6;
  constexpr FixedEnvironment nameless(
      {{"ROCR_VISIBLE_DEVICES", "5,1"}, {"HIP_VISIBLE_DEVICES", "GPU-abba,0"}});
  EXPECT_EQ(shown(visible_devices(rocm, nameless, inventory)).view(), "1 5");
}

TEST(VisibleDevices, have_no_name_if_the_first_layer_gives_no_number) {
  rankmap::detail::DeviceList first;
  first.size = 3;
  first[1].id = 0;
  first[2].id = 2;
  rankmap::detail::LayerInventory known;
  known.uuids = std::span(four_uuids).first(2);
  known.through = &first;
  EXPECT_EQ(known.uuid(0), "");
  EXPECT_EQ(known.uuid(1), four_uuids[0]);
  EXPECT_EQ(known.uuid(2), "");
}

TEST(VisibleDevices, keep_entries_of_the_first_layer_that_are_not_numbers) {
  // the second variable indexes the first one's order, with or without numbers
  for (const TwoLayers& row : {
           TwoLayers{"GPU-C34EC50444DD0A6D,1", "1,0", "-", "1 GPU-C34EC50444DD0A6D"},
           TwoLayers{"GPU-C34EC50444DD0A6D,1", "GPU-c34e", "-", "GPU-c34e"},
           TwoLayers{"0,,1", "", "-", "rejected"},
           TwoLayers{"", "", "-", "{}"},
           TwoLayers{"", "x", "-", "{}"},
       }) {
    EXPECT_EQ(shown(read(row, std::nullopt)).view(), row.expected) << row.rocr << ' ' << row.hip;
  }
}

TEST(VisibleDevices, report_every_layer) {
  const auto visible = read(TwoLayers{"0,3", "0,2", "-", ""}, 8);
  ASSERT_EQ(visible.layers().size(), 2U);
  EXPECT_EQ(visible.layers()[0].variable, "ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(visible.layers()[0].count, 2);
  EXPECT_EQ(visible.layers()[1].variable, "HIP_VISIBLE_DEVICES");
  EXPECT_EQ(visible.layers()[1].stop, ParseStop::out_of_range);
  EXPECT_EQ(visible.layers()[1].position, 2U);
  EXPECT_EQ(explain(visible).view(),
            "ROCR_VISIBLE_DEVICES=0,3: 2 entries, then HIP_VISIBLE_DEVICES=0,2: 1 entry, stopped "
            "at byte 2 (no device has this number)");
  // nothing is read of a variable that is not set
  EXPECT_EQ(read(TwoLayers{"-", "0", "-", ""}, 8).layers()[0].position, 0U);
  // an empty variable that gives way to the next leaves no note on it
  EXPECT_EQ(explain(read(TwoLayers{"-", "", "1", ""}, 8)).view(),
            "CUDA_VISIBLE_DEVICES=1: 1 entry");
}

TEST(VisibleDevices, report_where_an_ascend_list_stops) {
  struct Break {
    std::string_view text;
    ParseStop stop;
    std::size_t position;
  };
  for (const Break& row :
       {Break{"0,1", ParseStop::end, 3}, Break{"0x1", ParseStop::bad_entry, 1},
        Break{"0, 1", ParseStop::bad_entry, 2}, Break{"0,,1x", ParseStop::empty_entry, 2},
        Break{"1,0x", ParseStop::not_ascending, 2}}) {
    const auto visible = read(npu, npu_list, row.text, {});
    EXPECT_EQ(visible.layers()[0].stop, row.stop) << row.text;
    EXPECT_EQ(visible.layers()[0].position, row.position) << row.text;
  }
  // A comma at the end is no break.
  EXPECT_EQ(explain(read(npu, npu_list, "0,", devices(8))).view(),
            "ASCEND_RT_VISIBLE_DEVICES=0,: 1 entry");
}

// ---- Level Zero

struct Tiles {
  DeviceHierarchy hierarchy;
  std::string_view text;
  int count;
  std::string_view expected;
};
// The specification's examples, two cards of four tiles.
constexpr Tiles tiles[] = {
    {DeviceHierarchy::composite, "0.0", 2, "0.0"},
    {DeviceHierarchy::composite, "1.1,1.2", 2, "1.1+2"},
    {DeviceHierarchy::composite, "0.2,1.3,1.0,0.3", 2, "0.2+3 1.0+3"},
    {DeviceHierarchy::composite, "0.1,0", 2, "0"},
    {DeviceHierarchy::composite, "0,0.1", 2, "0"},
    {DeviceHierarchy::composite, "0.4", 2, "{}"},
    {DeviceHierarchy::composite, "0.99999999999,1", 2, "1"},
    {DeviceHierarchy::flat, "0,4", 8, "0 4"},
    {DeviceHierarchy::flat, "1,2,7", 8, "1 2 7"},
    {DeviceHierarchy::flat, "0,1.1,2", 8, "0 2"},
    {DeviceHierarchy::combined, "0,1.1,2", 8, "0 2"},
};
constexpr VisibleDevices read(const Tiles& row) {
  DeviceInventory inventory = devices(row.count);
  inventory.hierarchy = row.hierarchy;
  inventory.sub_devices = 4;
  return read(xpu, xpu_list, row.text, inventory);
}
static_assert(std::ranges::all_of(tiles, [](const Tiles& row) {
  return shown(read(row)) == row.expected;
}));

TEST(VisibleDevices, count_cards_or_tiles_by_the_hierarchy) {
  for (const Tiles& row : tiles) EXPECT_EQ(shown(read(row)).view(), row.expected) << row.text;
}

TEST(VisibleDevices, prefer_the_hierarchy_of_the_environment) {
  const auto with = [](std::string_view hierarchy) {
    DeviceInventory inventory;
    inventory.hierarchy = DeviceHierarchy::flat;
    return std::string(
        shown(visible_devices(xpu,
                              FixedEnvironment({{"ZE_AFFINITY_MASK", "0.1,1"},
                                                {"ZE_FLAT_DEVICE_HIERARCHY", hierarchy}}),
                              inventory))
            .view());
  };
  EXPECT_EQ(with("COMPOSITE"), "0.1 1");
  EXPECT_EQ(with("COMBINED"), "1");
  EXPECT_EQ(with("FLAT"), "1");
  EXPECT_EQ(with("flat"), "1");
  EXPECT_EQ(with("nonsense"), "1");
}

TEST(VisibleDevices, read_the_three_hierarchies) {
  using rankmap::detail::device_hierarchy;
  EXPECT_EQ(device_hierarchy("COMPOSITE"), DeviceHierarchy::composite);
  EXPECT_EQ(device_hierarchy("FLAT"), DeviceHierarchy::flat);
  EXPECT_EQ(device_hierarchy("COMBINED"), DeviceHierarchy::combined);
  EXPECT_EQ(device_hierarchy("combined"), std::nullopt);
}

TEST(VisibleDevices, are_unknown_with_a_sycl_selector_that_filters) {
  const auto with = [](std::string_view selector) {
    return std::string(
        shown(visible_devices(xpu,
                              FixedEnvironment({{"ZE_AFFINITY_MASK", "0,1"},
                                                {"ONEAPI_DEVICE_SELECTOR", selector}}),
                              4))
            .view());
  };
  EXPECT_EQ(with("*:*"), "0 1");
  EXPECT_EQ(with("level_zero:gpu"), "0 1");
  EXPECT_EQ(with("level_zero:0"), "unknown");
  EXPECT_EQ(with("opencl:*"), "unknown");
  EXPECT_EQ(with(""), "unknown");
  // what the mask hides stays hidden, whatever the selector
  const FixedEnvironment none({{"ZE_AFFINITY_MASK", "9"}, {"ONEAPI_DEVICE_SELECTOR", "*:gpu"}});
  EXPECT_EQ(shown(visible_devices(xpu, none, 4)).view(), "{}");
  const FixedEnvironment unsure(
      {{"ZE_AFFINITY_MASK", "9"}, {"ONEAPI_DEVICE_SELECTOR", "opencl:*"}});
  EXPECT_EQ(shown(visible_devices(xpu, unsure, 4)).view(), "{}");
  const FixedEnvironment all({{"ZE_AFFINITY_MASK", "default"}, {"ONEAPI_DEVICE_SELECTOR", "*:*"}});
  EXPECT_EQ(shown(visible_devices(xpu, all, 4)).view(), "all");
}

// ---- Both directions, and the explanation

TEST(VisibleDevices, map_visible_to_physical_and_back) {
  constexpr auto visible = read(cuda, cuda_list, "6,4,7", devices(8));
  static_assert(visible.physical(VisibleIndex(0)) == PhysicalId(6));
  EXPECT_EQ(visible.physical(VisibleIndex(2)), PhysicalId(7));
  EXPECT_EQ(visible.physical(VisibleIndex(3)), std::nullopt);
  EXPECT_EQ(visible.physical(VisibleIndex(-1)), std::nullopt);
  EXPECT_EQ(visible.find(PhysicalId(4)), VisibleIndex(1));
  EXPECT_EQ(visible.find(PhysicalId(0)), std::nullopt);
  EXPECT_EQ(visible.find(PhysicalId(-1)), std::nullopt);
  // all devices, and how many that are is known or not
  for (const auto& [text, count] : {std::pair<std::string_view, int>{"default", 4}, {"", -1}}) {
    const auto all = read(xpu, xpu_list, text, devices(count));
    EXPECT_EQ(all.state(), Visibility::all);
    EXPECT_EQ(all.physical(VisibleIndex(3)), PhysicalId(3));
    EXPECT_EQ(all.find(PhysicalId(3)), VisibleIndex(3));
    EXPECT_EQ(all.physical(VisibleIndex(4)).has_value(), count < 0);
    EXPECT_EQ(all.find(PhysicalId(4)).has_value(), count < 0);
    EXPECT_EQ(all.physical(VisibleIndex(-1)), std::nullopt);
    EXPECT_EQ(all.find(PhysicalId(-1)), std::nullopt);
  }
}

struct Explained {
  DeviceKind kind;
  std::string_view variable, text;
  int count;
  std::string_view expected;
};
constexpr Explained explained[] = {
    {cuda, cuda_list, "4,5,6,7", 8, "CUDA_VISIBLE_DEVICES=4,5,6,7: 4 entries"},
    {cuda, cuda_list, "", 8, "CUDA_VISIBLE_DEVICES=: no device; an empty list hides every device"},
    {cuda, cuda_list, "0,1,1", 8,
     "CUDA_VISIBLE_DEVICES=0,1,1: no device, stopped at byte 4 (a device named twice); CUDA then "
     "shows no device"},
    {cuda, cuda_list, "0,1,", 8, "CUDA_VISIBLE_DEVICES=0,1,: 2 entries"},
    {cuda, "OTHER", "0", 8, "CUDA_VISIBLE_DEVICES unset"},
    {rocm, "HIP_VISIBLE_DEVICES", "", 8,
     "HIP_VISIBLE_DEVICES=: all devices; an empty list hides nothing here"},
    {rocm, "OTHER", "", 8, "ROCR_VISIBLE_DEVICES unset, then HIP_VISIBLE_DEVICES unset"},
    {npu, npu_list, "1,0", 8,
     "ASCEND_RT_VISIBLE_DEVICES=1,0: no device, stopped at byte 2 (not above the previous entry); "
     "Ascend accepts strictly ascending ids only, and else shows no device"},
    {npu, npu_list, "0, 1", 8,
     "ASCEND_RT_VISIBLE_DEVICES=0, 1: 1 entry, stopped at byte 2 (not an entry that this variable "
     "accepts)"},
    {xpu, xpu_list, "0,9,1", 4, "ZE_AFFINITY_MASK=0,9,1: 2 entries, 1 skipped"},
    {xpu, xpu_list, "0.1", 4,
     "ZE_AFFINITY_MASK=0.1: unknown, stopped at byte 0 (needs ZE_FLAT_DEVICE_HIERARCHY to be "
     "read)"},
    {neuron, "NEURON_RT_NUM_CORES", "2", 32, "NEURON_RT_NUM_CORES=2: 2 entries"},
    {neuron, "NEURON_RT_NUM_CORES", "two", 32,
     "NEURON_RT_NUM_CORES=two: rejected, stopped at byte 0 (not an entry that this variable "
     "accepts)"},
    {cuda, cuda_list, "MIG-a,MIG-b", 8,
     "CUDA_VISIBLE_DEVICES=MIG-a,MIG-b: 1 entry, stopped at byte 6 (a process sees only one MIG "
     "instance)"},
    {cuda, cuda_list, "0-3", 8, "CUDA_VISIBLE_DEVICES=0-3: 1 entry, 1 read in part"},
    {cuda, cuda_list, "0;1,2;3", 8, "CUDA_VISIBLE_DEVICES=0;1,2;3: 2 entries, 2 read in part"},
    {DeviceKind::cpu, "OTHER", "", 4, "cpu: no visibility variable"},
};

TEST(VisibleDevices, explain_every_surprising_rule) {
  for (const Explained& row : explained) {
    EXPECT_EQ(explain(read(row.kind, row.variable, row.text, devices(row.count))).view(),
              row.expected);
  }
}

TEST(VisibleDevices, are_malformed_unless_hidden_on_purpose) {
  const auto malformed = [](DeviceKind kind, std::string_view variable, std::string_view text) {
    return read(kind, variable, text, devices(4)).malformed();
  };
  EXPECT_TRUE(malformed(npu, npu_list, "1,0"));
  EXPECT_TRUE(malformed(cuda, cuda_list, "0,0"));
  EXPECT_TRUE(malformed(cuda, cuda_list, "0,9"));
  EXPECT_TRUE(malformed(cuda, cuda_list, "all"));
  EXPECT_TRUE(malformed(xpu, xpu_list, "0,9"));
  EXPECT_TRUE(malformed(rocm, rocr_list, ",0"));
  EXPECT_TRUE(malformed(cuda, cuda_list, "0-3"));
  EXPECT_TRUE(malformed(cuda, cuda_list, "1,0x2"));
  EXPECT_FALSE(malformed(cuda, cuda_list, " +1 , 2\t"));
  EXPECT_FALSE(malformed(neuron, neuron_list, "0-3"));
  EXPECT_FALSE(malformed(cuda, cuda_list, ""));
  EXPECT_FALSE(malformed(cuda, cuda_list, "-1"));
  EXPECT_FALSE(malformed(cuda, cuda_list, "NoDevFiles"));
  EXPECT_FALSE(malformed(cuda, cuda_list, "none"));
  EXPECT_FALSE(malformed(cuda, cuda_list, "0,1"));
  EXPECT_FALSE(malformed(cuda, cuda_list, "0,1,"));
  EXPECT_FALSE(malformed(cuda, "OTHER", ""));
  // a comma after the last entry is harmless at any position
  const std::string kept = std::string(1022, '0') + "1";
  EXPECT_FALSE(malformed(cuda, cuda_list, kept.substr(1) + ","));
  EXPECT_FALSE(malformed(cuda, cuda_list, kept + ","));
  EXPECT_TRUE(malformed(cuda, cuda_list, kept + ",,"));
}

TEST(VisibleDevices, say_where_an_entry_is_read_in_part) {
  struct Part {
    std::string_view text;
    int partial;
    std::size_t at;
  };
  for (const Part& row : {Part{"0,1", 0, 0}, {"0-3", 1, 1}, {"0, +1gpu ,2x", 2, 5}, {"x", 0, 0}}) {
    const auto visible = read(cuda, cuda_list, row.text, devices(4));
    EXPECT_EQ(visible.layers()[0].partial, row.partial) << row.text;
    EXPECT_EQ(visible.layers()[0].partial_at, row.at) << row.text;
  }
}

TEST(VisibleDevices, are_not_malformed_after_a_layer_that_hides_everything) {
  const auto malformed = [](std::string_view rocr, std::string_view hip) {
    const auto visible = visible_devices(
        rocm, FixedEnvironment({{"ROCR_VISIBLE_DEVICES", rocr}, {"HIP_VISIBLE_DEVICES", hip}}), 4);
    const auto* const layer = visible.malformed_layer();
    EXPECT_EQ(visible.malformed(), layer != nullptr);
    return std::string(layer != nullptr ? layer->variable : "");
  };
  EXPECT_EQ(malformed("-1", "0"), "");
  EXPECT_EQ(malformed("", "0"), "");
  EXPECT_EQ(malformed("x", "0"), "ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(malformed("1", "1"), "HIP_VISIBLE_DEVICES");
  EXPECT_EQ(malformed("1", "-1"), "");
  EXPECT_EQ(malformed("1", "0"), "");
}

TEST(VisibleDevices, treat_a_negative_count_as_not_known) {
  EXPECT_EQ(read(cuda, cuda_list, "0,9", devices(-1)).size(), 2);
  EXPECT_EQ(visible_devices(cuda, FixedEnvironment(), -5).count(), std::nullopt);
  DeviceInventory named = devices(-1);
  named.uuids = eight_uuids;
  EXPECT_EQ(read(cuda, cuda_list, "0,8", named).size(), 1);
  EXPECT_EQ(visible_devices(cuda, FixedEnvironment(), named).count(), 8);
}

TEST(VisibleDevices, treat_less_than_one_sub_device_as_not_known) {
  for (const int none : {0, -1, INT32_MIN}) {
    DeviceInventory inventory = devices(2);
    inventory.hierarchy = DeviceHierarchy::composite;
    inventory.sub_devices = none;
    EXPECT_EQ(shown(read(xpu, xpu_list, "0.1,1.63,1.64", inventory)).view(), "0.1 1.63") << none;
  }
}

// ---- Hostile texts

constexpr std::string_view every_variable[] = {
    "CUDA_VISIBLE_DEVICES",      "ROCR_VISIBLE_DEVICES",   "HIP_VISIBLE_DEVICES",
    "ASCEND_RT_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",       "ONEAPI_DEVICE_SELECTOR",
    "ZE_FLAT_DEVICE_HIERARCHY",  "CN_VISIBLE_DEVICES",     "MLU_VISIBLE_DEVICES",
    "MUSA_VISIBLE_DEVICES",      "HABANA_VISIBLE_MODULES", "NEURON_RT_VISIBLE_CORES",
    "NEURON_RT_NUM_CORES",       "TPU_VISIBLE_CHIPS",      "TPU_VISIBLE_DEVICES"};

// Whatever the bytes: bounded, in range, printable, and the same twice.
void check_hostile(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto kind = static_cast<DeviceKind>(i);
    for (const std::string_view variable : every_variable) {
      for (const int count : {-1, 0, 4}) {
        DeviceInventory inventory;
        inventory.uuids = eight_uuids;
        inventory.hierarchy = DeviceHierarchy::composite;
        if (count != 4) inventory = devices(count);
        const auto visible = read(kind, variable, text, inventory);
        ASSERT_LE(visible.size(), 128);
        for (int k = 0; k < visible.size(); ++k) {
          const auto device = visible[VisibleIndex(k)];
          ASSERT_LE(device.text.size(), 1023U);
          ASSERT_TRUE(!device.physical || device.physical->value >= 0);
          ASSERT_TRUE(!device.physical || count != 0 || kind == DeviceKind::hpu);
        }
        ASSERT_EQ(visible.state() == Visibility::list, visible.size() != 0);
        const auto line = explain(visible);
        for (const char c : line.view()) ASSERT_TRUE(c >= 0x20 && c <= 0x7e);
        ASSERT_EQ(line, explain(read(kind, variable, text, inventory)));
      }
    }
  }
}

TEST(VisibleDevices, survive_hostile_bytes) {
  const std::string_view hostile[] = {std::string_view("0\0,1", 4),
                                      std::string_view("\0", 1),
                                      "\xff\xfe,0",
                                      "\xd9\xa1,\xd9\xa2",
                                      "0,1\n2",
                                      "\x1b[2J",
                                      "GPU-\xf0\x9f\x98\x80,GPU-\xf0\x9f\x98\x80",
                                      ",,,,",
                                      "-",
                                      "--",
                                      ".",
                                      "0.",
                                      ".0",
                                      "0.0.0",
                                      "0-",
                                      "-0-0",
                                      "GPU-",
                                      "MIG-",
                                      "GPU-,GPU-",
                                      "MIG-,MIG-,",
                                      "0x,0X",
                                      "0,0x",
                                      "18446744073709551616",
                                      "2147483647",
                                      "2147483648",
                                      "0-2147483647",
                                      "2147483647-2147483647",
                                      "0.2147483647",
                                      "999999999999999999999999999999"};
  for (const std::string_view text : hostile) check_hostile(text);
}

TEST(VisibleDevices, stay_within_their_bounds_at_any_length) {
  constexpr std::size_t ten_megabytes = 10'000'000;
  std::string numbers;
  for (int i = 0; numbers.size() < ten_megabytes; ++i) numbers += std::to_string(i) + ",";
  std::string repeats;
  while (repeats.size() < ten_megabytes) repeats += "0,";
  std::string names;
  for (int i = 0; names.size() < ten_megabytes; ++i) names += "GPU-" + std::to_string(i) + ",";
  for (const std::string* text : {&numbers, &repeats, &names}) {
    for (const Vendor& vendor : vendors) {
      ASSERT_LE(read(vendor.kind, vendor.variable, *text, devices(4)).size(), 128);
      ASSERT_LE(read(vendor.kind, vendor.variable, *text, {}).size(), 128);
    }
  }
  EXPECT_EQ(read(cuda, cuda_list, numbers, {}).state(), Visibility::unknown);
  EXPECT_EQ(read(cuda, cuda_list, names, {}).layers()[0].stop, ParseStop::too_long);
  EXPECT_EQ(shown(read(cuda, cuda_list, repeats, {})).view(), "{}");
  EXPECT_EQ(shown(read(xpu, xpu_list, repeats, {})).view(), "0");
  EXPECT_EQ(shown(read(rocm, rocr_list, numbers, devices(4))).view(), "0 1 2 3");
  EXPECT_EQ(shown(read(npu, npu_list, numbers, devices(4))).view(), "0 1 2 3");
  const std::string long_number(ten_megabytes, '9');
  EXPECT_EQ(shown(read(cuda, cuda_list, long_number, {})).view(), "{}");
  EXPECT_EQ(explain(read(cuda, cuda_list, long_number, {})).view(),
            "CUDA_VISIBLE_DEVICES=" + std::string(48, '9') +
                "... (1023 bytes): no device, stopped at byte 0 (not an entry that this variable "
                "accepts)");
  EXPECT_EQ(read(neuron, neuron_list, "0-2147483647", {}).layers()[0].stop, ParseStop::too_long);
  // few entries, and the last of them ends beyond what is kept
  const auto blanks = read(cuda, cuda_list, "0," + std::string(2000, ' ') + "1", {});
  EXPECT_EQ(blanks.state(), Visibility::unknown);
  EXPECT_EQ(blanks.layers()[0].stop, ParseStop::too_long);
}

TEST(VisibleDevices, survive_pseudo_random_texts) {
  constexpr std::string_view alphabet = "0123456789,,,,..- +xGPUMIG-ab;\t";
  std::uint64_t state = 12345;
  for (int round = 0; round != 400; ++round) {
    std::string text;
    for (int i = 0; i != round % 40; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += alphabet[(state >> 33U) % alphabet.size()];
    }
    check_hostile(text);
    if (HasFatalFailure()) FAIL() << text;
  }
}

}  // namespace
