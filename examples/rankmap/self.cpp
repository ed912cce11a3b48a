// SPDX-License-Identifier: MIT
#include "self.hpp"
#include "devices.hpp"

#include <rankmap/device.hpp>
#include <rankmap/domain.hpp>
#include <rankmap/environment.hpp>

#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace program {
namespace {

using rankmap::Device;
using rankmap::DeviceFacts;
using rankmap::DeviceKind;
using rankmap::DeviceProbe;
using rankmap::ProbedDevice;
using rankmap::ProcessEnvironment;
using rankmap::Topology;
using rankmap::VisibleDevices;

// The probed device behind a visible one: by its UUID, or by its number where numbers have the
// order of the bus. Null where that cannot be told.
const ProbedDevice* find_probed(const DeviceProbe& probe, const VisibleDevices& visible,
                                rankmap::VisibleIndex index, const ProcessEnvironment& env) {
  const std::string_view text =
      index.value < visible.size() ? visible[index].text : std::string_view();
  if (text.substr(0, 4) == "GPU-") {
    const ProbedDevice* found = nullptr;
    for (int i = 0; i != probe.size; ++i) {
      if (probe.devices[i].uuid.view().substr(0, text.size()) != text) continue;
      if (found != nullptr) return nullptr;
      found = &probe.devices[i];
    }
    return found;
  }
  if (text.substr(0, 4) == "MIG-" || !probe.count || *probe.count != probe.size) return nullptr;
  const auto physical = visible.physical(index);
  const auto order = env("CUDA_DEVICE_ORDER");
  const bool by_bus = probe.kind == DeviceKind::cuda && order && *order == "PCI_BUS_ID";
  if (!physical || physical->value >= probe.size || !(by_bus || probe.size == 1)) return nullptr;
  return &probe.devices[physical->value];
}

// The cores of its CPUs, and what others may have of them. Unknown cores leave both unknown.
void find_cores(rankmap::ProcessFacts& process) {
  const auto machine = std::make_unique<rankmap::MachineCpus>(rankmap::probe_machine_cpus());
  const rankmap::CpuGroups& groups = machine->cores;
  if (process.cpus.empty() || groups.first_ungrouped(process.cpus) >= 0) return;
  const rankmap::CpuSet cores = groups.groups_of(process.cpus);
  process.cores = cores.size();
  for (int cpu = 0; cpu != rankmap::CpuSet::capacity; ++cpu) {
    const int core = groups.group_of(cpu);
    const bool is_mine = core >= 0 && cores.contains(core);
    if (is_mine && !process.cpus.contains(cpu)) process.sibling_cpus.insert(cpu);
  }
}

// The rack, block or switch, as Slurm has it. An address that cannot be read, or is that of another
// node, says nothing.
void find_domain(rankmap::ProcessFacts& process, const ProcessEnvironment& env) {
  const auto address = rankmap::read_slurm_address(env, process.host);
  if (address && address->path.is_known()) process.domain = to_string(address->path).view();
}

// The NIC that a communication library was given. Of a list, or of none, nothing is known: the
// library chooses.
void find_nic(rankmap::ProcessFacts& process, const ProcessEnvironment& env) {
  for (const char* const variable : {"NCCL_IB_HCA", "UCX_NET_DEVICES", "FI_CXI_DEVICE_NAME"}) {
    const std::string_view text = env(variable).value_or("");
    const std::string_view name = text.substr(text.substr(0, 1) == "=" ? 1 : 0);
    const std::string_view nic = name.substr(0, name.find(':'));
    if (nic.empty() || text.front() == '^' || text.find(',') != std::string_view::npos) continue;
    const auto nics = std::make_unique<rankmap::NicList>(rankmap::probe_nics());
    for (const rankmap::Nic& found : *nics) {
      if (found.name != nic) continue;
      process.nic = nic;
      process.nic_numa_node = found.place.numa_node;
      process.nic_rate = found.rate;
      const bool has_address =
          found.gids != rankmap::NicGids::none || found.link_layer != rankmap::LinkLayer::ethernet;
      process.nic_fault = found.state == rankmap::NicState::down ? rankmap::NicFault::down
                          : has_address                          ? rankmap::NicFault::none
                                                                 : rankmap::NicFault::no_gid;
      return;
    }
  }
}

int number_of(std::string_view text) {
  int number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ptr == text.data() || number < 1 ? -1 : number;
}

}  // namespace

rankmap::Result<Self> find_self(const std::string& library, const std::string& collectives) {
  rankmap::ProcessFacts process = rankmap::probe_process();
  const ProcessEnvironment env;
  const auto topology = Topology::from_environment();
  if (!topology) return topology.error();
  // The first of a list, which has a number for each level of nesting.
  if (const auto threads = env("OMP_NUM_THREADS")) process.threads = number_of(*threads);
  process.library = std::string_view(library);
  process.collectives = std::string_view(collectives);
  process.time = std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  find_cores(process);
  find_domain(process, env);
  find_nic(process, env);

  // Where none can be chosen: that is not the same as having none.
  const auto without_device = [&] { return Self{*topology, describe(*topology, process)}; };
  Device device;  // the CPU
  DeviceFacts facts;
  facts.device = &device;
  const FoundDevices here = find_devices();
  if (!here.best) return Self{*topology, describe(*topology, process, facts)};
  const DeviceProbe& probe = here.best->probe;
  const VisibleDevices& visible = here.best->visible;
  const int count = here.best->count();
  if (here.rival || count < 1) return without_device();
  const auto chosen = select_device(device_request(*topology, probe.kind, count, env, visible));
  if (chosen) {
    device = *chosen;
  } else if (count == 1) {
    device.kind = probe.kind;  // the only one that it can use, whatever the others do
    device.count = 1;
  } else {
    return without_device();
  }
  facts.visible_count = count;
  if (const auto physical = visible.physical(device.index)) facts.physical = physical->value;
  const auto mps = rankmap::read_mps(env);
  facts.is_shared = mps && mps->is_set();
  if (const ProbedDevice* const found = find_probed(probe, visible, device.index, env)) {
    facts.uuid = found->uuid;
    facts.pci = found->pci;
    facts.numa_node = found->numa_node;
    facts.sub_device = found->part;
  } else if (device.index.value < visible.size()) {
    // The name of a MIG instance is in the variable alone.
    const std::string_view text = visible[device.index].text;
    if (text.substr(0, 4) == "MIG-" || text.size() == 40) facts.uuid = text;
  }
  return Self{*topology, describe(*topology, process, facts)};
}

}  // namespace program
