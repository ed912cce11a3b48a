// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "self.hpp"

#include <rankmap/job.hpp>
#include <rankmap/topology.hpp>

#include <string>
#include <string_view>

namespace program {
namespace {

using rankmap::DeviceKind;
using rankmap::JobRecord;

std::string number(int value) { return value < 0 ? "?" : std::to_string(value); }

std::string of_device(const JobRecord& record) {
  if (!record.device.is_known) return "device ?";
  if (record.device.kind == DeviceKind::cpu) return "no device";
  std::string out(name(record.device.kind));
  out += ':' + number(record.device.index) + " of " + number(record.device.visible_count);
  if (record.device.physical >= 0 && record.device.physical != record.device.index) {
    out += ", number " + number(record.device.physical) + " of the machine";
  }
  if (!record.device.pci.empty()) out += ", " + std::string(record.device.pci.view());
  if (record.device.numa_node >= 0) out += ", NUMA node " + number(record.device.numa_node);
  return out;
}

std::string of_cpus(const JobRecord& record) {
  if (record.cpu_count < 0) return "CPUs ?";
  if (record.cpus.empty()) return std::to_string(record.cpu_count) + " CPUs";
  return "CPUs " + std::string(record.cpus.view());
}

int whoami(const Arguments& arguments) {
  const bool as_json = arguments.has("--json");
  if (as_json && arguments.has("--line")) {
    return unusable("--json and --line: expected one of them");
  }
  const auto self = find_self();
  if (!self) {
    complain(self.error());
    return faulty;
  }
  const JobRecord& r = self->record;
  std::string text;
  if (as_json) {
    write_json(self->topology, [&](std::string_view piece) { text += piece; });
    text += '\n';
  } else {
    const std::string end = arguments.has("--line") ? "; " : "\n";
    text = "rank " + number(r.rank) + " of " + number(r.world_size) + ", local rank " +
           number(r.local_rank) + " of " + number(r.local_world_size) + ", node " +
           number(r.node_rank) + " of " + number(r.node_count) + end;
    text += "launcher " + std::string(r.launcher.view()) + " (" + std::string(r.source.view()) +
            ')' + end;
    text += "host " + (r.host.empty() ? "?" : std::string(r.host.view())) + ", process " +
            number(r.pid) + end;
    text += of_device(r) + end + of_cpus(r);
    if (r.warnings != 0) {
      text += end + number(r.warnings) + (r.warnings == 1 ? " warning" : " warnings");
      text += ": see rankmap explain";
    }
    text += '\n';
  }
  print(text);
  return good;
}

}  // namespace

Command whoami_command() {
  return {"whoami",
          "",
          "Who this process is, where it runs, and with which device and CPUs.",
          "",
          "srun rankmap whoami --line",
          {{"--line", "", "in one line"}, {"--json", "", "its topology, for programs"}},
          0,
          whoami};
}

}  // namespace program
