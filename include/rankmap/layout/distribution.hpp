// SPDX-License-Identifier: MIT
// The order in which ranks are assigned to nodes. How many each has is a question of its own.
#ifndef RANKMAP_LAYOUT_DISTRIBUTION_HPP
#define RANKMAP_LAYOUT_DISTRIBUTION_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

enum class DistributionKind : std::uint8_t {
  block,      ///< fill node 0, then node 1, ...
  cyclic,     ///< one rank to each node in turn, full nodes skipped
  plane,      ///< `plane_size` ranks to each node in turn, full nodes skipped
  arbitrary,  ///< no rule: only the node of each rank describes it
};

/// "block", "cyclic", "plane" or "arbitrary".
constexpr std::string_view name(DistributionKind kind) {
  return detail::enumerator("block\0cyclic\0plane\0arbitrary", kind);
}

/// The order of ranks on nodes: `Distribution::block`, `Distribution::cyclic`,
/// `Distribution::plane(4)`, `Distribution::arbitrary`.
struct Distribution {
  DistributionKind kind = DistributionKind::block;
  int plane_size = 0;  ///< at least 1 for plane; 0 for every other kind

  static const Distribution block;
  static const Distribution cyclic;
  static const Distribution arbitrary;
  /// Precondition: size >= 1.
  static constexpr Distribution plane(int size) { return {DistributionKind::plane, size}; }

  /// Reads SLURM_DISTRIBUTION: `cyclic`, `block:cyclic:fcyclic`, `block,pack`, `plane`, `pack`.
  /// Only the first level places ranks on nodes; what follows ':' and ',' is checked and not kept.
  ///
  /// `plane_size`: the text of SLURM_DIST_PLANESIZE, if set; a size in `text` (`plane=4`) wins.
  /// `subject` and `plane_subject`: what errors call the two texts. Errors: `bad_layout` for any
  /// other word, for plane without its size and for one outside [1, 2^31). O(length).
  RANKMAP_NOINLINE static constexpr Result<Distribution> parse(
      std::string_view text, std::optional<std::string_view> plane_size = std::nullopt,
      std::string_view subject = "distribution", std::string_view plane_subject = "plane size") {
    constexpr std::string_view remedy = "unset it; in the program, pass Config::distribution";
    const auto failed = [&](std::string_view expected, std::size_t at) {
      return detail::error_at(Errc::bad_layout, subject, text, expected, remedy, at);
    };
    const auto is_option = [](std::string_view word) { return word == "pack" || word == "nopack"; };
    const auto word_end = [text](std::size_t at) {
      while (at != text.size() && text[at] != ':' && text[at] != ',') ++at;
      return at;
    };

    std::size_t end = word_end(0);
    std::string_view word = text.substr(0, end);
    constexpr std::string_view with_size = "plane=";
    if (word.substr(0, with_size.size()) == with_size) {
      plane_size = word.substr(with_size.size());
      plane_subject = subject;
      word = "plane";
    }
    detail::Optional<Distribution> found;
    for (const DistributionKind kind : {DistributionKind::block, DistributionKind::cyclic,
                                        DistributionKind::plane, DistributionKind::arbitrary}) {
      if (word == name(kind)) found = Distribution{kind, 0};
    }
    // Slurm chooses: block, or cyclic where a node has one task at most, which is the same.
    if (is_option(word)) found = Distribution{DistributionKind::block, 0};
    if (!found) return failed("block, cyclic, plane or arbitrary", 0);

    for (std::size_t level = 1; end != text.size(); ++level) {
      const bool is_level = text[end] == ':';
      const std::size_t start = end + 1;
      end = word_end(start);
      word = text.substr(start, end - start);
      if (!is_level && !is_option(word)) return failed("pack or nopack after ','", start);
      const bool is_known = word == "block" || word == "cyclic" || word == "fcyclic" || word == "*";
      if (is_level && (!is_known || level > 2)) {
        return failed("up to two of block, cyclic and fcyclic after ':'", start);
      }
    }

    if (found->kind == DistributionKind::plane) {
      if (!plane_size) {
        return detail::error_missing(Errc::bad_layout, plane_subject,
                                     "the plane size of distribution plane",
                                     "set it; in the program, pass Config::distribution");
      }
      const detail::Number size = detail::parse_number(*plane_size);
      if (!size || size.value == 0 || size.value > INT32_MAX) {
        return detail::error_at(Errc::bad_layout, plane_subject, *plane_size,
                                "a plane size in [1, 2147483648)", remedy);
      }
      found->plane_size = static_cast<int>(size.value);
    }
    return *found;
  }

  friend constexpr bool operator==(const Distribution&, const Distribution&) = default;
};
inline constexpr Distribution Distribution::block{DistributionKind::block, 0};
inline constexpr Distribution Distribution::cyclic{DistributionKind::cyclic, 0};
inline constexpr Distribution Distribution::arbitrary{DistributionKind::arbitrary, 0};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAYOUT_DISTRIBUTION_HPP
