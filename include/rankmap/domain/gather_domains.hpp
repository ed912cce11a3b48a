// SPDX-License-Identifier: MIT
// The domains of all nodes where each process knows its own: by one all-gather of the caller's.
#ifndef RANKMAP_DOMAIN_GATHER_DOMAINS_HPP
#define RANKMAP_DOMAIN_GATHER_DOMAINS_HPP

#include <rankmap/all_gather.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

namespace detail {

struct DomainRecord {
  static constexpr std::size_t bytes = 256;
  static constexpr std::size_t longest_text = DomainPath::max_bytes;

  int rank = -1;
  int world_size = -1;
  std::uint64_t layout = 0;  ///< its layout_digest, with the number of nodes first
  bool failed = false;       ///< sent too, so that every rank returns the same error
  DomainPath path;
  StaticString<longest_text> reason;  ///< why it failed

  /// Writes `bytes` bytes: 20 of numbers, one for the labels, one for the length of each, the text.
  constexpr void write(std::span<std::byte> out) const {
    ByteWriter to(out);
    to.number(magic, 4);
    to.integer(rank);
    to.integer(world_size);
    to.number(layout, 8);
    to.number(failed ? failure : static_cast<std::uint64_t>(path.depth()), 1);
    for (int level = 0; level != DomainPath::max_levels; ++level)
      to.number(text_of(level).size(), 1);
    for (int level = 0; level != DomainPath::max_levels; ++level) to.text(text_of(level));
    to.fill();
  }

  /// Reads a record; returns whether the bytes are one.
  constexpr bool read(std::span<const std::byte> in) {
    ByteReader from(in);
    if (from.number(4) != magic) return false;
    rank = from.integer();
    world_size = from.integer();
    layout = from.number(8);
    const std::uint64_t labels = from.number(1);
    failed = labels == failure;
    if (!failed && labels > static_cast<std::uint64_t>(DomainPath::max_levels)) return false;
    std::uint64_t sizes[DomainPath::max_levels] = {};
    for (std::uint64_t& size : sizes) size = from.number(1);
    const std::uint64_t texts = failed ? 1 : labels;
    for (std::uint64_t i = 0; i != texts; ++i) {
      if (sizes[i] > longest_text || sizes[i] > from.left()) return false;
      StaticString<longest_text> text;
      from.text(text, sizes[i]);
      if (failed) {
        reason = text;
        break;
      }
      const Result<DomainPath> longer = path.with(text);
      if (!longer) return false;
      path = *longer;
    }
    for (std::uint64_t i = texts; i != DomainPath::max_levels; ++i) {
      if (sizes[i] != 0) return false;
    }
    return from.ends();
  }

 private:
  /// The label of a level; of a failure its reason alone.
  constexpr std::string_view text_of(int level) const {
    return failed && level == 0 ? reason.view() : path.label(level);
  }

  static constexpr std::uint64_t magic = 0x31444d52;  // "RMD1"
  static constexpr std::uint64_t failure = 0xff;
};

/// The domains of the nodes, from the records of all ranks: a pure function of the same bytes.
inline Result<Domains> domains_from_records(const GatheredBytes<DomainRecord::bytes>& gathered,
                                            const Layout& layout) {
  SmallVector<DomainPath, 4> paths(static_cast<unsigned>(layout.node_count()));
  SmallVector<int, 64> speaker(paths.size(), -1);  // the first rank of each node; -1: no rank yet
  std::uint64_t digest = 0;
  for (int rank = 0; rank != gathered.world_size(); ++rank) {
    DomainRecord record;
    const bool is_record = record.read(gathered.record(rank));
    if (const auto error = gathered.check_slice(rank, is_record, record)) return *error;
    if (rank == 0) digest = record.layout;
    if (record.layout != digest) {
      return error_at(Errc::inconsistent, concat("layout of rank ", rank), "a different one",
                      "the layout of rank 0",
                      "start all ranks with the same variables; in the program, pass the same "
                      "layout on all ranks");
    }
    if (record.failed) {
      Error error =
          error_at(Errc::gather_failed, concat("domain of rank ", rank), {}, "the path of its node",
                   "correct it there, or pass an empty path where nothing is known");
      append_escaped(error.found, record.reason, DomainRecord::longest_text);
      return error;
    }
    const auto node = static_cast<std::size_t>(layout.node_of(rank));
    if (speaker[node] < 0) {
      speaker[node] = rank;
      paths[node] = record.path;
    } else if (!same_labels(paths[node], record.path)) {
      Error error =
          error_at(Errc::inconsistent, concat("domains of ranks ", speaker[node], " and ", rank),
                   {}, concat("one path for both, since they are on node ", node),
                   "see which of them reads variables of another node");
      append_escaped(error.found, to_string(paths[node]), 48);
      error.found.append("\" and \"");
      append_escaped(error.found, to_string(record.path), 48);
      return error;
    }
  }
  return Domains::from_paths(paths);
}

}  // namespace detail

/// Finds out the domains of all nodes, by one all-gather of 256 bytes a rank.
///
/// `layout`: which rank is on which node, the same on all ranks. `rank`: this process. `mine`: the
/// path of its node, empty where nothing is known, or the error that reading it gave; a
/// Result<DomainPath> may be passed as it is. `all_gather`: see AllGather. It is called exactly
/// once on every rank, even if `rank` or `mine` is wrong, so that no rank waits for another.
///
/// Every rank returns the same domains, or the same error; where the collective brings what a rank
/// did not send, this rank alone may return an error. A node without ranks is unknown.
/// gather_failed: the collective failed, lost, damaged or mixed its parts, a rank is wrong, or some
/// rank could not read its path; the error has its reason. inconsistent: ranks of one node have
/// different paths, and the error names both; or ranks have different layouts. O(world_size) time;
/// 256 bytes a rank while it runs.
template <AllGather Gather>
Result<Domains> gather_domains(const Layout& layout, int rank, const Result<DomainPath>& mine,
                               Gather&& all_gather) {
  detail::DomainRecord record;
  record.rank = rank;
  record.world_size = layout.world_size();
  record.layout =
      detail::layout_digest(layout, detail::layout_step(detail::fnv_start, layout.node_count()));
  record.failed = !mine;
  if (mine) {
    record.path = *mine;
  } else {
    record.reason =
        detail::concat<detail::DomainRecord::longest_text>(message(mine.error()).view());
  }
  std::byte bytes[detail::DomainRecord::bytes] = {};
  record.write(bytes);
  detail::GatheredBytes<detail::DomainRecord::bytes> all(layout.world_size());
  if (const auto error = all.gather(bytes, all_gather)) return *error;
  Result<Domains> domains = detail::domains_from_records(all, layout);
  if (!domains) return domains;
  if (const auto error = all.check_own(rank, bytes)) return *error;
  return domains;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_GATHER_DOMAINS_HPP
