// SPDX-License-Identifier: MIT
// Which warnings of a topology are of a kind of their own: the sentence is all that tells.
#ifndef RANKMAP_JOB_DETAIL_DOUBT_OF_HPP
#define RANKMAP_JOB_DETAIL_DOUBT_OF_HPP

#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/launcher/launcher.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

constexpr Doubt doubt_of(const Warning& warning, Launcher launcher) {
  struct Row {
    std::string_view words;  // of its reason
    Doubt doubt;
  };
  constexpr Row rows[] = {{"that of one replica group", Doubt::groups},
                          {"--virtual-local-rank", Doubt::virtual_rank},
                          {"several programs share", Doubt::programs},
                          {"with one process a node, both", Doubt::index}};
  for (const Row& row : rows) {
    if (warning.reason.find(row.words) != std::string_view::npos) return row.doubt;
  }
  // Or the layout says it: with equal numbers of workers a local rank of 0 is where another
  // belongs.
  const bool is_first = warning.variable == "LOCAL_RANK" && warning.text == "0";
  return is_first && launcher == Launcher::torchrun ? Doubt::virtual_rank : Doubt::value;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_DOUBT_OF_HPP
