// SPDX-License-Identifier: MIT
//
// The texts of sysfs about NICs and cores, and the choices that are made from them. A line is
// `d=PATH` for a device, `n=PATH` for a NIC, `c=LIST` for a core, `a=LIST` for the available CPUs;
// a digit between name and '=' is the NUMA node, or how many share the cores. Any other line is one
// of the short files of a port.
#include "fuzz.hpp"

#include <rankmap/device/core_share.hpp>
#include <rankmap/device/nic_choice.hpp>
#include <rankmap/device/nic_variables.hpp>
#include <rankmap/probe/nics.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::CpuGroups;
using rankmap::CpuSet;
using rankmap::Nic;
using rankmap::NicChoice;
using rankmap::NicPolicy;
using rankmap::PciDistance;
using rankmap::PciPlace;
using rankmap_fuzz::require;

PciPlace place_of(std::string_view path, int numa_node) {
  PciPlace place;
  place.path = rankmap::detail::function_path(path);
  place.address = place.path.view().substr(place.path.view().rfind('/') + 1);
  place.numa_node = numa_node;
  return place;
}

void check_path(std::string_view path) {
  const std::string_view function = rankmap::detail::function_path(path);
  require(path.substr(0, function.size()) == function, "a function is the beginning of its path");
  require(rankmap::detail::function_path(function) == function, "a function is its own", path);
  const auto self = rankmap::pci_distance(path, function, -1, -1);
  require(self == (function.empty() ? PciDistance::unknown : PciDistance::pix),
          "a function is near itself", path);
}

void check_file(std::string_view text) {
  const int rate = rankmap::detail::port_rate(text);
  require(rate >= -1 && rate <= 1'000'000'999, "a rate is in a range", text);
  require(rate == -1 || text.find(" Gb/sec") != std::string_view::npos, "a rate has a unit", text);
  const bool up = rankmap::detail::port_state(text) == rankmap::NicState::active ||
                  rankmap::detail::interface_state(text) == rankmap::NicState::active;
  require(up == (text == "4: ACTIVE" || text == "up"), "two texts are active", text);
  if (rankmap::detail::is_nic_name(text)) {
    require(text.find_first_of(",:=/^ ") == std::string_view::npos, "a list can hold a name", text);
  }
}

void check_choice(const std::vector<PciPlace>& devices, const std::vector<Nic>& nics,
                  NicPolicy policy) {
  const auto choice = nics_for_devices(devices, nics, policy);
  if (!choice) return require(devices.size() > 64 || nics.size() > 64, "64 have room");
  const int size = choice->size();
  const int candidates = choice->candidates();
  require(size == static_cast<int>(devices.size()), "each device has its place");
  std::vector<int> loads(nics.size());
  for (int device = 0; device != size; ++device) {
    const int count = choice->count(device);
    require(count <= (std::max)(1, candidates / (std::max)(1, size)), "a device has its part");
    for (int i = 0; i != count; ++i) {
      const auto nic = static_cast<std::size_t>(choice->nic(device, i));
      const PciPlace& place = devices[static_cast<std::size_t>(device)];
      require(choice->distance(device, i) == pci_distance(place, nics[nic].place),
              "a distance is that of the pair");
      require(policy == NicPolicy::rail || choice->distance(device, i) != PciDistance::unknown,
              "no pair is claimed at an unknown distance");
      ++loads[nic];
    }
    require(!nccl_ib_hca(*choice, nics, device).cut() || count > 8, "a short list is whole");
  }
  if (policy == NicPolicy::nearest || size == 0 || candidates == 0) return;
  const int most = (size + candidates - 1) / candidates;
  require(*std::max_element(loads.begin(), loads.end()) <= most, "no NIC is overloaded");
}

void check_cores(const CpuSet& available, const CpuGroups& cores, int size) {
  CpuSet all;
  CpuSet seen;
  for (int rank = 0; rank != size; ++rank) {
    const auto share = core_share(available, cores, rankmap::LocalRank(rank), size);
    if (!share) {
      return require(
          cores.first_ungrouped(available) >= 0 || cores.groups_of(available).size() < size,
          "an error has its reason");
    }
    require(!share->empty() && (seen & cores.groups_of(*share)).empty(), "no core is shared");
    seen = seen | cores.groups_of(*share);
    all = all | *share;
  }
  require(all == available, "the shares are all CPUs");
  require(one_thread_per_core(available, cores)->size() == seen.size(), "a core has one thread");
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() {
  return {"d=", "n=", "c=", "a=", "d0=", "n1=", "a2=", "4: ACTIVE", "400 Gb/sec (4X NDR)"};
}

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 4096) return;
  std::vector<PciPlace> devices;
  std::vector<Nic> nics;
  CpuGroups cores;
  CpuSet available;
  int size = 1;
  for (const std::string_view line : split(input, separator_of(input))) {
    check_file(line);
    const std::size_t mark = line.find('=');
    if (mark == 0 || mark > 2) continue;
    const int digit = mark == 2 ? int_of(line.substr(1, 1)) : -1;
    const std::string_view text = line.substr(mark + 1);
    const auto cpus = rankmap::parse_cpu_list(text);
    if (line[0] == 'c' && cpus) cores.insert(*cpus);
    if (line[0] == 'a' && cpus) {
      available = *cpus;
      size = (std::max)(1, digit);
    }
    if (line[0] != 'd' && line[0] != 'n') continue;
    check_path(text);
    if (line[0] == 'd') {
      devices.push_back(place_of(text, digit));
      continue;
    }
    Nic nic;
    nic.name = "n";
    nic.port = static_cast<int>(nics.size()) + 1;
    nic.state = rankmap::NicState::active;
    nic.place = place_of(text, digit);
    nics.push_back(nic);
  }
  for (const PciPlace& device : devices) {
    for (const Nic& nic : nics) {
      require(pci_distance(device, nic.place) == pci_distance(nic.place, device),
              "a distance is the same from both sides");
    }
  }
  const HeapBytes heap;
  for (const NicPolicy policy : {NicPolicy::balanced, NicPolicy::nearest, NicPolicy::rail}) {
    (void)nics_for_devices(devices, nics, policy);
  }
  require(heap.asked() == 0, "a choice takes no memory");
  for (const NicPolicy policy : {NicPolicy::balanced, NicPolicy::nearest, NicPolicy::rail}) {
    check_choice(devices, nics, policy);
  }
  check_cores(available, cores, size);
}
