// SPDX-License-Identifier: MIT
// Processes that could not tell which rank they are. They have no record, but they can say why, and
// that is what whoever looks for a missing rank needs first.
#ifndef RANKMAP_JOB_REFUSALS_HPP
#define RANKMAP_JOB_REFUSALS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/json_writer.hpp>
#include <rankmap/detail/rank_hash_table.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

/// A process that could not tell which rank it is, and why. describe() makes one.
struct Refusal {
  /// The most that its line of JSON with the newline takes: srun sends up to 1023 bytes whole.
  static constexpr std::size_t bytes = 1000;
  /// Rises when a key changes its meaning or is removed.
  static constexpr int schema = 1;

  Message message;        ///< message(error)
  StaticString<63> host;  ///< empty: not known
  std::uint32_t pid_namespace = 0;
  int pid = -1;

  friend constexpr bool operator==(const Refusal&, const Refusal&) = default;
};

/// What a process says instead of a record, if it got an error instead of a topology.
constexpr Refusal describe(const Error& error, const ProcessFacts& process = {}) {
  Refusal out;
  out.message = message(error);
  out.host = detail::recorded<63>(process.host);
  out.pid_namespace = process.pid_namespace;
  out.pid = process.pid < -1 ? -1 : process.pid;
  return out;
}

namespace detail {
using RefusalLine = StaticString<Refusal::bytes - 1>;
}  // namespace detail

/// Writes `refusal` as one JSON object in one line of printable ASCII without a newline, at most
/// 999 bytes long. `out`: any callable that takes a std::string_view; it receives the line in one
/// piece. A message for which there is no room is cut. The last key is a checksum. O(1), constexpr.
template <class Out>
constexpr void write_json(const Refusal& refusal, Out&& out) {
  detail::RefusalLine line;
  const auto append = [&line](std::string_view piece) { line.append(piece); };
  // What follows a message takes less than 200 bytes; what a quote in it takes is not known before.
  for (std::size_t size = refusal.message.size();; size -= size / 8 + 1) {
    line = detail::RefusalLine(detail::refusal_marker);
    line.append_number(Refusal::schema).append(',');
    detail::JsonWriter json(append);
    json.key("message").string(refusal.message.view().substr(0, size));
    if (!refusal.host.empty()) json.key("host").string(refusal.host);
    if (refusal.pid >= 0) json.key("pid").number(refusal.pid);
    if (refusal.pid_namespace != 0) json.key("pid_ns").number(refusal.pid_namespace);
    detail::close_line(line);
    if (!line.cut()) break;
  }
  out(line.view());
}

/// Processes that say the same: their messages differ in numbers at most.
struct Complaint {
  Message message;             ///< of all of them, the first in the order of texts
  StaticString<63> host;       ///< of a process that said this one; empty: not known
  std::int64_t processes = 0;  ///< that wrote a line of JSON
  std::int64_t lines = 0;      ///< `rankmap: message`, which may be of the same processes

  /// How many processes said so, at least.
  constexpr std::int64_t count() const { return processes > lines ? processes : lines; }
};

/// All that was found in the output of a job of processes that could not tell which rank they are.
class Refusals {
 public:
  /// Of further different messages only the number is kept.
  static constexpr std::size_t max_complaints = 16;
  [[deprecated("use max_complaints")]] static constexpr std::size_t most_complaints =
      max_complaints;

  /// The most frequent first. The span views this object.
  constexpr std::span<const Complaint> complaints() const RANKMAP_LIFETIMEBOUND {
    return complaints_;
  }
  constexpr bool empty() const { return complaints_.empty(); }
  /// How many processes, at least.
  constexpr std::int64_t count() const {
    std::int64_t count = others_;
    for (const Complaint& complaint : complaints()) count += complaint.count();
    return count;
  }

  /// Adds what a process said, unless it was there before. O(1) on average.
  constexpr void add(const Refusal& refusal) {
    std::uint64_t digest =
        detail::fnv_word(refusal.pid_namespace, static_cast<std::uint32_t>(refusal.pid));
    digest = detail::hash_text(refusal.host, digest);
    if (!is_new(detail::hash_text(refusal.message, digest))) return;
    add_to(refusal.message, refusal.host, &Complaint::processes);
  }
  /// Adds a message that was printed as text.
  constexpr void add_line(const Message& message) { add_to(message, {}, &Complaint::lines); }

 private:
  /// Whether two messages differ in numbers at most.
  static constexpr bool is_alike(std::string_view a, std::string_view b) {
    const auto skip_number = [](std::string_view& text) {
      while (!text.empty() && detail::is_digit(text.front())) text.remove_prefix(1);
    };
    for (;;) {
      if (!a.empty() && !b.empty() && a.front() == b.front()) {
        a.remove_prefix(1);
        b.remove_prefix(1);
        continue;
      }
      // One of them may be at the end of its number, which then is the longer one's beginning.
      const std::size_t before = a.size() + b.size();
      skip_number(a);
      skip_number(b);
      if (a.size() + b.size() == before) return before == 0;
    }
  }

  constexpr void add_to(const Message& message, const StaticString<63>& host,
                        std::int64_t Complaint::*counter) {
    std::size_t at = 0;
    while (at != complaints_.size() && !is_alike(complaints_[at].message, message)) ++at;
    if (at == complaints_.size()) {
      if (at == max_complaints) {
        ++others_;
        return;
      }
      complaints_.push_back({message, host});
    }
    Complaint& complaint = complaints_[at];
    ++(complaint.*counter);
    const bool is_first = message < complaint.message;
    const bool has_first_host = message == complaint.message && !host.empty() &&
                                (complaint.host.empty() || host < complaint.host);
    if (is_first) complaint.message = message;
    if (is_first || has_first_host) complaint.host = host;
    // A count only rises, and the first message only comes earlier.
    for (; at != 0 && comes_before(complaints_[at], complaints_[at - 1]); --at) {
      std::swap(complaints_[at], complaints_[at - 1]);
    }
  }
  static constexpr bool comes_before(const Complaint& a, const Complaint& b) {
    return a.count() != b.count() ? a.count() > b.count() : a.message < b.message;
  }

  /// Adds a digest; false if it was there.
  constexpr bool is_new(std::uint64_t digest) {
    const auto first_of = [this](std::size_t place) {
      return detail::to_size(places_.insert(static_cast<int>(place), seen_[place], [&](int other) {
        return seen_[detail::to_size(other)] == seen_[place];
      }));
    };
    if (seen_.size() == room_) {
      room_ *= 4;
      places_ = detail::RankHashTable(room_);
      for (std::size_t i = 0; i < seen_.size(); ++i) (void)first_of(i);
    }
    const std::size_t last = seen_.size();
    seen_.push_back(digest);
    if (first_of(last) != last) seen_.resize(last);
    return seen_.size() != last;
  }

  detail::SmallVector<Complaint, 1> complaints_;
  std::int64_t others_ = 0;
  detail::SmallVector<std::uint64_t, 1> seen_;  // digests of processes
  std::size_t room_ = 8;                        // for digests in `places_`
  detail::RankHashTable places_{8};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_REFUSALS_HPP
