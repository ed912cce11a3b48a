// SPDX-License-Identifier: MIT
//
// A range as a list, to be compared with one that was made the slow way.
#ifndef RANKMAP_TESTS_SUPPORT_LIST_HPP
#define RANKMAP_TESTS_SUPPORT_LIST_HPP

#include <cstdint>
#include <vector>

namespace rankmap_test {

using List = std::vector<std::uint64_t>;

template <class Range>
List list(Range&& range) {  // ranges that are made as they are read are not const
  List out;
  for (const std::uint64_t element : range) out.push_back(element);
  return out;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_LIST_HPP
