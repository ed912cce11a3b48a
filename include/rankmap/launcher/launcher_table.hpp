// SPDX-License-Identifier: MIT
// The rows of the launchers: the text that declares them, read when it is asked for. A row has the
// variables of one launcher, the numbers that make its record complete, and the check that
// separates a live record from a stale one.
#ifndef RANKMAP_LAUNCHER_LAUNCHER_TABLE_HPP
#define RANKMAP_LAUNCHER_LAUNCHER_TABLE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/launcher/detail/launcher_text.hpp>
#include <rankmap/launcher/detail/pmix_server.hpp>
#include <rankmap/launcher/detail/read_row.hpp>
#include <rankmap/launcher/detail/slurm_step.hpp>
#include <rankmap/launcher/detail/starters.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The number of launchers that have a row: all but Launcher::none and Launcher::config.
inline constexpr std::size_t launcher_count = std::size(detail::launcher_names) - 2;

namespace detail {

/// Where each row begins in the text, and its first list of variables, behind its name; the last
/// one is the end. Computed at compile time: a resolution asks for the variables of every row.
struct RowStarts {
  std::uint16_t at[launcher_count + 1] = {};
  std::uint16_t any[launcher_count] = {};
  std::uint16_t any_end[launcher_count] = {};

  constexpr RowStarts() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < launcher_text.size();) {
      const std::size_t line_end = launcher_text.find('\n', i);
      if (launcher_text[i] != ' ') {
        const std::size_t name_end = launcher_text.find(' ', i);
        const std::size_t list_end = launcher_text.find(' ', name_end + 1);
        at[count] = static_cast<std::uint16_t>(i);
        any[count] = static_cast<std::uint16_t>(name_end + 1);
        any_end[count] = static_cast<std::uint16_t>(list_end < line_end ? list_end : line_end);
        ++count;
      }
      i = line_end + 1;
    }
    at[count] = static_cast<std::uint16_t>(launcher_text.size());
  }
};
inline constexpr RowStarts row_starts;
static_assert(row_starts.at[launcher_count] == launcher_text.size(), "a row for each enumerator");
static_assert(launcher_text.size() < UINT16_MAX);

/// Whether a text has a word that neither goes on before nor behind it.
RANKMAP_RARE constexpr bool has_word(std::string_view text, std::string_view word) {
  const auto goes_on = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !goes_on(text[at - 1])) && (end == text.size() || !goes_on(text[end]))) {
      return true;
    }
  }
  return false;
}

/// Whether the lines of a row have a word.
RANKMAP_RARE constexpr bool names_word(std::string_view lines, std::string_view word) {
  if (has_word(lines, word)) return true;
  // Three names are in most rows of torchrun's kind, and stand there as one word.
  const bool is_torch_name = word == "RANK" || word == "WORLD_SIZE" || word == "LOCAL_RANK";
  return is_torch_name && has_word(lines, "torch_names");
}

/// The lines of one row.
constexpr std::string_view lines_of(std::size_t index) {
  return launcher_text.substr(
      row_starts.at[index],
      static_cast<std::size_t>(row_starts.at[index + 1] - row_starts.at[index]));
}

/// The variables of which one is set where there is a record of the row.
constexpr VariableNames detecting(std::size_t index) {
  return launcher_text.substr(
      row_starts.any[index],
      static_cast<std::size_t>(row_starts.any_end[index] - row_starts.any[index]));
}

/// One row, of which the first line is read at once: most records are not there, and the rest is
/// not needed then.
class LazyRow {
 public:
  constexpr LazyRow(std::string_view lines, Launcher launcher) : reader_(lines) {
    row_.launcher = launcher;
    static_cast<void>(reader_.read_first_line(row_));
  }
  /// What the first line says.
  constexpr const LauncherRow& conditions() const { return row_; }
  constexpr const LauncherRow& whole() {
    static_cast<void>(reader_.read_rest(row_));
    return row_;
  }

 private:
  RowReader reader_;
  LauncherRow row_;
};

}  // namespace detail

/// The row of a launcher of the library. Precondition: neither Launcher::none nor Launcher::config,
/// which have no row. Cost: some hundred steps.
RANKMAP_RARE constexpr LauncherRow row_of(Launcher launcher) {
  return detail::LazyRow(detail::lines_of(static_cast<std::size_t>(launcher) - 2), launcher)
      .whole();
}

/// Goes over rows that are each read when they are reached, and last as long as it stays there.
/// `Rows` has size() and row_at(place).
template <class Rows>
class RowIterator {
 public:
  using value_type = LauncherRow;
  using difference_type = std::ptrdiff_t;
  constexpr RowIterator() = default;
  /// Views the rows.
  constexpr RowIterator(const Rows& rows, std::size_t place) : rows_(&rows), place_(place) {
    read();
  }
  constexpr const LauncherRow& operator*() const RANKMAP_LIFETIMEBOUND { return row_; }
  constexpr RowIterator& operator++() {
    ++place_;
    read();
    return *this;
  }
  constexpr RowIterator operator++(int) {
    const RowIterator before = *this;
    ++*this;
    return before;
  }
  friend constexpr bool operator==(const RowIterator& a, const RowIterator& b) {
    return a.place_ == b.place_;
  }

 private:
  constexpr void read() {
    if (place_ != rows_->size()) row_ = rows_->row_at(place_);
  }
  const Rows* rows_ = nullptr;
  std::size_t place_ = 0;
  LauncherRow row_ = {};
};

/// All rows of the library, in the order of their enumerators.
class LauncherTable {
 public:
  using Iterator = RowIterator<LauncherTable>;
  constexpr Iterator begin() const { return Iterator(*this, 0); }
  constexpr Iterator end() const { return Iterator(*this, size()); }
  constexpr std::size_t size() const { return launcher_count; }
  /// Precondition: place < size().
  constexpr LauncherRow row_at(std::size_t place) const {
    return row_of(static_cast<Launcher>(place + 2));
  }
  /// The text that declares them.
  static constexpr std::string_view text() { return detail::launcher_text; }
};
inline constexpr LauncherTable launchers = {};

/// Whether a host is one of those that a row lists; nothing if the row has no list that can be
/// read. `host`: without its domain. Cost: O(length of the list).
RANKMAP_RARE constexpr std::optional<bool> lists_host(const LauncherRow& row,
                                                      const EnvironmentView& variables,
                                                      std::string_view host) {
  const std::string_view text = detail::first_set(row.hosts, variables).value;
  // A name with a domain may be that of the host without one.
  if (row.hosts_are_json || text.empty() || text.find('.') != text.npos) return std::nullopt;
  const auto hosts = HostListView::parse(text);
  if (!hosts) return std::nullopt;
  return hosts->find(host).has_value();
}

namespace detail {

/// The checks, in the order of CheckKind.
inline constexpr RecordCheck (*record_checks[])(const EnvironmentView&) = {
    nullptr,           check_torchrun_worker, check_tpu_process, check_any_starter,
    check_slurm_step,  check_pmix_server,     check_pbs_task,    check_sge_task,
    check_elastic_pod, check_platform_mpi,    check_alone,       check_ray_actor,
};

/// The variables that each of them reads besides those of the row.
inline constexpr std::span<const std::string_view> check_reads[] = {
    {},
    torchrun_worker_reads,
    tpu_process_reads,
    {},
    slurm_step_reads,
    pmix_server_reads,
    pbs_task_reads,
    sge_task_reads,
    elastic_pod_reads,
    platform_mpi_reads,
    {},
    ray_actor_reads,
};

}  // namespace detail

/// What the check of a row finds. Cost: that of the check's look-ups.
RANKMAP_RARE constexpr RecordCheck check_record(CheckKind kind, const EnvironmentView& variables) {
  if (kind == CheckKind::none) return {};
  return detail::record_checks[static_cast<std::size_t>(kind)](variables);
}

/// The variables that a check, and the layouts of the record, read besides those of the row. A name
/// that ends in '_' goes on with a number.
constexpr std::span<const std::string_view> variables_of(CheckKind kind) {
  return detail::check_reads[static_cast<std::size_t>(kind)];
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_LAUNCHER_TABLE_HPP
