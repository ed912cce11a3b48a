// SPDX-License-Identifier: MIT
//
// A target under libFuzzer. Inputs that are lines are also mutated line by line.
#include "fuzz.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// The sanitizers own the heap here, and tell of every request.
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t size) {
  rankmap_fuzz::heap_bytes_asked += size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rankmap_fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}

namespace {

/// What breaks readers of numbers, lists and names.
constexpr std::string_view values[] = {"",
                                       "0",
                                       "1",
                                       "2",
                                       "3",
                                       "4",
                                       "-1",
                                       "-2",
                                       "8",
                                       "00",
                                       "+1",
                                       " 1",
                                       "1 ",
                                       "0x1",
                                       "1e3",
                                       "2147483646",
                                       "2147483647",
                                       "2147483648",
                                       "4294967296",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "n0",
                                       "n[0-3]",
                                       "n[1-2],m",
                                       "n[0-9999999999]",
                                       "2(x2)",
                                       "2(x3),1",
                                       "1(x2147483647)",
                                       "1000000000(x1000000000)",
                                       "0,1",
                                       "0,1,2,3",
                                       "1,0",
                                       "[\"a\",\"b\"]",
                                       "block",
                                       "cyclic",
                                       "plane",
                                       "arbitrary",
                                       "none",
                                       "all",
                                       "127.0.0.1",
                                       "::1",
                                       "29500",
                                       "65536",
                                       "\x7f",
                                       "\xff\xfe"};

template <class List>
const auto& any(const List& list, std::minstd_rand& random) {
  return list[random() % std::size(list)];
}

void mutate_lines(std::vector<std::string>& lines, const std::vector<std::string>& heads,
                  std::minstd_rand& random) {
  const auto head_of = [](const std::string& line) { return line.substr(0, line.find('=') + 1); };
  const std::size_t at = lines.empty() ? 0 : random() % lines.size();
  switch (lines.empty() ? 0 : random() % 7) {
    case 0: {  // one more line
      std::string line = any(heads, random);
      if (line.back() == '=') line += any(values, random);
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line);
      break;
    }
    case 1:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      lines[at] = head_of(lines[at]) + std::string(any(values, random));
      break;
    case 3: {  // the value of another line
      const std::string& other = any(lines, random);
      lines[at] = head_of(lines[at]) + other.substr(other.find('=') + 1);
      break;
    }
    case 4:  // another name
      lines[at] = head_of(any(heads, random)) + lines[at].substr(lines[at].find('=') + 1);
      break;
    case 5:
      std::swap(lines[at], lines[random() % lines.size()]);
      break;
    default: {  // other bytes in a value
      const std::string head = head_of(lines[at]);
      std::string value = lines[at].substr(head.size());
      const std::size_t size = value.size();
      value.resize(size + 16);
      value.resize(
          LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(value.data()), size, value.size()));
      lines[at] = head + value;
      break;
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  static const std::vector<std::string> heads = rankmap_fuzz::line_heads();
  std::minstd_rand random(seed);
  if (heads.empty() || random() % 5 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const char separator = rankmap_fuzz::separator_of(input);
  std::vector<std::string> lines;
  for (const std::string_view line : rankmap_fuzz::split(input, separator)) {
    if (!line.empty()) lines.emplace_back(line);
  }
  for (auto round = random() % 3 + 1; round != 0; --round) mutate_lines(lines, heads, random);
  std::string out;
  for (const std::string& line : lines) out += line + separator;
  const std::size_t kept = (std::min)(out.size(), max_size);
  std::memcpy(data, out.data(), kept);
  return kept;
}
