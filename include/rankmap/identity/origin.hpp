// SPDX-License-Identifier: MIT
// Where each value of a topology came from.
#ifndef RANKMAP_IDENTITY_ORIGIN_HPP
#define RANKMAP_IDENTITY_ORIGIN_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/static_string.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// How a value was obtained.
enum class OriginKind : std::uint8_t {
  unknown,  ///< the value is not known
  read,     ///< from a variable
  derived,  ///< from other values, by the rule that `source` states
  given,    ///< by the caller, in Config
};

constexpr std::string_view name(OriginKind kind) {
  return detail::enumerator("unknown\0read\0derived\0given", kind);
}

/// Where one value came from.
struct Origin {
  OriginKind kind = OriginKind::unknown;
  Launcher launcher = Launcher::none;  ///< that sets the variable
  /// The variable, the rule, or the member of Config; unknown: the variable that could not be used.
  std::string_view source = {};
  StaticString<47> text = {};  ///< of the variable, escaped and shortened

  friend constexpr bool operator==(const Origin&, const Origin&) = default;
};

namespace detail {

/// The text of a variable as an Origin or a Warning keeps it: escaped, at most 47 bytes.
constexpr StaticString<47> shortened(std::string_view text) {
  StaticString<47> out;
  append_escaped(out, text, 24);
  return out;
}

}  // namespace detail

}  // namespace rankmap::inline v0

#endif  // RANKMAP_IDENTITY_ORIGIN_HPP
