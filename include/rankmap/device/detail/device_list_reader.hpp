// SPDX-License-Identifier: MIT
//
// Reads the text of one visibility variable by its row of the grammar table.
#ifndef RANKMAP_DEVICE_DETAIL_DEVICE_LIST_READER_HPP
#define RANKMAP_DEVICE_DETAIL_DEVICE_LIST_READER_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/device/detail/device_entry.hpp>
#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/device/detail/device_uuid.hpp>
#include <rankmap/device/detail/visibility_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

class DeviceListReader {
 public:
  constexpr DeviceListReader(const VisibilityGrammar& grammar, std::string_view text,
                             const KnownDevices& known)
      : grammar_(grammar), text_(text), known_(known) {}

  constexpr DeviceList read() {
    if (text_.empty()) {
      const EmptyText means = grammar_.empty;
      list_.state = means == EmptyText::all    ? Visibility::all
                    : means == EmptyText::none ? Visibility::none
                                               : Visibility::unknown;
      if (means == EmptyText::unknown) list_.stop = ParseStop::empty_text;
      return list_;
    }
    for (const std::string_view word : grammar_.words_for_all) {
      if (text_ == word) {
        list_.state = Visibility::all;
        return list_;
      }
    }
    list_.state = Visibility::list;
    list_.position = text_.size();
    if (grammar_.uuid == Uuid::cuda) {
      const std::string_view start = text_.substr(0, 4);
      if (start == "GPU-" || start == "MIG-") names_ = start;
    }
    read_entries();
    if (list_.state == Visibility::list) finish();
    if (list_.state == Visibility::list && list_.size == 0) list_.state = Visibility::none;
    return list_;
  }

 private:
  constexpr void read_entries() {
    std::string_view readable = text_;
    if (grammar_.ends_at_foreign) {
      std::size_t n = 0;
      while (n != readable.size() && (is_digit(readable[n]) || readable[n] == ',')) ++n;
      readable = readable.substr(0, n);
    }
    std::size_t at = 0;
    for (int entries = 0;; ++entries) {
      const std::size_t comma = readable.find(',', at);
      const bool last = comma == std::string_view::npos;
      const std::size_t end = last ? readable.size() : comma;
      if (last && at == end && at != 0 && grammar_.trailing_comma) break;
      if (grammar_.reads_at_most_count && known_.count && entries == *known_.count) {
        return list_.cut(list_.size, ParseStop::more_than_devices, at);
      }
      if (!take(at, end) || last) break;
      at = comma + 1;
    }
    const bool foreign = readable.size() != text_.size();
    if (foreign && (list_.stop == ParseStop::end ||
                    (list_.stop == ParseStop::empty_entry && list_.position == readable.size()))) {
      list_.cut(list_.size, ParseStop::bad_entry, readable.size());
    }
  }

  /// Takes the entry at [begin, end); false: the reading ends here.
  constexpr bool take(std::size_t begin, std::size_t end) {
    std::string_view text = text_.substr(begin, end - begin);
    if (!names_.empty()) {
      if (text.substr(0, names_.size()) != names_)
        return act(grammar_.bad, ParseStop::bad_entry, begin);
      return add_name(text, begin, end);
    }
    if (grammar_.trims) text = trimmed(text);
    const EntryToken token = read_entry(grammar_, text);
    switch (token.is) {
      case EntryToken::Is::bad:
        return act(grammar_.bad, ParseStop::bad_entry, begin);
      case EntryToken::Is::empty:
        return act(grammar_.empty_entry, ParseStop::empty_entry, begin);
      case EntryToken::Is::uuid:
        return add_name(text, begin, end);
      case EntryToken::Is::sub_device:
        return add_sub_device(token, begin, end);
      case EntryToken::Is::number:
      case EntryToken::Is::range:
        break;
    }
    for (int id = token.first;; ++id) {
      if (!add(id, 0, begin, end)) return false;
      if (id == token.second) return true;
    }
  }

  constexpr bool add_sub_device(const EntryToken& token, std::size_t begin, std::size_t end) {
    if (!known_.hierarchy) {
      list_.end_as(Visibility::unknown, ParseStop::hierarchy_unknown, begin);
      return false;
    }
    const int limit = known_.sub_devices.value_or(64) < 64 ? *known_.sub_devices : 64;
    if (*known_.hierarchy != DeviceHierarchy::composite || token.second >= limit) {
      return act(Action::skip, ParseStop::bad_entry, begin);
    }
    return add(token.first, std::uint64_t{1} << static_cast<unsigned>(token.second), begin, end);
  }

  constexpr bool add_name(std::string_view text, std::size_t begin, std::size_t end) {
    if (!grammar_.checks_at_end && known_.named() != 0) {
      ParseStop reason = ParseStop::end;
      const int id = device_named(grammar_.uuid, known_, text, reason);
      if (id < 0) return act(grammar_.bad, reason, begin);
      return add(id, 0, begin, end);
    }
    for (int i = 0; i < list_.size; ++i) {  // no number is written like a name
      const std::string_view other = text_of(list_[i]);
      if (other == text || (grammar_.uuid == Uuid::rocr && equal_ignoring_case(other, text))) {
        return act(grammar_.repeat, ParseStop::repeated, begin);
      }
    }
    return push(-1, 0, true, begin, end);
  }

  constexpr bool add(int id, std::uint64_t sub_devices, std::size_t begin, std::size_t end) {
    const bool beyond = grammar_.dense && known_.count && id >= *known_.count;
    if ((beyond && !grammar_.checks_at_end) ||
        (grammar_.id_limit != 0 && id >= grammar_.id_limit)) {
      return act(grammar_.bad, ParseStop::out_of_range, begin);
    }
    if (grammar_.order == ListOrder::ascending) {
      if (list_.size != 0 && id <= list_[list_.size - 1].id) {
        return act_on_order(id, begin);
      }
      return push(id, sub_devices, false, begin, end);
    }
    for (int i = 0; i < list_.size; ++i) {
      if (list_[i].id != id) continue;
      if (grammar_.order != ListOrder::sorted)
        return act(grammar_.repeat, ParseStop::repeated, begin);
      const bool whole = sub_devices == 0 || list_[i].sub_devices == 0;
      list_[i].sub_devices = whole ? 0 : list_[i].sub_devices | sub_devices;
      return true;
    }
    return push(id, sub_devices, false, begin, end);
  }

  constexpr bool act_on_order(int id, std::size_t begin) {
    for (int i = 0; i < list_.size; ++i) {
      if (list_[i].id == id) return act(grammar_.repeat, ParseStop::repeated, begin);
    }
    return act(grammar_.repeat, ParseStop::not_ascending, begin);
  }

  constexpr bool push(int id, std::uint64_t sub_devices, bool by_name, std::size_t begin,
                      std::size_t end) {
    if (list_.size == DeviceList::capacity || end > VisibilityLayer::text_capacity) {
      list_.end_as(Visibility::unknown, ParseStop::too_long, begin);
      return false;
    }
    while (grammar_.trims && names_.empty() && begin != end && is_blank(text_[begin])) ++begin;
    while (grammar_.trims && names_.empty() && begin != end && is_blank(text_[end - 1])) --end;
    int at = list_.size++;
    if (grammar_.order == ListOrder::sorted) {
      for (; at > 0 && list_[at - 1].id > id; --at) list_[at] = list_[at - 1];
    }
    list_[at] = {.id = id,
                 .sub_devices = sub_devices,
                 .offset = static_cast<std::uint16_t>(begin),
                 .length = static_cast<std::uint16_t>(end - begin),
                 .layer = 0,
                 .by_name = by_name};
    return true;
  }

  /// Does what the vendor does; true: the reading goes on.
  constexpr bool act(Action action, ParseStop reason, std::size_t at) {
    switch (action) {
      case Action::stop:
        list_.cut(list_.size, reason, at);
        return false;
      case Action::skip:
        ++list_.skipped;
        return true;
      case Action::discard:
        list_.end_as(Visibility::none, reason, at);
        return false;
      case Action::reject:
        list_.end_as(Visibility::rejected, reason, at);
        return false;
      case Action::unknown:
        break;
    }
    list_.end_as(Visibility::unknown, reason, at);
    return false;
  }

  constexpr std::string_view text_of(const DeviceEntry& entry) const {
    return text_.substr(entry.offset, entry.length);
  }

  /// What can only be judged when the whole list is read.
  constexpr void finish() {
    if (grammar_.checks_at_end) check_against_devices();
    if (names_ == "MIG-" && list_.size > 1) {
      list_.cut(1, ParseStop::second_instance, list_[1].offset);
    }
    for (int i = 0; i < list_.size; ++i) {
      const bool open = list_[i].by_name ? list_[i].id < 0 : grammar_.dense && !known_.count;
      if (open) list_.checked = false;
    }
  }

  constexpr void check_against_devices() {
    for (int i = 0; i < list_.size; ++i) {
      DeviceEntry& entry = list_[i];
      if (!entry.by_name) {
        if (known_.count && entry.id >= *known_.count) {
          return list_.cut(i, ParseStop::out_of_range, entry.offset);
        }
        continue;
      }
      if (!can_resolve(text_of(entry))) continue;
      ParseStop reason = ParseStop::end;
      entry.id = device_named(grammar_.uuid, known_, text_of(entry), reason);
      if (entry.id < 0) return list_.cut(i, reason, entry.offset);
      for (int j = 0; j < i; ++j) {
        if (list_[j].id == entry.id) {
          return list_.end_as(Visibility::none, ParseStop::repeated, entry.offset);
        }
      }
    }
  }

  /// A table of whole GPUs says nothing about MIG instances.
  constexpr bool can_resolve(std::string_view text) const {
    const bool instance = text.substr(0, 4) == "MIG-";
    for (int i = 0; i < known_.named(); ++i) {
      if (!instance || known_.uuid(i).substr(0, 4) == "MIG-") return true;
    }
    return false;
  }

  const VisibilityGrammar& grammar_;
  std::string_view text_;
  const KnownDevices& known_;
  std::string_view names_ = {};  ///< what every entry begins with, in a list of names
  DeviceList list_ = {};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_DEVICE_LIST_READER_HPP
