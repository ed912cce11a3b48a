// SPDX-License-Identifier: MIT
//
// One table for all benchmarks: groups of contenders, each with its time and how many times as fast
// as the first of its group it is. Every round measures each contender once, one after another, so
// that a machine that is busy with other things slows all of them alike; figures are medians over
// the rounds. Not tests: nothing fails for being slow.
#ifndef RANKMAP_TESTS_BENCH_TABLE_HPP
#define RANKMAP_TESTS_BENCH_TABLE_HPP

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Keeps results alive: add to it.
inline volatile std::uint64_t sink = 0;
inline void keep(std::uint64_t value) { sink = sink + value; }

/// Processor time, which other programs do not add to.
inline double seconds(const std::function<void()>& body) {
  timespec start{};
  timespec stop{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  body();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &stop);
  return static_cast<double>(stop.tv_sec - start.tv_sec) +
         static_cast<double>(stop.tv_nsec - start.tv_nsec) * 1e-9;
}

struct Contender {
  std::string name;
  std::function<void()> body;
};

inline void title(const std::string& text) { std::printf("%s\n", text.c_str()); }
inline void row(const std::string& name, double nanoseconds, double times) {
  std::printf("  %-52s %13.2f ns %8.2fx\n", name.c_str(), nanoseconds, times);
  std::fflush(stdout);
}
inline void note(const std::string& name, const std::string& value) {
  std::printf("  %-52s %s\n", name.c_str(), value.c_str());
}

/// Runs all contenders in turn, `rounds` times; `unit` is how many things a body does.
inline void compare(const std::string& text, double unit, int rounds,
                    const std::vector<Contender>& contenders) {
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round != rounds; ++round) {
    for (std::size_t i = 0; i != contenders.size(); ++i) {
      times[i].push_back(seconds(contenders[i].body));
    }
  }
  title(text);
  double first = 0;
  for (std::size_t i = 0; i != contenders.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    const double median = times[i][times[i].size() / 2];
    if (i == 0) first = median;
    row(contenders[i].name, median / unit * 1e9, first / median);
  }
}

}  // namespace bench

#endif  // RANKMAP_TESTS_BENCH_TABLE_HPP
