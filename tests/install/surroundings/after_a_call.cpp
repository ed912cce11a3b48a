// SPDX-License-Identifier: MIT
//
// What a program does after a call of the library, as a loop over its samples, is not compiled as
// if it were hardly ever done. g++ does that behind a call of a function that is marked cold, and
// behind one that cannot avoid such a call. Each `after_...` below has to be called from the
// section that other code is in.
#include <rankmap/rankmap.hpp>

#include <array>
#include <cstddef>
#include <string_view>

struct Given {
  int number;
  std::string_view text;
  const rankmap::Topology* topology;
  const rankmap::Identity* identity;
  const rankmap::HostList* hosts;
  const rankmap::Layout* layout;
  const rankmap::Permutation* order;
  const rankmap::SamplerState* state;
  const rankmap::DeviceRequest* request;
  const rankmap::Error* error;
};

#define AFTER(name, ...)             \
  void after_##name();               \
  void use_##name(const Given& it) { \
    (void)it;                        \
    (void)(__VA_ARGS__);             \
    after_##name();                  \
  }

// who
AFTER(topology, rankmap::Topology::from_environment())
AFTER(topology_of_config, rankmap::Topology::from_environment({.rank = it.number}))
AFTER(topology_of_numbers,
      rankmap::Topology::from_config({.rank = it.number, .world_size = 9, .local_rank = 0}))
AFTER(identity, rankmap::Identity::from_environment())
AFTER(launcher_name, it.topology->launcher_name())
AFTER(identity_launcher_name, it.identity->launcher_name())
AFTER(parse_launcher, rankmap::parse_launcher(it.text))
AFTER(explain, explain(*it.topology))
AFTER(json, (write_json(*it.topology, [](std::string_view) {}), 0))
AFTER(rendezvous, derive_rendezvous(*it.topology, rankmap::port_rules::jax))
AFTER(rendezvous_of_address, rankmap::Rendezvous::from_address(it.text, "29500"))
AFTER(message, message(*it.error))
AFTER(report, report(*it.error))
// where
AFTER(host_list, rankmap::HostList::parse(it.text))
AFTER(host_list_view, rankmap::HostListView::parse(it.text))
AFTER(hosts_of_format, parse_hosts(rankmap::HostFormat::comma_list, it.text))
AFTER(host, (*it.hosts)[3])
AFTER(find_host, it.hosts->find(it.text))
AFTER(host_of_rank, it.topology->host_of(0))
AFTER(layout_of_counts, rankmap::Layout::from_counts(it.text, rankmap::Distribution::block))
AFTER(layout_of_list, rankmap::Layout::from_nodes(std::array<int, 2>{it.number, 1}))
AFTER(even_layout, rankmap::Layout::even(it.number, 4, rankmap::Distribution::block))
AFTER(distribution, rankmap::Distribution::parse(it.text))
AFTER(node_of_rank, it.layout->node_of(it.number))
AFTER(mesh, rankmap::Mesh::make({{"pp", it.number}, {"tp", 4}}))
// which samples
AFTER(shard, rankmap::Shard(8, *it.topology))
AFTER(make_shard, rankmap::make_shard(1000, it.number, 8))
AFTER(sampler, rankmap::Sampler::make(1000, it.number, 8))
AFTER(state_of_order, rankmap::state_of(*it.order))
AFTER(resume, rankmap::resume_at(*it.state, *it.order))
AFTER(state_to_text, to_string(*it.state))
AFTER(state_of_text, rankmap::parse_sampler_state(it.text))
AFTER(file_state_of_text, rankmap::parse_file_state(it.text))
// which device
AFTER(visible_devices,
      rankmap::visible_devices(rankmap::DeviceKind::cuda, rankmap::ProcessEnvironment(), it.number))
AFTER(device, select_device(*it.topology, rankmap::DeviceKind::cuda, it.number))
AFTER(device_of_identity, select_device(*it.identity, rankmap::DeviceKind::cuda, it.number))
AFTER(device_of_request, select_device(*it.request))
// what all of them use
AFTER(static_string, rankmap::StaticString<63>(it.text).append_number(it.number))
AFTER(map_environment, rankmap::MapEnvironment({{"RANK", it.text}})("RANK"))

#if defined(RANKMAP_PLANT)
RANKMAP_RARE void cold();
AFTER(cold_call, (cold(), 0))
#endif
