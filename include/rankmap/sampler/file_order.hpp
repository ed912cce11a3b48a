// SPDX-License-Identifier: MIT
// Files of unequal size, one after another: whole and in order, or shuffled in windows of samples.
#ifndef RANKMAP_SAMPLER_FILE_ORDER_HPP
#define RANKMAP_SAMPLER_FILE_ORDER_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/detail/sum_of_weights.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// How to read files. All ranks of a job must use the same options.
struct FileOptions {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  bool shuffle = true;       ///< the files in an order of their own in each epoch; else as given
  std::uint64_t window = 1;  ///< samples that are shuffled together; 1: files are read in order
  friend constexpr bool operator==(const FileOptions&, const FileOptions&) = default;
};

/// Neighbours in one file: samples first, first + 1, ..., counted from 0 in `file`.
struct FileRun {
  std::uint64_t file = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  friend constexpr bool operator==(const FileRun&, const FileRun&) = default;
};

/// An order of the samples of files of unequal size: the files in shuffled order, each of them
/// whole and from its head to its end. With a window, each `window` neighbours of that order are
/// shuffled together; a window may reach over several files. Samples are numbered through all
/// files: sample i of file f is the sizes of the files before f, and i.
///
/// Random access and inverse. It refers to its memory, 16 bytes a file, which the processes of a
/// node may share. Saved state calls it files-1; golden values pin the output under that name.
class FileOrder {
  // Calls visit(unshuffled(place)) for many places, and makes each window's shuffle once. It is in
  // front of its calls, behind which clang makes no constant of it.
  template <class Visit>
  constexpr void each_window(std::uint64_t place, std::uint64_t count, std::uint64_t stride,
                             const Visit& visit) const {
    while (count != 0) {
      const detail::ShuffledWindow window = window_at(place);
      const Permutation shuffle(window.size, options_.seed, options_.epoch, window.stream());
      for (; count != 0 && place - window.first < window.size; --count, place += stride) {
        visit(window.first + shuffle[place - window.first]);
      }
    }
  }

 public:
  constexpr FileOrder() = default;

  /// The elements of `memory` that `files` files need.
  static constexpr std::uint64_t memory_for(std::uint64_t files) { return 2 * files + 2; }

  /// Files of `sizes` samples, some maybe 0; the sizes are not kept. `memory` has at least
  /// memory_for(sizes.size()) elements and outlives the order. O(files), no allocation.
  /// Errc::out_of_range: sizes with a sum of 2^63 or more, a window of 0, too little memory.
  static constexpr Result<FileOrder> make(std::span<const std::uint64_t> sizes,
                                          std::span<std::uint64_t> memory,
                                          const FileOptions& options = {}) {
    if (options.window == 0) {
      return detail::out_of_range("FileOptions::window", 0, "at least 1 sample",
                                  "pass 1 to read files in order");
    }
    const std::uint64_t needed = memory_for(sizes.size());
    if (memory.size() < needed) {
      return detail::out_of_range(
          "memory.size()", memory.size(),
          detail::concat("at least ", needed, " elements, two a file and two more"),
          "pass a span of FileOrder::memory_for(sizes.size()) elements");
    }
    const auto sum = detail::checked_sum(sizes, "sizes", "sizes with a sum below 2^63",
                                         "pass the number of samples of each file");
    if (!sum) return sum.error();
    FileOrder order;
    order.options_ = options;
    order.begins_ = memory.first(sizes.size() + 1);
    order.starts_ = memory.subspan(sizes.size() + 1, sizes.size() + 1);
    if (options.shuffle) {
      order.files_ = Permutation(sizes.size(), options.seed, options.epoch, stream_of_files);
    }
    order.digest_ = detail::fnv_words(detail::fnv_start, options.window, options.shuffle);
    std::uint64_t begin = 0;
    std::uint64_t start = 0;
    for (std::size_t i = 0; i != sizes.size(); ++i) {
      order.begins_[i] = begin;
      begin += sizes[i];
      order.digest_ = detail::fnv_word(order.digest_, sizes[i]);
      order.starts_[i] = start;
      start += sizes[detail::to_size(order.file_at(i))];
    }
    order.begins_.back() = order.starts_.back() = begin;
    order.key_ = detail::FeistelKey(options.seed, options.epoch);
    return order;
  }

  /// The samples of all files.
  constexpr std::uint64_t size() const noexcept { return begins_.empty() ? 0 : begins_.back(); }
  constexpr std::uint64_t file_count() const noexcept {
    return begins_.empty() ? 0 : begins_.size() - 1;
  }
  constexpr const FileOptions& options() const noexcept { return options_; }

  /// The sample at `place`. Precondition: place < size(). O(log files); with a window of 2 to 1,023
  /// samples also the making of a stored shuffle: read these by `fill` or `each_run`.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return sample_of(run_at(unshuffled(place), 1));
  }
  /// The place of `sample`: order.index_of(order[place]) == place. Precondition: sample < size().
  /// Costs what operator[] does; among fewer than 1,024 files also a search for the file.
  constexpr std::uint64_t index_of(std::uint64_t sample) const noexcept {
    const FileRun run = run_of(sample);
    const std::uint64_t slot = options_.shuffle ? files_.index_of(run.file) : run.file;
    const std::uint64_t place = starts_[detail::to_size(slot)] + run.first;
    if (options_.window == 1) return place;
    return window_at(place).place_of(key_, place);
  }
  /// The file of `sample` < size(), and its number there, with a count of 1. O(log files).
  constexpr FileRun run_of(std::uint64_t sample) const noexcept {
    const std::uint64_t file = last_from(begins_, sample);
    return {file, sample - begins_[detail::to_size(file)], 1};
  }
  /// The file of `sample` < size(). O(log files).
  constexpr std::uint64_t group_of(std::uint64_t sample) const noexcept {
    return run_of(sample).file;
  }
  /// The window that `place` < size() lies in. O(1).
  constexpr std::uint64_t window_of(std::uint64_t place) const noexcept {
    return place / options_.window;
  }

  /// Calls read(run) with the runs that the `count` places from `place` on are, in their order: as
  /// few as there are files in them; with a window each sample by itself. At the end it reads as
  /// many as are left. O(log files + runs); with a window O(log files) a sample.
  template <class Read>
  constexpr void each_run(std::uint64_t place, std::uint64_t count, Read&& read) const {
    count = detail::count_within(place, count, size());
    if (options_.window == 1) {
      while (count != 0) {
        const FileRun run = run_at(place, count);
        read(run);
        place += run.count;
        count -= run.count;
      }
      return;
    }
    each_window(place, count, 1, [&](std::uint64_t moved) { read(run_at(moved, 1)); });
  }

  /// As SampleOrder says; each window is set up once. O(log files) a sample.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const {
    if (options_.window == 1) {
      for (std::uint64_t k = 0; k != count; ++k) out[k] = (*this)[first + k * stride];
      return;
    }
    each_window(first, count, stride,
                [&](std::uint64_t moved) { *out++ = sample_of(run_at(moved, 1)); });
  }

  /// files-1; the sizes, the window and the choice to shuffle are the digest.
  constexpr SavedOrder saved_as() const noexcept {
    return {"files-1", options_.seed, options_.epoch, digest_};
  }

 private:
  static constexpr std::uint64_t stream_of_files = 1;

  // The last of the sums, the total aside, that is at most `number`. Files without samples share a
  // sum with the next one, which is later.
  static constexpr std::uint64_t last_from(std::span<const std::uint64_t> sums,
                                           std::uint64_t number) noexcept {
    return detail::last_where(std::size_t{0}, sums.size(),
                              [&](std::size_t i) { return sums[i] <= number; });
  }

  // A slot is a place among the files in their order of this epoch.
  constexpr std::uint64_t file_at(std::uint64_t slot) const noexcept {
    return options_.shuffle ? files_[slot] : slot;
  }
  // What is read at a place before windows are shuffled, and behind it in the same file.
  constexpr FileRun run_at(std::uint64_t place, std::uint64_t most) const noexcept {
    const std::uint64_t slot = last_from(starts_, place);
    const std::uint64_t left = starts_[detail::to_size(slot) + 1] - place;
    return {file_at(slot), place - starts_[detail::to_size(slot)], most < left ? most : left};
  }
  constexpr std::uint64_t sample_of(const FileRun& run) const noexcept {
    return begins_[detail::to_size(run.file)] + run.first;
  }

  constexpr detail::ShuffledWindow window_at(std::uint64_t place) const noexcept {
    const std::uint64_t index = place / options_.window;
    const std::uint64_t first = index * options_.window;
    return {index, first, detail::count_within(first, options_.window, size())};
  }
  constexpr std::uint64_t unshuffled(std::uint64_t place) const noexcept {
    return options_.window == 1 ? place : window_at(place).at(key_, place);
  }
  FileOptions options_;
  std::span<std::uint64_t> begins_;  // in the order given: the first sample of each, and the total
  std::span<std::uint64_t> starts_;  // in the epoch's order: the first place of each, and the total
  std::uint64_t digest_ = 0;
  detail::FeistelKey key_;
  Permutation files_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_FILE_ORDER_HPP
