// SPDX-License-Identifier: MIT
//
// A target in the ordinary test run: every file of the folders named on the command line, and of
// the first folder also beginnings of each file and a fixed series of small damages to it. With
// `-random COUNT SEED` instead: that many random inputs, without libFuzzer.
#include "fuzz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <string_view>

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define RANKMAP_FUZZ_HEAP_IS_WATCHED  // its operators cannot be replaced
#endif
#endif

// Counts what the program asks the heap for.
#ifdef RANKMAP_FUZZ_HEAP_IS_WATCHED
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t size) {
  rankmap_fuzz::heap_bytes_asked += size;
}
#else
void* operator new(std::size_t size) {
  rankmap_fuzz::heap_bytes_asked += size;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace {

// C's files: of a C++ library without MemorySanitizer's marks every read looks uninitialised.
std::string text_of(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  rankmap_fuzz::require(file != nullptr, "an input can be opened", path);
  std::string out;
  char bytes[4096];
  for (std::size_t size = 0; (size = std::fread(bytes, 1, sizeof bytes, file)) != 0;) {
    out.append(bytes, size);
  }
  (void)std::fclose(file);
  return out;
}

void run_damaged(const std::string& text) {
  std::minstd_rand random(static_cast<std::uint_fast32_t>(text.size() + 1));
  constexpr std::string_view bytes = "0159-,:[](x=\"{}\\ \n\t\0\x7f\xff";
  for (int round = 0; round != 16 && !text.empty(); ++round) {
    std::string damaged = text;
    const std::size_t at = random() % damaged.size();
    const char byte = bytes[random() % bytes.size()];
    switch (random() % 3) {
      case 0:
        damaged[at] = byte;
        break;
      case 1:
        damaged.insert(at, 1, byte);
        break;
      default:
        damaged.erase(at, random() % 8 + 1);
        break;
    }
    rankmap_fuzz::run(damaged);
  }
}

void print_tallies() {
  for (const auto& [outcome, count] : rankmap_fuzz::tallies()) {
    std::printf("%zu %.*s\n", count, static_cast<int>(outcome.size()), outcome.data());
  }
}

/// The same count and seed make the same inputs. All are tried; 1 if something does not hold.
int run_random(const char* count, const char* seed) {
  rankmap_fuzz::goes_on = true;
  std::mt19937_64 random(std::strtoull(seed, nullptr, 10));
  for (auto left = std::strtoull(count, nullptr, 10); left != 0; --left) {
    std::string input(16 + random() % 112, '\0');
    for (char& byte : input) byte = static_cast<char>(random());
    rankmap_fuzz::run(input);
  }
  print_tallies();
  const auto is_wrong = [](const auto& tally) { return tally.first == "wrong"; };
  return std::ranges::any_of(rankmap_fuzz::tallies(), is_wrong) ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::string_view(arguments[1]) == "-random") {
    return run_random(arguments[2], arguments[3]);
  }
  rankmap_fuzz::run({});
  std::size_t files = 0;
  for (int i = 1; i != count; ++i) {
    const std::string list = text_of(arguments[i]);
    for (const std::string_view path : rankmap_fuzz::split(list, '\n')) {
      if (path.empty()) continue;
      const std::string text = text_of(std::string(path).c_str());
      rankmap_fuzz::run(text);
      ++files;
      if (i != 1) continue;
      const std::size_t step = text.size() / 16 + 1;
      for (std::size_t size = 0; size < text.size(); size += step) {
        rankmap_fuzz::run({text.data(), size});
      }
      run_damaged(text);
    }
  }
  std::printf("%zu files replayed\n", files);
  print_tallies();
  return files == 0 ? 1 : 0;  // an empty corpus tests nothing
}
