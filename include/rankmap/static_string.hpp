// SPDX-License-Identifier: MIT
// Short text without <string>: std::string is neither constexpr on every supported compiler nor
// cheap to include, and most texts here (a variable's name, a host's name, a message) are short.
#ifndef RANKMAP_STATIC_STRING_HPP
#define RANKMAP_STATIC_STRING_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

namespace detail {

/// A std::ostream or its like. What prints is a template, since <ostream> costs more to include
/// than all that is printed.
template <class Stream>
concept TextStream = requires(Stream& stream, std::string_view text) {
  typename Stream::char_type;
  stream << text;
};

/// std::string and its like, which need not be included for that.
template <class T>
concept OwningText = std::is_constructible_v<T, std::string_view> && requires {
  typename T::traits_type;
  typename T::allocator_type;
};

}  // namespace detail

/// Text of at most `Capacity` bytes, held in place. Trivially copyable, and usable in constant
/// expressions. Text that does not fit is cut, and `cut()` is true from then on. No member fails,
/// allocates, or takes more time than its text is long.
///
/// It converts to std::string_view and to std::string, and any text converts to it.
template <std::size_t Capacity>
class StaticString {
 public:
  constexpr StaticString() = default;
  /// The first `Capacity` bytes of `text`.
  constexpr StaticString(std::string_view text) { append(text); }  // NOLINT: a text is a text
  constexpr StaticString(const char* text) : StaticString(std::string_view(text)) {}  // NOLINT
  template <class Text>
  requires(
      !std::is_same_v<Text, StaticString> && !std::is_convertible_v<const Text&, const char*> &&
      std::is_convertible_v<const Text&, std::string_view>) constexpr StaticString(const Text& text)
      : StaticString(std::string_view(text)) {}  // NOLINT

  /// Valid while this object lives and is not changed: for that of a temporary, such as
  /// `message(error)`, to the end of the statement. To loop over one, give it a name.
  constexpr std::string_view view() const RANKMAP_LIFETIMEBOUND { return {data_, size_}; }
  constexpr operator std::string_view() const RANKMAP_LIFETIMEBOUND { return view(); }  // NOLINT
  template <detail::OwningText String>
  constexpr operator String() const {  // NOLINT: as a std::string_view does not
    return String(view());
  }
  /// The same with an ending NUL.
  constexpr const char* c_str() const RANKMAP_LIFETIMEBOUND { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  /// Whether some text did not fit.
  constexpr bool cut() const { return cut_; }

  RANKMAP_NOINLINE constexpr StaticString& append(std::string_view text) {
    for (const char c : text) append(c);
    return *this;
  }
  constexpr StaticString& append(char c) {
    if (size_ == Capacity) cut_ = true;
    if (size_ != Capacity) data_[size_++] = c;
    return *this;
  }
  /// Appends a number in decimal.
  RANKMAP_NOINLINE constexpr StaticString& append_number(std::uint64_t value) {
    char digits[20] = {};
    std::size_t first = 20;
    do {
      digits[--first] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return append(std::string_view(digits + first, 20 - first));
  }
  RANKMAP_NOINLINE constexpr StaticString& append_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value < 0) append('-');
    return append_number(value < 0 ? std::uint64_t{0} - bits : bits);
  }
  // std::size_t is one of the two above on some platforms and neither on others
  template <class Integer>
  requires std::is_integral_v<Integer>
  constexpr StaticString& append_number(Integer value) {
    using Wide = std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>;
    return append_number(static_cast<Wide>(value));
  }

  /// Compared byte by byte with any text; whether one was cut does not count.
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  friend constexpr bool operator==(const StaticString& a, const Text& b) {
    return a.view() == std::string_view(b);
  }
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  friend constexpr auto operator<=>(const StaticString& a, const Text& b) {
    return a.view() <=> std::string_view(b);
  }

  /// Prints to a std::ostream.
  template <detail::TextStream Stream>
  friend Stream& operator<<(Stream& out, const StaticString& text) {
    out << text.view();
    return out;
  }

 private:
  // A byte where that holds the size: records and errors have many texts.
  using Size = std::conditional_t<(Capacity < 256), std::uint8_t, std::uint32_t>;

  char data_[Capacity + 1] = {};  // one more than shown, so that c_str() always ends in NUL
  Size size_ = 0;
  bool cut_ = false;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_STATIC_STRING_HPP
