// SPDX-License-Identifier: MIT
// Reads the text of one visibility variable by its row of the grammar table.
#ifndef RANKMAP_DEVICE_DETAIL_DEVICE_LIST_READER_HPP
#define RANKMAP_DEVICE_DETAIL_DEVICE_LIST_READER_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/device/detail/device_list.hpp>
#include <rankmap/device/detail/visibility_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The number that an entry spells in this vendor's way, or -1. One beyond an int is as bad as a
/// word: no machine has so many devices. `rest`: how many characters are not read.
RANKMAP_RARE constexpr int entry_number(Digits digits, std::string_view text, std::size_t& rest) {
  if (digits == Digits::none) return -1;
  const bool takes_sign = digits == Digits::leading || digits == Digits::any_base;
  const bool is_negative = takes_sign && text.starts_with('-');
  if (is_negative || (takes_sign && text.starts_with('+'))) text.remove_prefix(1);
  const bool is_padded = text.size() > 1 && text.front() == '0';
  if (is_padded && digits == Digits::canonical) return -1;
  unsigned base = 10;
  if (is_padded && digits == Digits::any_base) {
    const bool is_hexadecimal = text[1] == 'x' || text[1] == 'X';
    base = is_hexadecimal ? 16 : 8;
    if (is_hexadecimal) text.remove_prefix(2);
  }
  constexpr std::int64_t too_large = std::int64_t{INT32_MAX} + 1;
  std::int64_t value = 0;
  std::size_t used = 0;
  for (; used != text.size() && hex_value(text[used]) < base; ++used) {
    value = value * base + hex_value(text[used]);
    if (value > too_large) value = too_large;
  }
  rest = text.size() - used;
  if (used == 0 || value == too_large || (is_negative && value > 0)) return -1;
  return rest != 0 && digits != Digits::leading ? -1 : static_cast<int>(value);
}

/// Whether an entry is a name and not a number.
constexpr bool names_device(Uuid uuid, std::string_view text) {
  if (uuid == Uuid::rocr) {
    return text.size() >= 5 && text.size() <= 20 && equal_ignoring_case(text.substr(0, 4), "GPU-");
  }
  if (uuid == Uuid::hip) return text.find("GPU-") != std::string_view::npos;
  // CUDA: the first entry decides for the whole list
  return uuid == Uuid::exact && text.size() >= 36 && text.find('-') != std::string_view::npos;
}

class DeviceListReader {
 public:
  constexpr DeviceListReader(const VisibilityGrammar& grammar, std::string_view text,
                             const LayerInventory& known)
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
    if (has_entry(grammar_.words_for_all, text_)) {
      list_.state = Visibility::all;
      return list_;
    }
    list_.state = Visibility::list;
    list_.position = text_.size();
    if (grammar_.uuid == Uuid::cuda) {
      const std::string_view start = text_.substr(0, 4);
      if (start == "GPU-" || start == "MIG-") names_ = start;
    }
    read_entries();
    finish();
    if (list_.state == Visibility::list && list_.size == 0) list_.state = Visibility::none;
    return list_;
  }

 private:
  RANKMAP_RARE constexpr void read_entries() {
    std::string_view readable = text_;
    if (grammar_.ends_at_foreign) {
      readable = readable.substr(0, readable.find_first_not_of("0123456789,"));
    }
    int count = 0;
    for (ListEntries entries(readable); entries.next(); ++count) {
      begin_ = entries.begin();
      end_ = begin_ + entries.text().size();
      if (grammar_.trailing_comma && begin_ == readable.size()) break;
      if (grammar_.reads_at_most_count && known_.count && count == *known_.count) {
        return list_.cut(list_.size, ParseStop::more_than_devices, begin_);
      }
      entry_ = entries.text();
      if (!take()) break;
    }
    const bool foreign = readable.size() != text_.size();
    if (foreign && (list_.stop == ParseStop::end || list_.position == readable.size())) {
      list_.cut(list_.size, ParseStop::bad_entry, readable.size());
    }
  }

  /// Takes the current entry. Returns whether reading continues.
  RANKMAP_RARE constexpr bool take() {
    if (!names_.empty()) {
      return entry_.starts_with(names_) ? add_name() : act(grammar_.bad, ParseStop::bad_entry);
    }
    if (grammar_.trims) entry_ = trimmed(entry_);
    const std::string_view text = entry_;
    if (text.empty()) return act(grammar_.empty_entry, ParseStop::empty_entry);
    if (names_device(grammar_.uuid, text)) return add_name();
    const std::size_t mark = grammar_.ranges        ? text.find('-')
                             : grammar_.sub_devices ? text.find('.')
                                                    : std::string_view::npos;
    const bool is_pair = mark != std::string_view::npos;
    std::size_t rest = 0;  // characters behind the number, which the vendor does not read
    const int first = entry_number(grammar_.digits, text.substr(0, mark), rest);
    const int second = is_pair ? entry_number(grammar_.digits, text.substr(mark + 1), rest) : first;
    if (first < 0 || second < 0) return act(grammar_.bad, ParseStop::bad_entry);
    if (is_pair && grammar_.sub_devices) return add_sub_device(first, second);
    if (second < first) return act(grammar_.bad, ParseStop::bad_entry);
    if (rest != 0 && list_.partial++ == 0) {
      list_.partial_at = static_cast<std::size_t>(text.data() - text_.data()) + text.size() - rest;
    }
    for (int id = first;; ++id) {
      if (!add(id)) return false;
      if (id == second) return true;
    }
  }

  constexpr bool add_sub_device(int id, int sub_device) {
    if (!known_.hierarchy) {
      list_.end_as(Visibility::unknown, ParseStop::hierarchy_unknown, begin_);
      return false;
    }
    const int limit = known_.sub_devices.value_or(64) < 64 ? *known_.sub_devices : 64;
    if (*known_.hierarchy != DeviceHierarchy::composite || sub_device >= limit) {
      return act(Action::skip, ParseStop::bad_entry);
    }
    return add(id, std::uint64_t{1} << static_cast<unsigned>(sub_device));
  }

  RANKMAP_RARE constexpr bool add_name() {
    if (!grammar_.checks_at_end && known_.named() != 0) {
      ParseStop reason = ParseStop::end;
      const int id = device_named(grammar_.uuid, known_, entry_, reason);
      return id < 0 ? act(grammar_.bad, reason) : add(id);
    }
    for (int i = 0; i < list_.size; ++i) {  // no number is written like a name
      const std::string_view other = text_of(list_[i]);
      if (other == entry_ || (grammar_.uuid == Uuid::rocr && equal_ignoring_case(other, entry_))) {
        return act(grammar_.repeat, ParseStop::repeated);
      }
    }
    return push({.id = -1, .by_name = true});
  }

  RANKMAP_RARE constexpr bool add(int id, std::uint64_t sub_devices = 0) {
    const bool has_limit = grammar_.id_limit != 0;
    const bool is_checked = has_limit || (known_.count && !grammar_.checks_at_end);
    if (is_checked && id >= (has_limit ? grammar_.id_limit : *known_.count)) {
      return act(grammar_.bad, ParseStop::out_of_range);
    }
    for (int i = 0; i < list_.size; ++i) {
      if (list_[i].id != id) continue;
      if (grammar_.order != ListOrder::sorted) return act(grammar_.repeat, ParseStop::repeated);
      const bool whole = sub_devices == 0 || list_[i].sub_devices == 0;
      list_[i].sub_devices = whole ? 0 : list_[i].sub_devices | sub_devices;
      return true;
    }
    if (grammar_.order == ListOrder::ascending && list_.size != 0 &&
        id < list_[list_.size - 1].id) {
      return act(grammar_.repeat, ParseStop::not_ascending);
    }
    return push({.id = id, .sub_devices = sub_devices});
  }

  /// Appends or sorts in the current entry, with its place in the text.
  RANKMAP_RARE constexpr bool push(DeviceEntry entry) {
    if (list_.size == DeviceList::capacity || end_ > VisibilityLayer::text_capacity) {
      list_.end_as(Visibility::unknown, ParseStop::too_long, begin_);
      return false;
    }
    entry.offset = static_cast<std::uint16_t>(entry_.data() - text_.data());
    entry.length = static_cast<std::uint16_t>(entry_.size());
    int at = list_.size++;
    if (grammar_.order == ListOrder::sorted) {
      for (; at > 0 && list_[at - 1].id > entry.id; --at) list_[at] = list_[at - 1];
    }
    list_[at] = entry;
    return true;
  }

  /// Does with the current entry what the vendor does. Returns whether reading continues.
  RANKMAP_RARE constexpr bool act(Action action, ParseStop reason) {
    if (action == Action::as_bad) action = grammar_.bad;
    if (action == Action::skip) {
      ++list_.skipped;
      return true;
    }
    if (action == Action::stop) {
      list_.cut(list_.size, reason, begin_);
    } else {
      list_.end_as(action == Action::discard  ? Visibility::none
                   : action == Action::reject ? Visibility::rejected
                                              : Visibility::unknown,
                   reason, begin_);
    }
    return false;
  }

  constexpr std::string_view text_of(const DeviceEntry& entry) const {
    return text_.substr(entry.offset, entry.length);
  }

  /// The checks that need the whole list.
  constexpr void finish() {
    if (grammar_.checks_at_end) check_against_devices();
    if (names_ == "MIG-" && list_.size > 1) {
      list_.cut(1, ParseStop::second_instance, list_[1].offset);
    }
    for (int i = 0; i < list_.size; ++i) {
      const bool has_limit = known_.count || grammar_.id_limit != 0;
      if (list_[i].by_name ? list_[i].id < 0 : !has_limit) list_.checked = false;
    }
  }

  RANKMAP_RARE constexpr void check_against_devices() {
    for (int i = 0; i < list_.size; ++i) {
      DeviceEntry& entry = list_[i];
      const bool is_beyond = !entry.by_name && known_.count && entry.id >= *known_.count;
      if (is_beyond) return list_.cut(i, ParseStop::out_of_range, entry.offset);
      if (!entry.by_name || !can_resolve(text_of(entry))) continue;
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

  /// Whether the known names are of this kind: names of whole GPUs say nothing about MIG instances.
  constexpr bool can_resolve(std::string_view text) const {
    const bool instance = text.substr(0, 4) == "MIG-";
    for (int i = 0; i < known_.named(); ++i) {
      if (!instance || known_.uuid(i).substr(0, 4) == "MIG-") return true;
    }
    return false;
  }

  const VisibilityGrammar& grammar_;
  std::string_view text_;
  const LayerInventory& known_;
  std::string_view names_ = {};  ///< the prefix of every entry, in a list of names
  std::string_view entry_ = {};  ///< the current entry, trimmed if the vendor does that
  std::size_t begin_ = 0;        ///< of the current entry in text_, with its blanks
  std::size_t end_ = 0;
  DeviceList list_ = {};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_DEVICE_LIST_READER_HPP
