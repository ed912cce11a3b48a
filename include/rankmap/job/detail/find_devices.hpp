// SPDX-License-Identifier: MIT
// Which processes use one device, and which of them are far from it. An index alone shows nothing:
// where each process sees one device, all of them use index 0.
#ifndef RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP
#define RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP

#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_cpus.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/record_values.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

class DeviceRules : MemberRules {
 public:
  /// `sharing`: see FindingOptions.
  constexpr DeviceRules(const JobMembers& members, int sharing, FindingReport& report)
      : MemberRules(members, report), sharing_(sharing) {}

  constexpr void find() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto here = static_cast<std::uint32_t>(i);
      const RecordedDevice& device = members_[i].device;
      find_far_nic(here);
      if (!device.is_known || device.kind == DeviceKind::cpu) continue;
      find_far_device(here);
      if (!device.uuid.empty()) by_uuid_.push_back(here);
      if (members_.machine[i] == JobMembers::none) continue;
      if (!device.pci.empty()) by_address_.push_back(here);
      if (device.uuid.empty() && device.pci.empty() && device.index >= 0) by_index_.push_back(here);
    }
    find_equal_uuids();
    find_equal_addresses();
    find_equal_indices();
    find_other_counts();
  }

 private:
  constexpr const RecordedDevice& device(std::uint32_t member) const {
    return members_[member].device;
  }

  constexpr bool are_shared(Group group) const {
    return all_of(group, [this](std::uint32_t m) { return device(m).is_shared; });
  }
  /// Whether more share it than the options allow. Precondition: they share it on purpose.
  constexpr bool is_crowded(Group group) const {
    return sharing_ > 0 && group.size() > static_cast<std::size_t>(sharing_);
  }
  constexpr auto crowd_text(Group group) const {
    return [this, group](Message& out) {
      append_all(out, "; ", group.size(), " ranks on one, where ", sharing_,
                 sharing_ == 1 ? " is meant" : " are meant");
    };
  }
  /// The same device, on purpose or not. The pieces say what it is.
  constexpr void found_duplicate(Group group, const auto&... pieces) {
    const bool is_shared = are_shared(group);
    const bool is_fine = is_shared && !is_crowded(group);
    const JobRecord& a = members_[group[0]];
    const JobRecord& b = members_[group[1]];
    found(is_fine ? FindingKind::shared_device : FindingKind::duplicate_device,
          is_fine ? Severity::note : Severity::error, group, ranks_text(a, b),
          is_shared ? " share " : " use one device, ", pieces..., " (", device_text(a.device), ", ",
          device_text(b.device), ")",
          when(group.size() > 2, ", as ", group.size() - 2,
               group.size() == 3 ? " other does" : " others do"),
          when(is_shared && !is_fine, crowd_text(group)),
          when(a.boot != 0 && b.boot != 0 && a.boot != b.boot,
               "; their boot ids differ, as in sandboxes on one machine"));
  }

  constexpr void find_equal_uuids() {
    for_each_shared(by_uuid_, by(members_.job, &RecordedDevice::uuid), [this](Group group) {
      found_duplicate(group, escaped_text(device(group[0]).uuid));
    });
  }

  constexpr void find_equal_addresses() {
    const auto part = by(members_.machine, &RecordedDevice::pci, &RecordedDevice::sub_device);
    for_each_shared(by_address_, part, [this](Group group) {
      const RecordedDevice& first = device(group[0]);
      if (!all_of(group, [this](std::uint32_t m) { return !device(m).uuid.empty(); })) {
        found_duplicate(group, first.pci);
      } else if (!all_of(group, [&](std::uint32_t m) { return device(m).uuid == first.uuid; })) {
        found(FindingKind::device_parts, Severity::note, group,
              ranks_text(members_[group[0]], members_[group[1]]),
              " have different UUIDs at one address, ", first.pci);
      }
    });
  }

  /// Where nothing identifies the devices: their numbers before any variable hides some, where they
  /// are known, else their visible ones. Both count within one container.
  constexpr void find_equal_indices() {
    const auto index = [this](std::uint32_t m) {
      return device(m).physical >= 0 ? 0 : device(m).index;
    };
    const auto number = by(members_.machine, members_.host, &RecordedDevice::kind,
                           &RecordedDevice::physical, &RecordedDevice::sub_device, index);
    for_each_shared(by_index_, number, [this](Group group) { found_equal_index(group); });
  }
  constexpr void found_equal_index(Group group) {
    const RecordedDevice& first = device(group[0]);
    const bool see_several = all_of(group, [&](std::uint32_t m) {
      return device(m).visible_count >= 2 &&
             (device(m).physical >= 0 || device(m).visible_count == first.visible_count);
    });
    // A process that sees devices of its own alone counts them from 0, whichever they are. A number
    // that is none of these counts devices that are there for all in this container.
    const bool is_numbered = all_of(group, [&](std::uint32_t m) {
      return device(m).visible_count > 0 && first.physical >= device(m).visible_count &&
             members_[m].pid_namespace == members_[group[0]].pid_namespace;
    });
    const auto who = [&](Message& out) {
      append_all(out, ranks_text(members_[group[0]], members_[group[1]]), " both use ",
                 device_text(first));
    };
    if (are_shared(group) && is_crowded(group)) {
      found(FindingKind::duplicate_device, Severity::error, group, who, crowd_text(group));
    } else if (are_shared(group)) {
      found(FindingKind::shared_device, Severity::note, group, who);
    } else if (is_numbered) {
      found_duplicate(group, "number ", first.physical, " of their machine");
    } else if (see_several) {
      found(FindingKind::likely_duplicate, Severity::warning, group, who, " of ",
            first.visible_count, " visible ones");
    } else {
      found(FindingKind::device_not_told, Severity::note, group, who,
            ", without UUID or PCI address");
    }
  }

  /// Nodes whose ranks show as many devices each, against other nodes with as many ranks.
  constexpr void find_other_counts() {
    RecordIndex firsts;
    members_.for_each_group(members_.node, [&](Group group) {
      const std::uint32_t first = group[0];
      if (device(first).visible_count <= 0 || members_[first].local_world_size <= 0) return;
      const auto is_same = [&](std::uint32_t m) {
        return device(m).visible_count == device(first).visible_count;
      };
      if (all_of(group, is_same)) firsts.push_back(first);
    });
    const auto alike = by(members_.job, &RecordedDevice::kind, &JobRecord::local_world_size);
    for_each_sorted(firsts, alike, [this](Group group) {
      RecordIndex rows;
      for (const std::uint32_t member : group) {
        rows.push_back(members_.record[member]);
        // Of two nodes the one that shows fewer has lost some.
        const std::size_t last = rows.size() - 1;
        if (visible_count(rows[last]) > visible_count(rows[0])) std::swap(rows[0], rows[last]);
      }
      find_exceptions(report_, FindingKind::devices_differ, Severity::warning, group[0],
                      members_.records, rows, "visible devices", &RecordedDevice::visible_count);
    });
  }

  constexpr int visible_count(std::uint32_t row) const {
    return members_.records[row].device.visible_count;
  }

  constexpr void find_far_device(std::uint32_t member) {
    const JobRecord& record = members_[member];
    const int node = record.device.numa_node;
    if (node < 0 || node > 63 || record.numa_nodes == 0) return;
    if ((record.numa_nodes >> node & 1U) != 0) return;
    found(FindingKind::far_device, Severity::warning, member, device_text(record.device), " of ",
          rank_text(record), " is on NUMA node ", node, ", its CPUs are on node ",
          fold_nodes(record.numa_nodes));
  }

  /// Against the node of the device; of a process without one, against those of its CPUs.
  constexpr void find_far_nic(std::uint32_t member) {
    const JobRecord& record = members_[member];
    const RecordedDevice& device = record.device;
    const bool has_device = device.is_known && device.kind != DeviceKind::cpu;
    std::uint64_t nodes = 0;
    if (has_device && device.numa_node >= 0 && device.numa_node < 64) {
      nodes = std::uint64_t{1} << device.numa_node;
    } else if (device.is_known && !has_device) {
      nodes = record.numa_nodes;
    }
    const int node = record.nic_numa_node;
    if (nodes == 0 || node < 0 || node > 63 || (nodes >> node & 1U) != 0) return;
    found(FindingKind::far_nic, Severity::warning, member, escaped_text(record.nic), " of ",
          rank_text(record), " is on NUMA node ", node, ", its ",
          when(has_device, device_text(device), " is on node "),
          has_device ? "" : "CPUs are on node ", fold_nodes(nodes));
  }

  int sharing_;
  RecordIndex by_uuid_;
  RecordIndex by_address_;
  RecordIndex by_index_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP
