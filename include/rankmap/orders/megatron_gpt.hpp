// SPDX-License-Identifier: MIT
// The three indices of Megatron-LM's GPT data set, number for number: documents, samples, shuffle.
#ifndef RANKMAP_ORDERS_MEGATRON_GPT_HPP
#define RANKMAP_ORDERS_MEGATRON_GPT_HPP

#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/orders/numpy_random.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The settings of a GPTDataset, with Megatron-LM's defaults.
struct MegatronGptOptions {
  std::uint64_t sequence_length = 0;  ///< tokens of a sample, in [2, 2^31 - 1)
  std::uint64_t samples = 0;          ///< that the run asks for, below 2^32; 0: one epoch
  std::uint32_t seed = 1234;
  bool add_extra_token = true;    ///< each sample reads one token more, as a label
  bool drop_last_partial = true;  ///< false for validation sets that keep their last short sample
};

/// Where a sample begins: at which place of the document index, and at which token of it.
struct MegatronGptStart {
  std::uint32_t place = 0;
  std::uint32_t offset = 0;
  friend constexpr bool operator==(const MegatronGptStart&, const MegatronGptStart&) = default;
};

/// How many epochs a GPTDataset reads, and its indices. A sample k of the data set is the sample
/// shuffle_index[k] of the sample index; it reads from its start there to the start of the next.
///
/// It refers to the lengths and the documents and does not copy them.
class MegatronGpt {
 public:
  /// `lengths` in tokens of all documents, each below 2^31; `documents`: which of them are in this
  /// split, each below lengths.size().
  /// Errc::out_of_range: a number outside its range; fewer than 2 tokens in all; documents times
  /// epochs of 2^31 or more; samples of 2^32 or more; drop_last_partial = false with so many tokens
  /// that Megatron-LM counts a sample too many, in single precision, and stops. O(documents).
  static constexpr Result<MegatronGpt> make(std::span<const std::uint32_t> lengths,
                                            std::span<const std::uint32_t> documents,
                                            const MegatronGptOptions& options) {
    MegatronGpt out;
    out.lengths_ = lengths;
    out.documents_ = documents;
    out.options_ = options;
    constexpr std::uint64_t most = std::uint64_t{1} << 31U;
    if (options.sequence_length < 2 || options.sequence_length >= most - 1) {
      return detail::out_of_range("sequence_length", options.sequence_length,
                                  "2 to 2^31 - 2 tokens", "pass the tokens of a sample");
    }
    if (options.samples > UINT32_MAX) {
      return detail::out_of_range("samples", options.samples, "fewer than 2^32 samples",
                                  "ask for fewer");
    }
    for (std::size_t i = 0; i != documents.size(); ++i) {
      if (documents[i] >= lengths.size()) {
        return detail::out_of_range(detail::concat("documents[", i, "]"), documents[i],
                                    detail::concat("a document in [0, ", lengths.size(), ")"),
                                    "pass numbers of documents that have a length");
      }
      if (lengths[documents[i]] >= most) {
        return detail::out_of_range(detail::concat("lengths[", documents[i], "]"),
                                    lengths[documents[i]], "fewer than 2^31 tokens",
                                    "split the document");
      }
      out.tokens_ += lengths[documents[i]];
    }
    if (out.tokens_ < 2) {
      return detail::out_of_range("tokens of all documents", out.tokens_, "at least 2",
                                  "pass more documents");
    }
    const std::uint64_t extra = options.add_extra_token ? 1 : 0;
    const std::uint64_t wanted =
        options.samples == 0 ? 0 : options.samples * options.sequence_length + extra;
    out.epochs_ = wanted == 0 ? 1 : (wanted - 1) / out.tokens_ + 1;
    if (documents.size() >= most || out.epochs_ > (most - 1) / documents.size()) {
      return detail::out_of_range(
          "documents times epochs",
          documents.size() >= most ? documents.size() : out.epochs_ * documents.size(),
          "fewer than 2^31", "ask for fewer samples");
    }
    const std::uint64_t read = out.epochs_ * out.tokens_ - extra;
    out.samples_ = read / options.sequence_length;
    if (!options.drop_last_partial) {
      const std::uint64_t exact = (read + options.sequence_length - 1) / options.sequence_length;
      const float quotient = static_cast<float>(read) / static_cast<float>(options.sequence_length);
      out.samples_ = static_cast<std::uint64_t>(quotient);
      if (static_cast<float>(out.samples_) < quotient) ++out.samples_;
      if (out.samples_ > exact) {
        return detail::out_of_range("samples in single precision", out.samples_,
                                    detail::concat("at most ", exact, ", those that there are"),
                                    "set drop_last_partial, without which Megatron-LM stops here");
      }
    }
    if (out.samples_ > UINT32_MAX - 2) {
      return detail::out_of_range("samples", out.samples_, "fewer than 2^32 - 2 samples",
                                  "take longer samples or fewer of them");
    }
    out.first_shuffled_ = out.samples_;
    if (out.epochs_ > 1) {
      // As signed numbers: an epoch of one token less than it needs would wrap.
      const std::uint64_t before =
          ((out.epochs_ - 1) * out.tokens_ - extra) / options.sequence_length;
      const std::uint64_t of_last = options.samples - before;
      const std::uint64_t of_one = (out.tokens_ - extra) / options.sequence_length;
      out.separate_ = of_last < static_cast<std::uint64_t>(0.80 * static_cast<double>(of_one));
      if (out.separate_) out.first_shuffled_ = before;
    }
    return out;
  }
  // They would be gone: give them names.
  template <class Lengths, class Documents>
  requires detail::TemporaryList<Lengths, Documents>
  static Result<MegatronGpt> make(Lengths&&, Documents&&, const MegatronGptOptions&) = delete;

  constexpr std::uint64_t epochs() const { return epochs_; }
  /// Whether the last epoch is shuffled by itself: it is read to less than 80 %.
  constexpr bool separates_last_epoch() const { return separate_; }
  /// How many samples there are, which may be more than the run asks for.
  constexpr std::uint64_t size() const { return samples_; }
  /// Elements of the document index: documents times epochs.
  constexpr std::uint64_t document_index_size() const { return epochs_ * documents_.size(); }

  /// Writes the three indices. `document_index` has document_index_size() elements, `sample_index`
  /// size() + 1, of which the last is the end of the last sample, `shuffle_index` size().
  /// Errc::out_of_range for other sizes. O(tokens / sequence_length + documents * epochs).
  constexpr Result<std::uint64_t> build(std::span<std::uint32_t> document_index,
                                        std::span<MegatronGptStart> sample_index,
                                        std::span<std::uint32_t> shuffle_index) const {
    const auto wrong = [](std::string_view name, std::uint64_t found, std::uint64_t expected) {
      return detail::out_of_range(name, found, detail::concat(expected, " elements"),
                                  "pass a span of that many");
    };
    if (document_index.size() != document_index_size()) {
      return wrong("document_index.size()", document_index.size(), document_index_size());
    }
    if (sample_index.size() != samples_ + 1) {
      return wrong("sample_index.size()", sample_index.size(), samples_ + 1);
    }
    if (shuffle_index.size() != samples_) {
      return wrong("shuffle_index.size()", shuffle_index.size(), samples_);
    }
    NumpyRandomState random(options_.seed);
    for (std::size_t at = 0; at != document_index.size(); at += documents_.size()) {
      for (std::size_t i = 0; i != documents_.size(); ++i) document_index[at + i] = documents_[i];
    }
    const std::size_t together =
        document_index.size() - (separate_ ? documents_.size() : std::size_t{0});
    random.shuffle(document_index.first(together));
    random.shuffle(document_index.subspan(together));
    write_starts(document_index, sample_index);
    detail::count_up(shuffle_index);
    random.shuffle(shuffle_index.first(static_cast<std::size_t>(first_shuffled_)));
    random.shuffle(shuffle_index.subspan(static_cast<std::size_t>(first_shuffled_)));
    return samples_;
  }

 private:
  // A sample ends where the next one begins; with an extra token they share one.
  constexpr void write_starts(std::span<const std::uint32_t> documents,
                              std::span<MegatronGptStart> starts) const {
    const std::uint32_t extra = options_.add_extra_token ? 1 : 0;
    MegatronGptStart at;
    starts[0] = at;
    for (std::size_t sample = 1; sample != starts.size(); ++sample) {
      std::uint64_t left = options_.sequence_length + extra;
      for (;;) {
        const std::uint32_t tokens = lengths_[documents[at.place]] - at.offset;
        if (tokens >= left) {
          at.offset += static_cast<std::uint32_t>(left) - extra;
          break;
        }
        left -= tokens;
        if (at.place + std::size_t{1} == documents.size()) {  // the last sample, and a short one
          at.offset = lengths_[documents[at.place]] - extra;
          break;
        }
        ++at.place;
        at.offset = 0;
      }
      starts[sample] = at;
    }
  }

  std::span<const std::uint32_t> lengths_;
  std::span<const std::uint32_t> documents_;
  MegatronGptOptions options_;
  std::uint64_t tokens_ = 0;  // of an epoch
  std::uint64_t epochs_ = 1;
  std::uint64_t samples_ = 0;
  std::uint64_t first_shuffled_ = 0;  // samples that are shuffled together, before the others
  bool separate_ = false;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ORDERS_MEGATRON_GPT_HPP
