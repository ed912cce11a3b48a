// SPDX-License-Identifier: MIT
//
// Reads a file as it comes, and notices where that takes long: nobody waits without a word.
#ifndef RANKMAP_EXAMPLES_RANKMAP_SLOW_INPUT_HPP
#define RANKMAP_EXAMPLES_RANKMAP_SLOW_INPUT_HPP

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>

#if defined(__unix__) || defined(__APPLE__)
#include <poll.h>
#include <unistd.h>
#endif

namespace program {

class SlowInput {
 public:
  // `file`: nothing else reads it.
  explicit SlowInput(std::FILE* file) : file_(file) {}

  // Reads up to `size` bytes, at least one. 0: the end, or an error. Before that calls
  // `say(is_waiting)` after a second, then after two more, four more and so on, while nothing comes
  // or all of the room is used each time. So a small file is never worth a word, however slow the
  // machine is.
  template <class Say>
  std::size_t read(char* bytes, std::size_t size, const Say& say) {
    for (;;) {
      const bool comes = has_input();
      if (comes && (!was_full_ || left().count() > 0)) break;
      say(!comes);
      wait_ *= 2;
      next_ = Clock::now() + wait_;
    }
    const std::size_t got = read_some(bytes, size);
    was_full_ = got == size;
    return got;
  }
  // The errno of a read that failed; 0: none did.
  int failed() const { return failed_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::milliseconds left() const {
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(next_ - Clock::now());
    return std::max(time, std::chrono::milliseconds(0));
  }

#if defined(__unix__) || defined(__APPLE__)
  // False if nothing comes until it is time for a word.
  bool has_input() const {
    pollfd input = {fileno(file_), POLLIN, 0};
    return ::poll(&input, 1, static_cast<int>(left().count())) != 0;
  }
  std::size_t read_some(char* bytes, std::size_t size) {
    ssize_t got = -1;
    do {
      got = ::read(fileno(file_), bytes, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) failed_ = errno;
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }
#else
  bool has_input() const { return true; }
  std::size_t read_some(char* bytes, std::size_t size) {
    const std::size_t got = std::fread(bytes, 1, size, file_);
    if (std::ferror(file_) != 0) failed_ = errno;
    return got;
  }
#endif

  std::FILE* file_;
  std::chrono::seconds wait_ = std::chrono::seconds(1);
  Clock::time_point next_ = Clock::now() + wait_;
  bool was_full_ = false;
  int failed_ = 0;
};

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_SLOW_INPUT_HPP
