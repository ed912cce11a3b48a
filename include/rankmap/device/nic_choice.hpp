// SPDX-License-Identifier: MIT
// Which NICs belong to which device of the machine. Reads no file and sets nothing.
#ifndef RANKMAP_DEVICE_NIC_CHOICE_HPP
#define RANKMAP_DEVICE_NIC_CHOICE_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/device/detail/least_sum.hpp>
#include <rankmap/device/nic.hpp>
#include <rankmap/device/pci_distance.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

class NicChooser;

/// How good a NIC is; 0: not to be used. The higher the better; what is not known is behind.
constexpr std::uint64_t nic_quality(const Nic& nic) {
  if (!unusable_reason(nic).empty()) return 0;
  const bool is_active = nic.state == NicState::active;
  const auto rate = nic.rate < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(nic.rate) + 1;
  const bool is_own_fabric = nic.kind != NicKind::verbs || nic.link_layer == LinkLayer::infiniband;
  const unsigned layer = is_own_fabric ? 2 : nic.link_layer == LinkLayer::ethernet ? 1 : 0;
  return std::uint64_t{1} << 63U | std::uint64_t{is_active} << 62U | rate << 8U | layer << 1U |
         (nic.is_virtual ? 0U : 1U);
}

}  // namespace detail

/// The rule of nics_for_devices.
enum class NicPolicy : std::uint8_t {
  balanced,  ///< as near as possible without overloading a NIC
  nearest,   ///< the nearest ones, however many devices share them
  rail,      ///< by place alone: the first device has the first NIC
};

constexpr std::string_view name(NicPolicy policy) {
  return detail::enumerator("balanced\0nearest\0rail", policy);
}

/// The NICs of each device.
class NicChoice {
 public:
  static constexpr int capacity = 64;

  /// How many devices there are.
  constexpr int size() const { return devices_; }
  /// How many NICs a device has: 0 if there are none, or none whose distance is known.
  /// Precondition of this and the next two: 0 <= device < size(), 0 <= i < count(device).
  constexpr int count(int device) const { return count_[device]; }
  /// Its ith NIC, an index into the NICs that were given.
  constexpr int nic(int device, int i) const { return nic_[device * each_ + i]; }
  constexpr PciDistance distance(int device, int i) const { return distance_[device * each_ + i]; }
  /// The NICs among which was chosen, by PCI address: how many, and the ith one. Where networks are
  /// wired by rails, i is the rail. Precondition: 0 <= i < candidates().
  constexpr int candidates() const { return candidates_; }
  constexpr int candidate(int i) const { return order_[i]; }

 private:
  friend class detail::NicChooser;

  int devices_ = 0;
  int candidates_ = 0;
  int each_ = 1;              ///< how many NICs a device gets at most
  int order_[capacity] = {};  ///< the candidates, by PCI order
  int count_[capacity] = {};
  int nic_[capacity] = {};  ///< `each_` for each device, as the next
  PciDistance distance_[capacity] = {};
};

namespace detail {

/// Fills in a choice: candidates first, then their distances, then the NICs of each device.
class NicChooser {
 public:
  constexpr NicChooser(NicChoice& choice, int devices) : choice_(choice), size_(devices) {
    choice_.devices_ = devices;
  }

  /// Takes the NICs of the highest quality; false if those are more than 64.
  constexpr bool take_candidates(int count, const auto& nic_at) {
    std::uint64_t best = 1;  // 0 is not to be used
    for (int i = 0; i != count; ++i) {
      if (nic_quality(nic_at(i)) > best) best = nic_quality(nic_at(i));
    }
    const auto before = [&](int a, int b) { return is_before(nic_at(a).place, nic_at(b).place); };
    for (int i = 0; i != count; ++i) {
      if (nic_quality(nic_at(i)) != best) continue;
      if (choice_.candidates_ == capacity) return false;
      (void)insert_sorted(choice_.order_, choice_.candidates_++, i, before);
    }
    return true;
  }
  /// Precondition: there are a device and a candidate.
  constexpr void measure(const auto& device_at, const auto& nic_at) {
    const auto before = [&](int a, int b) { return is_before(device_at(a), device_at(b)); };
    for (int i = 0; i != size_; ++i) (void)insert_sorted(order_, i, i, before);
    nics_ = choice_.candidates();
    if (nics_ > size_) choice_.each_ = nics_ / size_;
    for (int i = 0; i != size_; ++i) {
      for (int place = 0; place != nics_; ++place) {
        distances_[i][place] =
            pci_distance(device_at(order_[i]), nic_at(choice_.candidate(place)).place);
      }
    }
  }

  /// An unknown distance is no reason to choose: such a device gets fewer.
  constexpr void balance() {
    // Each device is as many rows as it gets NICs, each NIC as many columns as it may serve.
    const int each = choice_.each_;
    const int columns = (size_ * each + nics_ - 1) / nics_;
    const LeastSum<2 * capacity> best(columns * nics_, [&](int row, int column) {
      if (row / each >= size_) return 0;  // for columns that stay empty
      return static_cast<int>(distances_[row / each][column / columns]);
    });
    for (int i = 0; i != size_; ++i) {
      for (int row = i * each; row != (i + 1) * each; ++row) {
        const int place = best.column(row) / columns;
        if (distances_[i][place] != PciDistance::unknown) give(i, place);
      }
    }
  }

  constexpr void take_nearest() {
    std::uint64_t sets[capacity] = {};  // of nearest NICs, as bits
    for (int i = 0; i != size_; ++i) {
      PciDistance least = PciDistance::unknown;
      for (int place = 0; place != nics_; ++place) {
        if (distances_[i][place] < least) least = distances_[i][place];
      }
      if (least == PciDistance::unknown) continue;
      int nearest[capacity] = {};
      int size = 0;
      for (int place = 0; place != nics_; ++place) {
        if (distances_[i][place] != least) continue;
        nearest[size++] = place;
        sets[i] |= std::uint64_t{1} << static_cast<unsigned>(place);
      }
      int turn = 0;  // devices before this one that have the same NICs near
      for (int before = 0; before != i; ++before) turn += sets[before] == sets[i] ? 1 : 0;
      const int take = choice_.each_ < size ? choice_.each_ : size;
      for (int n = turn * take; n != (turn + 1) * take; ++n) give(i, nearest[n % size]);
    }
  }

  constexpr void take_rails() {
    const int each = choice_.each_;
    const bool has_own = nics_ >= size_;
    for (int i = 0; i != size_; ++i) {
      const int first = has_own ? i * each : i * nics_ / size_;
      for (int place = first; place != first + each; ++place) give(i, place);
    }
  }

 private:
  constexpr void give(int i, int place) {
    const int device = order_[i];
    const int at = device * choice_.each_ + choice_.count_[device]++;
    choice_.nic_[at] = choice_.order_[place];
    choice_.distance_[at] = distances_[i][place];
  }

  static constexpr int capacity = NicChoice::capacity;
  NicChoice& choice_;
  int size_;                                        ///< of the devices
  int order_[capacity] = {};                        ///< theirs, by PCI address
  int nics_ = 0;                                    ///< candidates
  PciDistance distances_[capacity][capacity] = {};  ///< of devices and candidates, by PCI order
};

RANKMAP_RARE constexpr Error too_many_places(std::string_view subject) {
  return error_at(Errc::limit_exceeded, subject, "more than 64", "at most 64",
                  "in the program, pass those of one machine");
}

}  // namespace detail

/// The NICs of each device of the machine, the same for every process that passes the same lists.
///
/// `devices`: the places of **all** devices of the machine, in any order, up to 64: a range with
/// size() and [] of PciPlace. A process that lists only those that its container shows finds
/// another answer than its neighbors. `nics`: what probe_nics found, or any such range of Nic.
/// Chosen among are those without an unusable_reason, and of these the active ones, the fastest,
/// those with a fabric of their own (InfiniBand, Slingshot, EFA) before Ethernet, and physical
/// before virtual functions, in this order; what is not known is behind what is.
///
/// With G devices and N such NICs each device gets m = max(1, N / G), and places count by PCI
/// address, not by name. `balanced`: no NIC serves more than ceil(G * m / N) devices; of those
/// choices the one with the least sum of distances (0 for PIX to 4 for SYS, 5 for unknown), of
/// these the lexicographically first. `nearest`: of the nearest NICs m, in turn for devices with
/// the same ones. Neither claims a pair at an unknown distance: that device has fewer NICs, or
/// none. `rail`: by place, whatever the distance. Without NICs the choice is empty, which is no
/// error. Errors: limit_exceeded (more than 64 devices, or NICs to choose among). O((G + N) cubed),
/// no allocation. Source: docs/decisions/devices.md.
template <class Devices, class Nics>
constexpr Result<NicChoice> nics_for_devices(const Devices& devices, const Nics& nics,
                                             NicPolicy policy = NicPolicy::balanced) {
  const auto device_at = [&](int i) -> const PciPlace& {
    return devices[static_cast<decltype(devices.size())>(i)];
  };
  const auto nic_at = [&](int i) -> const Nic& {
    return nics[static_cast<decltype(nics.size())>(i)];
  };
  if (static_cast<std::size_t>(devices.size()) > std::size_t{NicChoice::capacity}) {
    return detail::too_many_places("devices");
  }
  NicChoice choice;
  detail::NicChooser chooser(choice, static_cast<int>(devices.size()));
  if (!chooser.take_candidates(static_cast<int>(nics.size()), nic_at)) {
    return detail::too_many_places("NICs to choose among");
  }
  if (choice.size() == 0 || choice.candidates() == 0) return choice;

  chooser.measure(device_at, nic_at);
  if (policy == NicPolicy::balanced) chooser.balance();
  if (policy == NicPolicy::nearest) chooser.take_nearest();
  if (policy == NicPolicy::rail) chooser.take_rails();
  return choice;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_NIC_CHOICE_HPP
