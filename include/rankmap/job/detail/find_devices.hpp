// SPDX-License-Identifier: MIT
// Which processes use one device, and which of them are far from it. An index alone shows nothing:
// where each process sees one device, all of them use index 0.
#ifndef RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP
#define RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_cpus.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

class DeviceRules {
 public:
  constexpr DeviceRules(const JobMembers& members, const MachineKeys& keys, FindingReport& report)
      : members_(members), keys_(keys), report_(report) {}

  constexpr void find() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto here = static_cast<std::uint32_t>(i);
      const RecordedDevice& device = members_[i].device;
      find_far_nic(here);
      if (!device.is_told || device.kind == DeviceKind::cpu) continue;
      find_far_device(here);
      if (!device.uuid.empty()) by_uuid_.push_back(here);
      if (members_.machine[i] == JobMembers::none) continue;
      if (!device.pci.empty()) by_address_.push_back(here);
      if (device.uuid.empty() && device.pci.empty() && device.index >= 0) by_index_.push_back(here);
    }
    find_equal_uuids();
    find_equal_addresses();
    find_equal_indices();
  }

 private:
  constexpr const RecordedDevice& device(std::uint32_t member) const {
    return members_[member].device;
  }

  /// Visits the stretches of two and more that are equal in `compared`.
  template <class Compared, class Visit>
  constexpr void for_each_equal(RecordIndex& order, const Compared& compared, const Visit& visit) {
    sort_by(order, compared);
    for_each_stretch(
        order.size(),
        [&](std::size_t i, std::size_t k) { return compared(order[i], order[k]) == 0; },
        [&](std::size_t begin, std::size_t end) {
          if (end - begin > 1) visit(begin, end);
        });
  }
  template <class Evidence>
  constexpr void found(FindingKind kind, Severity severity, const RecordIndex& order,
                       std::size_t begin, std::size_t end, const Evidence& evidence) {
    for (std::size_t i = begin; i != end; ++i) report_.mark(kind, members_.record[order[i]]);
    report_.found(kind, severity, order[begin], evidence);
  }
  /// The same device, on purpose or not. `append_name` says what it is.
  template <class AppendName>
  constexpr void found_duplicate(const RecordIndex& order, std::size_t begin, std::size_t end,
                                 const AppendName& append_name) {
    bool is_shared = true;
    for (std::size_t i = begin; i != end; ++i) {
      is_shared = is_shared && device(order[i]).is_shared;
    }
    const JobRecord& a = members_[order[begin]];
    const JobRecord& b = members_[order[begin + 1]];
    found(is_shared ? FindingKind::shared_device : FindingKind::duplicate_device,
          is_shared ? Severity::note : Severity::error, order, begin, end, [&](Message& out) {
            append_ranks(out, a, b);
            out.append(is_shared ? " share " : " use one device, ");
            append_name(out);
            out.append(" (");
            append_device(out, a.device);
            out.append(", ");
            append_device(out, b.device);
            out.append(')');
            if (end - begin > 2) {
              out.append(", as ").append_number(end - begin - 2);
              out.append(end - begin == 3 ? " other does" : " others do");
            }
            if (a.boot != 0 && b.boot != 0 && a.boot != b.boot) {
              out.append("; their boot ids differ, as in sandboxes on one machine");
            }
          });
  }

  constexpr void find_equal_uuids() {
    for_each_equal(
        by_uuid_,
        [this](std::uint32_t a, std::uint32_t b) {
          if (const int by_job = compare(members_.job[a], members_.job[b])) return by_job;
          return compare(device(a).uuid, device(b).uuid);
        },
        [this](std::size_t begin, std::size_t end) {
          found_duplicate(by_uuid_, begin, end,
                          [&](Message& out) { append_escaped(out, device(by_uuid_[begin]).uuid); });
        });
  }

  constexpr void find_equal_addresses() {
    for_each_equal(
        by_address_,
        [this](std::uint32_t a, std::uint32_t b) {
          if (const int by_machine = compare(members_.machine[a], members_.machine[b])) {
            return by_machine;
          }
          if (const int by_pci = compare(device(a).pci, device(b).pci)) return by_pci;
          return compare(device(a).sub_device, device(b).sub_device);
        },
        [this](std::size_t begin, std::size_t end) {
          bool have_uuids = true;
          bool are_equal = true;
          for (std::size_t i = begin; i != end; ++i) {
            have_uuids = have_uuids && !device(by_address_[i]).uuid.empty();
            are_equal = are_equal && device(by_address_[i]).uuid == device(by_address_[begin]).uuid;
          }
          const auto append_address = [&](Message& out) {
            out.append(device(by_address_[begin]).pci);
          };
          if (!have_uuids) {
            found_duplicate(by_address_, begin, end, append_address);
          } else if (!are_equal) {
            found(FindingKind::device_parts, Severity::note, by_address_, begin, end,
                  [&](Message& out) {
                    append_ranks(out, members_[by_address_[begin]],
                                 members_[by_address_[begin + 1]]);
                    out.append(" have different UUIDs at one address, ");
                    append_address(out);
                  });
          }
        });
  }

  /// Where nothing identifies the devices: their numbers before any variable hides some, where they
  /// are known, else their visible ones. Both count within one container.
  constexpr void find_equal_indices() {
    for_each_equal(
        by_index_,
        [this](std::uint32_t a, std::uint32_t b) {
          if (const int by_machine = compare(members_.machine[a], members_.machine[b])) {
            return by_machine;
          }
          if (const int by_host = compare(keys_.host[a], keys_.host[b])) return by_host;
          if (const int by_kind = compare(device(a).kind, device(b).kind)) return by_kind;
          if (const int by_number = compare(device(a).physical, device(b).physical)) {
            return by_number;
          }
          if (const int by_part = compare(device(a).sub_device, device(b).sub_device)) {
            return by_part;
          }
          return device(a).physical >= 0 ? 0 : compare(device(a).index, device(b).index);
        },
        [this](std::size_t begin, std::size_t end) {
          const RecordedDevice& first = device(by_index_[begin]);
          bool see_several = true;
          bool is_shared = true;
          // A process that has a device of its own finds it at number 0, whichever it is. Another
          // number counts devices that are there for all in this container.
          bool is_numbered = first.physical > 0;
          for (std::size_t i = begin; i != end; ++i) {
            const RecordedDevice& here = device(by_index_[i]);
            see_several = see_several && here.visible_count >= 2 &&
                          (here.physical >= 0 || here.visible_count == first.visible_count);
            is_shared = is_shared && here.is_shared;
            is_numbered = is_numbered && members_[by_index_[i]].pid_namespace ==
                                             members_[by_index_[begin]].pid_namespace;
          }
          const auto append_who = [&](Message& out) {
            append_ranks(out, members_[by_index_[begin]], members_[by_index_[begin + 1]]);
            out.append(" both use ");
            append_device(out, first);
          };
          if (is_shared) {
            found(FindingKind::shared_device, Severity::note, by_index_, begin, end, append_who);
          } else if (is_numbered) {
            found_duplicate(by_index_, begin, end, [&](Message& out) {
              out.append("number ").append_number(first.physical).append(" of their machine");
            });
          } else if (see_several) {
            found(FindingKind::likely_duplicate, Severity::warning, by_index_, begin, end,
                  [&](Message& out) {
                    append_who(out);
                    out.append(" of ").append_number(first.visible_count).append(" visible ones");
                  });
          } else {
            found(FindingKind::device_not_told, Severity::note, by_index_, begin, end,
                  [&](Message& out) {
                    append_who(out);
                    out.append(", without UUID or PCI address");
                  });
          }
        });
  }

  constexpr void find_far_device(std::uint32_t member) {
    const JobRecord& record = members_[member];
    const int node = record.device.numa_node;
    if (node < 0 || node > 63 || record.numa_nodes == 0) return;
    if ((record.numa_nodes >> node & 1U) != 0) return;
    report_.mark(FindingKind::far_device, members_.record[member]);
    report_.found(FindingKind::far_device, Severity::warning, member, [&](Message& out) {
      append_device(out, record.device);
      out.append(" of ");
      append_rank(out, record);
      out.append(" is on NUMA node ").append_number(node).append(", its CPUs are on node ");
      out.append(fold_nodes(record.numa_nodes));
    });
  }

  /// Against the node of the device; of a process without one, against those of its CPUs.
  constexpr void find_far_nic(std::uint32_t member) {
    const JobRecord& record = members_[member];
    const RecordedDevice& device = record.device;
    const bool has_device = device.is_told && device.kind != DeviceKind::cpu;
    std::uint64_t nodes = 0;
    if (has_device && device.numa_node >= 0 && device.numa_node < 64) {
      nodes = std::uint64_t{1} << device.numa_node;
    } else if (device.is_told && !has_device) {
      nodes = record.numa_nodes;
    }
    const int node = record.nic_numa_node;
    if (nodes == 0 || node < 0 || node > 63 || (nodes >> node & 1U) != 0) return;
    report_.mark(FindingKind::far_nic, members_.record[member]);
    report_.found(FindingKind::far_nic, Severity::warning, member, [&](Message& out) {
      append_escaped(out, record.nic);
      out.append(" of ");
      append_rank(out, record);
      out.append(" is on NUMA node ").append_number(node).append(", its ");
      if (has_device) {
        append_device(out, device);
        out.append(" is on node ");
      } else {
        out.append("CPUs are on node ");
      }
      out.append(fold_nodes(nodes));
    });
  }

  const JobMembers& members_;
  const MachineKeys& keys_;
  FindingReport& report_;
  RecordIndex by_uuid_;
  RecordIndex by_address_;
  RecordIndex by_index_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_DEVICES_HPP
