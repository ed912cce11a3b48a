// SPDX-License-Identifier: MIT
// Lists of hosts in the formats of schedulers, clouds and launchers: text in, table out.
#ifndef RANKMAP_HOSTS_HOST_FORMATS_HPP
#define RANKMAP_HOSTS_HOST_FORMATS_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/hosts/detail/host_table_builder.hpp>
#include <rankmap/hosts/detail/read_host_json.hpp>
#include <rankmap/hosts/detail/read_host_lines.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/result.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// The formats, each with an example or where it occurs.
enum class HostFormat : std::uint8_t {
  comma_list,         ///< `h0,h1`: TPU_WORKER_HOSTNAMES, VC_<TASK>_HOSTS, AZ_BATCH_HOST_LIST
  line_list,          ///< one host a line: SKYPILOT_NODE_IPS
  host_argument,      ///< `a:2,b:3`: mpirun --host, horovodrun -H
  open_mpi_file,      ///< `node1 slots=4 max_slots=8`: Open MPI, PRRTE, Kubeflow's MPI operator
  hydra_file,         ///< `node1:4`: MPICH, Intel MPI -machinefile
  deepspeed_file,     ///< `worker-1 slots=4`
  horovod_file,       ///< `h1 slots=4`
  pbs_node_file,      ///< one host a line and slot: PBS_NODEFILE
  sge_host_file,      ///< `node1 4 all.q@node1 UNDEFINED`: PE_HOSTFILE
  lsf_host_slots,     ///< `h1 2 h2 3`: LSB_MCPU_HOSTS
  lsf_hosts,          ///< `h1 h1 h2`: LSB_HOSTS
  lsf_rank_file,      ///< one host a line and rank: LSB_DJOB_RANKFILE
  lsf_host_file,      ///< one host a line and slot: LSB_DJOB_HOSTFILE
  json_list,          ///< `["algo-1","algo-2"]`: SM_HOSTS
  sagemaker_config,   ///< `{"hosts":[...],"current_host":"algo-1"}`: SM_RESOURCE_CONFIG
  tf_config,          ///< `{"cluster":{"worker":["h:1"]},"task":{"type":"worker","index":0}}`
  ascend_rank_table,  ///< `{"status":"completed","server_list":[...]}`: RANK_TABLE_FILE
};

constexpr std::string_view name(HostFormat format) {
  return detail::enumerator(
      "comma_list\0line_list\0host_argument\0open_mpi_file\0hydra_file\0deepspeed_file\0"
      "horovod_file\0pbs_node_file\0sge_host_file\0lsf_host_slots\0lsf_hosts\0lsf_rank_file\0"
      "lsf_host_file\0json_list\0sagemaker_config\0tf_config\0ascend_rank_table",
      format);
}

/// What the text alone does not say.
struct HostSourceOptions {
  HostListLimits limits;  ///< of the list that is read
  /// LSF's lists: whether the first slot is that of a launch node, where no rank runs, on systems
  /// that have them apart: `batch5 1 h1 42`. A node that has more slots is none, and an error.
  bool first_is_launch_node = false;
};

namespace detail {

struct HostFormatRow {
  HostFormat format;
  Result<HostTable> (*read)(HostTableBuilder& table);
  Errc error;
  RepeatedHost repeated;
  bool may_have_launch_node = false;
};
inline constexpr HostFormatRow host_formats[] = {
    {HostFormat::comma_list, read_names<','>, Errc::bad_host_list, RepeatedHost::keep},
    {HostFormat::line_list, read_names<'\n'>, Errc::bad_host_list, RepeatedHost::keep},
    {HostFormat::host_argument, read_host_argument, Errc::bad_host_list, RepeatedHost::join},
    {HostFormat::open_mpi_file, read_open_mpi_file, Errc::bad_file, RepeatedHost::add_one},
    {HostFormat::hydra_file, read_hydra_file, Errc::bad_file, RepeatedHost::join_next},
    {HostFormat::deepspeed_file, read_strict_file<'#'>, Errc::bad_file, RepeatedHost::refuse},
    {HostFormat::horovod_file, read_strict_file<'\0'>, Errc::bad_file, RepeatedHost::refuse},
    {HostFormat::pbs_node_file, read_host_per_slot<PerHost::line>, Errc::bad_file,
     RepeatedHost::join},
    {HostFormat::sge_host_file, read_pairs<PerHost::line>, Errc::bad_file, RepeatedHost::join},
    {HostFormat::lsf_host_slots, read_pairs<PerHost::words>, Errc::bad_host_list,
     RepeatedHost::join, true},
    {HostFormat::lsf_hosts, read_host_per_slot<PerHost::words>, Errc::bad_host_list,
     RepeatedHost::join, true},
    {HostFormat::lsf_rank_file, read_host_per_slot<PerHost::line_of_rank>, Errc::bad_file,
     RepeatedHost::join, true},
    {HostFormat::lsf_host_file, read_host_per_slot<PerHost::line>, Errc::bad_file,
     RepeatedHost::join, true},
    {HostFormat::json_list, read_json_list, Errc::bad_host_list, RepeatedHost::keep},
    {HostFormat::sagemaker_config, read_resource_config, Errc::bad_host_list, RepeatedHost::refuse},
    {HostFormat::tf_config, read_tf_config, Errc::bad_host_list, RepeatedHost::keep},
    {HostFormat::ascend_rank_table, read_rank_table, Errc::bad_file, RepeatedHost::refuse},
};

}  // namespace detail

/// Reads the hosts from the text of a variable or a file.
///
/// `subject` names the text in errors: a variable or a path. Hosts keep the order of the text. As
/// for the owner of the format, a repeated host means more slots (PBS, SGE, LSF, --host), one more
/// slot (Open MPI's file, where a second number of slots is an error), another entry (Hydra unless
/// adjacent, plain lists, TF_CONFIG) or an error (DeepSpeed, Horovod, SageMaker, Ascend). Errors,
/// with byte positions: `bad_file` (files), `bad_host_list` (variables) or `bad_json` for text
/// outside the format and for a list without a host; `limit_exceeded` beyond `options.limits` and,
/// in JSON, beyond 64 MiB or 32 levels.
/// O(length), and O(n log n) comparisons of names where repeats are joined or refused.
constexpr Result<HostTable> parse_hosts(HostFormat format, std::string_view text,
                                        HostSourceOptions options = {},
                                        std::string_view subject = "host list") {
  for (const detail::HostFormatRow& row : detail::host_formats) {
    if (row.format != format) continue;
    const bool skips_first = options.first_is_launch_node && row.may_have_launch_node;
    detail::HostTableBuilder table(
        {text, subject, row.error, options.limits, skips_first, row.repeated});
    // None of the owners skips it.
    if (text.starts_with("\xef\xbb\xbf")) return table.error("a text without a byte-order mark", 0);
    return row.read(table);
  }
  return detail::HostTableBuilder({text, subject}).error("a format of HostFormat", 0);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_FORMATS_HPP
