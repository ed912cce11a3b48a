// SPDX-License-Identifier: MIT
#include "master.hpp"

#include <rankmap/environment.hpp>
#include <rankmap/hosts.hpp>
#include <rankmap/topology.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace program {
namespace {

using rankmap::Rendezvous;
using rankmap::Topology;

// How long the others wait for the file of rank 0, which may start later by as much.
constexpr std::chrono::seconds longest_wait(60);

// A port that nobody has now, or 0. Rank 0 alone asks for one.
int free_port() {
  int port = 0;
#if defined(__unix__) || defined(__APPLE__)
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  if (file < 0) return 0;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(file, any, size) == 0 && getsockname(file, any, &size) == 0) {
    port = ntohs(address.sin_port);
  }
  close(file);
#endif
  return port;
}

// A port between 20000 and 29999 that two launches share one time in 10000: numbers by rankmap's
// rule, any other id by its bytes. Nothing where no launcher names the job: the id "none", which
// torchrun has by default, names none. Where an agent of torchrun listens, no other job's does.
std::optional<int> port_of_job(const Topology& me) {
  if (const auto derived = derive_rendezvous(me, rankmap::port_rules::job_and_step)) {
    return derived->port;
  }
  std::string job(me.job_id());
  if (me.launcher() == rankmap::Launcher::torchrun && job == "none") {
    job.clear();
    if (me.rendezvous() && me.rendezvous()->has_agent_store) {
      job = std::string(me.rendezvous()->address.view()) + ':' +
            std::to_string(me.rendezvous()->port);
    }
  }
  if (job.empty()) return std::nullopt;
  job.append(".").append(me.step_id());
  std::uint64_t digest = 14695981039346656037U;
  for (const char c : job) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return 20000 + static_cast<int>(digest % 10000);
}

std::optional<Master> read_master(std::string_view text, std::string_view subject) {
  const auto meeting = Rendezvous::from_address(text, "", subject, subject);
  // Port 0 is any free one, which the other ranks could not know.
  if (!meeting || Rendezvous::from_address(text, "", subject, subject, 1)->port == 0) {
    return complain(
        subject, text,
        "HOST or HOST:PORT with a port from 1 to 65535, such as n1:29500 or [fd00::1]:29500");
  }
  return Master{std::string(meeting->address.view()), meeting->port};
}

#if defined(__unix__) || defined(__APPLE__)
// Rank 0 puts the whole text there at once, and only where nothing is: the others might read what
// an earlier job left.
bool write_master(const std::string& path) {
  char host[256] = {};
  const int port = free_port();
  if (port == 0 || gethostname(host, sizeof host - 1) != 0) {
    complain("--master-file: this host gives no name or no port");
    return false;
  }
  const std::string draft = path + '.' + std::to_string(getpid());
  if (!save(draft, std::string(host) + ':' + std::to_string(port) + '\n')) return false;
  const int result = link(draft.c_str(), path.c_str());
  const int reason = errno;
  unlink(draft.c_str());
  if (result == 0) return true;
  complain("--master-file: cannot make " + in_quotes(path) + ": " + std::strerror(reason) +
           (reason == EEXIST ? "; name a file that is new for each launch" : ""));
  return false;
}

std::optional<Master> master_by_file(const Process& me, const std::string& path) {
  if (!me.rank()) {
    return complain(
        "--master-file: the rank of this process is not known, so nobody knows who writes it");
  }
  if (me.rank() == 0 && !write_master(path)) return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < longest_wait) {
    char text[512] = {};
    struct stat kind {};
    const bool is_there = stat(path.c_str(), &kind) == 0;
    const bool is_wrong = is_there && !S_ISREG(kind.st_mode);  // a pipe would be waited for
    std::FILE* const file = is_wrong || !is_there ? nullptr : std::fopen(path.c_str(), "rb");
    if (is_wrong || (file == nullptr && errno == EACCES)) {
      return complain("--master-file: cannot read " + in_quotes(path) + ": " +
                      (is_wrong ? "it is no regular file" : std::strerror(EACCES)));
    }
    const std::size_t size = file == nullptr ? 0 : std::fread(text, 1, sizeof text - 1, file);
    if (file != nullptr) std::fclose(file);
    if (size != 0) {
      const std::string_view line(text, size - (text[size - 1] == '\n' ? 1 : 0));
      auto master = read_master(line, "--master-file");
      if (!master || master->port != 0) return master;
      return complain("--master-file: " + in_quotes(path) + " has no port");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return complain("--master-file: rank 0 did not write " + in_quotes(path) + " within " +
                  std::to_string(longest_wait.count()) +
                  " seconds; name a file that all hosts share");
}
#endif

// Whether the job is known to have more nodes than that of this process.
bool has_other_nodes(const Topology& me) {
  return me.node_count().value_or(1) > 1 ||
         me.local_world_size().value_or(me.world_size()) < me.world_size();
}

}  // namespace

std::optional<Master> find_master(const Process& process, const Arguments& arguments, bool is_torch,
                                  int& code) {
  code = not_usable;
  const auto given = arguments.value("--master");
  const auto file = arguments.value("--master-file");
  if (given && file) return complain("--master and --master-file: expected one of them");
  if (file == "") {
    return complain("--master-file", *file, "the name of a file that is new for each launch");
  }
  constexpr std::string_view remedy =
      "pass --master HOST:PORT, --master-file FILE, or --master none for a program that needs "
      "no address";
  std::optional<Master> out;
  if (given) {
    out = read_master(*given, "--master");
    if (!out) return std::nullopt;
  }
  code = faulty;
  if (file) {
#if defined(__unix__) || defined(__APPLE__)
    return master_by_file(process, std::string(*file));
#else
    return complain("--master-file is for Unix");
#endif
  }
  const std::optional<Topology>& me = process.topology();
  // At Horovod's address its own server listens, on the host of horovodrun.
  if (!out && me && me->rendezvous() && me->launcher() != rankmap::Launcher::horovod) {
    const Rendezvous& meeting = *me->rendezvous();
    const bool is_taken = meeting.has_agent_store && !is_torch;  // by torchrun's agent
    out = Master{std::string(meeting.address.view()), is_taken ? 0 : meeting.port};
  }
  // Of the two, one alone is what whoever runs the job wants. Both may be an older launch's.
  const rankmap::ProcessEnvironment variables;
  const std::string_view address = variables("MASTER_ADDR").value_or("");
  const std::string_view port = variables("MASTER_PORT").value_or("");
  int wanted_port = 0;
  const bool needs_port = !out || out->port == 0;
  if ((!out && !address.empty()) || (needs_port && address.empty() && !port.empty())) {
    const auto meeting = Rendezvous::from_address(address.empty() ? "127.0.0.1" : address, port,
                                                  "MASTER_ADDR", "MASTER_PORT");
    if (!meeting) return complain(meeting.error());
    if (!out && !address.empty() && (port.empty() || !me)) {
      out = Master{std::string(meeting->address.view()), meeting->port};
    }
    if (address.empty()) wanted_port = meeting->port;
  }
  if (!out && process.node_count() == 1) out = Master{"127.0.0.1", 0};
  // Known on every rank or on none: else some would wait for the others.
  const bool is_known_to_all = me && me->layout() && !me->hosts().empty();
  if (!out && is_known_to_all && me->host_of(0)) {
    out = Master{std::string(std::string_view(*me->host_of(0))), 0};
  }
  // Whoever sets RANK by hand knows of no launcher.
  const bool is_by_hand = process.launcher() == rankmap::Launcher::torch_env;
  const auto refuse = [&](const std::string& what, const std::string& why) {
    return complain(what +
                    (is_by_hand ? "; set MASTER_ADDR and MASTER_PORT, or "
                                : ": launcher " + process.launcher_name() + why + "; ") +
                    std::string(remedy));
  };
  if (!out) {
    return refuse("the host of rank 0 is not known", " does not say it to every process");
  }
  if (me && has_other_nodes(*me) && rankmap::is_own_address(out->address)) {
    const auto nodes = me->node_count();
    return complain("the address of rank 0 is " + out->address + ": expected one that all " +
                    (nodes ? std::to_string(*nodes) + ' ' : std::string()) + "nodes can reach; " +
                    std::string(remedy));
  }
  if (out->port == 0) out->port = wanted_port;
  if (out->port == 0) {
    std::optional<int> found;
    if (process.world_size() == 1) found = free_port();
    if (!found && me) found = port_of_job(*me);
    if (!found || *found == 0) {
      return refuse("no port is known", " does not name this job");
    }
    out->port = *found;
  }
  return out;
}

}  // namespace program
