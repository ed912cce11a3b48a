// SPDX-License-Identifier: MIT
// Numbers and texts as bytes, little-endian on every machine, and back.
#ifndef RANKMAP_DETAIL_LITTLE_ENDIAN_HPP
#define RANKMAP_DETAIL_LITTLE_ENDIAN_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Writes values one after the other. Precondition of all: there is room.
class ByteWriter {
 public:
  constexpr explicit ByteWriter(std::span<std::byte> out) : out_(out) {}

  /// The lowest `count` bytes of a number.
  constexpr void number(std::uint64_t value, int count) {
    for (int i = 0; i != count; ++i) {
      out_[at_++] = static_cast<std::byte>(value >> (8 * i) & 0xffU);
    }
  }
  constexpr void integer(int value) { number(static_cast<std::uint32_t>(value), 4); }
  constexpr void text(std::string_view text) {
    for (const char c : text) out_[at_++] = static_cast<std::byte>(c);
  }
  constexpr void zeros(std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) out_[at_++] = std::byte{0};
  }
  /// Zeros up to the end.
  constexpr void fill() { zeros(out_.size() - at_); }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

/// Reads them back. Precondition of all: as many bytes are left.
class ByteReader {
 public:
  constexpr explicit ByteReader(std::span<const std::byte> in) : in_(in) {}

  constexpr std::size_t left() const { return in_.size() - at_; }
  constexpr std::uint64_t number(int count) {
    std::uint64_t value = 0;
    for (int i = 0; i != count; ++i) {
      value |= static_cast<std::uint64_t>(std::to_integer<std::uint8_t>(in_[at_++])) << (8 * i);
    }
    return value;
  }
  constexpr int integer() { return static_cast<int>(static_cast<std::uint32_t>(number(4))); }
  /// A text of `size` bytes. Precondition: it fits.
  template <std::size_t Capacity>
  constexpr void text(StaticString<Capacity>& out, std::uint64_t size) {
    out = {};
    for (std::uint64_t i = 0; i != size; ++i) {
      out.append(static_cast<char>(std::to_integer<unsigned char>(in_[at_++])));
    }
  }
  /// The same, as a view of the bytes. Not in constant expressions.
  std::string_view text(std::size_t size) {
    const std::span<const std::byte> bytes = in_.subspan(at_, size);
    at_ += size;
    return {reinterpret_cast<const char*>(bytes.data()), size};
  }
  /// Whether the next `count` bytes are zeros.
  constexpr bool zeros(std::size_t count) {
    std::byte any{0};
    for (const std::byte byte : in_.subspan(at_, count)) any |= byte;
    at_ += count;
    return any == std::byte{0};
  }
  /// Whether only zeros are left.
  constexpr bool ends() { return zeros(left()); }

 private:
  std::span<const std::byte> in_;
  std::size_t at_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_LITTLE_ENDIAN_HPP
