// SPDX-License-Identifier: MIT
// A record as bytes that any collective carries, the same on every machine; and back, from any
// bytes.
#ifndef RANKMAP_JOB_RECORD_BYTES_HPP
#define RANKMAP_JOB_RECORD_BYTES_HPP

#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace rankmap::inline v0 {

namespace detail {

/// Writes fields one after the other. Precondition: there is room for all of them.
class FieldWriter : public ByteWriter {
 public:
  using ByteWriter::ByteWriter;

  template <class Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) constexpr void operator()(
      Number value) {
    number(static_cast<std::uint64_t>(value), sizeof value);
  }
  /// By its name: a number could mean another kind to another version.
  constexpr void operator()(DeviceKind kind) { (*this)(StaticString<15>(name(kind))); }
  /// By its name, too. Versions that do not know the field wrote zeros there: no launcher.
  constexpr void operator()(Launcher launcher) {
    (*this)(launcher == Launcher::none ? StaticString<15>() : StaticString<15>(name(launcher)));
  }
  template <std::size_t Capacity>
  constexpr void operator()(const StaticString<Capacity>& value) {
    number(value.size(), 1);
    text(value);
    zeros(Capacity - value.size());
  }
};

/// Reads them back. Precondition: as above.
class FieldReader : public ByteReader {
 public:
  using ByteReader::ByteReader;

  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr void operator()(Number& value) { value = static_cast<Number>(number(sizeof value)); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  constexpr void operator()(Enum& value) {
    value = static_cast<Enum>(number(sizeof value));
    good_ = good_ && name(value) != "?";
  }
  constexpr void operator()(bool& value) { value = number_below(2) == 1; }
  constexpr void operator()(DeviceKind& kind) {
    StaticString<15> value;
    (*this)(value);
    const auto found = device_kind(value);
    good_ = good_ && found.has_value();
    kind = found.value_or(DeviceKind::cpu);
  }
  constexpr void operator()(Launcher& launcher) {
    StaticString<15> value;
    (*this)(value);
    launcher = parse_launcher(value).value_or(Launcher::none);
    good_ = good_ && (value.empty() || (value == name(launcher) && launcher != Launcher::none));
  }
  template <std::size_t Capacity>
  constexpr void operator()(StaticString<Capacity>& value) {
    const std::size_t size = to_size(number_below(Capacity + 1));
    text(value, size);
    good_ = zeros(Capacity - size) && good_;
  }
  /// Whether all that was read, and what is left, is what a writer writes.
  constexpr bool good() { return ends() && good_; }

 private:
  constexpr std::uint64_t number_below(std::uint64_t limit) {
    const std::uint64_t value = number(1);
    good_ = good_ && value < limit;
    return value < limit ? value : 0;
  }

  bool good_ = true;
};

/// "RMJ" and the schema.
inline constexpr std::uint32_t record_magic = 0x004a4d52U | std::uint32_t{JobRecord::schema} << 24U;

}  // namespace detail

/// Writes a record to `out`. Preconditions: is_valid(record), and JobRecord::bytes bytes. O(1).
constexpr void write_record(const JobRecord& record, std::span<std::byte> out) {
  detail::FieldWriter writer(out);
  writer(detail::record_magic);
  detail::for_each_field(record, writer);
  writer.fill();
}

/// The record that these bytes are. Nothing unless write_record() of this schema could have written
/// them: any other bytes, a wrong size, and a record that is not valid. O(1).
constexpr std::optional<JobRecord> read_record(std::span<const std::byte> in) {
  if (in.size() != JobRecord::bytes) return std::nullopt;
  detail::FieldReader reader(in);
  std::uint32_t magic = 0;
  reader(magic);
  if (magic != detail::record_magic) return std::nullopt;
  JobRecord record;
  detail::for_each_field(record, reader);
  if (!reader.good() || !is_valid(record)) return std::nullopt;
  return record;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_RECORD_BYTES_HPP
