// SPDX-License-Identifier: MIT
//
// dims_create beside MPI_Dims_create, for `dims`: all numbers of ranks up to 4096 in 1 to 5
// dimensions, with no size given and with random ones.
//
//   dims_probe follows|departs COUNT SEED
//
// Of the MPI that rankmap follows, every other answer is a difference. Of another one it is
// counted, and wrong is only a grid of rankmap's that is less even.
#include <rankmap/mesh/dims_create.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Sizes = std::vector<int>;
using Answer = std::optional<Sizes>;  // none: refused

Answer ours(int ranks, const Sizes& given) {
  auto dims = rankmap::Dims::to_find(given.size());
  for (std::size_t i = 0; i != given.size(); ++i) dims[i] = given[i];
  const auto found = rankmap::dims_create(ranks, dims);
  return found ? Answer(Sizes(found->begin(), found->end())) : std::nullopt;
}

Answer theirs(int ranks, Sizes sizes) {
  const int status = MPI_Dims_create(ranks, static_cast<int>(sizes.size()), sizes.data());
  return status == MPI_SUCCESS ? Answer(sizes) : std::nullopt;
}

std::int64_t product(const Sizes& sizes) {
  std::int64_t ranks = 1;
  for (const int size : sizes) ranks *= size;
  return ranks;
}

/// Of the sizes that were not given.
int spread(const Sizes& sizes, const Sizes& given) {
  int least = 0;
  int most = 0;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    if (given[i] != 0) continue;
    most = std::max(most, sizes[i]);
    least = least == 0 ? sizes[i] : std::min(least, sizes[i]);
  }
  return most - least;
}

std::string text(const Answer& sizes) {
  if (!sizes) return "an error";
  std::string out;
  for (const int size : *sizes) out += (out.empty() ? "" : " ") + std::to_string(size);
  return out;
}

struct Tally {
  bool follows;
  long compared = 0;
  long refused = 0;  // by both
  long untrue = 0;   // accepted by MPI alone, whose grid has another number of ranks
  long other = 0;    // other answers of an MPI that is not followed
  long wrong = 0;

  void compare(int ranks, const Sizes& given) {
    const Answer mine = ours(ranks, given);
    const Answer found = theirs(ranks, given);
    ++compared;
    if (mine == found) {
      refused += mine ? 0 : 1;
      return;
    }
    if (!mine && found && product(*found) != ranks) {
      ++untrue;
    } else if (!follows && mine && found && spread(*mine, given) <= spread(*found, given)) {
      ++other;
    } else if (++wrong <= 20) {
      std::printf("%d ranks, given %s: %s, MPI %s\n", ranks, text(given).c_str(),
                  text(mine).c_str(), text(found).c_str());
    }
  }
};

/// Each size given or not. Most are divisors of what is left, so that MPI has an answer.
Sizes random_sizes(std::mt19937& random, int ranks, std::size_t dimensions) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  Sizes sizes(dimensions);
  int left = ranks;
  for (int& size : sizes) {
    if (below(2) == 0) continue;
    if (below(32) == 0) {
      size = below(12) - 2;
      continue;
    }
    do size = 1 + below(left < 64 || below(4) == 0 ? left : 64);
    while (left % size != 0);
    left /= size;
  }
  return sizes;
}

std::string version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line(text.data());
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line.substr(0, line.find_first_of(",\n"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: dims_probe follows|departs COUNT SEED\n", stderr);
    return 2;
  }
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Tally tally{std::string_view(argv[1]) == "follows"};
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[3])));
  for (std::size_t dimensions = 1; dimensions <= 5; ++dimensions) {
    for (int ranks = 1; ranks <= 4096; ++ranks) {
      tally.compare(ranks, Sizes(dimensions));
      for (int round = 0; round != std::atoi(argv[2]); ++round) {
        tally.compare(ranks, random_sizes(random, ranks, dimensions));
      }
    }
  }
  MPI_Finalize();
  std::printf(
      "%s, seed %s: %ld compared, %ld refused by both, %ld refused where MPI gives a "
      "grid of another number of ranks, ",
      version().c_str(), argv[3], tally.compared, tally.refused, tally.untrue);
  if (!tally.follows) std::printf("%ld at least as even as MPI's other grid, ", tally.other);
  std::printf("%ld differ\n", tally.wrong);
  return tally.wrong == 0 ? 0 : 1;
}
