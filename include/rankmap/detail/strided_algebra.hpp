// SPDX-License-Identifier: MIT
//
// The algebra of strided axes on bare digits: what is left over beside some, and what some are when
// counted through others. Digits are fastest first here; how a list is read is the caller's.
#ifndef RANKMAP_DETAIL_STRIDED_ALGEBRA_HPP
#define RANKMAP_DETAIL_STRIDED_ALGEBRA_HPP

#include <rankmap/detail/mixed_radix.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// What went wrong with digits, for the caller to put into words.
enum class StridedFault : std::uint8_t {
  none,
  overlap,      ///< the digit does not step over whole turns of those below it
  no_whole,     ///< what the digits reach over does not divide the space
  not_aligned,  ///< the digit steps neither over whole turns of an axis nor through whole parts
  beyond,       ///< the digit counts further than there are values
  carry,        ///< digits together leave an axis that each alone stays in
  too_many,     ///< more digits than there is room for
};

struct StridedOutcome {
  MixedRadix digits;
  StridedFault fault = StridedFault::none;
  std::uint32_t digit = 0;  ///< of the argument: where it went wrong
  std::uint32_t other = 0;  ///< of the whole: the digit that it ran into
  std::uint64_t reach = 1;  ///< of a complement: what the digits and the gaps in them reach over
};

/// Digits merged where that changes no value.
constexpr MixedRadix coalesced(const MixedRadix& digits) {
  MixedRadix out;
  for (std::uint32_t k = 0; k != digits.count; ++k) {
    out.push_merged(digits.sizes[k], digits.strides[k]);
  }
  return out;
}

/// The digits that are missing to count each value below `space` once, by ascending stride: those
/// in the gaps, and one that repeats the whole. A space that is no multiple is refused, or rounded
/// up. That the gaps exist is what it means not to overlap, as far as sorting can tell.
constexpr StridedOutcome complement_digits(const MixedRadix& digits, std::uint64_t space,
                                           bool round_up) {
  StridedOutcome out;
  std::uint32_t left = (1U << digits.count) - 1;
  while (left != 0) {
    std::uint32_t next = digits.count;
    for (std::uint32_t k = 0; k != digits.count; ++k) {
      if ((left >> k & 1U) == 0) continue;
      if (next == digits.count || digits.strides[k] < digits.strides[next]) next = k;
    }
    left &= ~(1U << next);
    if (digits.sizes[next] == 1) continue;
    const std::uint64_t stride = digits.strides[next];
    if (stride == 0 || stride % out.reach != 0) {
      out.fault = StridedFault::overlap;
      out.digit = next;
      return out;
    }
    // at most one gap below each digit, and no gap of one: never more than the digits and one
    if (stride != out.reach) {
      out.digits.push_merged(static_cast<std::uint32_t>(stride / out.reach),
                             static_cast<std::uint32_t>(out.reach));
    }
    out.reach = stride * digits.sizes[next];
    out.other = next;
  }
  const std::uint64_t turns = space / out.reach + (round_up && space % out.reach != 0 ? 1 : 0);
  if (turns == 0 || (!round_up && space % out.reach != 0)) {
    out.fault = StridedFault::no_whole;
  } else if (turns != 1 && out.digits.count == std::uint32_t{max_digits}) {
    out.fault = StridedFault::too_many;
  } else if (turns != 1) {
    out.digits.push_merged(static_cast<std::uint32_t>(turns),
                           static_cast<std::uint32_t>(out.reach));
  }
  return out;
}

/// Counts one digit through `whole`, which is coalesced: the values that `whole` has at the counts
/// 0, stride, 2 * stride, ... Adds to `used` how far each digit of `whole` is counted.
constexpr void compose_digit(const MixedRadix& whole, std::uint64_t size, std::uint64_t stride,
                             std::uint64_t (&used)[max_digits], StridedOutcome& out) {
  const auto push = [&](std::uint64_t count, std::uint64_t value) {
    if (out.digits.count == std::uint32_t{max_digits}) {
      out.fault = StridedFault::too_many;
      return;
    }
    out.digits.push(static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(value));
  };
  if (size == 1) return;
  if (stride == 0) return push(size, 0);
  if (stride * (size - 1) >= whole.total()) {
    out.fault = StridedFault::beyond;
    return;
  }
  // what is left of the digit stays below what is left of `whole`, so it ends in the loop
  for (std::uint32_t k = 0; k != whole.count && size != 1; ++k) {
    const std::uint64_t turn = whole.sizes[k];
    const std::uint64_t value = whole.strides[k];
    out.other = k;
    if (stride * (size - 1) < turn) {
      used[k] += stride * (size - 1);
      push(size, stride * value);
      return;
    }
    if (stride % turn == 0) {
      stride /= turn;
      continue;
    }
    const std::uint64_t part = turn / stride;
    if (turn % stride != 0 || size % part != 0) {
      out.fault = StridedFault::not_aligned;
      return;
    }
    used[k] += (part - 1) * stride;
    push(part, stride * value);
    size /= part;
    stride = 1;
  }
}

/// Counts `counter` through `whole`: the value of a count is that of `whole` at the value of
/// `counter`.
constexpr StridedOutcome compose_digits(const MixedRadix& whole, const MixedRadix& counter) {
  const MixedRadix merged = coalesced(whole);
  StridedOutcome out;
  std::uint64_t used[max_digits] = {};
  for (std::uint32_t k = 0; k != counter.count; ++k) {
    out.digit = k;
    compose_digit(merged, counter.sizes[k], counter.strides[k], used, out);
    for (std::uint32_t j = 0; j != merged.count && out.fault == StridedFault::none; ++j) {
      if (used[j] < merged.sizes[j]) continue;
      out.fault = StridedFault::carry;
      out.other = j;
    }
    if (out.fault != StridedFault::none) return out;
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_STRIDED_ALGEBRA_HPP
