// SPDX-License-Identifier: MIT
#include "launch_variables.hpp"
#include "devices.hpp"
#include "master.hpp"
#include "process.hpp"

#include <rankmap/device.hpp>
#include <rankmap/environment.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/probe.hpp>
#include <rankmap/topology.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace program {
namespace {

using rankmap::Need;
using rankmap::Topology;

// A variable, and what it holds: a number, or where the processes of the job meet.
struct Wanted {
  std::string_view name;
  std::optional<int> (Process::*number)() const;
  bool has_address = false;
  bool has_port = false;
};

// The variables that programs read who expect a launcher.
constexpr Wanted torchrun[] = {{"RANK", &Process::rank},
                               {"WORLD_SIZE", &Process::world_size},
                               {"LOCAL_RANK", &Process::local_rank},
                               {"LOCAL_WORLD_SIZE", &Process::local_world_size},
                               {"GROUP_RANK", &Process::node_rank},
                               {"NODE_RANK", &Process::node_rank},
                               {"MASTER_ADDR", nullptr, true},
                               {"MASTER_PORT", nullptr, false, true}};
// Local numbers alone: with a rank, too, an MPI library might take the process for its own.
constexpr Wanted mpi_local[] = {{"OMPI_COMM_WORLD_LOCAL_RANK", &Process::local_rank},
                                {"OMPI_COMM_WORLD_LOCAL_SIZE", &Process::local_world_size},
                                {"MV2_COMM_WORLD_LOCAL_RANK", &Process::local_rank},
                                {"MV2_COMM_WORLD_LOCAL_SIZE", &Process::local_world_size},
                                {"MPI_LOCALRANKID", &Process::local_rank},
                                {"MPI_LOCALNRANKS", &Process::local_world_size}};
// JAX reads the first one; programs pass the other two to jax.distributed.initialize.
constexpr Wanted jax[] = {{"JAX_COORDINATOR_ADDRESS", nullptr, true, true},
                          {"JAX_NUM_PROCESSES", &Process::world_size},
                          {"JAX_PROCESS_ID", &Process::rank}};
constexpr Wanted plain[] = {{"RANKMAP_RANK", &Process::rank},
                            {"RANKMAP_WORLD_SIZE", &Process::world_size},
                            {"RANKMAP_LOCAL_RANK", &Process::local_rank},
                            {"RANKMAP_LOCAL_WORLD_SIZE", &Process::local_world_size},
                            {"RANKMAP_NODE_RANK", &Process::node_rank},
                            {"RANKMAP_NODE_COUNT", &Process::node_count}};

struct Form {
  std::string_view name;
  std::span<const Wanted> variables;
  bool has_master;
  Need need;  // unless --need asks for less
};
constexpr Form forms[] = {{"torchrun", torchrun, true, Need::all},
                          {"mpi-local", mpi_local, false, Need::local},
                          {"jax", jax, true, Need::process},
                          {"plain", plain, false, Need::all}};

std::optional<std::string> text_of(const Wanted& wanted, const Process& me,
                                   const std::optional<Master>& master) {
  if (wanted.number != nullptr) {
    const std::optional<int> number = (me.*wanted.number)();
    if (!number) return std::nullopt;
    return std::to_string(std::max(*number, 0));  // a local rank of -1: the only process
  }
  if (!master) return std::nullopt;
  const std::string port = std::to_string(master->port);
  if (!wanted.has_address) return port;
  if (!wanted.has_port) return master->address;
  const bool has_colons = master->address.find(':') != std::string::npos;
  return (has_colons ? '[' + master->address + ']' : master->address) + ':' + port;
}

// The names by which the launcher of a record says who a process is.
void add_names(const rankmap::KnownLaunchers& known, rankmap::Launcher launcher,
               std::vector<std::string>& out) {
  if (launcher == rankmap::Launcher::none || launcher == rankmap::Launcher::config) return;
  if (launcher == rankmap::Launcher::torchrun) {
    for (const char* const name : {"ROLE_NAME", "ROLE_RANK", "ROLE_WORLD_SIZE"})
      out.push_back(name);
  }
  const rankmap::LauncherRow row = known.row_of(launcher);
  for (const rankmap::VariableNames& names :
       {row.detect_any, row.rank.names, row.world_size.names, row.local_rank.names,
        row.local_world_size.names, row.node_rank.names, row.node_count.names}) {
    for (const std::string_view name : names) out.emplace_back(name);
  }
}

// The names of a list, with commas between them.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    out.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return out;
}

// The names of records that contradict the believed one, or are of another process, and that it
// does not have itself.
std::vector<std::string> names_of_others(const Process& me) {
  const rankmap::ProcessEnvironment environment;
  const rankmap::EnvironmentViewOf variables(environment);
  rankmap::KnownLaunchers known;
  static_cast<void>(
      declare_launchers(known, {}, variables));  // an error would have ended it before
  std::vector<std::string> own;
  std::vector<std::string> out;
  add_names(known, me.launcher(), own);
  for (const rankmap::OtherRecord& other : me.other_records()) {
    using rankmap::Relation;
    // What an agent has is misleading below its workers, and only some of them have it.
    const bool is_agent =
        other.relation == Relation::nested && other.state == rankmap::RecordState::complete;
    const bool contradicts =
        other.relation == Relation::stale || other.relation == Relation::conflict;
    add_names(known, other.launcher, contradicts || is_agent ? out : own);
  }
  for (const std::string& entry : split(environment("RANKMAP_IGNORE").value_or(""))) {
    const std::size_t begin = std::min(entry.find_first_not_of(' '), entry.size());
    const std::size_t end = entry.find_last_not_of(' ') + 1;
    const auto ignored = known.parse(std::string_view(entry).substr(begin, end - begin));
    if (ignored) add_names(known, *ignored, out);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [&](const std::string& name) {
    return !environment(name) || std::find(own.begin(), own.end(), name) != own.end();
  });
  return out;
}

// Whether torchrun's agent has its store at this address.
bool is_of_agent(const Process& me, const Master& master) {
  const std::optional<Topology>& known = me.topology();
  if (!known || !known->rendezvous() || !known->rendezvous()->has_agent_store) return false;
  return master.address == known->rendezvous()->address.view() &&
         master.port == known->rendezvous()->port;
}

// A process as the device policies see it. In a world of unknown size it is one of several.
struct Place {
  const Process& process;
  int local_rank() const { return *process.local_rank(); }
  std::optional<int> local_world_size() const { return process.local_world_size(); }
  bool is_distributed() const { return process.world_size() != 1; }
  rankmap::Launcher launcher() const { return process.launcher(); }
  auto other_records() const { return process.other_records(); }
  std::string_view launcher_name(rankmap::Launcher each) const {
    return process.launcher_name(each);
  }
};

std::nullopt_t complain_of_two(const rankmap::VisibilityLayer& one,
                               const rankmap::VisibilityLayer& other, std::string_view which) {
  return complain("--device: " + std::string(one.variable) + " and " + std::string(other.variable) +
                  " both choose devices" + std::string(which) +
                  ": expected one of them; unset the other");
}

// The one device of this process as its visibility variable has it; nothing, with a message, where
// there is none, or it cannot be said. Precondition: its local rank is known.
std::optional<LaunchVariables::Variable> device_variable(const Process& me,
                                                         std::string_view policy) {
  const FoundDevices found = find_devices();
  const std::optional<Devices>& devices = found.best;
  if (!devices) {
    return complain(
        "--device: no device of cuda, rocm, npu, xpu, mlu or hpu is found here; start without it "
        "where there is none");
  }
  if (found.rival) {
    const rankmap::VisibilityLayer& one = *devices->chooser();
    return complain_of_two(one, *found.rival->chooser(one.variable),
                           ", and no device node shows which are here");
  }
  // Of a malformed variable that shows none, or too few for strict, the policy says what is wrong.
  const rankmap::VisibleDevices& visible = devices->visible;
  const auto request = device_request(Place{me}, devices->kind(), devices->count(),
                                      rankmap::ProcessEnvironment(), visible);
  const rankmap::VisibilityLayer* const malformed = visible.malformed_layer();
  const int shown = devices->count();
  if (policy != "strict" && malformed != nullptr && shown > 0 &&
      request.local_size().value_or(0) > shown) {
    return complain(
        "--device " + std::string(policy) + ": " + std::string(explain(visible).view()) +
        ": expected a list that is read whole, as " + std::to_string(*request.local_size()) +
        " processes are to share its devices; " +
        (malformed->stop == rankmap::ParseStop::second_instance
             ? "give each process one instance"
             : "list each device once, with commas and no blanks between them"));
  }
  const auto device = policy == "wrap"    ? select_device(request, rankmap::device_policy::wrap())
                      : policy == "block" ? select_device(request, rankmap::device_policy::block())
                                          : select_device(request);
  if (!device) return complain(device.error());
  if (const rankmap::VisibilityLayer* const last = devices->chooser()) {
    const rankmap::VisibilityLayer* const other = devices->chooser(last->variable);
    if (other != nullptr) return complain_of_two(*other, *last, "");
    const rankmap::VisibleDevice mine = visible[device->index];
    const bool is_part = last->partial != 0 && mine.physical;  // of 0-3 nothing but 0 is read
    return LaunchVariables::Variable{
        std::string(last->variable),
        is_part ? std::to_string(mine.physical->value) : std::string(mine.text)};
  }
  return LaunchVariables::Variable{std::string(visible.layers()[0].variable),
                                   std::to_string(device->index.value)};
}

// What has to be known of the process for --need to start it with less than the form has.
constexpr std::string_view process_word = "process";
constexpr std::string_view local_word = "local";
std::optional<Need> smaller_need(std::string_view needed) {
  for (const std::string& name : split(needed)) {
    if (name == process_word) return Need::process;
    if (name == local_word) return Need::local;
  }
  return std::nullopt;
}

// The variables that --need names; nothing, with a message, where it names others.
std::optional<std::vector<std::string>> needed_names(const Form& form, std::string_view needed,
                                                     bool has_no_master) {
  std::vector<std::string> names = split(needed);
  if (names.empty()) {
    return complain("--need: expected all, process, local, or variables of --as " +
                    std::string(form.name) + ", with commas between");
  }
  // Each says alone how much has to be known.
  constexpr std::string_view words[] = {"all", process_word, local_word};
  for (const std::string_view word : words) {
    for (const std::string_view other : words) {
      const auto is_named = [&](std::string_view each) {
        return std::find(names.begin(), names.end(), each) != names.end();
      };
      if (word == other || !is_named(word) || !is_named(other)) continue;
      return complain("--need: expected one of " + std::string(word) + " and " +
                      std::string(other));
    }
  }
  if (needed == "all") {
    names.clear();
    for (const Wanted& each : form.variables) names.emplace_back(each.name);
  }
  for (const std::string& name : names) {
    if (name == process_word || name == local_word) continue;
    if (name == "all") return complain("--need: expected all alone");
    const auto wanted = std::find_if(form.variables.begin(), form.variables.end(),
                                     [&](const Wanted& each) { return each.name == name; });
    if (wanted == form.variables.end()) {
      return complain("--need: " + in_quotes(name) + " is no variable of --as " +
                      std::string(form.name));
    }
    if (has_no_master && wanted->number == nullptr) {
      return complain("--master none and --need: expected one of them, as " + name +
                      " is then not set");
    }
  }
  return names;
}

// Where not all of a process is known, whoever runs it is told what the program has to do without.
void say_what_is_unknown(const Form& form, const LaunchVariables& variables, const Process& me,
                         bool has_no_master) {
  std::string names;
  for (const std::string& name : variables.unknown) {
    const bool is_of_master = std::any_of(
        form.variables.begin(), form.variables.end(),
        [&](const Wanted& wanted) { return wanted.name == name && wanted.number == nullptr; });
    if (is_of_master && has_no_master) continue;  // nobody asked
    names += (names.empty() ? "" : ", ") + name;
  }
  if (names.empty()) return;
  inform("not known and not set: " + names + "; launcher " + me.launcher_name() +
         " does not say it");
}

}  // namespace

std::optional<LaunchVariables> launch_variables(const Arguments& arguments, int& code) {
  const std::string_view as = arguments.value("--as").value_or("torchrun");
  const Form* form = nullptr;
  for (const Form& each : forms) {
    if (each.name == as) form = &each;
  }
  code = not_usable;
  if (form == nullptr) return complain("--as", as, "torchrun, mpi-local, jax or plain");
  const auto policy = arguments.value("--device");
  if (policy && *policy != "strict" && *policy != "wrap" && *policy != "block") {
    return complain("--device", *policy, "strict, wrap or block");
  }
  if (!form->has_master && (arguments.has("--master") || arguments.has("--master-file"))) {
    return complain("--master and --master-file are for torchrun and jax: --as " + std::string(as) +
                    " has no address");
  }
  const auto needed = arguments.value("--need");
  const bool has_no_master = arguments.value("--master") == "none";
  std::vector<std::string> names;
  if (needed) {
    const auto read = needed_names(*form, *needed, has_no_master);
    if (!read) return std::nullopt;
    names = *read;
  }
  code = faulty;
  const auto less = smaller_need(needed.value_or(""));
  const auto me = Process::find(less.value_or(needed == "all" ? Need::all : form->need));
  if (!me) return complain(me.error());
  for (const rankmap::Warning& warning : me->warnings()) {
    warn(message(warning).view());
  }
  std::optional<Master> master;
  if (form->has_master && !has_no_master) {
    master = find_master(*me, arguments, form->name == "torchrun", code);
    if (!master) return std::nullopt;
  }
  LaunchVariables out;
  // So that rankmap below it takes what the launch says of nodes, too.
  if (form->name == "torchrun") out.made.push_back({"RANKMAP_EXEC", std::string(form->name)});
  for (const Wanted& wanted : form->variables) {
    if (const auto text = text_of(wanted, *me, master)) {
      out.made.push_back({std::string(wanted.name), *text});
    } else {
      out.unknown.emplace_back(wanted.name);
    }
  }
  for (const std::string& name : names) {
    if (std::find(out.unknown.begin(), out.unknown.end(), name) == out.unknown.end()) continue;
    return complain(name + " is not known: launcher " + me->launcher_name() +
                    " does not say it; leave it out of --need, or see `rankmap explain`");
  }
  if (!me->topology() || less) say_what_is_unknown(*form, out, *me, has_no_master);
  if (policy && !me->local_rank()) {
    return complain("--device: the local rank of this process is not known: launcher " +
                    me->launcher_name() + " does not say it");
  }
  if (policy) {
    const auto device = device_variable(*me, *policy);
    if (!device) return std::nullopt;
    out.made.push_back(*device);
  }
  constexpr std::string_view agent_store = "TORCHELASTIC_USE_AGENT_STORE";
  const bool is_asked = form->name == "torchrun" && rankmap::ProcessEnvironment()(agent_store);
  if (master && is_asked && !is_of_agent(*me, *master)) out.others.emplace_back(agent_store);
  // With torchrun's id these would be the numbers of its worker.
  constexpr std::string_view run_id = "TORCHELASTIC_RUN_ID";
  if (form->name == "torchrun" && me->launcher() != rankmap::Launcher::torchrun &&
      rankmap::ProcessEnvironment()(run_id)) {
    out.others.emplace_back(run_id);
  }
  if (arguments.has("--unset-others")) {
    for (std::string& name : names_of_others(*me)) {
      const bool is_made =
          std::any_of(out.made.begin(), out.made.end(),
                      [&](const LaunchVariables::Variable& made) { return made.name == name; });
      if (!is_made) out.others.push_back(std::move(name));
    }
  }
  return out;
}

std::vector<Option> launch_options() {
  return {{"--as", "FORM", "torchrun (default), mpi-local, jax or plain: RANKMAP_RANK, ..."},
          {"--master", "HOST:PORT", "where rank 0 is met, or none: without it, as the job says"},
          {"--master-file", "FILE", "rank 0 writes it there, the others read it; a new file"},
          {"--need", "NAMES",
           "an error if one of these is not known; or all; process, local: no more than that"},
          {"--device", "POLICY", "show the program its own device only: strict, wrap or block"},
          {"--unset-others", "", "take away what contradicts: stale variables of other launchers"}};
}

}  // namespace program
