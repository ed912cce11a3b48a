// SPDX-License-Identifier: MIT
// Devices and NICs in PCI order, and how far each device is from each NIC.
#ifndef RANKMAP_DEVICE_DETAIL_NIC_COSTS_HPP
#define RANKMAP_DEVICE_DETAIL_NIC_COSTS_HPP

#include <rankmap/device/nic.hpp>
#include <rankmap/device/pci_distance.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

inline constexpr int nic_capacity = 64;

/// Places in the caller's list, up to 64, in PCI order; those without an address come last, as
/// given.
class PciOrder {
 public:
  constexpr int size() const { return size_; }
  constexpr int operator[](int i) const { return order_[i]; }

  /// Inserts index `i` of the list. `place_of(i)` is its place. Precondition: size() < 64.
  template <class PlaceOf>
  constexpr void insert(int i, const PlaceOf& place_of) {
    int at = size_++;
    for (; at > 0 && before(place_of(i), place_of(order_[at - 1])); --at) {
      order_[at] = order_[at - 1];
    }
    order_[at] = i;
  }

 private:
  static constexpr bool before(const PciPlace& a, const PciPlace& b) {
    if (a.address.empty() || b.address.empty()) return !a.address.empty() && b.address.empty();
    return a.address.view() < b.address.view();
  }
  int size_ = 0;
  int order_[static_cast<std::size_t>(nic_capacity)] = {};
};

/// How good a NIC is; 0: not to be used. Of two numbers the higher one is better. What is not known
/// is behind what is.
constexpr std::uint64_t nic_quality(const Nic& nic) {
  if (!unusable_reason(nic).empty()) return 0;
  const bool is_active = nic.state == NicState::active;
  const auto rate = nic.rate < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(nic.rate) + 1;
  const bool is_own_fabric = nic.kind != NicKind::verbs || nic.link_layer == LinkLayer::infiniband;
  const unsigned layer = is_own_fabric ? 2 : nic.link_layer == LinkLayer::ethernet ? 1 : 0;
  return std::uint64_t{1} << 63U | std::uint64_t{is_active} << 62U | rate << 8U | layer << 1U |
         (nic.is_virtual ? 0U : 1U);
}

/// The distances by PCI order.
class NicDistances {
 public:
  constexpr PciDistance operator()(int device, int nic) const { return of_[device][nic]; }
  constexpr void set(int device, int nic, PciDistance distance) { of_[device][nic] = distance; }

 private:
  PciDistance of_[static_cast<std::size_t>(nic_capacity)][static_cast<std::size_t>(nic_capacity)] =
      {};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_NIC_COSTS_HPP
