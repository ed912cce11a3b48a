// SPDX-License-Identifier: MIT
// A port of a NIC, as data. Who fills it in does not matter: probe_nics, or a program by hand.
#ifndef RANKMAP_DEVICE_NIC_HPP
#define RANKMAP_DEVICE_NIC_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/pci_address.hpp>
#include <rankmap/device/pci_distance.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// By what software a NIC is used.
enum class NicKind : std::uint8_t {
  verbs,   ///< InfiniBand and RoCE
  efa,     ///< Amazon's EFA
  cxi,     ///< Slingshot
  socket,  ///< a network interface without any of these
};

constexpr std::string_view name(NicKind kind) {
  return detail::enumerator("verbs\0efa\0cxi\0socket", kind);
}
enum class NicState : std::uint8_t { unknown, down, active };

constexpr std::string_view name(NicState state) {
  return detail::enumerator("unknown\0down\0active", state);
}
enum class LinkLayer : std::uint8_t { unknown, ethernet, infiniband };

constexpr std::string_view name(LinkLayer layer) {
  return detail::enumerator("unknown\0ethernet\0infiniband", layer);
}
/// Whether a port has an address that this process may use.
enum class NicGids : std::uint8_t { unknown, none, some };

constexpr std::string_view name(NicGids gids) {
  return detail::enumerator("unknown\0none\0some", gids);
}

/// One port of a NIC.
struct Nic {
  StaticString<63> name;           ///< "mlx5_0", "cxi0"; of a socket the interface, "eth0"
  StaticString<15> net_interface;  ///< the network interface; empty: none, several, or not known
  PciPlace place;
  int port = 0;   ///< from 1; 0: not known, or the kind has none
  int rate = -1;  ///< in Mb/s; -1: not known
  NicKind kind = NicKind::verbs;
  NicState state = NicState::unknown;
  LinkLayer link_layer = LinkLayer::unknown;
  NicGids gids = NicGids::unknown;  ///< none: of another network namespace, or not set up
  bool is_virtual = false;          ///< a virtual function
  bool is_bond = false;             ///< several ports under one name
};

/// Why a port is not used for RDMA, to be shown: "it is down"; empty if it may be. A RoCE port is
/// listed in every container of its host, but connects only with a GID of this one's network. O(1).
constexpr std::string_view unusable_reason(const Nic& nic) {
  if (nic.kind == NicKind::socket) return "it is no RDMA device";
  if (nic.is_bond) return "it is several ports under one name";
  if (nic.state == NicState::down) return "it is down";
  const bool is_roce = nic.kind == NicKind::verbs && nic.link_layer == LinkLayer::ethernet;
  if (is_roce && nic.gids == NicGids::none) return "it has no GID in this network namespace";
  return {};
}

/// Ports of NICs, up to 64. Trivially copyable, 24 KiB.
class NicList {
 public:
  static constexpr int capacity = 64;

  constexpr int size() const { return size_; }
  /// Precondition: 0 <= i < size().
  constexpr const Nic& operator[](int i) const { return nics_[i]; }
  constexpr const Nic* begin() const { return nics_; }
  constexpr const Nic* end() const { return nics_ + size_; }
  /// Whether nothing was left out, for want of room or because of a name that is none.
  constexpr bool whole() const { return whole_; }

  /// Inserts by PCI address (without one last), then port. Of more than 64 the first stay. O(size).
  constexpr void insert(const Nic& nic) {
    if (!detail::insert_bounded(nics_, size_, nic, before)) omit();
  }
  /// Notes that one was left out.
  constexpr void omit() { whole_ = false; }

 private:
  static constexpr bool before(const Nic& a, const Nic& b) {
    const int order = detail::compare_pci(a.place.address, b.place.address);
    if (order != 0) return order < 0;
    return a.port != b.port ? a.port < b.port : a.name.view() < b.name.view();
  }

  int size_ = 0;
  bool whole_ = true;
  Nic nics_[static_cast<std::size_t>(capacity)] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_NIC_HPP
