// SPDX-License-Identifier: MIT
// A growing array that keeps a few elements in place. std::vector is neither a constant expression
// on every supported compiler nor cheap to include, and most lists and layouts are short.
#ifndef RANKMAP_DETAIL_SMALL_VECTOR_HPP
#define RANKMAP_DETAIL_SMALL_VECTOR_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <type_traits>

namespace rankmap::inline v0::detail {

/// At most `Inline` elements in place, more on the heap. Usable in constant expressions. A
/// constexpr object must fit in place, since memory on the heap ends with the evaluation.
///
/// Its loops end at `i < size`: for `i != size` g++ 12 to 16 warn at -O3 of a run past the end.
template <class T, std::size_t Inline>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
                Inline != 0);

 public:
  constexpr SmallVector() = default;
  /// `size` elements of one value; no more memory is reserved than for them.
  constexpr explicit SmallVector(std::size_t size, const T& value = T{}) { resize(size, value); }
  constexpr SmallVector(const SmallVector& other) { append(other.data(), other.size()); }
  constexpr SmallVector(SmallVector&& other) noexcept { take(other); }
  constexpr SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      size_ = 0;
      append(other.data(), other.size());
    }
    return *this;
  }
  constexpr SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      delete[] heap_;
      take(other);
    }
    return *this;
  }
  constexpr ~SmallVector() { delete[] heap_; }

  constexpr const T* data() const { return heap_ == nullptr ? inline_ : heap_; }
  constexpr T* data() { return heap_ == nullptr ? inline_ : heap_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return data(); }
  constexpr const T* end() const { return data() + size_; }
  constexpr T* begin() { return data(); }
  constexpr T* end() { return data() + size_; }
  constexpr const T& operator[](std::size_t i) const { return data()[i]; }
  constexpr T& operator[](std::size_t i) { return data()[i]; }

  /// Bytes held outside the object.
  constexpr std::size_t heap_bytes() const { return heap_ == nullptr ? 0 : capacity_ * sizeof(T); }

  constexpr void push_back(const T& value) {
    const T copy = value;  // it may live in the memory that grow() gives back
    if (size_ == capacity_) grow(size_ + 1);
    data()[size_++] = copy;
  }
  /// Precondition: [first, first + count) is not part of this buffer.
  RANKMAP_NOINLINE constexpr void append(const T* first, std::size_t count) {
    if (count > capacity_ - size_) grow(size_ + count);
    T* const to = data() + size_;
    for (std::size_t i = 0; i < count; ++i) to[i] = first[i];
    size_ += count;
  }
  /// Sets the size. New elements have this value, and no more memory is reserved than for them.
  constexpr void resize(std::size_t size, const T& value = T{}) {
    if (size > capacity_) reallocate(size);
    for (std::size_t i = size_; i < size; ++i) data()[i] = value;
    size_ = size;
  }
  /// Makes room for so many elements in all.
  constexpr void reserve(std::size_t size) {
    if (size > capacity_) reallocate(size);
  }
  /// Frees memory beyond the size. Elements on the heap stay there.
  constexpr void shrink_to_fit() {
    if (heap_ != nullptr && capacity_ != size_) reallocate(size_);
  }
  constexpr void clear() { size_ = 0; }

  friend constexpr bool operator==(const SmallVector& a, const SmallVector& b) {
    bool same = a.size_ == b.size_;
    for (std::size_t i = 0; same && i < a.size_; ++i) same = a[i] == b[i];
    return same;
  }

 private:
  RANKMAP_RARE constexpr void grow(std::size_t least) {
    const std::size_t twice = 2 * capacity_;
    reallocate(least > twice ? least : twice);
  }
  RANKMAP_RARE constexpr void reallocate(std::size_t capacity) {
    T* const fresh = new T[capacity]{};
    const T* const old = data();
    for (std::size_t i = 0; i < size_; ++i) fresh[i] = old[i];
    delete[] heap_;
    heap_ = fresh;
    capacity_ = capacity;
  }
  // Leaves `other` empty. Precondition: this has no heap memory, or has freed it.
  RANKMAP_NOINLINE constexpr void take(SmallVector& other) noexcept {
    heap_ = other.heap_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    if (heap_ == nullptr) {
      for (std::size_t i = 0; i < size_; ++i) inline_[i] = other.inline_[i];
    }
    other.heap_ = nullptr;
    other.size_ = 0;
    other.capacity_ = Inline;
  }

  T* heap_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = Inline;
  T inline_[Inline] = {};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_SMALL_VECTOR_HPP
