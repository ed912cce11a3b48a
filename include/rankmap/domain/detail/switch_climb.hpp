// SPDX-License-Identifier: MIT
// From the switches that list a host to its path.
#ifndef RANKMAP_DOMAIN_DETAIL_SWITCH_CLIMB_HPP
#define RANKMAP_DOMAIN_DETAIL_SWITCH_CLIMB_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/detail/read_switches.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Collects the switches above a host: first those that list it, then all above these. One climb
/// after the other costs no more than the switches that it meets.
class SwitchClimb {
 public:
  /// Both are viewed.
  constexpr SwitchClimb(const SwitchTable& table, std::string_view text)
      : table_(table), text_(text), is_met_(table.switches.size()) {}

  /// Adds a switch, if it is not there.
  constexpr void add(std::uint32_t i) {
    if (is_met_[i]) return;
    is_met_[i] = true;
    met_.push_back(i);
  }

  /// The path below the switches that were added. Forgets them.
  constexpr Result<DomainPath> finish() {
    for (std::size_t k = 0; k < met_.size(); ++k) {
      const SwitchRow& row = table_.switches[met_[k]];
      for (std::size_t p = row.first_parent; p != row.first_parent + row.parents; ++p) {
        add(table_.parents[p]);
      }
    }
    merge_sort(met_, [this](std::uint32_t a, std::uint32_t b) {
      const int level_a = table_.switches[a].level;
      const int level_b = table_.switches[b].level;
      return level_a != level_b ? level_a < level_b : a < b;
    });
    const Result<DomainPath> out = path();
    for (std::size_t k = 0; k < met_.size(); ++k) is_met_[met_[k]] = false;
    met_.clear();
    return out;
  }

 private:
  // Of switches by level, and in the order of the text in each.
  constexpr Result<DomainPath> path() const {
    SmallString labels[DomainPath::max_levels];
    std::size_t k = 0;
    for (int level = 0; level != table_.levels; ++level) {
      HostListBuilder list;
      const std::size_t first = k;
      for (; k < met_.size() && table_.switches[met_[k]].level == level; ++k) list.add(name(k));
      if (k == first) {
        if (level != 0) labels[level] = labels[level - 1];
        continue;
      }
      const Result<HostList> several = list.finish();
      if (!several) return several.error();
      labels[level] = k - first == 1 ? SmallString(name(first)) : several->str();
    }
    Result<DomainPath> out = DomainPath();
    for (int level = table_.levels; level-- != 0 && !labels[level].empty();) {
      out = out->with(labels[level], "switches of a host");
      if (!out) break;
    }
    return out;
  }
  constexpr std::string_view name(std::size_t k) const {
    return table_.switches[met_[k]].name.in(text_);
  }

  const SwitchTable& table_;
  std::string_view text_;
  SmallVector<bool, 64> is_met_;
  Indices met_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_SWITCH_CLIMB_HPP
