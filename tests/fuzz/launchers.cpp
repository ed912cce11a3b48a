// SPDX-License-Identifier: MIT
//
// Launchers that are declared outside of the library. An input that begins with a byte above 127 is
// a text as it stands; of any other each byte chooses a word, so that most texts are nearly right.
#include "fuzz.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/topology/topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Identity;
using rankmap::KnownLaunchers;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::Need;
using rankmap_fuzz::Bytes;
using rankmap_fuzz::require;

constexpr std::string_view names[] = {"acme", "slurm", "node", "a1", "replaces", "hydra", "acme2"};
constexpr std::string_view variables[] = {"A",    "ACME_RANK",    "ACME_SIZE", "ACME_LOCAL",
                                          "RANK", "SLURM_PROCID", "PMI_RANK",  "WORLD_SIZE",
                                          "B_1",  "TF_CONFIG",    "LOCAL_RANK"};
constexpr std::string_view words[] = {
    "rank=",         "size=",    "local=",        "local_size=", "node_rank=", "nodes=",
    "host=",         "job=",     "address=",      "port=",       "restarts=",  "step=",
    "submit_host=",  "block=",   "blocks=",       "all_blocks=", "start=",     "unset=",
    "starters=",     "role=",    "one_host_if=",  "store_if=",   "namespace=", "hosts=",
    "agents=",       "check=",   "also_sets=",    "devices=",    "groups=",    "node_by_node",
    "even_nodes",    "in_group", "exported",      "scripts",     "any_agents", "new_job_id",
    "daemons",       "or_alone", "sets_all_anew", "torch_names", "replaces ",  "slurm_layout",
    "spreads_first", "node",     "slot",          "array",       "programs=",  "torch_address"};
constexpr std::string_view values[] = {
    "*",           "count:A", "from1:A",    "place:A@B_1", "on_host:A@B_1",    "json_count:A",
    "word:A",      "A!",      "every_node", "some_nodes",  "slurm_step",       "any_starter",
    "pmix_server", "A:x,y",   "open_mpi",   "json:A",      "json_index:A@B_1", "tf_index:A"};

template <std::size_t Count>
std::string_view one_of(const std::string_view (&list)[Count], Bytes& bytes) {
  return list[static_cast<std::size_t>(bytes.in(0, static_cast<int>(Count) - 1))];
}

/// Mostly a name that no launcher has.
std::string variable_by(Bytes& bytes) {
  const int choice = bytes.in(0, 99);
  return choice < 90 ? "OWN_" + std::to_string(choice) : std::string(one_of(variables, bytes));
}

std::string list_of(Bytes& bytes) {
  std::string out = variable_by(bytes);
  for (int more = bytes.in(0, 5); more < 2; more = bytes.in(0, 5)) {
    out += ',' + variable_by(bytes);
    if (bytes.empty()) break;
  }
  return out;
}

std::string text_by(Bytes& bytes) {
  std::string out;
  for (int rows = bytes.in(1, 20); rows > 0 && !bytes.empty(); rows -= bytes.in(1, 20)) {
    out += one_of(names, bytes);
    out += ' ' + list_of(bytes);
    for (int signs = bytes.in(0, 3); signs > 1; --signs) {
      out += ' ';
      out += "+-?~"[bytes.in(0, 3)];
      out += list_of(bytes);
      if (bytes.in(0, 3) == 0) out += "=A";
    }
    out += '\n';
    for (int count = bytes.in(0, 4); count > 0 && !bytes.empty(); --count) {
      const std::string_view word = one_of(words, bytes);
      out += ' ';
      out += word;
      if (word.back() == '=')
        out += bytes.in(0, 7) != 0 ? list_of(bytes) : std::string(one_of(values, bytes));
      if (word.back() == ' ') out += one_of(names, bytes);
      const int damage = bytes.in(0, 40);
      if (damage == 0) out += static_cast<char>(bytes.byte());
      if (damage == 1) out.pop_back();
      if (damage == 2) out += "\n# a comment";
      if (damage == 3) out += "\n hint: set A, or do not";
      if (damage < 12) out += '\n';
    }
    if (out.back() != '\n') out += '\n';
  }
  return out;
}

/// Line and column of a place, counted from the front.
std::string place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return "in line " + std::to_string(line) + ", column " + std::to_string(at - begin + 1);
}

/// A process of each of some launchers, of which no declaration has to change anything.
constexpr std::string_view processes[] = {
    "TORCHELASTIC_RUN_ID=x|RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=0",
    "RANK=1|WORLD_SIZE=2|LOCAL_RANK=1",
    "OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=1|"
    "OMPI_COMM_WORLD_LOCAL_SIZE=2",
    "PMI_RANK=1|PMI_SIZE=2|MPI_LOCALRANKID=1|MPI_LOCALNRANKS=2"};

void require_unchanged(std::string_view text) {
  for (const std::string_view process : processes) {
    const rankmap::RecordedEnvironment environment(process, '|');
    const auto with = Identity::from_environment(environment, Need::all, {.launchers = text});
    const auto without = Identity::from_environment(environment);
    require(with && without && with->rank() == without->rank() &&
                with->local_rank() == without->local_rank() &&
                with->local_world_size() == without->local_world_size() &&
                with->launcher() == without->launcher(),
            "a launcher that left nothing changes nothing", process);
  }
}

/// All variables that are declared, with small numbers.
rankmap::MapEnvironment environment_of(const KnownLaunchers& known) {
  std::vector<std::pair<std::string, std::string>> out;
  int number = 0;
  for (std::size_t place = 0; place != known.size(); ++place) {
    const LauncherRow row = known.row_of(known.launcher_at(place));
    if (row.launcher < rankmap::declared_launcher(0)) continue;
    for (const rankmap::VariableNames& list :
         {row.detect_any, row.require_all, row.world_size.names, row.local_rank.names,
          row.local_world_size.names, row.node_rank.names, row.rank.names}) {
      for (const std::string_view name : list) {
        out.emplace_back(std::string(name), std::to_string(number++ % 5));
      }
    }
  }
  return rankmap::MapEnvironment(out);
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() {
  return {"acme ACME_RANK,ACME_SIZE,ACME_LOCAL", " rank=RANK", " replaces slurm", " hint: set A"};
}

void rankmap_fuzz::run(std::string_view input) {
  Bytes bytes(input.substr((std::min)(input.size(), std::size_t{1})));
  const bool is_text = !input.empty() && static_cast<unsigned char>(input[0]) > 127;
  const std::string text = is_text ? std::string(bytes.rest()) : text_by(bytes);
  KnownLaunchers known;
  const HeapBytes heap;
  const auto declared = known.declare(text, "text");
  require(heap.asked() == 0, "nothing is allocated");
  std::size_t own = 0;
  bool replaces = false;
  for (std::size_t place = 0; place != known.size(); ++place) {
    const LauncherRow row = known.row_of(known.launcher_at(place));
    require(known.parse(row.name) == row.launcher, "a name is that of one launcher", row.name);
    replaces = replaces || row.replaces != Launcher::none;
    if (row.launcher >= rankmap::declared_launcher(0)) ++own;
  }
  require(known.size() == rankmap::launcher_count + own, "each launcher is there once");
  if (!declared) {
    tally("refused");
    require_good_error(declared.error(), text.size());
    const auto at =
        static_cast<std::size_t>((std::max)(declared.error().position, std::int64_t{0}));
    require(text.size() > KnownLaunchers::max_text ||
                declared.error().expected.view().ends_with(place_of(text, at)),
            "an error has line and column", message(declared.error()));
    return;
  }
  tally(own == 0 ? "none declared" : replaces ? "declared, and one replaced" : "declared");
  std::string again;
  for (std::size_t place = 0; place != known.size(); ++place) {
    if (known.lines_at(place).data() < text.data() ||
        known.lines_at(place).data() >= text.data() + text.size()) {
      continue;
    }
    again += known.lines_at(place);
    if (again.back() != '\n') again += '\n';
  }
  KnownLaunchers second;
  const auto repeated = second.declare(again, "again");
  require(repeated && *repeated == *declared, "what is listed is read again", again);
  for (std::size_t place = 0; place != known.size(); ++place) {
    const Launcher launcher = second.launcher_at(place);
    if (launcher >= rankmap::declared_launcher(0)) continue;
    require(known.row_of(launcher) == second.row_of(launcher), "the same row", name(launcher));
  }
  if (!replaces) require_unchanged(text);
  const rankmap::MapEnvironment environment = environment_of(known);
  const auto me = rankmap::Topology::from_environment(environment, {.launchers = text});
  if (!me) require_good_error(me.error(), (std::max)(text.size(), std::size_t{64}));
  (void)Identity::from_environment(environment, Need::hint, {.launchers = text});
}
