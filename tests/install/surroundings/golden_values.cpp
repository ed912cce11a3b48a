// SPDX-License-Identifier: MIT
//
// Prints answers that must be the same from every compiler, with any flags, on any platform and
// under any locale; golden_values.txt holds them. Red means: the answer depends on the
// surroundings, or it was changed, which is a breaking change (see docs/packaging.md).
//
// With the name of a locale as argument that locale is set first; it has to write 1.5 as 1,5.
#include <rankmap/rankmap.hpp>

#include <bit>
#include <cinttypes>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace {

constexpr std::uint64_t sizes[] = {1, 7, 64, 1000, 1023, 1024, 1025, 4097, 99'991, 1'000'003};

/// FNV-1a over the bytes of each number, lowest first.
class Digest {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte != 8; ++byte) {
      state_ = (state_ ^ (number >> (8 * byte) & 0xffU)) * 0x100'0000'01b3U;
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf2'9ce4'8422'2325U;
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputs("\n", stdout);
}

/// The first numbers of a range and a digest of all.
template <class Range>
void print_range(const char* label, Range&& range) {
  std::printf("%s:", label);
  Digest digest;
  std::uint64_t count = 0;
  for (const auto element : range) {
    const auto number = static_cast<std::uint64_t>(element);
    if (count++ < 6) std::printf(" %" PRIu64, number);
    digest.add(number);
  }
  std::printf(" ... %" PRIu64 " in all, digest %016" PRIx64 "\n", count, digest.value());
}

template <class Result>
void print_error(const Result& result) {
  print(result ? std::string_view("no error") : message(result.error()).view());
}

void shards() {
  for (const auto order : {rankmap::ShardOrder::strided, rankmap::ShardOrder::blocked}) {
    for (const auto remainder :
         {rankmap::Remainder::pad, rankmap::Remainder::drop, rankmap::Remainder::uneven}) {
      print_range("shard", rankmap::Shard(1003, 2, 3, {order, remainder, 11}));
    }
  }
  print_range("batches", rankmap::BatchShard(1003, 8, 1, 3));
  constexpr std::uint64_t weights[] = {3, 1, 2};
  for (int rank = 0; rank != 3; ++rank) {
    print_range("weighted share", rankmap::weighted_shard(1003, rank, weights));
  }
}

void permutations() {
  for (const std::uint64_t size : sizes) {
    print_range("permutation", rankmap::Permutation(size, 42, 3));
  }
  const rankmap::Permutation large(std::uint64_t{1} << 45U, UINT64_MAX, 7);
  for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{123'456'789'012}}) {
    std::printf("2^45: %" PRIu64 " -> %" PRIu64 " -> %" PRIu64 "\n", i, large[i],
                large.index_of(large[i]));
  }
}

void samplers() {
  for (int rank = 0; rank != 3; ++rank) {
    print_range("sampler", rankmap::Sampler(1003, rank, 3, {.seed = 42}).epoch(3, 100));
  }
  const rankmap::SamplerState state =
      rankmap::Sampler(1003, 0, 3, {.seed = 42}).epoch(3).state_after(100).value();
  print(to_string(state).view());
  std::printf("fingerprint: %016" PRIx64 "\n", rankmap::fingerprint(state, 3));
  print_error(rankmap::parse_sampler_state("rankmap-sampler-1 algorithm=rot13"));
}

/// The first `count` places of an order that is made as it is read.
template <class Order>
void print_head(const char* label, Order order, std::uint64_t count) {
  std::uint64_t samples[200] = {};
  for (std::uint64_t place = 0; place != count; ++place) {
    samples[static_cast<std::size_t>(place)] = order[place];
  }
  print_range(label, std::span(samples).first(static_cast<std::size_t>(count)));
}

void orders() {
  print_range("block shuffle", rankmap::BlockShuffle(5003, 16, 8, 42, 3));
  constexpr std::uint64_t files[] = {70, 0, 3, 500, 41};
  std::uint64_t starts[rankmap::FileOrder::memory_for(5)] = {};
  const auto whole = rankmap::FileOrder::make(files, starts, {.seed = 42, .window = 32}).value();
  print_range("files", rankmap::Epoch(rankmap::FileShard::make(whole, 1, 2).value(), whole));
  print(to_string(rankmap::FileShard::make(whole, 1, 2)->state_after(100).value()).view());

  constexpr std::uint64_t weights[] = {5, 0, 3, 2};
  constexpr std::uint64_t set_sizes[] = {40, 1, 1100, 10};
  const rankmap::Mixture mixture(weights, set_sizes, 20, 42);
  print_range("mixture", mixture.order(rankmap::MixtureStop::all_exhausted));

  rankmap::AliasColumn columns[4];
  const auto table = rankmap::AliasTable::make(weights, columns).value();
  print_range("weighted draws", rankmap::WeightedDraws(table, 1000, 42, 3));
  std::uint64_t out[3] = {};
  std::uint64_t scratch[64] = {};
  print_range("weighted order", rankmap::WeightedOrder::make(weights, out, scratch, 42).value());
  std::uint64_t sums[4] = {};
  const auto cumulative = rankmap::CumulativeWeights::make(weights, sums).value();
  print_range("repeat factor", rankmap::RepeatFactorOrder(cumulative, 1003, 42, 3));
  const auto epoch = [](std::uint64_t number) { return rankmap::Permutation(70, 42, number); };
  print_head("endless order", rankmap::EndlessOrder(epoch), 200);

  std::uint32_t lengths[100] = {};
  std::uint64_t costs[100] = {};
  for (std::uint32_t i = 0; i != 100; ++i) costs[i] = lengths[i] = 1 + i * 7919U % 512;
  std::uint64_t borders[104] = {};
  const auto batches =
      rankmap::TokenBatches::make(rankmap::Permutation(100, 42), lengths,
                                  {.tokens = 2048, .multiple = 2, .ranks = 4}, borders)
          .value();
  print_range("token batches", std::span(borders).first(static_cast<std::size_t>(batches.size())));
  std::uint32_t packed[rankmap::PackedRows::memory_for(100)] = {};
  std::uint32_t lists[rankmap::PackedRows::scratch_for(100)] = {};
  const auto rows =
      rankmap::PackedRows::make(rankmap::Permutation(100, 42), lengths, 512, packed, lists).value();
  print_head("packed rows", rows, rows.size());
  print_range("packed samples", std::span(packed).first(100));
  double seconds[100] = {};
  for (std::uint32_t i = 0; i != 100; ++i) seconds[i] = lengths[i] * (1 + 0x1p-40);
  const auto of_seconds =
      rankmap::PackedRows::make(rankmap::Permutation(100, 42), seconds, 600, packed, lists).value();
  std::printf("packed seconds: %" PRIu64 " rows, digest %016" PRIx64 "\n", of_seconds.size(),
              of_seconds.saved_as().digest);
  std::uint32_t parts[100] = {};
  std::printf("heaviest part: %" PRIu64 "\n", rankmap::balance(costs, 7, parts).value());
  print_range("balance", parts);

  print_head("TrainingSampler", rankmap::TrainingStream::make(70, {.seed = 42}).value(), 200);
  constexpr float factors[] = {1.0F, 1.5F, 2.25F, 3.0F};
  std::uint32_t memory[9] = {};
  print_head("RepeatFactorTrainingSampler",
             rankmap::RepeatFactorStream::make(factors, memory, {.seed = 42}).value(), 200);
}

// The orders of other frameworks that need no floating point.
void other_frameworks() {
  std::uint32_t numbers[1000];
  Digest state;
  rankmap::NumpyRandomState(42).permutation(numbers);
  for (const std::uint32_t number : numbers) state.add(number);
  std::printf("RandomState(42).permutation(1000): %016" PRIx64 "\n", state.value());
  Digest generator;
  rankmap::NumpyGenerator(42).permutation(numbers);
  for (const std::uint32_t number : numbers) generator.add(number);
  std::printf("default_rng(42).permutation(1000): %016" PRIx64 "\n", generator.value());
  const rankmap::GrainShuffle grain(100'003, 42);
  Digest shuffled;
  for (std::uint64_t place = 0; place != 1000; ++place) shuffled.add(grain[place]);
  std::printf("Grain's shuffle of 100003: %016" PRIx64 "\n", shuffled.value());
  const std::uint64_t shards[] = {400, 0, 350, 250};
  std::uint64_t samples[1000];
  rankmap::StreamingSpan spans[9];
  Digest py1s;
  py1s.add(rankmap::streaming_py1s(shards, {.canonical_nodes = 3}, samples, spans).value());
  for (const std::uint64_t sample : samples) py1s.add(sample);
  std::printf("Streaming's py1s: %016" PRIx64 "\n", py1s.value());
}

void pytorch() {
  for (const std::uint64_t size : sizes) {
    rankmap::TorchPermutation permutation(12, size);
    Digest digest;
    for (std::uint64_t i = 0; i != size; ++i) digest.add(permutation[i]);
    std::printf("randperm(%" PRIu64 "): digest %016" PRIx64 "\n", size, digest.value());
  }
  for (int rank = 0; rank != 3; ++rank) {
    const rankmap::DistributedSampler sampler(1003, 3, rank, {.shuffle = true, .seed = -5});
    print_range("DistributedSampler", sampler.epoch(2));
  }
  // Infinite, no number, negative: noticed with -ffast-math, too.
  constexpr std::uint64_t bits_of_weights[] = {0x7ff0000000000000U, 0x7ff8000000000000U,
                                               0xbff0000000000000U};
  for (const std::uint64_t bits : bits_of_weights) {
    const double weights[] = {1, std::bit_cast<double>(bits)};
    print_error(rankmap::WeightedRandomSampler::make(weights, 4));
    // The bits of the same number, which is not computed either.
    const auto narrow =
        static_cast<std::uint32_t>((bits >> 32U & 0xc0000000U) | (bits >> 29U & 0x3fffffffU));
    const float factors[] = {1, std::bit_cast<float>(narrow)};
    print_error(rankmap::RepeatFactorStream::largest_pass(factors));
    std::uint64_t drawn[2] = {};
    const bool is_taken = rankmap::MegatronBlend::make(weights, drawn).has_value();
    std::printf("MegatronBlend takes it: %s\n", is_taken ? "yes" : "no");
  }
}

void layouts() {
  using rankmap::Distribution;
  using rankmap::Layout;
  for (const auto distribution :
       {Distribution::block, Distribution::cyclic, Distribution::plane(2)}) {
    const Layout layout = Layout::from_counts("3(x2),1,5", distribution).value();
    std::printf("layout:");
    for (int rank = 0; rank != layout.world_size(); ++rank) {
      std::printf(" %d.%d", layout.node_of(rank), layout.local_rank_of(rank));
    }
    std::printf("\n");
    print_range("ranks on node 3", layout.ranks_on(3));
    print_range("rail 1", layout.rail(1));
  }
  print_error(Layout::from_counts("3(x2),x", Distribution::block));
}

void host_lists() {
  const auto hosts = rankmap::HostList::parse("n[08-11,3]-ib,gpu7").value();
  for (const auto host : hosts) print(host.view());
  print_error(rankmap::HostList::parse("n[1-"));
}

void meshes() {
  using rankmap::Mesh;
  const Mesh mesh = Mesh::make({{"pp", 2}, {"dp", Mesh::inferred}, {"tp", 8}}, 64).value();
  for (const char* const axes : {"tp", "dp", "pp", "dp-tp", "pp-dp"}) {
    print_range(axes, mesh.group(axes, 37));
  }
  const auto coordinate = mesh.coordinate(37);
  std::printf("rank 37: %d %d %d\n", coordinate[0], coordinate[1], coordinate[2]);
  const auto dims = rankmap::dims_create(360, rankmap::Dims::to_find(3)).value();
  std::printf("dims of 360: %d %d %d\n", dims[0], dims[1], dims[2]);
  const auto advice =
      rankmap::recommend_mesh(rankmap::Layout::cyclic(8, 8), {{"tp", 8}, {"dp", 4}, {"pp", 2}});
  print(advice.value().reason.view());
  print_error(Mesh::make({{"pp", 3}, {"tp", 8}}, 64));
}

/// A task of srun -N2 -n5: every step variable that the resolver weighs.
constexpr std::string_view step =
    "SLURM_JOB_ID=77\nSLURM_JOBID=77\nSLURM_STEP_ID=0\nSLURM_STEPID=0\nSLURM_PROCID=3\n"
    "SLURM_LOCALID=0\nSLURM_NODEID=1\nSLURM_GTIDS=3,4\nSLURM_STEP_NUM_NODES=2\n"
    "SLURM_STEP_NUM_TASKS=5\nSLURM_NTASKS=5\nSLURM_STEP_TASKS_PER_NODE=3,2\n"
    "SLURM_STEP_NODELIST=n[01-02]\nSLURM_DISTRIBUTION=block\nSLURMD_NODENAME=n02\n"
    "SLURM_UMASK=0022\nMASTER_ADDR=n01\nMASTER_PORT=29500";

void topologies() {
  using rankmap::Topology;
  const auto explained = [](std::string_view text) {
    const auto topology = Topology::from_environment(rankmap::RecordedEnvironment(text));
    print(topology ? explain(*topology).view() : message(topology.error()).view());
  };
  explained("");
  explained(step);
  explained("RANK=3\nWORLD_SIZE=8\nLOCAL_RANK=1\nLOCAL_WORLD_SIZE=2");
  explained("RANK=1.5\nWORLD_SIZE=8\nLOCAL_RANK=1");
  explained("RANK=\xc3\xa9\nWORLD_SIZE=8\nLOCAL_RANK=1");
  explained("RANK=1,000\nWORLD_SIZE=8,000\nLOCAL_RANK=1");
}

void devices() {
  const auto env = rankmap::RecordedEnvironment("CUDA_VISIBLE_DEVICES=2,1,x");
  const auto visible = rankmap::visible_devices(rankmap::DeviceKind::cuda, env);
  print(explain(visible).view());
}

bool set_locale(const char* name) {
  if (std::setlocale(LC_ALL, name) == nullptr) {
    std::fprintf(stderr, "there is no locale %s\n", name);
    return false;
  }
  char number[16];
  std::snprintf(number, sizeof(number), "%.1f", 1.5);
  if (std::strcmp(number, "1,5") == 0) return true;
  std::fprintf(stderr, "the locale %s writes 1.5 as %s\n", name, number);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !set_locale(argv[1])) return 2;
  shards();
  permutations();
  samplers();
  orders();
  other_frameworks();
  pytorch();
  layouts();
  host_lists();
  meshes();
  topologies();
  devices();
  return 0;
}
