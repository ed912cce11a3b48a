// SPDX-License-Identifier: MIT
// Ranks and world sizes of other types, as the int that rankmap counts with.
#ifndef RANKMAP_DETAIL_AS_INT_HPP
#define RANKMAP_DETAIL_AS_INT_HPP

#include <rankmap/result.hpp>

#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// `number`, of any width. Fails as Result::value() does where no int holds it.
template <class Integer>
constexpr int as_int(std::string_view subject, Integer number) {
  if (!std::in_range<int>(number)) {
    throw_error(out_of_range(subject, number, "a number that fits int",
                             "pass the number from the launcher"));
  }
  return static_cast<int>(number);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_AS_INT_HPP
