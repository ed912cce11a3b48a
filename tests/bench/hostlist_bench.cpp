// SPDX-License-Identifier: MIT
//
// Host lists beside Slurm's own library, where it is installed (RANKMAP_BENCH_SLURM): every name of
// a list, and one name from its middle.
#include <rankmap/hosts/host_list.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table.hpp"

#if defined(RANKMAP_BENCH_SLURM)
#include <slurm/slurm.h>
#endif

namespace {

using rankmap::HostList;

void measure(const std::string& text, int rounds) {
  const std::size_t hosts = HostList::parse(text)->size();
  const std::string middle((*HostList::parse(text))[hosts / 2].view());
  const std::size_t repeats = hosts < 10'000 ? 10'000 / hosts : 1;  // more than the clock's grain
  const auto contender = [](std::string name, std::size_t count, auto body) {
    return bench::Contender{std::move(name), [count, body] {
                              for (std::size_t i = 0; i != count; ++i) body();
                            }};
  };
  std::vector<bench::Contender> names;
  std::vector<bench::Contender> one;
#if defined(RANKMAP_BENCH_SLURM)
  names.push_back(contender("slurm_hostlist_create, slurm_hostlist_shift", repeats, [&text] {
    const hostlist_t list = slurm_hostlist_create(text.c_str());
    while (char* const name = slurm_hostlist_shift(list)) {
      bench::keep(std::string_view(name).size());
      std::free(name);
    }
    slurm_hostlist_destroy(list);
  }));
  one.push_back(contender("slurm_hostlist_create, slurm_hostlist_find", 1000, [&] {
    const hostlist_t list = slurm_hostlist_create(text.c_str());
    bench::keep(static_cast<std::uint64_t>(slurm_hostlist_find(list, middle.c_str())));
    slurm_hostlist_destroy(list);
  }));
#endif
  names.push_back(contender("HostList::parse, each name", repeats, [&text] {
    const HostList list = *HostList::parse(text);
    for (const auto& name : list) bench::keep(name.view().size());
  }));
  one.push_back(contender("HostList::parse, find", 1000, [&] {
    const HostList list = *HostList::parse(text);
    bench::keep(*list.find(middle));
  }));
  const std::string about = text + ", " + std::to_string(hosts) + " hosts";
  bench::compare("host list " + about + ", per host", static_cast<double>(hosts * repeats), rounds,
                 names);
  bench::compare("one host of " + about + ", in all", 1000, rounds, one);
}

}  // namespace

int main() {
  for (const char* const text : {"n[1-8]", "rack[0-7]n[001-512]", "n[00001-65536]"}) {
    measure(text, 7);
  }
  return 0;
}
