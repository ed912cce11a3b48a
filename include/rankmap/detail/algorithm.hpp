// SPDX-License-Identifier: MIT
// Searches and sorts in place: <algorithm> takes 85 ms to include, more than all that uses these.
#ifndef RANKMAP_DETAIL_ALGORITHM_HPP
#define RANKMAP_DETAIL_ALGORITHM_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// The first number in [low, high) for which `is_before` is false, or `high` where it is true for
/// all. Preconditions: low <= high, and `is_before` is true up to some number and false from there
/// on.
template <class Number, class IsBefore>
constexpr Number partition_point(Number low, Number high, const IsBefore& is_before) {
  while (low != high) {
    const Number middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The last number in [low, high) for which `holds` is true. Preconditions: it is true for `low`
/// and up to some number, and false behind that.
template <class Number, class Holds>
constexpr Number last_where(Number low, Number high, const Holds& holds) {
  return partition_point(low + 1, high, holds) - 1;
}

/// Inserts `item`, behind its equals, into the first `size` of a list that `before(a, b)` orders.
/// Returns the item's place. Precondition: the list has room. O(size).
template <class T, class Before>
constexpr int insert_sorted(T* list, int size, const T& item, const Before& before) {
  for (; size > 0 && before(item, list[size - 1]); --size) list[size] = list[size - 1];
  list[size] = item;
  return size;
}

/// The same in a list that keeps the first `Capacity` items in this order. False if one drops out.
template <class T, std::size_t Capacity, class Before>
constexpr bool insert_bounded(T (&list)[Capacity], int& size, const T& item, const Before& before) {
  const bool has_room = size != static_cast<int>(Capacity);
  if (!has_room && !before(item, list[size - 1])) return false;
  if (has_room) ++size;
  (void)insert_sorted(list, size - 1, item, before);
  return has_room;
}

/// Sorts `words` by `less(a, b)`, stably; `scratch` holds `size` words too. O(size log size).
template <class T, class Less>
constexpr void merge_sort(T* words, T* scratch, std::size_t size, const Less& less) {
  for (std::size_t width = 1; width < size; width *= 2) {
    for (std::size_t left = 0; left < size; left += 2 * width) {
      const std::size_t middle = left + width < size ? left + width : size;
      const std::size_t right = middle + width < size ? middle + width : size;
      std::size_t a = left;
      std::size_t b = middle;
      for (std::size_t out = left; out != right; ++out) {
        const bool from_a = a != middle && (b == right || !less(words[b], words[a]));
        scratch[out] = from_a ? words[a++] : words[b++];
      }
    }
    for (std::size_t i = 0; i != size; ++i) words[i] = scratch[i];
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_ALGORITHM_HPP
