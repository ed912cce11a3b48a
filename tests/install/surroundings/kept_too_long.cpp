// SPDX-License-Identifier: MIT
//
// Each of these lines reads what is gone, and the compiler has to say so.
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/result.hpp>

#include <cstdio>
#include <string_view>

rankmap::Error any_error() { return {}; }

int main() {
#if defined(RANKMAP_LOOP)
  for (const char c : message(any_error()).view()) std::putchar(c);
#elif defined(RANKMAP_TEXT)
  const std::string_view text = message(any_error());
  std::printf("%zu\n", text.size());
#elif defined(RANKMAP_VALUE)
  for (const auto& host : rankmap::HostList::parse("n[1-3]").value()) std::puts(host.c_str());
#endif
}
