// SPDX-License-Identifier: MIT
// The table of a job by one all-gather, which the caller supplies: every rank gets the same.
#ifndef RANKMAP_JOB_GATHER_JOB_HPP
#define RANKMAP_JOB_GATHER_JOB_HPP

#include <rankmap/all_gather.hpp>
#include <rankmap/detail/check_rank.hpp>
#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/record_bytes.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace rankmap::inline v0 {

/// Gathers the records of all processes into one table.
///
/// `mine`: the record of this process. `world_size`: how many processes take part in the
/// collective, as the communicator says; what the records believe may differ, and the table shows
/// where it does. `all_gather`: see AllGather; it sends JobRecord::bytes, 768 bytes. It is called
/// exactly once on every rank, even with an invalid record, so that no rank waits for another.
///
/// Every rank returns the same table, or the same error; where the collective brings what a rank
/// did not send, this rank alone may return an error. gather_failed: the collective failed, lost or
/// damaged a part, or some rank sent anything but a valid record. limit_exceeded: more than
/// JobTable::max_records processes. out_of_range: `world_size` is below 1; these two are found
/// before the collective. O(world_size); about 1.5 KiB a rank while it runs.
template <AllGather Gather>
Result<JobTable> gather_job(const JobRecord& mine, int world_size, Gather&& all_gather) {
  if (const auto error = detail::check_world_size(world_size)) return *error;
  if (detail::to_size(static_cast<unsigned>(world_size)) > JobTable::max_records) {
    return detail::error_at(
        Errc::limit_exceeded, "world_size", detail::concat(world_size),
        detail::concat("at most ", std::uint64_t{JobTable::max_records}, " processes"),
        "gather the records of fewer processes");
  }
  std::byte bytes[JobRecord::bytes] = {};
  if (is_valid(mine)) write_record(mine, bytes);  // else zeros, which are no record on any rank
  detail::GatheredBytes<JobRecord::bytes> all(world_size);
  if (const auto error = all.gather(bytes, all_gather)) return *error;
  JobTable table = JobTable::of_processes(detail::to_size(static_cast<unsigned>(world_size)));
  for (int rank = 0; rank != world_size; ++rank) {
    const std::optional<JobRecord> record = read_record(all.record(rank));
    if (!record || !table.add(*record)) {
      return detail::error_at(
          Errc::gather_failed, detail::concat("record of rank ", rank), "no record",
          "a valid record of the same version of rankmap",
          "start one program on all ranks; in the program, pass a record of describe()");
    }
  }
  if (const auto error = all.check_own(mine.rank, bytes)) return *error;
  return table;
}

/// The same over the world size that the record believes: this one trusts the launcher with the
/// size of a buffer. Where launcher and communicator may disagree, pass the communicator's.
template <AllGather Gather>
Result<JobTable> gather_job(const JobRecord& mine, Gather&& all_gather) {
  return gather_job(mine, mine.world_size, all_gather);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_GATHER_JOB_HPP
