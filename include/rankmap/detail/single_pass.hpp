// SPDX-License-Identifier: MIT
// The input iterator of ranges that make their elements as they are read.
#ifndef RANKMAP_DETAIL_SINGLE_PASS_HPP
#define RANKMAP_DETAIL_SINGLE_PASS_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

struct SinglePassEnd {};

/// `Range` has size() and a non-const operator[]. It must outlive its iterators. Advancing returns
/// nothing from `it++`, which is how an iterator says that it is for one pass.
template <class Range>
class SinglePassIterator {
 public:
  using value_type = std::uint64_t;
  using difference_type = std::int64_t;

  SinglePassIterator() = default;
  explicit SinglePassIterator(Range& range) : range_(&range) {}

  std::uint64_t operator*() const { return (*range_)[place_]; }
  SinglePassIterator& operator++() {
    ++place_;
    return *this;
  }
  void operator++(int) { ++place_; }

  friend bool operator==(const SinglePassIterator& it, SinglePassEnd) {
    return it.place_ == it.range_->size();
  }
  friend std::int64_t operator-(SinglePassEnd, const SinglePassIterator& it) {
    return static_cast<std::int64_t>(it.range_->size() - it.place_);
  }
  friend std::int64_t operator-(const SinglePassIterator& it, SinglePassEnd end) {
    return -(end - it);
  }

 private:
  Range* range_ = nullptr;
  std::uint64_t place_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_SINGLE_PASS_HPP
