// SPDX-License-Identifier: MIT
// The shuffles py1s and py1e of MosaicML's Streaming, number for number.
#ifndef RANKMAP_ORDERS_STREAMING_SHUFFLE_HPP
#define RANKMAP_ORDERS_STREAMING_SHUFFLE_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/orders/detail/rounded.hpp>
#include <rankmap/orders/numpy_random.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rankmap::inline v0 {

/// What Streaming's shuffles depend on besides the shards.
struct StreamingShuffleOptions {
  std::uint64_t canonical_nodes = 1;  ///< num_canonical_nodes, at least 1
  std::uint64_t seed = 9176;          ///< shuffle_seed, Streaming's default
  std::uint64_t epoch = 0;
  std::uint64_t block_size = std::uint64_t{1} << 18U;  ///< of py1e, in [1, 2^40]
};

/// Samples of a shard that stay together: [begin, end).
struct StreamingSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A sample of py1e while it is moved.
struct StreamingPlace {
  double position = 0;
  std::uint64_t sample = 0;
};

/// How many spans Streaming's shuffles need to work with.
constexpr std::uint64_t streaming_spans(std::uint64_t shards, std::uint64_t canonical_nodes) {
  return shards + 2 * canonical_nodes - 1;
}

namespace detail {

constexpr std::uint64_t size_of(const StreamingSpan& span) { return span.end - span.begin; }

/// What both shuffles begin with: the shards of each canonical node in the order of the epoch, and
/// the generator that goes on from there.
struct StreamingNodes {
  std::span<StreamingSpan> nodes;  ///< of each node: which of the spans
  std::span<StreamingSpan> spans;
  NumpyGenerator random;

  /// Calls `use(spans)` with those of each node. A span of no samples is in one of them as well,
  /// and takes its draws.
  constexpr void for_each(const auto& use) const {
    for (const StreamingSpan& node : nodes) {
      use(spans.subspan(static_cast<std::size_t>(node.begin), to_size(size_of(node))));
    }
  }
  /// Writes the samples of a node to `out` from `at` on, those of each span shuffled. Returns the
  /// end.
  constexpr std::size_t write(std::span<const StreamingSpan> node, std::span<std::uint64_t> out,
                              std::size_t at) {
    for (const StreamingSpan& span : node) {
      const std::size_t first = at;
      for (std::uint64_t sample = span.begin; sample != span.end; ++sample) out[at++] = sample;
      random.shuffle(out.subspan(first, at - first));
    }
    return at;
  }
};

/// Shuffles the shards, cuts those that lie in two nodes, and shuffles the spans of each node.
constexpr Result<StreamingNodes> divide_shards(std::span<const std::uint64_t> shard_sizes,
                                               const StreamingShuffleOptions& options,
                                               std::span<std::uint64_t> out,
                                               std::span<StreamingSpan> memory) {
  const std::uint64_t nodes = options.canonical_nodes;
  if (nodes == 0 || nodes > UINT32_MAX) {
    return out_of_range("canonical_nodes", nodes, "1 to 2^32 - 1 nodes",
                        "pass num_canonical_nodes");
  }
  if (options.seed + options.epoch < options.seed) {
    return out_of_range("seed", options.seed, "a sum with the epoch below 2^64",
                        "choose a smaller seed");
  }
  std::uint64_t samples = 0;
  const std::uint64_t largest = largest_dataset / nodes;
  for (std::size_t i = 0; i != shard_sizes.size(); ++i) {
    samples += shard_sizes[i];
    if (shard_sizes[i] > largest || samples > largest) {
      return out_of_range(concat("shard_sizes[", i, "]"), shard_sizes[i],
                          "samples whose sum times the nodes is below 2^63",
                          "pass the numbers of samples");
    }
  }
  if (out.size() != samples) {
    return out_of_range("out.size()", out.size(), concat(samples, " elements, one for each sample"),
                        "pass a span of that many");
  }
  const std::uint64_t needed = streaming_spans(shard_sizes.size(), nodes);
  if (memory.size() < needed) {
    return out_of_range("spans.size()", memory.size(), concat("at least ", needed, " spans"),
                        "pass streaming_spans(shards, nodes) of them");
  }
  const auto count = static_cast<std::size_t>(nodes);
  StreamingNodes made{memory.first(count), memory.subspan(count),
                      NumpyGenerator(options.seed + options.epoch)};
  // The shards are read from the end of the memory and written to its head, which has room for a
  // cut in front of every node but the first.
  const std::span<StreamingSpan> shards = made.spans.subspan(count - 1, shard_sizes.size());
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i != shards.size(); ++i) {
    shards[i] = {begin, begin + shard_sizes[i]};
    begin += shard_sizes[i];
  }
  NumpyGenerator(options.seed).shuffle(shards);
  std::uint64_t before = 0;
  std::size_t next = 0;
  std::size_t written = 0;
  for (std::size_t node = 0; node != count; ++node) {
    const std::uint64_t end = samples * (node + 1) / nodes;
    made.nodes[node].begin = written;
    for (; next != shards.size() && before + size_of(shards[next]) <= end; ++next) {
      before += size_of(shards[next]);
      made.spans[written++] = shards[next];
    }
    if (before != end) {
      const std::uint64_t cut = shards[next].begin + (end - before);
      made.spans[written++] = {std::exchange(shards[next].begin, cut), cut};
      before = end;
    }
    made.nodes[node].end = written;
  }
  made.for_each([&](std::span<StreamingSpan> node) { made.random.shuffle(node); });
  return made;
}

}  // namespace detail

/// get_shuffle_py1s(shard_sizes, canonical_nodes, seed, epoch): writes the samples in the order of
/// the epoch to `out`, of as many elements as there are samples. `spans` is memory to work with, of
/// streaming_spans() elements. Returns the number of samples. O(samples), no allocation.
/// Errc::out_of_range where an argument is not in its range.
constexpr Result<std::uint64_t> streaming_py1s(std::span<const std::uint64_t> shard_sizes,
                                               const StreamingShuffleOptions& options,
                                               std::span<std::uint64_t> out,
                                               std::span<StreamingSpan> spans) {
  auto nodes = detail::divide_shards(shard_sizes, options, out, spans);
  if (!nodes) return nodes.error();
  std::size_t at = 0;
  nodes->for_each([&](std::span<StreamingSpan> node) { at = nodes->write(node, out, at); });
  return out.size();
}

/// get_shuffle_py1e(shard_sizes, canonical_nodes, seed, epoch, block_size): as py1s, and then each
/// sample moves by a random distance within about a block. `places` is memory as well, of two
/// elements for each sample. Samples that land on the same position keep their order, which NumPy
/// leaves open. O(samples * log(samples)), no allocation. Errc::out_of_range for an argument
/// outside its range; Errc::bad_sampler where a canonical node has no sample, Streaming's
/// ValueError, and where the program computes with more than double precision.
constexpr Result<std::uint64_t> streaming_py1e(std::span<const std::uint64_t> shard_sizes,
                                               const StreamingShuffleOptions& options,
                                               std::span<std::uint64_t> out,
                                               std::span<StreamingSpan> spans,
                                               std::span<StreamingPlace> places) {
  if (const detail::Optional<Error> bad = detail::check_rounding()) return *bad;
  if (options.block_size == 0 || options.block_size > std::uint64_t{1} << 40U) {
    return detail::out_of_range("block_size", options.block_size, "1 to 2^40 samples",
                                "pass shuffle_block_size");
  }
  auto nodes = detail::divide_shards(shard_sizes, options, out, spans);
  if (!nodes) return nodes.error();
  if (out.size() < options.canonical_nodes) {
    return detail::error_at(
        Errc::bad_sampler, "canonical_nodes", detail::concat(options.canonical_nodes),
        detail::concat("at most ", out.size(), ", a sample for each"), "pass fewer nodes");
  }
  if (places.size() < 2 * out.size()) {
    return detail::out_of_range("places.size()", places.size(),
                                detail::concat("at least ", 2 * out.size(), " places"),
                                "pass two for each sample");
  }
  NumpyGenerator& random = nodes->random;
  const auto block = static_cast<double>(options.block_size);
  const auto least = static_cast<std::uint64_t>(0.75 * block);
  const auto range = static_cast<std::uint64_t>(1.25 * block) - least;
  std::size_t done = 0;
  nodes->for_each([&](std::span<StreamingSpan> node) {
    const std::size_t size = nodes->write(node, out, done) - done;
    std::size_t before = 0;
    for (const StreamingSpan& span : node) {
      const auto inside = detail::to_size(detail::size_of(span));
      const auto reach =
          (static_cast<double>(least + random.up_to(range - 1)) - static_cast<double>(inside)) / 2;
      const auto after = static_cast<double>(size - before - inside);
      const double cutoff = reach < 0 ? 0 : reach;
      // not beyond the node
      const double low =
          -cutoff > -static_cast<double>(before) ? -cutoff : -static_cast<double>(before);
      const double high = cutoff < after ? cutoff : after;
      for (std::size_t i = before; i != before + inside; ++i) {
        const double shift = low + detail::rounded((high - low) * random.random());
        places[i] = {static_cast<double>(i) + detail::rounded(shift), out[done + i]};
      }
      before += inside;
    }
    detail::merge_sort(
        places.data(), places.data() + size, size,
        [](const StreamingPlace& a, const StreamingPlace& b) { return a.position < b.position; });
    for (std::size_t i = 0; i != size; ++i) out[done + i] = places[i].sample;
    done += size;
  });
  return out.size();
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ORDERS_STREAMING_SHUFFLE_HPP
