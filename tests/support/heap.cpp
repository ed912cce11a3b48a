// SPDX-License-Identifier: MIT
#include "heap.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rankmap_test::heap {

std::size_t allocations = 0;
std::size_t asked = 0;
std::size_t held = 0;
std::size_t bytes = 0;
std::size_t peak = 0;
std::size_t fails = 0;

namespace {

// Each piece has its size in front of it: an operator delete may be called without one.
constexpr std::size_t front = alignof(std::max_align_t);
static_assert(front >= sizeof(std::size_t));

void* take(std::size_t size) {
  auto* const memory =
      size > SIZE_MAX - front ? nullptr : static_cast<unsigned char*>(std::malloc(front + size));
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &size, sizeof size);
  ++held;
  bytes += size;
  if (bytes > peak) peak = bytes;
  return memory + front;
}

void give_back(void* memory) {
  if (memory == nullptr) return;
  unsigned char* const begin = static_cast<unsigned char*>(memory) - front;
  std::size_t size = 0;
  std::memcpy(&size, begin, sizeof size);
  --held;
  bytes -= size;
  std::free(begin);
}

}  // namespace
}  // namespace rankmap_test::heap

namespace heap = rankmap_test::heap;

// Every form is here: under a sanitizer those that are not would be the sanitizer's own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++heap::allocations;
  heap::asked += size;
  if (heap::fails != 0 && --heap::fails == 0) return nullptr;
  return heap::take(size);
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
