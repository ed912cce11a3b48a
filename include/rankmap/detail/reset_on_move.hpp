// SPDX-License-Identifier: MIT
// Lets a class that stores the size of its memory keep its default moves.
#ifndef RANKMAP_DETAIL_RESET_ON_MOVE_HPP
#define RANKMAP_DETAIL_RESET_ON_MOVE_HPP

#include <rankmap/version.hpp>

#include <utility>

namespace rankmap::inline v0::detail {

/// A value that becomes T{} when it is moved from.
template <class T>
class ResetOnMove {
 public:
  ResetOnMove() = default;
  explicit ResetOnMove(const T& value) : value_(value) {}
  ResetOnMove(ResetOnMove&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  ResetOnMove& operator=(ResetOnMove&& other) noexcept {
    value_ = std::exchange(other.value_, T{});
    return *this;
  }
  ~ResetOnMove() = default;

  operator const T&() const { return value_; }  // NOLINT: it is the value

 private:
  T value_{};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RESET_ON_MOVE_HPP
