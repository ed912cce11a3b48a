// SPDX-License-Identifier: MIT
// The part of std::optional that the library itself needs. std::optional costs every including file
// 5 ms for each type it holds (g++ 12), this one 0.3 ms. For types that own memory, std::optional
// is no literal type under nvcc 13. Neither is std::variant of libstdc++ 12 under clang 14.
#ifndef RANKMAP_DETAIL_OPTIONAL_HPP
#define RANKMAP_DETAIL_OPTIONAL_HPP

#include <rankmap/version.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0::detail {

/// Of a trivially copyable type, and trivially copyable itself.
template <class T>
class TrivialOptional {
 public:
  constexpr TrivialOptional() : none_() {}
  constexpr TrivialOptional(std::nullopt_t) : none_() {}                     // NOLINT
  constexpr TrivialOptional(const T& value) : value_(value), full_(true) {}  // NOLINT
  constexpr void reset() { full_ = false; }

  constexpr bool has_value() const { return full_; }
  constexpr explicit operator bool() const { return full_; }
  /// Precondition of `*` and `->`: has_value().
  constexpr T& operator*() { return value_; }
  constexpr const T& operator*() const { return value_; }
  constexpr T* operator->() { return &value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  union {
    char none_;
    T value_;
  };
  bool full_ = false;
};

/// Of any other type.
template <class T>
class OwningOptional {
 public:
  constexpr OwningOptional() : none_() {}
  constexpr OwningOptional(std::nullopt_t) : none_() {}              // NOLINT
  constexpr OwningOptional(const T& value) : none_(), full_(true) {  // NOLINT
    std::construct_at(&value_, value);
  }
  constexpr OwningOptional(T&& value) : none_(), full_(true) {  // NOLINT
    std::construct_at(&value_, std::move(value));
  }
  constexpr OwningOptional(const OwningOptional& other) : none_(), full_(other.full_) {
    if (full_) std::construct_at(&value_, other.value_);
  }
  RANKMAP_NOINLINE constexpr OwningOptional(OwningOptional&& other) noexcept
      : none_(), full_(other.full_) {
    if (full_) std::construct_at(&value_, std::move(other.value_));
  }
  constexpr OwningOptional& operator=(const OwningOptional& other) {
    if (this != &other) *this = OwningOptional(other);
    return *this;
  }
  constexpr OwningOptional& operator=(OwningOptional&& other) noexcept {
    if (this == &other) return *this;
    reset();
    if (other.full_) std::construct_at(&value_, std::move(other.value_));
    full_ = other.full_;
    return *this;
  }
  constexpr void reset() {
    if (!full_) return;
    std::destroy_at(&value_);
    none_ = 0;
    full_ = false;
  }
  constexpr ~OwningOptional() {
    if (full_) std::destroy_at(&value_);
  }

  constexpr bool has_value() const { return full_; }
  constexpr explicit operator bool() const { return full_; }
  constexpr T& operator*() & { return value_; }
  constexpr const T& operator*() const& { return value_; }
  constexpr T&& operator*() && { return std::move(value_); }
  constexpr T* operator->() { return &value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  union {
    char none_;  // an object that outlives constant evaluation must not hold an empty union
    T value_;
  };
  bool full_ = false;
};

template <class T>
using Optional =
    std::conditional_t<std::is_trivially_copyable_v<T>, TrivialOptional<T>, OwningOptional<T>>;

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_OPTIONAL_HPP
