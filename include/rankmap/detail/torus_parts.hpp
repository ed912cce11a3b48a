// SPDX-License-Identifier: MIT
//
// Which axes of a torus each axis of a mesh takes: whole ones where that works out, else parts.
#ifndef RANKMAP_DETAIL_TORUS_PARTS_HPP
#define RANKMAP_DETAIL_TORUS_PARTS_HPP

#include <rankmap/detail/mixed_radix.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// What one mesh axis takes of each torus axis. Kept as what is beyond 1, which stands for nothing:
/// g++ 12 makes zeros of some elements where an array of such arrays should start with ones.
class TorusShare {
 public:
  constexpr std::uint32_t operator[](std::uint32_t axis) const { return beyond_one_[axis] + 1; }
  constexpr void set(std::uint32_t axis, std::uint32_t part) { beyond_one_[axis] = part - 1; }
  friend constexpr bool operator==(const TorusShare&, const TorusShare&) = default;

 private:
  std::uint32_t beyond_one_[max_digits] = {};
};

struct Torus {
  std::uint32_t sizes[max_digits] = {};
  std::uint32_t count = 0;
  friend constexpr bool operator==(const Torus&, const Torus&) = default;
};

/// The torus axes, as bits, that make `wanted` together: of `how_many` free ones, the first in
/// lexical order; 0 if there are none.
constexpr std::uint32_t whole_torus_axes(const Torus& torus, std::uint32_t free,
                                         std::uint32_t first, std::uint32_t how_many,
                                         std::uint32_t wanted) {
  for (std::uint32_t p = first; p != torus.count; ++p) {
    if ((free >> p & 1U) == 0 || wanted % torus.sizes[p] != 0) continue;
    const std::uint32_t rest = wanted / torus.sizes[p];
    if (how_many == 1) {
      if (rest == 1) return 1U << p;
      continue;
    }
    const std::uint32_t others = whole_torus_axes(torus, free, p + 1, how_many - 1, rest);
    if (others != 0) return others | 1U << p;
  }
  return 0;
}

/// Parts of torus axes for one mesh axis, the best of all that are left.
class TorusSplit {
 public:
  /// `used`: how much of each torus axis the mesh axes before it took. Precondition: what is left
  /// is a multiple of `wanted`, which makes sure that there is an answer.
  constexpr TorusSplit(const Torus& torus, const TorusShare& used, std::uint32_t wanted)
      : torus_(torus) {
    for (std::uint32_t p = 0; p != torus.count; ++p) {
      left_.set(p, torus.sizes[p] / used[p]);
      is_shared_[p] = used[p] > 1;
    }
    search(0, wanted);
  }
  constexpr const TorusShare& best() const { return best_; }

 private:
  // By descending parts, so that of equally good answers the last in lexical order is found first.
  constexpr void search(std::uint32_t axis, std::uint32_t rest) {
    if (axis == torus_.count) {
      if (rest == 1) keep();
      return;
    }
    std::uint32_t low = 1;
    for (; low <= left_[axis] / low; ++low) try_part(axis, rest, left_[axis] / low, low);
    for (--low; low != 0; --low) {
      if (left_[axis] / low != low) try_part(axis, rest, low, left_[axis] / low);
    }
  }
  constexpr void try_part(std::uint32_t axis, std::uint32_t rest, std::uint32_t part,
                          std::uint32_t other) {
    if (part * other != left_[axis] || rest % part != 0) return;
    trial_.set(axis, part);
    search(axis + 1, rest / part);
    trial_.set(axis, 1);
  }
  // What whole axes make of it, how many they are, and what it shares with axes before it.
  struct Worth {
    std::uint32_t values[3] = {1, 0, 1};
  };
  constexpr Worth worth() const {
    Worth out;
    for (std::uint32_t p = 0; p != torus_.count; ++p) {
      const std::uint32_t part = trial_[p];
      if (part == torus_.sizes[p] && part > 1) {
        out.values[0] *= part;
        ++out.values[1];
      }
      if (is_shared_[p]) out.values[2] *= part;
    }
    return out;
  }
  constexpr void keep() {
    const Worth found = worth();
    for (int i = 0; found_ && i != 3; ++i) {
      if (found.values[i] < best_worth_.values[i]) return;
      if (found.values[i] > best_worth_.values[i]) break;
      if (i == 2) return;
    }
    found_ = true;
    best_worth_ = found;
    best_ = trial_;
  }

  Torus torus_;
  TorusShare left_;
  bool is_shared_[max_digits] = {};
  TorusShare trial_;
  TorusShare best_;
  Worth best_worth_;
  bool found_ = false;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_TORUS_PARTS_HPP
