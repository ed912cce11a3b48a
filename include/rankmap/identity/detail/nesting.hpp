// SPDX-License-Identifier: MIT
// Which of two records is the inner one, that of the launcher that started this process last, as
// the processes above prove it. The facts come from history.hpp.
#ifndef RANKMAP_IDENTITY_DETAIL_NESTING_HPP
#define RANKMAP_IDENTITY_DETAIL_NESTING_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// What the processes above this one say about one record. Generations count upwards: 0 is this
/// process, 1 its parent.
struct NestingEvidence {
  /// The process that set the record's variables. Unless `exact`, it or one above it set them.
  int setter = 0;
  bool exact = false;
  /// The nearest process with a name of the record's launcher; 0: there is none.
  int starter = 0;
  /// Any script may export the record's names.
  bool generic = false;
  /// How far above the setter the older one of rank and local rank was set, in generations: a
  /// script that exports such names may set one alone.
  int spread = 0;

  friend constexpr bool operator==(const NestingEvidence&, const NestingEvidence&) = default;
};

enum class Inner : std::uint8_t { unknown, first, second };

/// What shows which of two records is the inner one.
enum class NestingProof : std::uint8_t {
  none,
  setter,   ///< a process nearer to this one set it
  starter,  ///< a process nearer to this one has the name of its launcher
};

struct Nesting {
  Inner inner = Inner::unknown;
  NestingProof proof = NestingProof::none;

  friend constexpr bool operator==(const Nesting&, const Nesting&) = default;
};

/// Whether `a`, its older number too, was set nearer to this process than any of `b`. A starter of
/// `b` that is nearer still may have set `b` anew, to the same texts.
constexpr bool is_set_nearer(const NestingEvidence& a, const NestingEvidence& b) {
  const bool may_be_anew = b.starter != 0 && b.starter < a.setter;
  return a.exact && !may_be_anew && a.setter + a.spread < b.setter;
}

/// Whether the starter of `a` started this process, and `b` was there before. A wrapper that ends
/// in `exec` leaves no process, so that names which any script may export can be newer than the
/// starter. So can variables that a process below the starter set, or may have set.
constexpr bool is_started_nearer(const NestingEvidence& a, const NestingEvidence& b) {
  const bool is_nearest = a.starter != 0 && (b.starter == 0 || a.starter < b.starter);
  return is_nearest && !b.generic && b.setter >= a.starter;
}

/// The decision. What set a variable last says more than the name of a process, so it comes first.
constexpr Nesting nesting_of(const NestingEvidence& a, const NestingEvidence& b) {
  if (is_set_nearer(a, b)) return {Inner::first, NestingProof::setter};
  if (is_set_nearer(b, a)) return {Inner::second, NestingProof::setter};
  if (is_started_nearer(a, b)) return {Inner::first, NestingProof::starter};
  if (is_started_nearer(b, a)) return {Inner::second, NestingProof::starter};
  return {};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_NESTING_HPP
