// SPDX-License-Identifier: MIT
// Text of any length that outlives the environment it was read from. Short text is not allocated.
#ifndef RANKMAP_SMALL_STRING_HPP
#define RANKMAP_SMALL_STRING_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// A copy of a text: at most 64 bytes in place, more on the heap. Converts to std::string_view
/// and to std::string. As a constexpr object it has at most 64 bytes.
class SmallString {
 public:
  static constexpr std::size_t inline_bytes = 64;

  constexpr SmallString() = default;
  constexpr explicit SmallString(std::string_view text) {
    buffer_.resize(text.size());
    for (std::size_t i = 0; i != text.size(); ++i) buffer_[i] = text[i];
  }

  /// Valid while this object lives and is not changed.
  constexpr std::string_view view() const RANKMAP_LIFETIMEBOUND {
    return {buffer_.data(), buffer_.size()};
  }
  // NOLINTNEXTLINE: a text is a text
  constexpr operator std::string_view() const RANKMAP_LIFETIMEBOUND { return view(); }
  template <detail::OwningText String>
  constexpr operator String() const {  // NOLINT: a text is a text
    return String(view());
  }
  constexpr std::size_t size() const { return buffer_.size(); }
  constexpr bool empty() const { return buffer_.empty(); }
  /// Bytes held outside the object.
  constexpr std::size_t heap_bytes() const { return buffer_.heap_bytes(); }

  /// Precondition: `text` is not part of this text.
  constexpr SmallString& append(std::string_view text) {
    buffer_.append(text.data(), text.size());
    return *this;
  }
  constexpr SmallString& append(char c) {
    buffer_.push_back(c);
    return *this;
  }
  /// Decimal, filled with zeros on the left up to `width` digits.
  constexpr SmallString& append_number(std::uint64_t value, std::size_t width = 1) {
    const StaticString<20> digits = StaticString<20>().append_number(value);
    for (std::size_t i = digits.size(); i < width; ++i) append('0');
    return append(digits.view());
  }
  constexpr void clear() { buffer_.clear(); }
  constexpr void shrink_to_fit() { buffer_.shrink_to_fit(); }

  friend constexpr bool operator==(const SmallString& a, std::string_view b) {
    return a.view() == b;
  }
  friend constexpr bool operator==(const SmallString& a, const SmallString& b) {
    return a.view() == b.view();
  }

  /// Prints to a std::ostream.
  template <detail::TextStream Stream>
  friend Stream& operator<<(Stream& out, const SmallString& text) {
    out << text.view();
    return out;
  }

 private:
  detail::SmallVector<char, inline_bytes> buffer_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SMALL_STRING_HPP
