// SPDX-License-Identifier: MIT
// Which variables hold a list of hosts, or name a file that does. The caller reads the file, so
// that tests and sandboxes need no file system.
#ifndef RANKMAP_HOSTS_HOST_SOURCES_HPP
#define RANKMAP_HOSTS_HOST_SOURCES_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/detail/host_table_builder.hpp>
#include <rankmap/hosts/host_formats.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// A variable that holds a list of hosts, or names the file that does.
struct HostSource {
  std::string_view variable;
  HostFormat format;
  bool names_file = false;          ///< the value is the path of the file
  std::string_view own_index = {};  ///< the variable with the index of this process's host
  std::string_view own_host = {};   ///< or, without that, the one with its name
};

/// Every variable that means the same wherever it is set. For others (VC_<TASK>_HOSTS, a host file
/// given on a command line) make a HostSource of your own, or call `parse_hosts`.
inline constexpr HostSource host_sources[] = {
    {"TPU_WORKER_HOSTNAMES", HostFormat::comma_list, false, "TPU_WORKER_ID"},
    {"SM_HOSTS", HostFormat::json_list, false, "", "SM_CURRENT_HOST"},
    {"SM_RESOURCE_CONFIG", HostFormat::sagemaker_config},
    {"TF_CONFIG", HostFormat::tf_config},
    {"SKYPILOT_NODE_IPS", HostFormat::line_list, false, "SKYPILOT_NODE_RANK"},
    {"AZ_BATCH_HOST_LIST", HostFormat::comma_list},
    {"LSB_MCPU_HOSTS", HostFormat::lsf_host_slots},
    {"LSB_HOSTS", HostFormat::lsf_hosts},
    {"LSB_DJOB_RANKFILE", HostFormat::lsf_rank_file, true},
    {"LSB_DJOB_HOSTFILE", HostFormat::lsf_host_file, true},
    {"PBS_NODEFILE", HostFormat::pbs_node_file, true},
    {"PE_HOSTFILE", HostFormat::sge_host_file, true},
    {"RANK_TABLE_FILE", HostFormat::ascend_rank_table, true},
};

/// Reads the hosts that a variable holds or names, and the own index where another gives it.
///
/// `read_file(std::string_view path)` returns an optional of anything that a std::string_view can
/// be made of. It is called only for sources that name a file. Errors: those of `parse_hosts`;
/// `missing` if the variable is not set or empty; `bad_file` if `read_file` returns nothing;
/// `out_of_range` if the own host is not in the list. O(length), as `parse_hosts`.
template <Environment Env, class ReadFile>
constexpr Result<HostTable> read_hosts(const HostSource& source, const Env& environment,
                                       ReadFile&& read_file, HostSourceOptions options = {}) {
  const EnvironmentViewOf<Env> variables(environment);
  const auto value = variables(source.variable);
  if (!value) {
    return detail::error_missing(Errc::missing, source.variable, "a list of hosts",
                                 "set it; in the program, pass Config::hosts");
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
  const bool by_index = !source.own_index.empty();
  const std::string_view own = by_index ? source.own_index : source.own_host;
  const auto text = variables(own);
  if (!table || !text) return table;
  std::optional<std::size_t> index;
  if (!by_index) {
    index = table->hosts().find(*text);
  } else if (const auto number = detail::parse_number(*text);
             number && number.value < table->size()) {
    index = detail::to_size(number.value);
  }
  if (!index) {
    return detail::error_at(
        Errc::out_of_range, own, *text,
        detail::concat(by_index ? "an index into " : "a host of ", source.variable),
        "make the two agree, or unset it");
  }
  detail::HostTableBuilder::set_own(*table, *index);
  return table;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_SOURCES_HPP
