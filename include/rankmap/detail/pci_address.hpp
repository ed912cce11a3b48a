// SPDX-License-Identifier: MIT
// PCI addresses in one spelling. Runtimes and tools write the same address in several.
#ifndef RANKMAP_DETAIL_PCI_ADDRESS_HPP
#define RANKMAP_DETAIL_PCI_ADDRESS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// "0000:06:00.0" from any spelling of a PCI address (upper case, a domain of 8 digits); empty for
/// any other text.
constexpr StaticString<15> pci_address(std::string_view text) {
  if (text.size() == 16 && text.substr(0, 4) == "0000") text.remove_prefix(4);
  StaticString<15> out;
  if (text.size() != 12) return out;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char wanted = i == 4 || i == 7 ? ':' : i == 10 ? '.' : '0';
    if (wanted == '0' ? hex_value(text[i]) > 15 : text[i] != wanted) return {};
    out.append(to_lower(text[i]));
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PCI_ADDRESS_HPP
