// SPDX-License-Identifier: MIT
//
// Each of these lines reads what is gone, and the compiler has to say so.
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sampler_state.hpp>

#include <cstdio>
#include <string_view>

rankmap::Error any_error() { return {}; }

int main() {
#if defined(RANKMAP_LOOP)
  for (const char c : message(any_error()).view()) std::putchar(c);
#elif defined(RANKMAP_TEXT)
  const std::string_view text = message(any_error());
  std::printf("%zu\n", text.size());
#elif defined(RANKMAP_VALUE)
  for (const auto& host : *rankmap::HostList::parse("n[1-3]").operator->()) std::puts(host.c_str());
#elif defined(RANKMAP_ROWS)
  const rankmap::JobRows rows = rankmap::JobTable::read("")->rows();
  std::printf("%zu\n", rows.size());
#elif defined(RANKMAP_LAYERS)
  const auto layers = rankmap::VisibleDevices().layers();
  std::printf("%zu\n", layers.size());
#elif defined(RANKMAP_NODES)
  const auto nodes = rankmap::HostTable().node_of_rank();
  std::printf("%zu\n", nodes.size());
#elif defined(RANKMAP_NAME)
  const std::string_view text = name(*rankmap::SamplerAlgorithm::named("mine-1"));
  std::printf("%zu\n", text.size());
#endif
}
