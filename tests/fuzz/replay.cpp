// SPDX-License-Identifier: MIT
//
// A target in the ordinary test run: every file of the folders named on the command line, and of
// the first folder also beginnings of each file and a fixed series of small damages to it.
#include "fuzz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <string>
#include <vector>

// Counts what the program asks the heap for.
void* operator new(std::size_t size) {
  rankmap_fuzz::heap_bytes_asked += size;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

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

}  // namespace

int main(int count, char** arguments) {
  rankmap_fuzz::run({});
  std::size_t files = 0;
  for (int i = 1; i != count; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
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
  return files == 0 ? 1 : 0;  // an empty corpus tests nothing
}
