// SPDX-License-Identifier: MIT
//
// What every fuzz target shares: a target is one function that is handed bytes and requires what
// must hold for any of them. The same function runs under libFuzzer and, over the committed corpus,
// in the ordinary test run.
#ifndef RANKMAP_TESTS_FUZZ_FUZZ_HPP
#define RANKMAP_TESTS_FUZZ_FUZZ_HPP

#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankmap_fuzz {

/// The body of the target; one file defines it.
void run(std::string_view input);
/// For inputs that are lines: `NAME=` and whole lines that make sense, for the mutator to use.
std::vector<std::string> line_heads();

/// Whether the program goes on where something does not hold.
extern bool goes_on;

/// Prints the sentence that does not hold, and ends the program. One that goes on counts it as
/// "wrong".
void require(bool holds, std::string_view sentence, std::string_view about = {});

/// Counts an outcome. replay.cpp prints the counts.
void tally(std::string_view outcome);
std::vector<std::pair<std::string_view, std::size_t>>& tallies();

/// Counted by whoever watches the heap: replay.cpp or libfuzzer.cpp.
extern thread_local std::size_t heap_bytes_asked;

/// Bytes asked of the heap since this object was made, whether freed again or not.
class HeapBytes {
 public:
  HeapBytes();
  std::size_t asked() const;

 private:
  std::size_t before_;
};

bool is_printable(std::string_view text);

/// What every refusal owes its reader.
void require_good_error(const rankmap::Error& error, std::size_t input_size);

/// The lines of an input: parted by NUL where there is one, so that values may hold newlines.
char separator_of(std::string_view input);
std::vector<std::string_view> split(std::string_view text, char separator);
/// What stands behind `name=` in the first line that has it; `otherwise` without one.
std::string_view value_of(const std::vector<std::string_view>& lines, std::string_view name,
                          std::string_view otherwise = {});
bool has_line(const std::vector<std::string_view>& lines, std::string_view name);
/// A number, signs allowed, cut to the range of an int; 0 for anything else.
int int_of(std::string_view text);

/// Takes numbers off a text, and zeros when it has ended.
class Bytes {
 public:
  explicit Bytes(std::string_view input) : input_(input) {}
  bool empty() const { return at_ == input_.size(); }
  std::uint8_t byte() {
    return empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(input_[at_++]);
  }
  /// In [low, high].
  int in(int low, int high) { return low + byte() % (high - low + 1); }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i != 8; ++i) value = value << 8U | byte();
    return value;
  }
  std::string_view rest() { return input_.substr(at_); }

 private:
  std::string_view input_;
  std::size_t at_ = 0;
};

}  // namespace rankmap_fuzz

#endif  // RANKMAP_TESTS_FUZZ_FUZZ_HPP
