// SPDX-License-Identifier: MIT
// Who this process is, as rankmap.h says it.
#ifndef RANKMAP_C_DETAIL_PROCESS_FACE_HPP
#define RANKMAP_C_DETAIL_PROCESS_FACE_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/result.hpp>

#include <optional>
#include <string_view>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace rankmap::inline v0::detail {

/// An environment like environ: texts "NAME=value" with a null pointer behind the last. Of a name
/// that is there twice, the first counts, as for getenv.
struct VariableTexts {
  const char* const* texts;

  std::optional<std::string_view> operator()(std::string_view name) const {
    for (const char* const* text = texts; *text != nullptr; ++text) {
      const std::string_view entry(*text);
      if (!entry.starts_with(name) || !entry.substr(name.size()).starts_with('=')) continue;
      return entry.substr(name.size() + 1);
    }
    return std::nullopt;
  }
  void for_each(auto&& visit) const {
    for (const char* const* text = texts; *text != nullptr; ++text) {
      const auto [name, value] = split_at(*text, '=');
      if (value) visit(name, *value);
    }
  }
};

/// Sets the name of this machine, if it fits: a part of a name would be another machine's.
inline void find_host([[maybe_unused]] rankmap_process& process) {
#if defined(__unix__) || defined(__APPLE__)
  char host[sizeof process.host + 1] = {};  // one more: a name that fills it may have been cut
  if (::gethostname(host, sizeof host) != 0) return;
  const std::string_view name(host);
  if (name.size() < sizeof process.host) copy_text(name, process.host);
#endif
}

static_assert(Need{RANKMAP_NEED_PROCESS} == Need::process &&
              Need{RANKMAP_NEED_LOCAL} == Need::local);
static_assert(Need{RANKMAP_NEED_ALL} == Need::all && Need{RANKMAP_NEED_HINT} == Need::hint);

/// Hands a process and the first warning about it to the caller, or the error. `is_this`: its host
/// is this machine.
RANKMAP_RARE inline int hand_over(const Result<Identity>& found, bool is_this, rankmap_process* to,
                                  rankmap_error* error) {
  if (!found) return fail(error, found.error());
  rankmap_process out = RANKMAP_PROCESS_INIT;
  out.rank = found->rank().value_or(-1);
  out.world_size = found->world_size().value_or(-1);
  // In C -1 means not known, so a local rank of -1 (not distributed) becomes 0: a lone process.
  out.local_rank = found->local_rank() == -1 ? 0 : found->local_rank().value_or(-1);
  out.local_world_size = found->local_world_size().value_or(-1);
  out.node_rank = found->node_rank().value_or(-1);
  out.node_count = found->node_count().value_or(-1);
  copy_text(found->launcher_name(), out.launcher);
  if (is_this) find_host(out);
  copy_struct(out, to);
  const auto warnings = found->warnings();
  return tell(error, RANKMAP_OK, warnings.empty() ? Message() : message(warnings[0]));
}

/// Checks the arguments that all ways to find a process share.
RANKMAP_RARE inline Optional<Error> check_question(const rankmap_process* out, int need) {
  if (const auto error = check_struct(out)) return error;
  if (need >= RANKMAP_NEED_PROCESS && need <= RANKMAP_NEED_HINT) return {};
  return out_of_range("need", need, "0 to 3",
                      "pass one of RANKMAP_NEED_PROCESS, _LOCAL, _ALL, _HINT");
}

/// The text of an error, without scopes: members of Config have the same names in rankmap_process.
RANKMAP_RARE inline Message without_scopes(const Error& error) {
  const Message whole = message(error);
  Message out;
  for (std::string_view rest = whole; !rest.empty();) {
    const std::size_t scope = rest.starts_with("Config::") ? 8 : rest.starts_with("::") ? 2 : 0;
    if (scope == 0) out.append(rest.front());
    rest.remove_prefix(scope == 0 ? 1 : scope);
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

extern "C" {

RANKMAP_API int rankmap_from_environment(rankmap_process* out, int need, rankmap_error* error) {
  using namespace rankmap::detail;
  if (const auto bad = check_question(out, need)) return fail(error, *bad);
  const auto found = rankmap::Identity::from_environment(static_cast<rankmap::Need>(need));
  return hand_over(found, true, out, error);
}

RANKMAP_API int rankmap_from_variables(rankmap_process* out, const char* const* variables, int need,
                                       rankmap_error* error) {
  using namespace rankmap::detail;
  if (const auto bad = check_question(out, need)) return fail(error, *bad);
  if (variables == nullptr) return fail(error, null_argument("variables"));
  const auto found = rankmap::Identity::from_environment(VariableTexts{variables},
                                                         static_cast<rankmap::Need>(need));
  return hand_over(found, false, out, error);
}

RANKMAP_API int rankmap_from_values(rankmap_process* process, rankmap_error* error) {
  using namespace rankmap::detail;
  if (const auto bad = check_struct(process)) return fail(error, *bad);
  rankmap::Config config;
  const auto set = [](std::optional<int>& to, int value) {
    if (value != -1) to = value;
  };
  set(config.rank, process->rank);
  set(config.world_size, process->world_size);
  set(config.local_rank, process->local_rank);
  set(config.local_world_size, process->local_world_size);
  set(config.node_rank, process->node_rank);
  set(config.node_count, process->node_count);
  config.launcher = rankmap::Launcher::config;
  const auto need = process->local_rank == -1 ? rankmap::Need::process : rankmap::Need::all;
  const auto found = rankmap::Identity::from_environment(rankmap::FixedEnvironment(), need, config);
  if (!found) return tell(error, c_code(found.error().code), without_scopes(found.error()));
  return hand_over(found, true, process, error);
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_PROCESS_FACE_HPP
