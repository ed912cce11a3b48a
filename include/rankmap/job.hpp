// SPDX-License-Identifier: MIT
//
// All of job/: one record from each process, and what all of them together show.
#ifndef RANKMAP_JOB_HPP
#define RANKMAP_JOB_HPP

#include <rankmap/job/facts.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/record_bytes.hpp>

#endif  // RANKMAP_JOB_HPP
