// SPDX-License-Identifier: MIT
//
// From a rankmap::Topology to a Gloo process group of libtorch, under any launcher.
#ifndef LIBTORCH_TRAIN_PROCESS_GROUP_HPP
#define LIBTORCH_TRAIN_PROCESS_GROUP_HPP

#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/topology/topology.hpp>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

/// MASTER_ADDR and MASTER_PORT, whoever set them. srun sets none, and mpirun on one machine
/// neither: there rank 0's host and a port made of the job's number do, and the rule has a name.
inline rankmap::Rendezvous meeting_point(const rankmap::Topology& me) {
  if (me.rendezvous()) return *me.rendezvous();
  return derive_rendezvous(me, rankmap::port_rules::job_and_step).value();
}

class ProcessGroup {
 public:
  explicit ProcessGroup(const rankmap::Topology& me) {
    const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    // The name that PyTorch's Python side reads: needed where a host's name leads to 127.0.1.1.
    const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
    options->devices.push_back(interface != nullptr
                                   ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                   : c10d::ProcessGroupGloo::createDefaultDevice());
    group_ =
        c10::make_intrusive<c10d::ProcessGroupGloo>(store(me), me.rank(), me.world_size(), options);
  }

  /// Replaces `tensor`, of one shape on all ranks, by the sum over the ranks.
  void sum(torch::Tensor& tensor) { reduce(tensor, c10d::ReduceOp::SUM); }

  /// Whether `number` is the same on every rank.
  bool agree(std::uint64_t number) {
    const auto bits = static_cast<std::int64_t>(number);
    auto most = torch::tensor({bits, ~bits}, torch::kInt64);  // the most of ~x is that of least x
    reduce(most, c10d::ReduceOp::MAX);
    return most[0].item<std::int64_t>() == ~most[1].item<std::int64_t>();
  }

 private:
  static constexpr std::chrono::seconds timeout{60};

  static c10::intrusive_ptr<c10d::Store> store(const rankmap::Topology& me) {
    if (!me.is_distributed()) return c10::make_intrusive<c10d::HashStore>();
    const rankmap::Rendezvous meeting = meeting_point(me);
    (void)meeting.init_method().value();  // fails where no port is known
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(meeting.port);
    options.isServer = me.is_main() && !meeting.has_agent_store;
    options.numWorkers = static_cast<std::size_t>(me.world_size());
    options.waitWorkers = false;  // an agent of torchrun counts as a worker in its own store
    options.timeout = timeout;
    // Later versions ask for a store with libuv, which Debian's libtorch 2.6 is built without.
    // Either kind of store serves either kind of client.
    without_libuv(options);
    // An agent's store outlives a restart of its workers, with all that was written into it.
    return c10::make_intrusive<c10d::PrefixStore>(
        "restart " + std::to_string(me.restart_count()),
        c10::make_intrusive<c10d::TCPStore>(std::string(meeting.address.view()), options));
  }

  template <class Options>
  static void without_libuv(Options& options) {
    if constexpr (requires { options.useLibUV; }) options.useLibUV = false;
  }

  void reduce(torch::Tensor& tensor, c10d::ReduceOp operation) {
    std::vector<torch::Tensor> tensors = {tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = operation;
    group_->allreduce(tensors, options)->wait();
  }

  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

#endif  // LIBTORCH_TRAIN_PROCESS_GROUP_HPP
