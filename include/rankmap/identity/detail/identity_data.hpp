// SPDX-License-Identifier: MIT
// The data of an Identity, which the resolver fills in.
#ifndef RANKMAP_IDENTITY_DETAIL_IDENTITY_DATA_HPP
#define RANKMAP_IDENTITY_DETAIL_IDENTITY_DATA_HPP

#include <rankmap/identity/detail/numbers.hpp>
#include <rankmap/identity/detail/short_list.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>

namespace rankmap::inline v0::detail {

/// Who a process is, and how that is known.
struct IdentityData {
  ProcessNumbers identity;
  bool not_distributed = false;  ///< the historic local_rank == -1
  Launcher launcher = Launcher::none;
  LauncherNames names;  ///< of declared launchers
  Proof proof;
  ShortList<OtherRecord, 12> others;
  ShortList<Warning, 8> warnings;
  ShortList<OperatorWord, 4> operator_words;

  friend constexpr bool operator==(const IdentityData&, const IdentityData&) = default;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_IDENTITY_DATA_HPP
