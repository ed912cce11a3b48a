// SPDX-License-Identifier: MIT
//
// All that an environment visits, as one text: NAME=value; for each variable.
#ifndef RANKMAP_TESTS_LISTED_HPP
#define RANKMAP_TESTS_LISTED_HPP

#include <rankmap/static_string.hpp>

#include <string_view>

namespace rankmap_test {

template <class Env>
constexpr rankmap::StaticString<255> listed(const Env& environment) {
  rankmap::StaticString<255> out;
  environment.for_each([&](std::string_view name, std::string_view text) {
    out.append(name).append("=").append(text).append(";");
  });
  return out;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_LISTED_HPP
