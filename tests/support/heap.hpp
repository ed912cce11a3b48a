// SPDX-License-Identifier: MIT
//
// What a program asks the heap for, counted by operators of its own in heap.cpp: a program that
// includes this links that. They are in a file of their own since g++ 12 to 14 take malloc() and
// free() for ones that do not belong together where they see through just one of the operators.
#ifndef RANKMAP_TESTS_SUPPORT_HEAP_HPP
#define RANKMAP_TESTS_SUPPORT_HEAP_HPP

#include <cstddef>

namespace rankmap_test::heap {

extern std::size_t allocations;
extern std::size_t asked;  ///< bytes, in all allocations together
extern std::size_t held;   ///< pieces of memory that nobody has given back
extern std::size_t bytes;  ///< those that they have together
extern std::size_t peak;   ///< the most of `bytes` since somebody set this last
extern std::size_t fails;  ///< the allocation that fails, counted from now; 0: none

}  // namespace rankmap_test::heap

#endif  // RANKMAP_TESTS_SUPPORT_HEAP_HPP
