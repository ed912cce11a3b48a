// SPDX-License-Identifier: MIT
//
// Where lists of hosts come from when no launcher gives them as a Slurm list: variables and files
// of schedulers, clouds and launchers. Text in, table out; reading a file is a step of its own,
// behind a function of the caller, so that tests and sandboxes need no file system.
#ifndef RANKMAP_HOSTS_HOST_SOURCES_HPP
#define RANKMAP_HOSTS_HOST_SOURCES_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/hosts/detail/read_host_json.hpp>
#include <rankmap/hosts/detail/read_host_lines.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The formats; the comment shows one text of each.
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
  json_list,          ///< `["algo-1","algo-2"]`: SM_HOSTS
  sagemaker_config,   ///< `{"hosts":[...],"current_host":"algo-1"}`: SM_RESOURCE_CONFIG
  tf_config,          ///< `{"cluster":{"worker":["h:1"]},"task":{"type":"worker","index":0}}`
  ascend_rank_table,  ///< `{"status":"completed","server_list":[...]}`: RANK_TABLE_FILE
};

/// What the text alone does not say.
struct HostSourceOptions {
  HostListLimits limits;
  /// LSB_DJOB_RANKFILE: the first line is the launch node, where no rank runs, as on systems with
  /// separate launch nodes.
  bool first_is_launch_node = false;
};

namespace detail {

/// One row a format.
struct HostFormatRow {
  HostFormat format;
  bool is_file;
  RepeatedHost repeated;
};
inline constexpr HostFormatRow host_formats[] = {
    {HostFormat::comma_list, false, RepeatedHost::keep},
    {HostFormat::line_list, false, RepeatedHost::keep},
    {HostFormat::host_argument, false, RepeatedHost::join},
    {HostFormat::open_mpi_file, true, RepeatedHost::join},
    {HostFormat::hydra_file, true, RepeatedHost::join_next},
    {HostFormat::deepspeed_file, true, RepeatedHost::refuse},
    {HostFormat::horovod_file, true, RepeatedHost::refuse},
    {HostFormat::pbs_node_file, true, RepeatedHost::join},
    {HostFormat::sge_host_file, true, RepeatedHost::join},
    {HostFormat::lsf_host_slots, false, RepeatedHost::join},
    {HostFormat::lsf_hosts, false, RepeatedHost::join},
    {HostFormat::lsf_rank_file, true, RepeatedHost::join},
    {HostFormat::json_list, false, RepeatedHost::keep},
    {HostFormat::sagemaker_config, false, RepeatedHost::refuse},
    {HostFormat::tf_config, false, RepeatedHost::keep},
    {HostFormat::ascend_rank_table, true, RepeatedHost::refuse},
};

/// Where a variable tells the own place: as an index into the list, or as a host in it.
enum class OwnPlace : std::uint8_t { none, index, host };

}  // namespace detail

/// A variable that holds, or names the file that holds, a list of hosts.
struct HostSource {
  std::string_view variable;
  HostFormat format;
  bool names_file = false;  ///< the value is the path of the file
  std::string_view own_variable = {};
  detail::OwnPlace own = detail::OwnPlace::none;
};

/// Every variable with one meaning. Others (VC_<TASK>_HOSTS, a host file given on a command line)
/// are read with their own HostSource or by `parse_hosts`.
inline constexpr HostSource host_sources[] = {
    {"TPU_WORKER_HOSTNAMES", HostFormat::comma_list, false, "TPU_WORKER_ID",
     detail::OwnPlace::index},
    {"SM_HOSTS", HostFormat::json_list, false, "SM_CURRENT_HOST", detail::OwnPlace::host},
    {"SM_RESOURCE_CONFIG", HostFormat::sagemaker_config, false, "", detail::OwnPlace::none},
    {"TF_CONFIG", HostFormat::tf_config, false, "", detail::OwnPlace::none},
    {"SKYPILOT_NODE_IPS", HostFormat::line_list, false, "SKYPILOT_NODE_RANK",
     detail::OwnPlace::index},
    {"AZ_BATCH_HOST_LIST", HostFormat::comma_list, false, "", detail::OwnPlace::none},
    {"LSB_MCPU_HOSTS", HostFormat::lsf_host_slots, false, "", detail::OwnPlace::none},
    {"LSB_HOSTS", HostFormat::lsf_hosts, false, "", detail::OwnPlace::none},
    {"LSB_DJOB_RANKFILE", HostFormat::lsf_rank_file, true, "", detail::OwnPlace::none},
    {"PBS_NODEFILE", HostFormat::pbs_node_file, true, "", detail::OwnPlace::none},
    {"PE_HOSTFILE", HostFormat::sge_host_file, true, "", detail::OwnPlace::none},
    {"RANK_TABLE_FILE", HostFormat::ascend_rank_table, true, "", detail::OwnPlace::none},
};

/// Reads the text of a variable or a file.
///
/// `subject` is what errors are about: a variable's name or a path. Hosts keep the order of the
/// text. A host that stands again means more slots (Open MPI, PBS, SGE, LSF), another entry (Hydra,
/// where it stands apart; plain lists; TF_CONFIG) or an error (DeepSpeed, Horovod, SageMaker,
/// Ascend), as it does to its owner. Errors, with byte positions: `bad_file` (files),
/// `bad_host_list` (variables) or `bad_json` for text outside the format and for a list of no host;
/// `limit_exceeded` beyond `options.limits` and, in JSON, beyond 64 MiB or 32 levels.
/// O(length), and O(n log n) comparisons of names where repeats are joined or refused.
constexpr Result<HostTable> parse_hosts(HostFormat format, std::string_view text,
                                        HostSourceOptions options = {},
                                        std::string_view subject = "host list") {
  detail::HostFormatRow row = detail::host_formats[0];
  for (const detail::HostFormatRow& r : detail::host_formats) {
    if (r.format == format) row = r;
  }
  detail::HostTableBuilder table(
      {text, subject, row.is_file ? Errc::bad_file : Errc::bad_host_list, options.limits},
      row.repeated);
  switch (format) {
    case HostFormat::comma_list:
      return detail::read_names(table, ",");
    case HostFormat::line_list:
      return detail::read_names(table, "\n");
    case HostFormat::host_argument:
      return detail::read_host_argument(table);
    case HostFormat::open_mpi_file:
      return detail::read_open_mpi_file(table);
    case HostFormat::hydra_file:
      return detail::read_hydra_file(table);
    case HostFormat::deepspeed_file:
      return detail::read_strict_file(table, "#");
    case HostFormat::horovod_file:
      return detail::read_strict_file(table, "");
    case HostFormat::pbs_node_file:
      return detail::read_host_per_slot(table, false, false, 0);
    case HostFormat::sge_host_file:
      return detail::read_pairs(table, true);
    case HostFormat::lsf_host_slots:
      return detail::read_pairs(table, false);
    case HostFormat::lsf_hosts:
      return detail::read_host_per_slot(table, true, false, 0);
    case HostFormat::lsf_rank_file:
      return detail::read_host_per_slot(table, false, true, options.first_is_launch_node ? 1 : 0);
    case HostFormat::json_list:
      return detail::read_json_list(table);
    case HostFormat::sagemaker_config:
      return detail::read_resource_config(table);
    case HostFormat::tf_config:
      return detail::read_tf_config(table);
    case HostFormat::ascend_rank_table:
      return detail::read_rank_table(table);
  }
  return table.error("a format of HostFormat", 0);
}

/// Reads the hosts that a variable holds or points to, and the own place that another one tells.
///
/// `read_file(std::string_view path)` returns an optional of anything that a std::string_view can
/// be made of; it is called only for sources that name a file. Errors: those of `parse_hosts`;
/// `missing` where the variable is not set or empty; `bad_file` where `read_file` returns nothing;
/// `out_of_range` where the own place is not in the list.
template <Environment Env, class ReadFile>
constexpr Result<HostTable> read_hosts(const HostSource& source, const Env& environment,
                                       ReadFile&& read_file, HostSourceOptions options = {}) {
  const std::optional<std::string_view> value = environment(source.variable);
  if (!value || value->empty()) {
    return detail::error_missing(Errc::missing, source.variable, "a list of hosts",
                                 "set it, or pass Config::hosts");
  }
  Result<HostTable> table = [&]() -> Result<HostTable> {
    if (!source.names_file) return parse_hosts(source.format, *value, options, source.variable);
    const auto file = read_file(*value);
    if (!file) {
      return detail::error_at(Errc::bad_file, source.variable, *value, "a file that can be read",
                              "unset it, or give the file to this process");
    }
    StaticString<63> path;  // it came from the environment
    detail::append_escaped(path, *value, 40);
    return parse_hosts(source.format, std::string_view(*file), options, path);
  }();
  if (!table || source.own == detail::OwnPlace::none) return table;
  const std::optional<std::string_view> own = environment(source.own_variable);
  if (!own || own->empty()) return table;
  std::optional<std::size_t> index;
  if (source.own == detail::OwnPlace::host) {
    index = table->hosts().find(*own);
  } else if (const detail::Number number = detail::parse_number(*own);
             number && number.value < table->size()) {
    index = static_cast<std::size_t>(number.value);
  }
  if (!index) {
    return detail::error_at(
        Errc::out_of_range, source.own_variable, *own,
        detail::concat<159>(source.own == detail::OwnPlace::host ? "a host of " : "an index into ",
                            source.variable)
            .view(),
        "make the two agree, or unset it");
  }
  detail::HostTableBuilder::set_own(*table, *index);
  return table;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_SOURCES_HPP
