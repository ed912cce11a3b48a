// SPDX-License-Identifier: MIT
// All of job/: one record from each process, and what all of them together show.
#ifndef RANKMAP_JOB_HPP
#define RANKMAP_JOB_HPP

#include <rankmap/job/changes.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/gather_job.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/job/record_bytes.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/job/table_json.hpp>
#include <rankmap/job/text.hpp>
#include <rankmap/job/unread_lines.hpp>

#endif  // RANKMAP_JOB_HPP
