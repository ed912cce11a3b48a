// SPDX-License-Identifier: MIT
//
// As much of std::optional as the library itself needs. std::optional costs every including file
// 5 ms for each type it holds (g++ 12), this 0.3 ms; and of types that own memory it is no literal
// type under nvcc 13, nor std::variant one in libstdc++ 12 under clang 14.
#ifndef RANKMAP_DETAIL_OPTIONAL_HPP
#define RANKMAP_DETAIL_OPTIONAL_HPP

#include <rankmap/version.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0::detail {

/// Of a trivially copyable type: as trivial as that.
template <class T>
class PlainMaybe {
 public:
  constexpr PlainMaybe() : none_() {}
  constexpr PlainMaybe(std::nullopt_t) : none_() {}                     // NOLINT
  constexpr PlainMaybe(const T& value) : value_(value), full_(true) {}  // NOLINT
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
class OwningMaybe {
 public:
  constexpr OwningMaybe() : none_() {}
  constexpr OwningMaybe(std::nullopt_t) : none_() {}              // NOLINT
  constexpr OwningMaybe(const T& value) : none_(), full_(true) {  // NOLINT
    std::construct_at(&value_, value);
  }
  constexpr OwningMaybe(T&& value) : none_(), full_(true) {  // NOLINT
    std::construct_at(&value_, std::move(value));
  }
  constexpr OwningMaybe(const OwningMaybe& other) : none_(), full_(other.full_) {
    if (full_) std::construct_at(&value_, other.value_);
  }
  constexpr OwningMaybe(OwningMaybe&& other) noexcept : none_(), full_(other.full_) {
    if (full_) std::construct_at(&value_, std::move(other.value_));
  }
  constexpr OwningMaybe& operator=(const OwningMaybe& other) {
    if (this != &other) *this = OwningMaybe(other);
    return *this;
  }
  constexpr OwningMaybe& operator=(OwningMaybe&& other) noexcept {
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
  constexpr ~OwningMaybe() {
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
using Optional = std::conditional_t<std::is_trivially_copyable_v<T>, PlainMaybe<T>, OwningMaybe<T>>;

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_OPTIONAL_HPP
