// SPDX-License-Identifier: MIT
// The words of whoever runs the job. They know what started it and cannot change the program, so
// four variables say what Config says: RANKMAP_LAUNCHER, RANKMAP_IGNORE, RANKMAP_DISTRIBUTION and
// RANKMAP_STRICT.
#ifndef RANKMAP_IDENTITY_DETAIL_OPERATOR_WORDS_HPP
#define RANKMAP_IDENTITY_DETAIL_OPERATOR_WORDS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/records.hpp>
#include <rankmap/identity/detail/short_list.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view launcher_word = "RANKMAP_LAUNCHER";
inline constexpr std::string_view ignore_word = "RANKMAP_IGNORE";
inline constexpr std::string_view distribution_word = "RANKMAP_DISTRIBUTION";
inline constexpr std::string_view strict_word = "RANKMAP_STRICT";

/// What the caller and whoever runs the job state together.
struct Statements {
  Config config;  ///< but for `exclude`, which is the caller's
  KnownLaunchers known;
  LauncherSet excluded;  ///< by either of them
  bool launcher_by_operator = false;
  ShortList<OperatorWord, 4> words;

  constexpr explicit Statements(const Config& given) : config(given), excluded(given.exclude) {}
};

/// What may be named here, for a message: the launchers that left a record, or well-known ones.
RANKMAP_RARE constexpr StaticString<95> nameable(const Records& records) {
  StaticString<95> out;
  for (const Record& record : records) {
    auto longer = out;
    longer.append(out.empty() ? "here " : ", ").append(record.row.name);
    if (longer.cut()) break;
    out = longer;
  }
  return out.empty() ? "torchrun, torch_env, open_mpi, hydra, slurm, ..." : out;
}

/// The error about a text that is no name of a launcher.
RANKMAP_RARE constexpr Error unknown_name(const EnvironmentView& variables,
                                          const KnownLaunchers& known, std::string_view word,
                                          std::size_t position) {
  const bool one = word == launcher_word;
  Records records;
  records.read(variables, known, {}, {});
  return error_at(Errc::unknown_launcher, word, variables.text_or_empty(word),
                  concat<159>(one ? "the name of a launcher (" : "names of launchers (",
                              nameable(records), one ? ") or none" : "), with commas between"),
                  "correct or unset it (all names: docs/launchers.md)", position);
}

RANKMAP_RARE constexpr Optional<Error> read_launcher_word(const EnvironmentView& variables,
                                                          Statements& stated) {
  const std::string_view text = variables.text_or_empty(launcher_word);
  if (text.empty()) return std::nullopt;
  const std::optional<Launcher> named = stated.known.parse(trimmed(text));
  if (!named) return unknown_name(variables, stated.known, launcher_word, std::string_view::npos);
  if (stated.config.launcher && *stated.config.launcher != *named) {
    return error_at(
        Errc::inconsistent, launcher_word, text,
        concat<159>(stated.known.name_of(*stated.config.launcher), ", as Config::launcher says"),
        "unset it; in the program, leave Config::launcher unset");
  }
  stated.config.launcher = named;
  stated.launcher_by_operator = true;
  return std::nullopt;
}

RANKMAP_RARE constexpr Optional<Error> read_ignore_word(const EnvironmentView& variables,
                                                        Statements& stated) {
  const std::string_view text = variables.text_or_empty(ignore_word);
  if (text.empty()) return std::nullopt;
  for (ListEntries entries(text); entries.next();) {
    const std::optional<Launcher> named = stated.known.parse(trimmed(entries.text()));
    if (!named || *named == Launcher::none || *named == Launcher::config) {
      return unknown_name(variables, stated.known, ignore_word, entries.begin());
    }
    if (stated.config.launcher == *named) {
      const bool by_operator = stated.launcher_by_operator;
      return error_at(Errc::inconsistent, ignore_word, text,
                      concat<159>("other launchers than ", stated.known.name_of(*named), ", which ",
                                  by_operator ? launcher_word : "Config::launcher", " names"),
                      by_operator ? "unset one of them"
                                  : "unset it; in the program, leave Config::launcher unset",
                      entries.begin());
    }
    stated.excluded.add(*named);
  }
  return std::nullopt;
}

/// In the words of SLURM_DISTRIBUTION, but for planes, whose size it does not have.
RANKMAP_RARE constexpr Optional<Error> read_distribution_word(const EnvironmentView& variables,
                                                              Statements& stated) {
  const std::string_view text = variables.text_or_empty(distribution_word);
  if (text.empty()) return std::nullopt;
  const bool is_block = text == "block";
  if (!is_block && text != "cyclic") {
    return error_at(Errc::out_of_range, distribution_word, text, "block or cyclic",
                    "correct or unset it");
  }
  const Distribution named = is_block ? Distribution::block : Distribution::cyclic;
  if (stated.config.distribution && *stated.config.distribution != named) {
    return error_at(
        Errc::inconsistent, distribution_word, text,
        concat<159>(name(stated.config.distribution->kind), ", as Config::distribution says"),
        "unset it; in the program, leave Config::distribution unset");
  }
  stated.config.distribution = named;
  return std::nullopt;
}

/// Strictness that the caller asks for stays.
RANKMAP_RARE constexpr Optional<Error> read_strict_word(const EnvironmentView& variables,
                                                        Statements& stated) {
  const std::string_view text = variables.text_or_empty(strict_word);
  if (text == "1") {
    stated.config.strict = true;
  } else if (!text.empty() && text != "0") {
    return error_at(Errc::out_of_range, strict_word, text, "1 or 0", "correct or unset it");
  }
  return std::nullopt;
}

/// Adds the words of whoever runs the job to `stated`. Errors: unknown_launcher and out_of_range
/// for a text that is no word; inconsistent if two words, or a word and the caller, contradict
/// each other.
RANKMAP_RARE constexpr Optional<Error> add_operator_words(const EnvironmentView& variables,
                                                          Statements& stated) {
  if (const auto error = read_launcher_word(variables, stated)) return error;
  if (stated.launcher_by_operator && stated.excluded.has(*stated.config.launcher)) {
    return error_at(Errc::inconsistent, launcher_word, variables.text_or_empty(launcher_word),
                    "a launcher that is not in Config::exclude",
                    "unset it; in the program, take the launcher out of Config::exclude");
  }
  if (const auto error = read_ignore_word(variables, stated)) return error;
  if (const auto error = read_distribution_word(variables, stated)) return error;
  if (const auto error = read_strict_word(variables, stated)) return error;
  for (const std::string_view word : {launcher_word, ignore_word, distribution_word, strict_word}) {
    if (const auto text = variables(word)) stated.words.add({word, shortened(*text)});
  }
  return std::nullopt;
}

/// The error if whoever runs the job names a launcher that left no record.
RANKMAP_RARE constexpr Optional<Error> check_launcher_word(const Statements& stated,
                                                           const Records& records,
                                                           const EnvironmentView& variables) {
  if (!stated.launcher_by_operator) return std::nullopt;
  const Launcher named = *stated.config.launcher;
  if (named == Launcher::none || named == Launcher::config || records.find(named) != nullptr) {
    return std::nullopt;
  }
  return error_at(Errc::unknown_launcher, launcher_word, variables.text_or_empty(launcher_word),
                  records.begin() == records.end()
                      ? StaticString<159>("a launcher that left its variables, and none did")
                      : concat<159>("a launcher that left its variables (", nameable(records), ")"),
                  "start the process with it, or correct or unset RANKMAP_LAUNCHER");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_OPERATOR_WORDS_HPP
