// SPDX-License-Identifier: MIT
// Compressed lists of host names in text that someone else owns: parsed, indexed and searched
// without allocation, and without ever being expanded. Host 999,999 of n[000001-1000000] is
// arithmetic.
#ifndef RANKMAP_HOSTS_HOST_LIST_VIEW_HPP
#define RANKMAP_HOSTS_HOST_LIST_VIEW_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/hosts/detail/find_host.hpp>
#include <rankmap/hosts/detail/host_cursor.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Bounds on what a host list may name.
struct HostListLimits {
  std::size_t max_hosts = 1'000'000;  ///< in the whole list, all combinations of brackets included
  std::size_t max_name_length =
      longest_host_name;  ///< of each host, in bytes; never more than that
};

namespace detail {

RANKMAP_RARE constexpr Error host_list_error(HostFault fault, std::string_view subject,
                                             std::string_view text, std::size_t position,
                                             const HostListLimits& limits) {
  constexpr std::string_view expected[] = {
      "",
      "decimal numbers and ranges low-high between '[' and ']'",
      "a range whose low end is not above its high end",
      "a number below 2^64",
      "']' after the ranges",
      "'[' before each ']'",
      "host names without control bytes",
  };
  const auto at = static_cast<std::int64_t>(position);
  if (fault == HostFault::too_many_hosts) {
    return error_at(Errc::limit_exceeded, subject, text,
                    concat<159>("at most ", limits.max_hosts, " hosts in all"),
                    "raise HostListLimits::max_hosts if the list is right", at);
  }
  if (fault == HostFault::name_too_long) {
    return error_at(Errc::limit_exceeded, subject, text,
                    concat<159>("host names of at most ", limits.max_name_length, " bytes"),
                    "shorten the name that starts there", at);
  }
  return error_at(Errc::bad_host_list, subject, text, enumerator(expected, fault),
                  "write a list such as node[01-12,15],login1", at);
}

}  // namespace detail

/// A list as HostList, in text that must outlive it. Parsing needs no memory.
class HostListView {
 public:
  /// The empty list.
  constexpr HostListView() = default;

  /// Checks the whole of `text`, by the grammar of HostList::parse and with its errors.
  /// O(length of the text), whatever it expands to; no allocation.
  RANKMAP_NOINLINE static constexpr Result<HostListView> parse(
      std::string_view text, HostListLimits limits = {}, std::string_view subject = "host list") {
    if (limits.max_name_length > longest_host_name) limits.max_name_length = longest_host_name;
    std::size_t count = 0;
    for (std::size_t at = detail::token_begin(text, 0); at != text.size();) {
      const detail::HostToken token =
          detail::read_token(text, at, limits.max_hosts, limits.max_name_length);
      if (token.fault != detail::HostFault::none) {
        return detail::host_list_error(token.fault, subject, text, token.end, limits);
      }
      if (token.count > limits.max_hosts - count) {
        return detail::host_list_error(detail::HostFault::too_many_hosts, subject, text, at,
                                       limits);
      }
      count += token.count;
      at = detail::token_begin(text, token.end);
    }
    return HostListView(text, count);
  }

  constexpr std::string_view text() const { return text_; }
  /// The number of hosts, duplicates included. O(1).
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

  /// The name of host `i`. Precondition: i < size(). O(length of the text before it).
  constexpr HostName operator[](std::size_t i) const {
    detail::HostCursor cursor(text_);
    cursor.seek(i);
    return cursor.name();
  }

  /// The first index of `host`, compared byte for byte. O(length of the text).
  constexpr std::optional<std::size_t> find(std::string_view host) const {
    std::size_t first = 0;
    for (std::size_t at = detail::token_begin(text_, 0); at != text_.size();) {
      const detail::HostToken token = detail::read_token(text_, at);
      const std::size_t within = detail::find_in_token(text_, token, host);
      if (within != detail::HostToken::none) return first + within;
      first += token.count;
      at = detail::token_begin(text_, token.end);
    }
    return std::nullopt;
  }

 private:
  friend class HostList;
  // Of a list that has been parsed before.
  constexpr HostListView(std::string_view text, std::size_t size) : text_(text), size_(size) {}

  std::string_view text_;
  std::size_t size_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_LIST_VIEW_HPP
