// SPDX-License-Identifier: MIT
//
// A loader from end to end: two data sets mixed three to one, each read in shuffled blocks; batches
// that cost the ranks alike; two workers a rank that read ahead; a kill after step 12 of four
// ranks, from which three go on. The ranks run here one after another.
#include <rankmap/sampler.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <future>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t weights[] = {3, 1}, sizes[] = {900, 500};
constexpr std::uint64_t global_batch = 24;  // samples of all ranks in a step
using Samples = std::vector<std::uint64_t>;

// The order of the stream: the mixture's turns, each set in shuffled blocks of 50.
class Files {
 public:
  std::uint64_t size() const { return size_; }
  std::uint64_t operator[](std::uint64_t place) const {
    const auto [set, index, pass] = mixture_.turn(place);
    const rankmap::BlockShuffle files(sizes[set], 50, 4, /*seed=*/set, /*epoch=*/pass);
    return mixture_.joined({set, files[index], pass});
  }
  rankmap::SavedOrder saved_as() const { return {"files-1", 42, 0}; }

 private:
  rankmap::Mixture mixture_{weights, sizes, /*block=*/40, /*seed=*/42};
  std::uint64_t size_ = mixture_.length(rankmap::MixtureStop::all_exhausted);
};

// What a worker does: this rank's part of a step. Every rank finds the same parts.
Samples read(const auto& batch, int rank, int world) {
  Samples mine;
  Samples costs;
  for (const std::uint64_t sample : batch) costs.push_back(1 + sample * 7919 % 512);  // its length
  std::vector<std::uint32_t> part(batch.size());
  rankmap::balance(costs, world, part).value();
  for (std::uint64_t i = 0; i != batch.size(); ++i) {
    if (part[i] == static_cast<std::uint32_t>(rank)) mine.push_back(batch[i]);
  }
  return mine;
}

std::string train(int world, const std::string& from, std::uint64_t steps, Samples& trained) {
  const Files order;
  const auto state = from.empty() ? rankmap::state_of(order) : rankmap::parse_sampler_state(from);
  const rankmap::ShardOptions rest{.consumed = rankmap::resume_at(state.value(), order).value()};
  const auto batches =
      rankmap::Epoch(rankmap::Shard(order.size(), 0, 1, rest), order).batches(global_batch);
  std::string saved;
  for (int rank = 0; rank != world; ++rank) {
    const decltype(batches) workers[] = {batches.of_worker(0, 2), batches.of_worker(1, 2)};
    std::vector<std::future<Samples>> ahead;  // batch k is worker k % 2's
    for (std::uint64_t k = 0; k != std::min(batches.size(), steps); ++k) {
      while (ahead.size() != std::min(batches.size(), k + 4)) {
        const auto batch = workers[ahead.size() % 2][ahead.size() / 2];
        ahead.push_back(std::async(std::launch::async, [=] { return read(batch, rank, world); }));
      }
      for (const std::uint64_t sample : ahead[k].get()) trained.push_back(sample);
      saved = to_string(batches[k].state_after().value()).c_str();  // not of what was read ahead
    }
  }
  return saved;
}

}  // namespace

int main() {
  Samples trained, expected;
  const std::string saved = train(4, "", 12, trained);
  std::printf("4 ranks were killed; saved is %s\n", saved.c_str());
  std::printf("3 ranks finished; next is %s\n", train(3, saved, UINT64_MAX, trained).c_str());
  const Files order;
  for (std::uint64_t place = 0; place != order.size(); ++place) expected.push_back(order[place]);
  std::sort(trained.begin(), trained.end());
  std::sort(expected.begin(), expected.end());
  std::printf("%d samples, %s\n", static_cast<int>(trained.size()),
              trained == expected ? "each as often as drawn" : "WRONG");
  return trained == expected ? 0 : 1;
}
