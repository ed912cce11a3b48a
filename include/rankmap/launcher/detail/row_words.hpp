// SPDX-License-Identifier: MIT
// The words of a declaration, as tables: which member of a row each of them sets.
#ifndef RANKMAP_LAUNCHER_DETAIL_ROW_WORDS_HPP
#define RANKMAP_LAUNCHER_DETAIL_ROW_WORDS_HPP

#include <rankmap/launcher/launcher_row.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// A word and the member that it sets. The word is in place: a view of it would be an address to
/// relocate.
template <class Member>
struct RowWord {
  char word[18];
  Member LauncherRow::*member;
};

/// WORD=[FORMAT:]VARIABLES[@KEY][!]; `!`: the launcher always sets it. In the order of the fields
/// of a topology.
inline constexpr RowWord<ValueSource> number_words[] = {
    {"rank", &LauncherRow::rank},           {"size", &LauncherRow::world_size},
    {"local", &LauncherRow::local_rank},    {"local_size", &LauncherRow::local_world_size},
    {"node_rank", &LauncherRow::node_rank}, {"nodes", &LauncherRow::node_count},
};
/// WORD=VARIABLES
inline constexpr RowWord<VariableNames> name_words[] = {
    {"host", &LauncherRow::host},
    {"job", &LauncherRow::job_id},
    {"address", &LauncherRow::address},
    {"port", &LauncherRow::port},
    {"restarts", &LauncherRow::restart_count},
    {"step", &LauncherRow::step_id},
    {"submit_host", &LauncherRow::submit_host},
    {"block", &LauncherRow::block_index},
    {"blocks", &LauncherRow::block_count},
    {"all_blocks", &LauncherRow::all_blocks},
    {"copied_if", &LauncherRow::copied_if},
};
/// WORD=TEXT
inline constexpr RowWord<std::string_view> text_words[] = {
    {"start", &LauncherRow::start_command},        {"unset", &LauncherRow::unset_names},
    {"starters", &LauncherRow::starters},          {"namespace", &LauncherRow::own_namespace},
    {"one_host_if", &LauncherRow::single_host_if}, {"store_if", &LauncherRow::agent_store_if},
    {"in_group", &LauncherRow::group_names},
};
/// WORD
inline constexpr RowWord<bool> flag_words[] = {
    {"node_by_node", &LauncherRow::node_by_node},
    {"even_nodes", &LauncherRow::nodes_of_one_size},
    {"nodes_if_no_local", &LauncherRow::node_level_without_local_rank},
    {"exported", &LauncherRow::generic_names},
    {"sets_all_anew", &LauncherRow::starters_set_all},
    {"new_job_id", &LauncherRow::has_new_job_id},
    {"spreads_first", &LauncherRow::spreads_first_environment},
    {"daemons", &LauncherRow::starts_daemons},
    {"scripts", &LauncherRow::starts_scripts},
    {"any_agents", &LauncherRow::starts_agents},
    {"slurm_layout", &LauncherRow::has_slurm_layout},
    {"or_alone", &LauncherRow::or_alone},
    {"bare", &LauncherRow::is_bare},
    {"set_beside", &LauncherRow::is_set_beside},
};

inline constexpr VariableNames master_address = "MASTER_ADDR";
inline constexpr VariableNames master_port = "MASTER_PORT";

/// The words of some enumerations, in the order of their enumerators.
inline constexpr std::string_view level_names = "worker,node,slot,array";
inline constexpr std::string_view format_names =
    "number,word,from1,count,machines,place,on_host,json_count,json_index,tf_index,tf_count";
inline constexpr std::string_view agent_names = "none,every_node,some_nodes";
inline constexpr std::string_view check_names =
    "none,torchrun_worker,tpu_process,any_starter,slurm_step,pmix_server,pbs_task,sge_task,"
    "elastic_pod,platform_mpi,alone,ray_actor";

/// WORD=VARIABLE, and the warning about what that variable has.
struct CautionWord {
  char word[10];
  std::string_view expected;
  Doubt doubt = Doubt::value;
};
inline constexpr CautionWord caution_words[] = {
    {"devices",
     "1 with one process a node: a launcher may start one process for each of these devices"},
    {"groups", "1: the world is that of one replica group, and there are several", Doubt::groups},
    {"programs", "1: several programs share this world, and each may count its own processes",
     Doubt::programs},
    {"terminal",
     "no terminal: at the prompt of the shell of a step, a program is alone, and "
     "RANKMAP_LAUNCHER=none says so"},
    {"device", "the device at the local rank: the launcher gave this process another one"},
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_ROW_WORDS_HPP
