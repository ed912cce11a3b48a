// SPDX-License-Identifier: MIT
// The whole job, as rankmap.h shows it.
#ifndef RANKMAP_C_DETAIL_JOB_FACE_HPP
#define RANKMAP_C_DETAIL_JOB_FACE_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>
#include <rankmap/job/text.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace rankmap::inline v0::detail {

static_assert(RANKMAP_LINE_SIZE == JobRecord::bytes);

/// A text in the caller's memory, cut where that ends, with a zero byte behind it.
class TextBuffer {
 public:
  TextBuffer(char* text, std::size_t capacity) : text_(text), capacity_(capacity) {}

  void operator()(std::string_view piece) {
    if (size_ < capacity_) copy_text(piece, text_ + size_, capacity_ - size_);
    size_ += piece.size();
  }
  /// Of the whole text, without the zero byte.
  std::size_t size() const { return size_; }

 private:
  char* text_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

/// A caller's own name may be longer than a record keeps, or hold what a line does not show: then
/// it is its beginning and a hash, by which two of them differ. rankmap's are never such.
inline StaticString<15> recorded_launcher(std::string_view name) {
  if (is_recordable(name, 15)) return name;
  StaticString<15> out;
  std::string_view rest = name;
  for (int count = 0; count != 6 && !rest.empty(); ++count) {
    const bool plain = is_plain(rest.substr(0, 1), "_-.: ");
    out.append(plain ? rest.front() : '?');
    rest.remove_prefix(first_character(rest).bytes);
  }
  return append_hexadecimal(out.append('~'), short_digest(machine_identity(name)), 8);
}

inline JobRecord record_of(const rankmap_process& process) {
  JobRecord record;
  record.rank = process.rank;
  record.world_size = process.world_size;
  record.local_rank = process.local_rank;
  record.local_world_size = process.local_world_size;
  record.node_rank = process.node_rank;
  record.node_count = process.node_count;
  record.launcher = recorded_launcher(text_in(process.launcher));
  record.origin = OriginKind::given;
  record.source = "rankmap_process";
  record.host = recorded<63>(text_in(process.host));
#if defined(__unix__) || defined(__APPLE__)
  record.pid = ::getpid();
#endif
  return record;
}

inline void set_device(JobRecord& record, const rankmap_device& device) {
  const std::string_view name = text_in(device.name);
  const auto kind = device_kind(name.substr(0, name.find(':')));
  if (!kind) return;
  record.device.is_known = true;
  record.device.kind = *kind;
  if (*kind == DeviceKind::cpu) return;
  record.device.index = device.index;
  record.device.count = 1;
  record.device.physical = device.physical;
}

}  // namespace rankmap::inline v0::detail

extern "C" {

RANKMAP_API int rankmap_job_line(const rankmap_process* process, const rankmap_device* device,
                                 char* text, rankmap_error* error) {
  using namespace rankmap::detail;
  if (const auto bad = check_struct(process)) return fail(error, *bad);
  if (text == nullptr) return fail(error, null_argument("text"));
  rankmap::JobRecord record = record_of(*process);
  if (device != nullptr) {
    if (const auto bad = check_struct(device)) return fail(error, *bad);
    set_device(record, *device);
  }
  if (!is_valid(record)) {
    return fail(
        error, out_of_range("rankmap_process", process->rank,
                            "a rank in [0, world_size), and other numbers in their ranges or -1",
                            "pass what rankmap_from_environment or rankmap_from_values filled in"));
  }
  TextBuffer line(text, RANKMAP_LINE_SIZE);
  write_json(record, line);
  return RANKMAP_OK;
}

RANKMAP_API int rankmap_job_table(const char* lines, char* text, size_t capacity, size_t* size,
                                  int* errors, rankmap_error* error) {
  using namespace rankmap::detail;
  using rankmap::Errc;
  if (size != nullptr) *size = 0;
  if (errors != nullptr) *errors = 0;
  if (lines == nullptr) return fail(error, null_argument("lines"));
  if (text == nullptr && capacity != 0) return fail(error, null_argument("text"));
  const rankmap::Result<rankmap::JobTable> read = rankmap::JobTable::read(lines);
  if (!read) return fail(error, read.error());
  const rankmap::JobTable& table = *read;
  const rankmap::Findings findings = table.findings();
  TextBuffer out(text, capacity);
  write_text(table, findings, [&out](std::string_view piece) { out(piece); });
  if (size != nullptr) *size = out.size();
  if (errors != nullptr) *errors = static_cast<int>(findings.count(rankmap::Severity::error));
  if (out.size() < capacity) return RANKMAP_OK;
  return fail(error, error_at(Errc::limit_exceeded, "capacity", concat(capacity),
                              concat("at least ", out.size() + 1, " bytes"), "pass a larger text"));
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_JOB_FACE_HPP
