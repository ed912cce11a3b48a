// SPDX-License-Identifier: MIT
// Six numbers with their origins. They are set from the caller, from one record and by named rules,
// and checked for contradictions.
#ifndef RANKMAP_IDENTITY_DETAIL_NUMBERS_HPP
#define RANKMAP_IDENTITY_DETAIL_NUMBERS_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The six numbers as members of Config.
struct ConfigNumber {
  Field field;
  std::optional<int> Config::*member;
  std::string_view name;
  int lowest;
};
inline constexpr ConfigNumber config_numbers[number_count] = {
    {Field::rank, &Config::rank, "Config::rank", 0},
    {Field::world_size, &Config::world_size, "Config::world_size", 1},
    {Field::local_rank, &Config::local_rank, "Config::local_rank", 0},
    {Field::local_world_size, &Config::local_world_size, "Config::local_world_size", 1},
    {Field::node_rank, &Config::node_rank, "Config::node_rank", 0},
    {Field::node_count, &Config::node_count, "Config::node_count", 1},
};
constexpr std::string_view config_name(Field field) {
  return config_numbers[static_cast<std::size_t>(field)].name;
}

/// The six numbers of one process, some of which may not be known.
class ProcessNumbers {
 public:
  constexpr bool knows(Field field) const { return numbers_[field] >= 0; }
  constexpr int operator[](Field field) const { return numbers_[field]; }
  constexpr const SixNumbers& all() const { return numbers_; }
  constexpr const Origin& origin(Field field) const { return origins_[index(field)]; }

  RANKMAP_RARE constexpr void set_given(Field field, int number, std::string_view member) {
    set(field, number, {OriginKind::given, Launcher::config, member, {}});
  }
  /// Sets a number of a record, unless one is known already.
  RANKMAP_RARE constexpr void set_read(Field field, const Value& value, Launcher launcher) {
    if (!value.rule.empty()) return derive(field, value.number, value.rule);
    if (knows(field) || !value.known()) return;
    set(field, value.number, {OriginKind::read, launcher, value.variable, shortened(value.text)});
  }
  /// Sets a number that is not known yet, and never replaces one that is. Of a `number` of -1, not
  /// known, nothing follows.
  RANKMAP_RARE constexpr void derive(Field field, std::int64_t number, std::string_view rule) {
    if (knows(field) || number < 0 || number > INT32_MAX) return;
    set(field, static_cast<int>(number), {OriginKind::derived, Launcher::none, rule, {}});
  }
  constexpr bool has_empty_nodes() const { return empty_nodes_; }
  /// Allows nodes without a process, as the caller's task counts may have them.
  constexpr void allow_empty_nodes() { empty_nodes_ = true; }
  /// Says how a number is reported, or why it is not known.
  constexpr void set_origin(Field field, const Origin& origin) { origins_[index(field)] = origin; }
  constexpr void forget(Field field) { set(field, -1, {}); }
  RANKMAP_RARE constexpr void forget_unless_given(std::initializer_list<Field> fields) {
    for (const Field field : fields) {
      if (origin(field).kind != OriginKind::given) forget(field);
    }
  }

  /// Applies the rules that hold for every launcher. A rule applies only if the numbers that it
  /// needs are known. Sizes and counts that follow are the same on every rank of a job.
  RANKMAP_RARE constexpr void apply_rules() {
    const int world = (*this)[Field::world_size];
    if (world == 1) {
      constexpr std::string_view rule = "a world of one process";
      derive(Field::rank, 0, rule);
      derive(Field::local_rank, 0, rule);
      derive(Field::local_world_size, 1, rule);
    }
    const bool all_nodes_run_some = world >= 0 && !empty_nodes_;
    if (all_nodes_run_some && (*this)[Field::local_world_size] == world) {
      constexpr std::string_view rule = "one node: local_world_size = world_size";
      derive(Field::node_rank, 0, rule);
      derive(Field::node_count, 1, rule);
    }
    if (all_nodes_run_some && (*this)[Field::node_count] == world) {
      constexpr std::string_view rule = "as many nodes as processes";
      derive(Field::local_world_size, 1, rule);
      derive(Field::local_rank, 0, rule);
    }
    if ((*this)[Field::node_count] == 1) {
      constexpr std::string_view rule = "one node: node_count = 1";
      derive(Field::node_rank, 0, rule);
      derive(Field::local_world_size, world, rule);
      derive(Field::local_rank, (*this)[Field::rank], rule);
    }
  }

  friend constexpr bool operator==(const ProcessNumbers&, const ProcessNumbers&) = default;

 private:
  static constexpr std::size_t index(Field field) { return static_cast<std::size_t>(field); }
  constexpr void set(Field field, int number, const Origin& origin) {
    numbers_[field] = number;
    origins_[index(field)] = origin;
  }

  SixNumbers numbers_;
  Origin origins_[number_count] = {};
  bool empty_nodes_ = false;
};

/// Whether the number itself was read or given, rather than derived from others.
constexpr bool is_stated(const ProcessNumbers& identity, Field field) {
  const Origin& origin = identity.origin(field);
  return origin.kind == OriginKind::read || origin.source == config_name(field);
}

/// What messages call a field: its variable, its member of Config or, for a derived number, its own
/// name.
RANKMAP_RARE constexpr std::string_view subject_of(const ProcessNumbers& identity, Field field) {
  return is_stated(identity, field) ? identity.origin(field).source : name(field);
}

/// `WORLD_SIZE="4"`: a field's source and number, for the middle of a message.
RANKMAP_RARE constexpr StaticString<95> quoted(const ProcessNumbers& identity, Field field) {
  StaticString<95> out(subject_of(identity, field));
  out.append("=\"");
  if (identity.origin(field).kind == OriginKind::read) {
    out.append(identity.origin(field).text);
  } else {
    out.append_number(identity[field]);
  }
  return out.append('"');
}

/// An error about a field of an identity. `expected` completes the sentence "expected ...".
/// `statement`: the member of Config that says so.
RANKMAP_RARE constexpr Error error_about(const ProcessNumbers& identity, Errc code, Field field,
                                         std::string_view expected,
                                         std::string_view statement = {}) {
  const auto number = concat<15>(identity[field]);
  const Origin& origin = identity.origin(field);
  const bool read = origin.kind == OriginKind::read;
  const std::string_view found = read ? origin.text.view() : number.view();
  auto remedy = concat<159>("pass values that agree");
  if (read && !statement.empty()) {
    remedy = concat<159>("correct or unset it; in the program, leave ", statement, " unset");
  } else if (read) {
    remedy = concat<159>("correct or unset it; in the program, pass ", config_name(field));
  } else if (!is_stated(identity, field)) {
    remedy = concat<159>("it was derived (", origin.source, "): ", remedy.view());
  }
  Error error = error_at(code, subject_of(identity, field), {}, expected, remedy);
  error.found = StaticString<127>(found);  // escaped already
  return error;
}

/// The first contradiction between two numbers, as an error about one of them.
RANKMAP_RARE constexpr Optional<Error> find_contradiction(const ProcessNumbers& numbers) {
  Contradiction found = find_worker_contradiction(numbers.all());
  if (!found) found = find_node_contradiction(numbers.all(), numbers.has_empty_nodes());
  const auto refuse = [&](Errc code, const auto&... expected) {
    return error_about(numbers, code, found.field, concat<159>(expected...));
  };
  switch (found.kind) {
    case Contradiction::Kind::none:
      return std::nullopt;
    case Contradiction::Kind::too_small:
      return refuse(Errc::out_of_range, "a number, at least 1");
    case Contradiction::Kind::out_of_range:
      return refuse(Errc::out_of_range, "a number in [0, ", numbers[found.bound], "), as ",
                    quoted(numbers, found.bound), " says");
    case Contradiction::Kind::too_large:
      return refuse(Errc::inconsistent, "at most ", numbers[found.bound], ", as ",
                    quoted(numbers, found.bound), " says");
    case Contradiction::Kind::nodes:
      break;
  }
  const int elsewhere = numbers[Field::world_size] - numbers[Field::local_world_size];
  const auto bound = numbers[Field::node_count] == 1 ? concat<31>("more than 1")
                     : elsewhere == 0                ? concat<31>("1")
                                                     : concat<31>("at most ", elsewhere + 1);
  return refuse(Errc::inconsistent, bound, ", as ", quoted(numbers, Field::local_world_size),
                " of ", quoted(numbers, Field::world_size), " says");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_NUMBERS_HPP
