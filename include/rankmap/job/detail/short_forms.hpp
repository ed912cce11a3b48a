// SPDX-License-Identifier: MIT
// The short forms in which a record keeps what may be long: texts, sets of CPUs and NUMA nodes, and
// where the processes of a job meet.
#ifndef RANKMAP_JOB_DETAIL_SHORT_FORMS_HPP
#define RANKMAP_JOB_DETAIL_SHORT_FORMS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/job/detail/number_runs.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

// ---- texts: short enough for a line of JSON, and safe to print ----------------------------------

/// Characters that follow each other.
struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr bool is_in(std::span<const CodeRange> ranges, std::uint32_t code) {
  for (const CodeRange& range : ranges) {
    if (range.first <= code && code <= range.last) return true;
  }
  return false;
}

/// Whether a terminal shows the character in its place: no control character, no byte that is not
/// UTF-8, nothing that is invisible or turns the text around. Source: Unicode's
/// Default_Ignorable_Code_Point.
constexpr bool is_shown(std::uint32_t code) {
  constexpr CodeRange hidden[] = {
      {0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},    {0x61c, 0x61c},
      {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},  {0x2028, 0x202e},
      {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},  {0xffa0, 0xffa0},
      {0xfff0, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  return !is_in(hidden, code);
}

/// The bytes that JsonWriter needs for a character that is shown.
constexpr std::size_t json_size(std::uint32_t code) {
  if (code >= 0x10000) return 12;
  if (code >= 0x80) return 6;
  return code == '"' || code == '\\' ? 2 : 1;
}

/// Whether a record keeps `text` as it is: all of it is shown, and has `room` bytes in JSON.
constexpr bool is_recordable(std::string_view text, std::size_t room) {
  std::size_t size = 0;
  while (!text.empty()) {
    // Most texts have plain characters alone, and a job has many texts.
    const char c = text.front();
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    const Character character = plain ? Character{} : first_character(text);
    size += plain ? 1 : json_size(character.code);
    if (size > room || !(plain || is_shown(character.code))) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

/// `text` as a record keeps it. If it is too long, or not all of it is shown, this is its beginning
/// with '?' for what is not, '~' and a hash of the whole text, by which it differs from others.
template <std::size_t Capacity>
constexpr StaticString<Capacity> recorded(std::string_view text) {
  constexpr std::size_t tail = 17;
  static_assert(Capacity > tail);
  if (is_recordable(text, Capacity)) return text;
  StaticString<Capacity> out;
  std::size_t size = tail;
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = first_character(rest);
    const bool shown = is_shown(character.code);
    size += shown ? json_size(character.code) : 1;
    if (size > Capacity) break;
    out.append(shown ? rest.substr(0, character.bytes) : std::string_view("?"));
    rest.remove_prefix(character.bytes);
  }
  return append_hexadecimal(out.append('~'), machine_identity(text), 16);
}

// ---- sets of CPUs: a list if that is short, else a hash ----------------------------------------

/// The halves of a digest in one. Never 0.
constexpr std::uint32_t short_digest(std::uint64_t digest) {
  const auto folded = static_cast<std::uint32_t>((digest ^ digest >> 32U) & 0xffff'ffffU);
  return folded == 0 ? 1 : folded;
}

/// A hash of the CPUs of a set. Never 0.
constexpr std::uint32_t digest_of(const CpuSet& cpus) {
  std::uint64_t digest = fnv_start;
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) {
    digest = fnv_step(digest, static_cast<std::uint64_t>(cpu));
  }
  return short_digest(digest ^ digest >> 29U);
}

/// Calls `visit(NumberRun)` for the fewest runs that make up the numbers, in ascending order.
constexpr void for_each_run_of(const CpuSet& numbers, const auto& visit) {
  for (int first = numbers.next(0); first >= 0;) {
    NumberRun run = {first, first, 1};
    const int second = numbers.next(first + 1);
    int next = second;
    for (; next >= 0 && next - run.last == second - first; next = numbers.next(next + 1)) {
      run = {first, next, second - first};
    }
    if (run.is_pair()) {
      run = {first, first, 1};
      next = second;
    }
    visit(run);
    first = next;
  }
}
/// The numbers as a list that parse_cpu_list reads, as "0-14:2".
template <std::size_t Capacity>
constexpr StaticString<Capacity> fold_numbers(const CpuSet& numbers) {
  StaticString<Capacity> out;
  for_each_run_of(numbers, [&out](const NumberRun& run) { append_to_list(out, run); });
  return out;
}
/// The numbers of such a list; none of a text that is no list.
constexpr CpuSet unfolded(std::string_view list) { return parse_cpu_list(list).value_or(CpuSet()); }

/// The longest list of CPUs that a record keeps.
inline constexpr std::size_t longest_cpu_list = 47;

/// The list of a set; empty if it does not fit.
constexpr StaticString<longest_cpu_list> fold_cpus(const CpuSet& cpus) {
  const auto out = fold_numbers<longest_cpu_list>(cpus);
  if (out.cut()) return {};
  return out;
}
/// How many CPUs a list names; 0 unless fold_cpus() could have made it.
constexpr int count_cpus(std::string_view list) {
  std::int64_t count = 0;
  StaticString<longest_cpu_list> again;
  for_each_run_of(unfolded(list), [&](const NumberRun& run) {
    append_to_list(again, run);
    count += run.size();
  });
  return again == list ? static_cast<int>(count) : 0;
}

/// The longest list of NUMA nodes.
inline constexpr std::size_t longest_node_list = 143;

/// The NUMA nodes of a mask, bit n for node n, as a list; empty if there are none.
constexpr StaticString<longest_node_list> fold_nodes(std::uint64_t nodes) {
  CpuSet numbers;
  for (int node = 0; node != 64; ++node) {
    if ((nodes >> node & 1U) != 0) numbers.insert(node);
  }
  return fold_numbers<longest_node_list>(numbers);
}

// ---- a meeting point: enough to see that two processes would wait at different places -----------

enum class AddressKind : std::uint32_t { unknown, name, number, own };

/// own: each machine means itself by it.
constexpr AddressKind address_kind(std::string_view address) {
  if (address.empty()) return AddressKind::unknown;
  if (is_own_address(address)) return AddressKind::own;
  const bool is_number = address.find(':') != std::string_view::npos ||
                         address.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_number ? AddressKind::number : AddressKind::name;
}

/// The port in the lowest 16 bits, 0 if it is not known. Above it 14 bits of a hash of the address,
/// and its kind. Of a name the first label counts, since not all processes may have the domain.
constexpr std::uint32_t meeting_point(std::string_view address, int port) {
  const AddressKind kind = address_kind(address);
  const bool is_compared = kind == AddressKind::name || kind == AddressKind::number;
  if (kind == AddressKind::name) address = address.substr(0, address.find('.'));
  StaticString<255> lower;
  for (const char c : address) lower.append(to_lower(c));
  const std::uint64_t digest = is_compared ? hash_text(lower, 0) : 0;
  return static_cast<std::uint32_t>(kind) << 30U |
         static_cast<std::uint32_t>(digest & 0x3fffU) << 16U |
         (static_cast<std::uint32_t>(port) & 0xffffU);
}
constexpr AddressKind kind_of(std::uint32_t meeting_point) {
  return static_cast<AddressKind>(meeting_point >> 30U);
}
constexpr std::uint32_t address_of(std::uint32_t meeting_point) { return meeting_point >> 16U; }
constexpr int port_of(std::uint32_t meeting_point) {
  return static_cast<int>(meeting_point & 0xffffU);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_SHORT_FORMS_HPP
