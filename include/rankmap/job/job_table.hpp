// SPDX-License-Identifier: MIT
// The records of all processes of a job: from one all-gather (gather_job.hpp), from the lines that
// the processes printed, or added one by one.
#ifndef RANKMAP_JOB_JOB_TABLE_HPP
#define RANKMAP_JOB_JOB_TABLE_HPP

#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/find_cpus.hpp>
#include <rankmap/job/detail/find_devices.hpp>
#include <rankmap/job/detail/find_identity.hpp>
#include <rankmap/job/detail/find_machines.hpp>
#include <rankmap/job/detail/find_places.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/read_lines.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/job/unread_lines.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// The different records of a table, by job and rank. It views the table, which must not change.
class JobRows {
 public:
  using iterator = detail::IndexIterator<detail::ElementsOf<JobRows>, std::size_t>;

  /// `is_merged`: whether equal records are one.
  constexpr JobRows(std::span<const JobRecord> records, bool is_merged)
      : records_(records), order_(detail::records_in_order(records, is_merged)) {}
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~JobRows() = default;

  constexpr std::size_t size() const { return order_.size(); }
  constexpr bool empty() const { return order_.empty(); }
  /// Precondition: i < size(). O(1).
  constexpr const JobRecord& operator[](std::size_t i) const { return records_[order_[i]]; }
  constexpr iterator begin() const& RANKMAP_LIFETIMEBOUND { return {{this}, 0}; }
  constexpr iterator end() const& RANKMAP_LIFETIMEBOUND { return {{this}, size()}; }
  iterator begin() const&& = delete;  // it would dangle
  iterator end() const&& = delete;

 private:
  std::span<const JobRecord> records_;
  detail::RecordIndex order_;
};

/// The records of the processes of a job. The order in which they are added changes no answer.
class JobTable {
 public:
  /// The most records that a table takes: 1.5 GiB of them.
  static constexpr std::size_t max_records = std::size_t{1} << 21U;
  [[deprecated("use max_records")]] static constexpr std::size_t most_records = max_records;

  constexpr JobTable() = default;

  /// An empty table in which every record that is added is a process of its own. In other tables
  /// equal records are one: they may be copies of one line. `room`: how many records will come, if
  /// that is known; then no memory is taken for others.
  static constexpr JobTable of_processes(std::size_t room = 0) {
    JobTable table;
    table.is_merged_ = false;
    table.records_.reserve(room < max_records ? room : max_records);
    return table;
  }

  /// Reads the lines that write_json() made of records, out of everything that the processes and
  /// their launcher printed.
  ///
  /// `lines`: any bytes. Records may come in any order, between other output and behind any prefix
  /// (`srun --label`, `mpirun --tag-output`, torchrun's `[default0]:`, the names of pods), which is
  /// never taken for a rank. A record that was torn, merged with another line or changed is counted
  /// in unread(), and never read as another record.
  ///
  /// Lines in which a process says why it has no record, and messages of errors behind `rankmap: `,
  /// as report(error) makes them, are in refusals(). A table may have these alone.
  ///
  /// Errors: missing if there is no record and no such line at all, out_of_range if there are only
  /// records of other schemas, limit_exceeded beyond max_records. O(length); 744 bytes a record.
  static constexpr Result<JobTable> read(std::string_view lines) {
    JobTable table;
    std::int64_t count = 0;
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      if (!table.read_line(lines.substr(0, end))) {
        return detail::error_at(Errc::limit_exceeded, "lines", detail::concat(count + 1, " lines"),
                                detail::concat("at most ", max_records, " records"),
                                "read the output of one job at a time");
      }
      lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
      ++count;
    }
    if (table.empty() && table.refusals().empty()) return table.error_without_record(count);
    return table;
  }

  /// Adds the records in one line of output, for output that is read bit by bit. A line may be cut
  /// anywhere but inside a record, and be quoted as a JSON string, as docker's json-file has it.
  /// Returns false if the table is full, which holds then what it had. O(length).
  constexpr bool read_line(std::string_view line) {
    for (std::size_t inside = 0; (inside = detail::find_quoted(line)) != std::string_view::npos;) {
      const detail::UnquotedLine unquoted = detail::unquote(line.substr(inside));
      if (!read_plain(line.substr(0, inside)) || !read_plain(unquoted.text)) return false;
      line.remove_prefix(inside + unquoted.size);
    }
    return read_plain(line);
  }

  /// Adds a record. Returns false if it is not valid, or the table is full. O(1) on average.
  constexpr bool add(const JobRecord& record) { return is_valid(record) && append(record); }

  constexpr bool empty() const { return records_.empty(); }
  /// The records, by job and rank, equal ones once. O(size log size), each time.
  constexpr JobRows rows() const& RANKMAP_LIFETIMEBOUND { return {records(), is_merged_}; }
  JobRows rows() const&& = delete;  // it would dangle
  /// What is wrong with the job: at most one finding of each kind, errors first. Nothing is found
  /// where the records do not tell enough. O(size log size), each time; memory O(size).
  constexpr Findings findings(const FindingOptions& options = {}) const {
    detail::FindingReport report(records());
    detail::JobMembers members =
        detail::find_identity({is_merged_, unread_, refusals_}, options, report);
    detail::tell_machines_apart(members);
    detail::number_nodes(members);
    detail::find_doubts(members);
    detail::find_places(members);
    detail::find_layouts(members);
    detail::find_devices(members);
    detail::find_cpus(members);
    detail::find_machine_faults(members);
    return report.finish(detail::unknown_facts(members));
  }
  /// What read() and read_line() found and could not read.
  constexpr const UnreadLines& unread() const& RANKMAP_LIFETIMEBOUND { return unread_; }
  constexpr UnreadLines unread() && { return unread_; }

  /// What processes said that could not tell which rank they are.
  constexpr const Refusals& refusals() const& RANKMAP_LIFETIMEBOUND { return refusals_; }
  constexpr Refusals refusals() && { return refusals_; }

 private:
  /// Reads a line that nobody quoted.
  constexpr bool read_plain(std::string_view line) {
    for (;;) {
      const std::size_t marker = detail::find_marker(line);
      const std::string_view before = line.substr(0, marker);
      // The end of a record whose beginning is lost.
      const std::size_t lost = before.find(detail::record_check);
      if (lost != std::string_view::npos) unread_.add_piece(before.substr(lost));
      detail::read_messages(before, refusals_);
      if (marker == std::string_view::npos) return true;
      line.remove_prefix(marker);
      const bool is_refusal = line.starts_with(detail::refusal_marker);
      const detail::MarkedLine found =
          detail::first_line(line, (is_refusal ? Refusal::bytes : JobRecord::bytes) - 1);
      if (is_refusal) add_refusal(found);
      if (!is_refusal && !add_record(found)) return false;
      line.remove_prefix(found.text.size());
    }
  }

  constexpr void add_refusal(const detail::MarkedLine& line) {
    Refusal refusal;
    if (line.is_whole && detail::read_refusal(line.text, refusal)) return refusals_.add(refusal);
    unread_.add_piece(line.text);
  }
  /// False if the table is full.
  constexpr bool add_record(const detail::MarkedLine& line) {
    JobRecord record;
    const int schema = line.is_whole ? detail::schema_of(line.text) : -1;
    if (schema == JobRecord::schema && detail::read_object(line.text, record)) {
      return append(record);
    }
    if (schema == JobRecord::schema || schema < 0) {
      unread_.add_piece(line.text);
    } else {
      unread_.add_schema(schema);
    }
    return true;
  }

  /// False if the table is full. Precondition: is_valid(record).
  constexpr bool append(const JobRecord& record) {
    if (records_.size() == max_records) return false;
    records_.push_back(record);
    return true;
  }

  RANKMAP_RARE constexpr Error error_without_record(std::int64_t lines) const {
    if (unread_.other_schemas != 0) {
      return detail::out_of_range("rankmap_job", unread_.highest_schema,
                                  detail::concat("records of schema ", JobRecord::schema),
                                  "read them with the version of rankmap that wrote them");
    }
    return detail::error_at(
        Errc::missing, "lines",
        detail::concat(lines, lines == 1 ? " line" : " lines", ", torn pieces: ", unread_.pieces),
        "the record of a process: {\"rankmap_job\":1,...}",
        "print one line for each process, of at most 768 bytes and in one write");
  }

  constexpr std::span<const JobRecord> records() const { return records_; }

  detail::SmallVector<JobRecord, 1> records_;
  bool is_merged_ = true;
  UnreadLines unread_;
  Refusals refusals_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_JOB_TABLE_HPP
