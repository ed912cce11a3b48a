// SPDX-License-Identifier: MIT
// Chosen NICs as texts for the variables of communication libraries. Sets none of them.
#ifndef RANKMAP_DEVICE_NIC_VARIABLES_HPP
#define RANKMAP_DEVICE_NIC_VARIABLES_HPP

#include <rankmap/device/nic.hpp>
#include <rankmap/device/nic_choice.hpp>
#include <rankmap/static_string.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// A list of NICs. Some 60 names fit; a longer list is cut, and cut() is then true.
using NicText = StaticString<1023>;

namespace detail {

/// How a library writes lists of NICs.
struct NicListForm {
  NicKind kinds[2];
  bool has_ports;
  std::string_view prefix;
};

/// Of one device, or of all among which was chosen.
constexpr NicText nic_list(const NicChoice& choice, const auto& nics, std::optional<int> device,
                           const NicListForm& form) {
  NicText out;
  const int count = device ? choice.count(*device) : choice.candidates();
  for (int i = 0; i != count; ++i) {
    const int at = device ? choice.nic(*device, i) : choice.candidate(i);
    const Nic& nic = nics[static_cast<decltype(nics.size())>(at)];
    if (nic.name.empty() || (nic.kind != form.kinds[0] && nic.kind != form.kinds[1])) continue;
    if (form.has_ports && nic.port < 1) continue;
    out.append(out.empty() ? form.prefix : ",").append(nic.name);
    if (form.has_ports) out.append(':').append_number(nic.port);
  }
  return out;
}

}  // namespace detail

/// The NICs of a device as NCCL_IB_HCA has them: "=mlx5_0:1,mlx5_3:1". The '=' makes names match
/// exactly; without it mlx5_1 would mean mlx5_10 and mlx5_11, too.
///
/// `nics`: the list that the choice was made from. Those of another kind, and ports without a
/// number, are left out. Empty if none remains: then leave the variable unset. Without `device`:
/// all NICs among which was chosen, for a library that pairs by itself. Precondition: 0 <= device <
/// choice.size(). O(NICs). Source: NCCL's environment variables.
template <class Nics>
constexpr NicText nccl_ib_hca(const NicChoice& choice, const Nics& nics,
                              std::optional<int> device = {}) {
  return detail::nic_list(choice, nics, device, {{NicKind::verbs, NicKind::verbs}, true, "="});
}

/// The same as UCX_NET_DEVICES has them: "mlx5_0:1,mlx5_3:1", those of EFA as well.
template <class Nics>
constexpr NicText ucx_net_devices(const NicChoice& choice, const Nics& nics,
                                  std::optional<int> device = {}) {
  return detail::nic_list(choice, nics, device, {{NicKind::verbs, NicKind::efa}, true, ""});
}

/// The same as libfabric's FI_CXI_DEVICE_NAME has them: "cxi0,cxi1", those of Slingshot only.
template <class Nics>
constexpr NicText fi_cxi_device_name(const NicChoice& choice, const Nics& nics,
                                     std::optional<int> device = {}) {
  return detail::nic_list(choice, nics, device, {{NicKind::cxi, NicKind::cxi}, false, ""});
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_NIC_VARIABLES_HPP
