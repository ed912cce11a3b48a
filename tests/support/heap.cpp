// SPDX-License-Identifier: MIT
#include "heap.hpp"

#include <cstdlib>
#include <new>

namespace rankmap_test::heap {

std::size_t allocations = 0;
std::size_t asked = 0;
std::size_t held = 0;
std::size_t fails = 0;

namespace {

void give_back(void* memory) {
  if (memory != nullptr) --held;
  std::free(memory);
}

}  // namespace
}  // namespace rankmap_test::heap

namespace heap = rankmap_test::heap;

// Every form is here: under a sanitizer those that are not would be the sanitizer's own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++heap::allocations;
  heap::asked += size;
  if (heap::fails != 0 && --heap::fails == 0) return nullptr;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory != nullptr) ++heap::held;
  return memory;
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& quiet) noexcept {
  return operator new(size, quiet);
}
void operator delete(void* memory) noexcept { heap::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { heap::give_back(memory); }
void operator delete[](void* memory) noexcept { heap::give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { heap::give_back(memory); }
