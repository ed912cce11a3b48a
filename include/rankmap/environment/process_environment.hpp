// SPDX-License-Identifier: MIT
//
// The variables of this process.
#ifndef RANKMAP_ENVIRONMENT_PROCESS_ENVIRONMENT_HPP
#define RANKMAP_ENVIRONMENT_PROCESS_ENVIRONMENT_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The process's own environment, through std::getenv.
///
/// There is no portable way to read the environment while another thread changes it: resolve the
/// topology early in main, once, and keep the object. Cost: one std::getenv (O(variables)) for
/// each look-up; no allocation.
struct ProcessEnvironment {
  std::optional<std::string_view> operator()(std::string_view name) const {
    // getenv wants an ending NUL, which a string_view does not promise.
    char buffer[longest_name + 1];
    if (name.size() > longest_name) return std::nullopt;
    std::size_t size = 0;
    for (const char c : name) {
      if (c == '\0' || c == '=') return std::nullopt;  // getenv would find the name before it
      buffer[size++] = c;
    }
    buffer[size] = '\0';
#if defined(_MSC_VER)
#pragma warning(push)
#pragma warning(disable : 4996)  // the text is read at once and copied, before anyone can free it
#endif
    const char* const text = std::getenv(buffer);
#if defined(_MSC_VER)
#pragma warning(pop)
#endif
    if (text == nullptr) return std::nullopt;
    return std::string_view(text);
  }

  /// Longer names count as unset, since no launcher sets one; so do names with a NUL or '=' in
  /// them.
  static constexpr std::size_t longest_name = 127;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_PROCESS_ENVIRONMENT_HPP
