// SPDX-License-Identifier: MIT
// Where a node is above the node: its block, its rack, its switch, as a path of names.
#ifndef RANKMAP_DOMAIN_DOMAIN_PATH_HPP
#define RANKMAP_DOMAIN_DOMAIN_PATH_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace rankmap::inline v0 {

/// The domains that a node is in, outermost first: block, rack, switch. What is not known is not in
/// the path: an empty path knows nothing, and a path of two labels knows nothing from level 2 on.
///
/// A label means something only below the labels in front of it: `rack1` of block `a` is another
/// rack than `rack1` of block `b`. Labels are compared byte for byte.
///
/// There is no operator==, since two unknown paths look alike and need not be. Ask same_domain()
/// or same_labels(). Held in place, trivially copyable, constexpr.
class DomainPath {
 public:
  static constexpr int max_levels = 8;
  static constexpr std::size_t max_bytes = 216;  ///< of all labels together

  /// Nothing is known.
  constexpr DomainPath() = default;

  /// A path of these labels, outermost first. `subject` names them in errors: a variable, a file.
  ///
  /// Errors: bad_domain for a label that is empty or holds a control byte; limit_exceeded for more
  /// than 8 labels, or 216 bytes in all. O(bytes).
  static constexpr Result<DomainPath> from_labels(std::initializer_list<std::string_view> labels,
                                                  std::string_view subject = "domain label") {
    Result<DomainPath> path = DomainPath();
    for (const std::string_view label : labels) {
      path = path->with(label, subject);
      if (!path) break;
    }
    return path;
  }

  /// This path with one more label, the innermost. Errors: as above. O(1).
  constexpr Result<DomainPath> with(std::string_view label,
                                    std::string_view subject = "domain label") const {
    const std::size_t used = end_of(depth());
    bool printable = true;
    for (const char c : label) printable = printable && !detail::is_control(c);
    if (label.empty() || !printable) {
      return detail::error_at(Errc::bad_domain, subject, label,
                              "a name of a domain without control bytes",
                              "correct it, or leave it out where it is not known");
    }
    if (depth_ == max_levels || label.size() > max_bytes - used) {
      return detail::error_at(Errc::limit_exceeded, subject, label,
                              "at most 8 labels, of 216 bytes in all",
                              "leave out the levels that are not needed");
    }
    DomainPath out = *this;
    for (std::size_t i = 0; i != label.size(); ++i) out.text_[used + i] = label[i];
    out.ends_[depth_] = static_cast<std::uint8_t>(used + label.size());
    ++out.depth_;
    return out;
  }

  /// How many levels are known, from the outermost on.
  constexpr int depth() const { return depth_; }
  /// Whether the domain of a level is known; level 0 is the outermost.
  constexpr bool is_known(int level = 0) const { return level >= 0 && level < depth_; }
  /// The label of a level; empty where it is not known. Valid while this path lives.
  constexpr std::string_view label(int level) const RANKMAP_LIFETIMEBOUND {
    if (!is_known(level)) return {};
    const std::size_t begin = end_of(level);
    return std::string_view(text_, max_bytes).substr(begin, end_of(level + 1) - begin);
  }

 private:
  // Where the labels in front of a level end.
  constexpr std::size_t end_of(int level) const { return level == 0 ? 0 : ends_[level - 1]; }

  char text_[max_bytes] = {};
  std::uint8_t ends_[max_levels] = {};
  std::uint8_t depth_ = 0;
};

/// Whether both are known to be in one domain of this level: both paths reach it, and agree down to
/// it. So a path that knows nothing is in no domain with itself. O(bytes).
constexpr bool same_domain(const DomainPath& a, const DomainPath& b, int level) {
  if (!a.is_known(level) || !b.is_known(level)) return false;
  for (int i = 0; i <= level; ++i) {
    if (a.label(i) != b.label(i)) return false;
  }
  return true;
}

/// Whether both have the same labels, none included: whether two sources say the same, which is
/// not whether two nodes are in one place. O(bytes).
constexpr bool same_labels(const DomainPath& a, const DomainPath& b) {
  return a.depth() == b.depth() && (a.depth() == 0 || same_domain(a, b, a.depth() - 1));
}

/// The labels with `/` between them, for people; `?` where nothing is known.
constexpr StaticString<DomainPath::max_bytes + DomainPath::max_levels> to_string(
    const DomainPath& path) {
  StaticString<DomainPath::max_bytes + DomainPath::max_levels> out(path.is_known() ? "" : "?");
  for (int level = 0; level != path.depth(); ++level) {
    out.append(level == 0 ? "" : "/").append(path.label(level));
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_DOMAIN_PATH_HPP
