// SPDX-License-Identifier: MIT
// Short lists that are kept in order while they grow.
#ifndef RANKMAP_DETAIL_INSERT_SORTED_HPP
#define RANKMAP_DETAIL_INSERT_SORTED_HPP

#include <cstddef>

namespace rankmap::inline v0::detail {

/// Inserts behind its equals into the first `size` of a list that `before(a, b)` orders. Returns
/// its place. Precondition: the list has room. O(size).
template <class T, class Before>
constexpr int insert_sorted(T* list, int size, const T& item, const Before& before) {
  for (; size > 0 && before(item, list[size - 1]); --size) list[size] = list[size - 1];
  list[size] = item;
  return size;
}

/// The same in a list that keeps the first `Capacity` of all that come, in whatever order they do.
/// False where one of them is left out.
template <class T, std::size_t Capacity, class Before>
constexpr bool insert_bounded(T (&list)[Capacity], int& size, const T& item, const Before& before) {
  const bool has_room = size != static_cast<int>(Capacity);
  if (!has_room && !before(item, list[size - 1])) return false;
  if (has_room) ++size;
  (void)insert_sorted(list, size - 1, item, before);
  return has_room;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_INSERT_SORTED_HPP
