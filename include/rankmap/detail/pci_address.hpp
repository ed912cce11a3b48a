// SPDX-License-Identifier: MIT
// PCI addresses in one spelling. Runtimes and tools write the same address in several.
#ifndef RANKMAP_DETAIL_PCI_ADDRESS_HPP
#define RANKMAP_DETAIL_PCI_ADDRESS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Whether a text is a domain of 4 to 8 hexadecimal digits and then `form`, where each '0' stands
/// for a hexadecimal digit.
constexpr bool is_pci_name(std::string_view text, std::string_view form) {
  std::size_t domain = 0;
  while (domain < text.size() && hex_value(text[domain]) <= 15) ++domain;
  if (domain < 4 || domain > 8 || text.size() - domain != form.size()) return false;
  for (std::size_t i = 0; i != form.size(); ++i) {
    const char c = text[domain + i];
    if (form[i] == '0' ? hex_value(c) > 15 : c != form[i]) return false;
  }
  return true;
}

/// "0000:06:00.0" from any spelling (upper case, a domain of 8 digits); empty for any other text.
constexpr StaticString<15> pci_address(std::string_view text) {
  if (text.size() == 16 && text.substr(0, 4) == "0000") text.remove_prefix(4);
  StaticString<15> out;
  if (text.size() != 12 || !is_pci_name(text, ":00:00.0")) return out;
  for (const char c : text) out.append(to_lower(c));
  return out;
}

/// Which of two addresses comes first: below, at or above 0, as std::string_view::compare. An empty
/// one, of a device whose place is not known, comes last.
constexpr int compare_pci(std::string_view a, std::string_view b) {
  return a.empty() == b.empty() ? a.compare(b) : a.empty() ? 1 : -1;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_PCI_ADDRESS_HPP
