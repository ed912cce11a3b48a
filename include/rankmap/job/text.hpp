// SPDX-License-Identifier: MIT
// The table of a job as text for people: who is where, with which device and CPUs, and what is
// wrong with it. Nodes that look alike are shown once, so that 100,000 ranks fit on a screen.
#ifndef RANKMAP_JOB_TEXT_HPP
#define RANKMAP_JOB_TEXT_HPP

#include <rankmap/job/detail/job_text.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_table.hpp>

namespace rankmap::inline v0 {

/// How much of a table is written.
struct TextOptions {
  int width = 80;            ///< columns of the terminal, 64 and more
  int max_rows = 40;         ///< lines of the table, 1 and more; what is left out is counted
  bool only_marked = false;  ///< whether nodes without a fault are left out, and counted
};

/// Writes a table with its findings as lines of text.
///
/// `out`: any callable that takes a std::string_view. It receives the text in pieces, in order.
///
/// Ranks that differ in nothing else are one line, and nodes that look alike are shown once: then
/// follow the names and ranks of the others. Ranks with an error are marked `!`, those with a
/// warning `*`, if the records are of one job. If there are too many lines, nodes with marks are
/// shown before others; where the table may fill a screen, the worst finding comes before it. A
/// value that is not known is `?`. Lines are not wider than `width`, unless a single word is; names
/// of hosts may hold any characters that a terminal shows in their place. O(size log size),
/// constexpr.
template <class Out>
constexpr void write_text(const JobTable& table, const Findings& findings, Out&& out,
                          const TextOptions& options = {}) {
  detail::JobText(table, findings, out, options).write();
}
/// The same with all findings of the table.
template <class Out>
constexpr void write_text(const JobTable& table, Out&& out, const TextOptions& options = {}) {
  write_text(table, table.findings(), out, options);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_TEXT_HPP
