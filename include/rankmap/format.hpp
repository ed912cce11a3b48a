// SPDX-License-Identifier: MIT
// std::format for enumerators, errors, warnings, texts and results. Apart, since <format> costs
// more to include than all of rankmap. Empty where the library has none, as that of g++ before 13.
#ifndef RANKMAP_FORMAT_HPP
#define RANKMAP_FORMAT_HPP

#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <version>

#ifdef __cpp_lib_format

#include <cstddef>
#include <format>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

struct Warning;  // whoever has one includes its header

namespace detail {
using Mark = void(...);
}  // namespace detail

/// Never called. It is found by an argument of this namespace alone: the enumerators of others,
/// which may have a `name` as well, are theirs to format.
extern detail::Mark is_rankmaps;

namespace detail {

void is_rankmaps() = delete;  // hides that one from here, but not from its arguments

template <class T>
concept NamedEnumerator = std::is_enum_v<T> && requires(const T& value) {
  is_rankmaps(value);
  std::string_view(name(value));
};

/// With the options of texts: `{:>12}`, `{:.3}`.
template <class T>
struct TextFormatter : std::formatter<std::string_view, char> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    if constexpr (std::is_enum_v<T>) {
      return formatter::format(std::string_view(name(value)), context);
    } else if constexpr (requires { message(value); }) {
      return formatter::format(message(value).view(), context);
    } else {
      return formatter::format(value.view(), context);
    }
  }
};

/// With the options of the value: `{:.2f}`. They mean nothing for an error, whose message is whole.
/// Where T has no format, neither has this.
template <class T>
struct ResultFormatter : std::formatter<T, char> {
  template <class Context>
  auto format(const Result<T>& result, Context& context) const {
    if (result) return std::formatter<T, char>::format(*result, context);
    return std::format_to(context.out(), "{}", message(result.error()).view());
  }
};

}  // namespace detail

}  // namespace rankmap::inline v0

template <rankmap::detail::NamedEnumerator T>
struct std::formatter<T, char> : rankmap::detail::TextFormatter<T> {};
template <>
struct std::formatter<rankmap::Error, char> : rankmap::detail::TextFormatter<rankmap::Error> {};
template <>
struct std::formatter<rankmap::Warning, char> : rankmap::detail::TextFormatter<rankmap::Warning> {};
template <std::size_t Capacity>
struct std::formatter<rankmap::StaticString<Capacity>, char>
    : rankmap::detail::TextFormatter<rankmap::StaticString<Capacity>> {};
template <>
struct std::formatter<rankmap::SmallString, char>
    : rankmap::detail::TextFormatter<rankmap::SmallString> {};
template <class T>
struct std::formatter<rankmap::Result<T>, char> : rankmap::detail::ResultFormatter<T> {};

#endif  // __cpp_lib_format

#endif  // RANKMAP_FORMAT_HPP
