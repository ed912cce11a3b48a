// SPDX-License-Identifier: MIT
// Collects the hosts of any format into a table. Repeated hosts are found by sorting.
#ifndef RANKMAP_HOSTS_DETAIL_HOST_TABLE_BUILDER_HPP
#define RANKMAP_HOSTS_DETAIL_HOST_TABLE_BUILDER_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// What a format means by naming a host again.
enum class RepeatedHost : std::uint8_t {
  keep,       ///< another entry
  join_next,  ///< more slots directly after the first, another entry elsewhere
  join,       ///< more slots
  add_one,    ///< one more slot; an error where it has slots of its own
  refuse,     ///< an error
};

struct HostEntry {
  std::size_t begin;
  std::size_t length;
  std::size_t position;
  std::int64_t slots;  // over all entries of the host; -1: unknown
  std::size_t first;   // the first entry of the host
  int otherwise;       // its slots where it is that first entry and has none; -1: unknown
};

/// Collects entries in order. O(length), and O(n log n) comparisons where repeats have to be found.
class HostTableBuilder {
 public:
  static constexpr int unknown = -1;

  /// What is read, and how.
  struct Source {
    std::string_view text;
    std::string_view subject;
    Errc code = Errc::bad_host_list;
    HostListLimits limits = {};
    bool first_is_launch_node = false;  ///< which has one slot, and is no host of the table
    RepeatedHost repeated = RepeatedHost::keep;
  };

  constexpr explicit HostTableBuilder(const Source& source) : source_(source) {}

  RANKMAP_RARE constexpr Error error(std::string_view expected, std::size_t position,
                                     std::string_view remedy = {}) const {
    if (remedy.empty()) remedy = own_remedy();
    return error_at(source_.code, source_.subject, source_.text, expected, remedy, position);
  }
  constexpr const Source& source() const { return source_; }

  /// Adds a host found at `position`, with its slots or `unknown`. `otherwise`: its slots where the
  /// format does not name it before. Returns its entry.
  constexpr std::size_t add(std::string_view name, int slots, std::size_t position,
                            int otherwise = unknown) {
    const RepeatedHost repeated = source_.repeated;
    const bool joins = repeated == RepeatedHost::join || repeated == RepeatedHost::join_next;
    if (joins && !entries_.empty() && this->name(entries_.size() - 1) == name) {
      add_slots(entries_[entries_.size() - 1], slots);
      return entries_.size() - 1;
    }
    entries_.push_back({names_.size(), name.size(), position, slots, entries_.size(), otherwise});
    names_.append(name);
    return entries_.size() - 1;
  }
  constexpr std::size_t size() const { return entries_.size(); }

  /// The next rank is on the host of this entry.
  constexpr void add_rank(std::size_t entry) { ranks_.push_back(static_cast<int>(entry)); }
  constexpr void set_ranks(const SmallVector<int, 8>& entries, const SmallVector<int, 8>& devices) {
    ranks_ = entries;
    devices_ = devices;
  }
  constexpr void set_own(std::size_t entry) { own_ = entry; }

  constexpr Result<HostTable> finish() {
    if (entries_.empty()) return error("at least one host", 0);
    if (source_.repeated != RepeatedHost::keep && source_.repeated != RepeatedHost::join_next) {
      if (const auto repeat = find_repeats()) {
        const HostEntry& entry = entries_[*repeat];
        return error(source_.repeated == RepeatedHost::refuse ? "each host once"
                     : entry.slots != unknown
                         ? "slots in the first line of a host alone, as each further line is one "
                           "more slot"
                         : "max_slots of at least the slots of the host so far, as each further "
                           "line is one more slot",
                     entry.position);
      }
    }
    const bool skips_first = source_.first_is_launch_node;
    if (skips_first && entries_[0].slots != 1) {
      return error("a launch node first, with one slot", entries_[0].position,
                   "in the program, leave out first_is_launch_node");
    }

    HostTable table;
    HostListBuilder hosts(source_.limits, source_.subject);
    HostListBuilder launch_node(source_.limits, source_.subject);
    SmallVector<int, 8> place(entries_.size());  // of each entry in the table
    int count = 0;
    bool any_slots = false;
    for (std::size_t i = 0; i != entries_.size(); ++i) {
      const HostEntry& entry = entries_[i];
      if (entry.first != i) {
        place[i] = place[entry.first];
        continue;
      }
      if (entry.slots > INT32_MAX) return error("fewer than 2^31 slots on a host", entry.position);
      HostListBuilder& list = i == 0 && skips_first ? launch_node : hosts;
      if (list.add(name(i)).error_) return error_in(i, *list.error_);
      place[i] = i == 0 && skips_first ? unknown : count++;
      if (place[i] == unknown) continue;
      any_slots = any_slots || entry.slots != unknown;
      table.slots_.push_back(static_cast<int>(entry.slots));
    }
    if (count == 0) return error("at least one host after the launch node", 0);
    table.hosts_ = *hosts.finish();  // it has taken every name
    if (!any_slots) table.slots_.clear();
    table.slots_.shrink_to_fit();
    for (const int entry : ranks_) {
      const int node = place[static_cast<std::size_t>(entry)];
      if (node != unknown) table.node_of_rank_.push_back(node);
    }
    table.device_of_rank_ = devices_;
    if (own_) table.own_index_ = static_cast<std::size_t>(place[*own_]);
    return table;
  }

  static constexpr void set_own(HostTable& table, std::size_t index) { table.own_index_ = index; }

 private:
  constexpr std::string_view own_remedy() const {
    return source_.code == Errc::bad_file ? "correct the file" : "correct it, or unset it";
  }
  constexpr std::string_view name(std::size_t entry) const {
    return names_.view().substr(entries_[entry].begin, entries_[entry].length);
  }
  // An error about the name of an entry, as an error about the whole text. If quotes, escapes or a
  // user name move the name's bytes, the position is where the entry begins.
  RANKMAP_RARE constexpr Error error_in(std::size_t entry, const Error& wrong) const {
    const std::size_t at = entries_[entry].position;
    const bool as_written = source_.text.substr(at, entries_[entry].length) == name(entry);
    // The other remedy is for names that a program passes one at a time.
    const std::string_view remedy =
        wrong.code == Errc::bad_host_list ? own_remedy() : wrong.remedy.view();
    return error_at(wrong.code, source_.subject, source_.text, wrong.expected, remedy,
                    at + (as_written ? static_cast<std::size_t>(wrong.position) : 0));
  }
  static constexpr void add_slots(HostEntry& entry, std::int64_t slots) {
    entry.slots = entry.slots < 0 || slots < 0 ? unknown : entry.slots + slots;
  }

  // Links each entry to the first of its host. Returns the first repeat that is refused.
  constexpr std::optional<std::size_t> find_repeats() {
    // of equal names the first entry comes first
    const Indices sorted = sorted_indices(
        entries_.size(), [this](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    std::optional<std::size_t> refused;
    for (std::size_t i = 0; i != sorted.size(); ++i) {
      HostEntry& entry = entries_[sorted[i]];
      if (i == 0 || name(sorted[i]) != name(sorted[i - 1])) {
        if (entry.slots == unknown) entry.slots = entry.otherwise;
        continue;
      }
      entry.first = entries_[sorted[i - 1]].first;
      HostEntry& first = entries_[entry.first];
      bool is_refused = source_.repeated == RepeatedHost::refuse;
      if (source_.repeated == RepeatedHost::add_one) {
        first.slots = (first.slots == unknown ? 1 : first.slots) + 1;
        is_refused =
            entry.slots != unknown || (entry.otherwise != unknown && entry.otherwise < first.slots);
      } else {
        add_slots(first, entry.slots);
      }
      if (is_refused && (!refused || sorted[i] < *refused)) refused = sorted[i];
    }
    return refused;
  }

  Source source_;
  SmallString names_;
  SmallVector<HostEntry, 4> entries_;
  SmallVector<int, 8> ranks_;
  SmallVector<int, 8> devices_;
  std::optional<std::size_t> own_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_HOST_TABLE_BUILDER_HPP
