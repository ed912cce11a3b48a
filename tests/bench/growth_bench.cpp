// SPDX-License-Identifier: MIT
//
// What one process pays as its job grows from 1,000 ranks to 1,000,000 on 125,000 nodes, and how it
// grows: the p of time = c * ranks^p, fitted to four sizes. n log n fits 1.1 there, and a square 2;
// caches, which hold the small jobs, add up to 0.2. A row beyond what is promised has a `*`, and
// the program ends with 1.
//
//     growth_bench [beginning of a name]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

#include "../support/heap.hpp"
#include "../support/scaled_work.hpp"
#include "table.hpp"

namespace {

namespace heap = rankmap_test::heap;
using rankmap_test::Kept;
using rankmap_test::ScaledJob;
using rankmap_test::ScaledWork;

constexpr std::array sizes = {1'000, 10'000, 100'000, 1'000'000};
constexpr double steepest = 1.4;

struct Cost {
  double seconds = 0;
  double held = 0;  // bytes a rank
  double peak = 0;
};

// The best of at least five runs, and of as many as fit in a third of a second: other programs make
// a run longer, never shorter.
Cost cost_of(const ScaledWork& work, const ScaledJob& job) {
  const std::function<Kept()> run = work.prepare(job);
  Cost out;
  const std::size_t before = heap::bytes;
  heap::peak = before;
  {
    const Kept kept = run();
    out.held = static_cast<double>(heap::bytes - before) / job.ranks;
    out.peak = static_cast<double>(heap::peak - before) / job.ranks;
  }
  double all = 0;
  for (int i = 0; i < 5 || all < 0.3; ++i) {
    Kept kept;
    const double time = bench::seconds([&] { kept = run(); });
    if (i == 0 || time < out.seconds) out.seconds = time;
    all += time;
  }
  return out;
}

// Of a line through the points (log ranks, log seconds), by least squares. A clock may see nothing
// of a few nanoseconds.
double slope(const std::array<Cost, sizes.size()>& costs) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    const double a = std::log(static_cast<double>(sizes[i]));
    const double b = std::log((std::max)(costs[i].seconds, 1e-8));
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  const double n = sizes.size();
  return (n * xy - x * y) / (n * xx - x * x);
}

bool measure(const ScaledWork& work) {
  std::array<Cost, sizes.size()> costs;
  for (std::size_t i = 0; i != sizes.size(); ++i) costs[i] = cost_of(work, ScaledJob{sizes[i]});
  const Cost& last = costs.back();
  const double p = slope(costs);
  const bool good = p <= steepest && last.held <= work.held && last.peak <= work.peak;
  std::printf("  %-42s %11.3f %9.2f %9.1f %9.1f%s\n", work.name, last.seconds * 1000, p, last.held,
              last.peak, good ? "" : " *");
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  std::printf(
      "one process of a job of 1,000 to 1,000,000 ranks, 8 on a node\n  %-42s %11s %9s %9s %9s\n",
      "", "ms at 10^6", "exponent", "B held", "B peak");
  bool good = true;
  for (const ScaledWork& work : rankmap_test::scaled_work()) {
    if (std::string_view(work.name).substr(0, wanted.size()) == wanted)
      good = measure(work) && good;
  }
  std::printf(
      "  bytes are those of one process for each rank of the job, held afterwards and at the "
      "peak\n");
  return good ? 0 : 1;
}
