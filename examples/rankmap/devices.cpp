// SPDX-License-Identifier: MIT
#include "devices.hpp"

#include <rankmap/environment.hpp>

namespace program {
namespace {

// How much speaks for the devices of a kind.
int evidence_of(const Devices& devices) {
  const bool has_nodes = devices.probe.trust >= rankmap::ProbeTrust::node;
  if (devices.chooser() != nullptr) return has_nodes ? 3 : 1;
  // A processor of Intel's may have a small GPU beside the devices that are meant.
  return has_nodes && devices.kind() != rankmap::DeviceKind::xpu ? 2 : 0;
}

}  // namespace

const rankmap::VisibilityLayer* Devices::chooser(std::string_view except) const {
  const rankmap::VisibilityLayer* last = nullptr;
  for (const rankmap::VisibilityLayer& layer : visible.layers()) {
    const bool chooses = layer.set && layer.state != rankmap::Visibility::all;
    if (chooses && layer.variable != except) last = &layer;
  }
  return last;
}

FoundDevices find_devices() {
  using rankmap::DeviceKind;
  FoundDevices found;
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::rocm, DeviceKind::npu,
                                DeviceKind::xpu, DeviceKind::mlu, DeviceKind::hpu}) {
    const rankmap::DeviceProbe probe = rankmap::probe_devices(kind);
    const Devices devices = {
        probe, visible_devices(kind, rankmap::ProcessEnvironment(),
                               probe.count.value_or(0) > 0 ? probe.count : std::nullopt)};
    if (devices.count() < 1 && !devices.visible.malformed()) continue;
    const int evidence = evidence_of(devices);
    const int best = found.best ? evidence_of(*found.best) : -1;
    if (evidence > best) {
      found = {devices, std::nullopt};
    } else if (evidence == 1 && best == 1 && !found.rival &&
               devices.chooser(found.best->chooser()->variable) != nullptr) {
      found.rival = devices;  // where CUDA's is AMD's, too, it is no rival
    }
  }
  return found;
}

}  // namespace program
