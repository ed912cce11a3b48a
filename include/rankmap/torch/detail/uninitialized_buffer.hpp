// SPDX-License-Identifier: MIT
// Memory that is not initialised. std::vector would fill hundreds of megabytes with zeros, which
// costs a tenth of the shuffle that overwrites them.
#ifndef RANKMAP_TORCH_DETAIL_UNINITIALIZED_BUFFER_HPP
#define RANKMAP_TORCH_DETAIL_UNINITIALIZED_BUFFER_HPP

#include <rankmap/detail/to_size.hpp>

#include <cstdint>
#include <new>
#include <utility>

namespace rankmap::inline v0::detail {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  /// Fails as `new` does.
  explicit Buffer(std::uint64_t size)
      : data_(new T[size > largest ? SIZE_MAX : to_size(size)]), size_(size) {}
  /// Empty where there is no memory.
  Buffer(std::uint64_t size, const std::nothrow_t& quiet)
      : data_(size > largest ? nullptr : new (quiet) T[to_size(size)]),
        size_(data_ == nullptr ? 0 : size) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { delete[] data_; }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  T& operator[](std::uint64_t i) { return data_[i]; }
  const T& operator[](std::uint64_t i) const { return data_[i]; }

 private:
  // A larger size would be truncated on 32 bits, and g++'s `new` throws for it even with nothrow.
  static constexpr std::uint64_t largest = PTRDIFF_MAX / sizeof(T);

  T* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_UNINITIALIZED_BUFFER_HPP
