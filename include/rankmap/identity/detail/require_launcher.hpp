// SPDX-License-Identifier: MIT
// Config::require_launcher: a process that nobody started is an error, which shows what was found
// instead of a launcher.
#ifndef RANKMAP_IDENTITY_DETAIL_REQUIRE_LAUNCHER_HPP
#define RANKMAP_IDENTITY_DETAIL_REQUIRE_LAUNCHER_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/identity_data.hpp>
#include <rankmap/identity/detail/operator_words.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view start_it =
    "start it with its launcher (torchrun, srun, mpirun), or set RANK, WORLD_SIZE and LOCAL_RANK; "
    "in the program, pass Config::rank, ::world_size, ::local_rank";
static_assert(start_it.size() <= 159);

/// The error about `variable`, whether it is set or not.
RANKMAP_RARE constexpr Error not_started(const EnvironmentView& variables,
                                         std::string_view variable, std::string_view expected) {
  constexpr Errc code = Errc::unknown_launcher;
  const auto text = variables(variable);
  return text ? error_at(code, variable, *text, expected, start_it)
              : error_missing(code, variable, expected, start_it);
}

/// The error if the caller requires a launcher and nobody started this process: no record was
/// chosen, and Config does not have the numbers. It is about the first trace among the warnings,
/// those from `first_trace` on; or else about another record, such as that of a batch script.
RANKMAP_RARE constexpr Optional<Error> check_required_launcher(const IdentityData& data,
                                                               std::size_t first_trace,
                                                               const Statements& stated,
                                                               const EnvironmentView& variables) {
  const bool is_started = data.launcher != Launcher::none && !data.not_distributed;
  if (!stated.config.require_launcher || is_started) return std::nullopt;
  constexpr std::string_view required = " (Config::require_launcher)";
  if (data.not_distributed) {
    const Origin& origin = data.identity.origin(TopologyField::local_rank);
    return error_at(Errc::unknown_launcher, origin.source, variables(origin.source).value_or("-1"),
                    concat<159>("the local rank of a process that a launcher started", required),
                    start_it);
  }
  if (stated.config.launcher) {  // Launcher::none
    return error_at(Errc::unknown_launcher,
                    stated.launcher_by_operator ? launcher_word : "Config::launcher", "none",
                    concat<159>("a launcher", required),
                    stated.launcher_by_operator ? "unset it, and start the process with a launcher"
                                                : "leave it unset");
  }
  if (data.warnings.size() > first_trace) {
    const Warning* const trace = data.warnings.begin() + first_trace;
    auto expected =
        concat<159>("the variables of a known launcher", required, ", and not only this one");
    for (const Warning* next = trace + 1; next != data.warnings.end(); ++next) {
      auto longer = expected;
      longer.append(", ").append(next->variable);
      if (longer.cut()) break;
      expected = longer;
    }
    return not_started(variables, trace->variable, expected);
  }
  if (data.others.size() != 0) {
    const OtherRecord* other = data.others.begin();
    for (const OtherRecord& each : data.others) {
      if (each.state == RecordState::no_task) other = &each;  // it says best what this process is
    }
    const bool is_script = other->state == RecordState::no_task;
    return not_started(variables, other->variable,
                       concat<159>("a process that a launcher started", required, ", and not ",
                                   data.names.of(other->launcher), ": ",
                                   is_script ? other->reason : name(other->state)));
  }
  return error_at(Errc::unknown_launcher, "Config::require_launcher", "true",
                  "the variables of a known launcher, and none is set", start_it);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_REQUIRE_LAUNCHER_HPP
