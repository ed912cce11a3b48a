// SPDX-License-Identifier: MIT
// The NVLink domain of a node: a cluster's UUID and the id of a clique in it.
#ifndef RANKMAP_DOMAIN_CLIQUE_HPP
#define RANKMAP_DOMAIN_CLIQUE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

inline constexpr std::string_view not_available = "N/A";

/// Whether the text has the form of a UUID, 8-4-4-4-12 hexadecimal digits.
constexpr bool has_uuid_form(std::string_view text) {
  for (std::size_t i = 0; i != text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : hex_value(text[i]) == 16) return false;
  }
  return text.size() == 36;
}

/// The path of a domain. `text`: what both were found in, for the error.
constexpr Result<DomainPath> clique_path(std::string_view uuid, std::string_view id,
                                         std::string_view subject, std::string_view text) {
  const Number number = parse_number(id);
  if (!has_uuid_form(uuid) || !number || number.value > UINT32_MAX) {
    return error_at(Errc::bad_domain, subject, text,
                    "<ClusterUUID>.<CliqueId>, such as abc9829a-d4c8-491c-8da5-ad28fb34876b.32766",
                    "join both as nvidia-smi -q shows them; a clique id alone names no domain, "
                    "since unrelated racks share it");
  }
  if (uuid.find_first_not_of("0-") == std::string_view::npos) return DomainPath();
  StaticString<47> label;
  for (const char c : uuid) label.append(to_lower(c));
  return DomainPath().with(label.append('.').append_number(number.value), subject);
}

}  // namespace detail

/// Reads `<ClusterUUID>.<CliqueId>`, the text of the Kubernetes label nvidia.com/gpu.clique. The
/// path has one label, with the UUID in lower case.
///
/// Unknown, and no error: an empty text, `N/A`, and a UUID of zeros, which the driver reports where
/// there is no domain. Errors: bad_domain for anything else but a whole UUID and a whole number
/// below 2^32. A clique id alone is refused: unrelated racks have the same one. O(bytes).
constexpr Result<DomainPath> parse_clique(std::string_view text,
                                          std::string_view subject = "nvidia.com/gpu.clique") {
  if (text.empty() || text == detail::not_available) return DomainPath();
  const detail::SplitText parts = detail::split_at(text, '.');
  return detail::clique_path(parts.head, parts.tail.value_or(""), subject, text);
}

/// Reads the `Fabric` blocks of `nvidia-smi -q`, one for each GPU of a node.
///
/// A GPU is in a domain if its State is Completed and its Status Success; else the path is empty,
/// as it is for a text without such a block. Other lines are not read.
///
/// Errors: bad_domain for a block without one of its four values, and as above; inconsistent where
/// the GPUs of one node are not in one domain. O(bytes), no allocation.
constexpr Result<DomainPath> parse_fabric(std::string_view text,
                                          std::string_view subject = "nvidia-smi -q") {
  struct Value {
    std::string_view key;
    std::string_view text = {};
  };
  DomainPath first;
  int blocks = 0;
  detail::ListEntries lines(text, '\n');
  for (bool more = lines.next(); more;) {
    const bool is_block = detail::trimmed(lines.text()) == "Fabric";
    const std::size_t begin = lines.begin();
    more = lines.next();
    if (!is_block) continue;
    Value values[] = {{"State"}, {"Status"}, {"ClusterUUID"}, {"CliqueId"}};
    for (; more; more = lines.next()) {
      const detail::SplitText line = detail::split_at(lines.text(), ':');
      if (!line.tail) break;  // the end of the block
      const std::string_view key = detail::trimmed(line.head);
      for (Value& value : values) {
        if (value.key == key) value.text = detail::trimmed(*line.tail);
      }
    }
    for (const Value& value : values) {
      if (!value.text.empty()) continue;
      return detail::error_at(Errc::bad_domain, subject, text.substr(begin),
                              detail::concat("a value of ", value.key, " in each Fabric block"),
                              "pass the whole output", begin);
    }
    DomainPath path;
    const bool is_in_domain = values[0].text == "Completed" && values[1].text == "Success";
    if (is_in_domain && values[2].text != detail::not_available) {
      const Result<DomainPath> read =
          detail::clique_path(values[2].text, values[3].text, subject, text.substr(begin));
      if (!read) return read;
      path = *read;
    }
    if (blocks++ == 0) first = path;
    if (same_labels(first, path)) continue;
    return detail::error_at(
        Errc::inconsistent, subject, to_string(path),
        detail::concat("the domain of the GPUs before it, ", to_string(first).view()),
        "see why the GPUs of one node are in different NVLink domains");
  }
  return first;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_CLIQUE_HPP
