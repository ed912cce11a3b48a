// SPDX-License-Identifier: MIT
// Which processes use the same device, and which are far from their own. An index alone shows
// nothing: where each process sees one device, all of them use index 0.
#ifndef RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP
#define RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP

#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

constexpr bool are_shared(const JobMembers& members, Group group) {
  return all_of(group, [&](std::uint32_t m) { return members[m].device.is_shared; });
}

/// Whether more ranks share a device than the options allow. Precondition: it is on purpose.
constexpr bool is_crowded(const JobMembers& members, Group group) {
  return members.options.sharing > 0 &&
         group.size() > static_cast<std::size_t>(members.options.sharing);
}

constexpr auto crowd_text(const JobMembers& members, Group group) {
  return [&members, group](Message& out) {
    append_all(out, "; ", group.size(), " ranks on one, where ", members.options.sharing,
               members.options.sharing == 1 ? " is meant" : " are meant");
  };
}

/// Reports ranks with the same device, on purpose or not. The pieces say which device that is.
constexpr void found_duplicate(JobMembers& members, Group group, const auto&... pieces) {
  const bool is_shared = are_shared(members, group);
  const bool is_fine = is_shared && !is_crowded(members, group);
  const JobRecord& a = members[group[0]];
  const JobRecord& b = members[group[1]];
  members.found(is_fine ? FindingKind::shared_device : FindingKind::duplicate_device,
                is_fine ? Severity::note : Severity::error, group, ranks_text(a, b),
                is_shared ? " share " : " use one device, ", pieces..., " (", device_text(a.device),
                ", ", device_text(b.device), ")",
                when(group.size() > 2, ", as ", group.size() - 2,
                     group.size() == 3 ? " other does" : " others do"),
                when(is_shared && !is_fine, crowd_text(members, group)),
                when(a.boot != 0 && b.boot != 0 && a.boot != b.boot,
                     "; their boot ids differ, as in sandboxes on one machine"));
}

constexpr void find_equal_addresses(JobMembers& members, RecordIndex& located) {
  const auto part = members.by(members.machine, &RecordedDevice::pci, &RecordedDevice::sub_device);
  for_each_shared(located, part, [&](Group group) {
    const RecordedDevice& first = members[group[0]].device;
    if (!all_of(group, [&](std::uint32_t m) { return !members[m].device.uuid.empty(); })) {
      found_duplicate(members, group, first.pci);
    } else if (!all_of(group,
                       [&](std::uint32_t m) { return members[m].device.uuid == first.uuid; })) {
      members.found(FindingKind::device_parts, Severity::note, group,
                    ranks_text(members[group[0]], members[group[1]]),
                    " have different UUIDs at one address, ", first.pci);
    }
  });
}

/// `first`: the device that all of them use, as recorded by a rank whose first device it is.
constexpr void found_equal_index(JobMembers& members, Group group, const RecordedDevice& first) {
  const bool see_several = all_of(group, [&](std::uint32_t m) {
    return members[m].device.visible_count >= 2 &&
           (members[m].device.physical >= 0 ||
            members[m].device.visible_count == first.visible_count);
  });
  // A process that sees only devices of its own counts them from 0, whichever they are. A higher
  // number than these counts all devices of the container.
  const bool is_numbered = all_of(group, [&](std::uint32_t m) {
    return members[m].device.visible_count > 0 && members[m].device.physical == first.physical &&
           first.physical >= members[m].device.visible_count &&
           members[m].pid_namespace == members[group[0]].pid_namespace;
  });
  const auto who = [&](Message& out) {
    append_all(out, ranks_text(members[group[0]], members[group[1]]), " both use ",
               device_text(first));
  };
  if (are_shared(members, group) && is_crowded(members, group)) {
    members.found(FindingKind::duplicate_device, Severity::error, group, who,
                  crowd_text(members, group));
  } else if (are_shared(members, group)) {
    members.found(FindingKind::shared_device, Severity::note, group, who);
  } else if (is_numbered) {
    found_duplicate(members, group, "number ", first.physical, " of their machine");
  } else if (see_several) {
    members.found(FindingKind::likely_duplicate, Severity::warning, group, who, " of ",
                  first.visible_count, " visible ones");
  } else {
    members.found(FindingKind::device_not_told, Severity::note, group, who,
                  ", without UUID or PCI address");
  }
}

/// Where nothing identifies the devices, compares their physical numbers, before any variable hides
/// some, or, where these are not known, their visible indices. Both count within one container.
constexpr void find_equal_indices(JobMembers& members, RecordIndex& counted_only) {
  const auto index = [&](std::uint32_t m) {
    return members[m].device.physical >= 0 ? 0 : members[m].device.index;
  };
  const auto number = members.by(members.machine, members.host, &RecordedDevice::kind,
                                 &RecordedDevice::physical, &RecordedDevice::sub_device, index);
  for_each_shared(counted_only, number, [&](Group group) {
    found_equal_index(members, group, members[group[0]].device);
  });
}

/// Of processes that seem to see the same devices and use several in a row: those whose first one
/// another process uses, too. A UUID or an address, where known, is of the first device only.
constexpr void find_reached_indices(JobMembers& members, RecordIndex& counted) {
  if (all_of(counted, [&](std::uint32_t m) { return members[m].device.count < 2; })) return;
  const auto hidden = [&](std::uint32_t m) {
    const RecordedDevice& device = members[m].device;
    return device.physical < 0 ? INT64_MIN : std::int64_t{device.physical} - device.index;
  };
  const auto visible =
      members.by(members.machine, members.host, &RecordedDevice::kind, &RecordedDevice::sub_device,
                 &RecordedDevice::visible_count, hidden);
  sort_by(counted, members.by(&RecordedDevice::index));
  for_each_sorted(counted, visible, [&](Group group) {
    std::uint32_t furthest = group[0];
    std::int64_t end = 0;  // of the devices of `furthest`
    for (const std::uint32_t here : group) {
      const RecordedDevice& device = members[here].device;
      const std::uint32_t pair[] = {furthest, here};
      const bool is_other = members[furthest].device.index != device.index;
      if (is_other && device.index < end) found_equal_index(members, pair, device);
      if (std::int64_t{device.index} + device.count <= end) continue;
      end = std::int64_t{device.index} + device.count;
      furthest = here;
    }
  });
}

/// Compares nodes whose ranks all see equally many devices with other nodes of as many ranks.
constexpr void find_other_counts(JobMembers& members) {
  RecordIndex firsts;
  members.for_each_group(members.node, [&](Group group) {
    const std::uint32_t first = group[0];
    if (members[first].device.visible_count <= 0 || members[first].local_world_size <= 0) return;
    const auto is_same = [&](std::uint32_t m) {
      return members[m].device.visible_count == members[first].device.visible_count;
    };
    if (all_of(group, is_same)) firsts.push_back(first);
  });
  const auto alike = members.by(members.job, &RecordedDevice::kind, &JobRecord::local_world_size);
  const auto shown_by = [&](std::uint32_t row) {
    return members.records[row].device.visible_count;
  };
  for_each_sorted(firsts, alike, [&](Group group) {
    RecordIndex rows;
    for (const std::uint32_t member : group) {
      rows.push_back(members.record[member]);
      // Of two nodes the one that shows fewer has lost some.
      const std::size_t last = rows.size() - 1;
      if (shown_by(rows[last]) > shown_by(rows[0])) std::swap(rows[0], rows[last]);
    }
    find_exceptions(members.report, FindingKind::devices_differ, Severity::warning, group[0], rows,
                    "visible devices", &RecordedDevice::visible_count);
  });
}

constexpr void find_far_device(JobMembers& members, std::uint32_t member) {
  const JobRecord& record = members[member];
  const int node = record.device.numa_node;
  if (node < 0 || node > 63 || record.numa_nodes == 0) return;
  if ((record.numa_nodes >> node & 1U) != 0) return;
  members.found(FindingKind::far_device, Severity::warning, member, device_text(record.device),
                " of ", rank_text(record), " is on NUMA node ", node, ", its CPUs are on node ",
                fold_nodes(record.numa_nodes));
}

/// Compares the NUMA node of the NIC with that of the device; without one, with those of the CPUs.
constexpr void find_far_nic(JobMembers& members, std::uint32_t member) {
  const JobRecord& record = members[member];
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
  members.found(FindingKind::far_nic, Severity::warning, member, escaped_text(record.nic), " of ",
                rank_text(record), " is on NUMA node ", node, ", its ",
                when(has_device, device_text(device), " is on node "),
                has_device ? "" : "CPUs are on node ", fold_nodes(nodes));
}

constexpr void find_devices(JobMembers& members) {
  RecordIndex by_uuid;
  RecordIndex by_address;
  RecordIndex by_index;
  RecordIndex by_count;
  for (std::uint32_t here = 0; here < members.size(); ++here) {
    const RecordedDevice& device = members[here].device;
    find_far_nic(members, here);
    if (!device.is_known || device.kind == DeviceKind::cpu) continue;
    find_far_device(members, here);
    if (!device.uuid.empty()) by_uuid.push_back(here);
    if (members.machine[here] == JobMembers::none) continue;
    if (!device.pci.empty()) by_address.push_back(here);
    if (device.uuid.empty() && device.pci.empty() && device.index >= 0) by_index.push_back(here);
    if (device.index >= 0 && device.visible_count > 1) by_count.push_back(here);
  }
  for_each_shared(by_uuid, members.by(members.job, &RecordedDevice::uuid), [&](Group group) {
    found_duplicate(members, group, escaped_text(members[group[0]].device.uuid));
  });
  find_equal_addresses(members, by_address);
  find_equal_indices(members, by_index);
  find_reached_indices(members, by_count);
  find_other_counts(members);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP
