// SPDX-License-Identifier: MIT
// Which of two records is the inner one, that of the launcher that started this process last, as
// the processes above prove it. The facts come from history.hpp.
#ifndef RANKMAP_IDENTITY_DETAIL_NESTING_HPP
#define RANKMAP_IDENTITY_DETAIL_NESTING_HPP

#include <rankmap/identity/diagnostics.hpp>

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
  /// How far above the setter the older one of rank and local rank was set, in generations. Known
  /// for names that scripts set: a script may set one of them alone.
  int spread = 0;
  /// The process that later set a name which goes with the record's, and so may have set these
  /// anew, to the same texts; -1: there is none.
  int companion = -1;

  friend constexpr bool operator==(const NestingEvidence&, const NestingEvidence&) = default;
};

/// Whether `a`, its older number too, was set nearer to this process than any of `b`. A starter of
/// `b` that is nearer still may have set `b` anew, to the same texts.
constexpr bool is_set_nearer(const NestingEvidence& a, const NestingEvidence& b) {
  const bool may_be_anew =
      (b.starter != 0 && b.starter < a.setter) || (b.companion != -1 && b.companion <= a.setter);
  return a.exact && !may_be_anew && a.setter + a.spread < b.setter;
}

/// Whether the starter of `a` started this process, and `b` was there before. A wrapper that ends
/// in `exec` leaves no process, so that names which any script may export can be newer than the
/// starter. So can variables that a process below the starter set, or may have set.
constexpr bool is_started_nearer(const NestingEvidence& a, const NestingEvidence& b) {
  const bool is_nearest = a.starter != 0 && (b.starter == 0 || a.starter < b.starter);
  return is_nearest && !b.generic && b.setter >= a.starter;
}

/// The decision: what proves that `a` is inside `b`, by a process nearer to this one that set it,
/// or that has the name of its launcher. What set a variable last says more than the name of a
/// process, so it comes first.
constexpr ProofKind proof_of_inner(const NestingEvidence& a, const NestingEvidence& b) {
  if (is_set_nearer(a, b)) return ProofKind::set_later;
  const bool is_starter = !is_set_nearer(b, a) && is_started_nearer(a, b);
  return is_starter ? ProofKind::starter : ProofKind::none;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_NESTING_HPP
