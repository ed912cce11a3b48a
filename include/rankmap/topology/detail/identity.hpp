// SPDX-License-Identifier: MIT
//
// An identity in the making: six numbers with their origins, filled from the caller, from one
// record and from named rules, and held against itself before anyone sees it.
#ifndef RANKMAP_TOPOLOGY_DETAIL_IDENTITY_HPP
#define RANKMAP_TOPOLOGY_DETAIL_IDENTITY_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/config.hpp>
#include <rankmap/topology/detail/record.hpp>
#include <rankmap/topology/origin.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The six numbers as members of Config.
struct GivenNumber {
  Field field;
  std::optional<int> Config::*member;
  std::string_view name;
  int lowest;
};
inline constexpr GivenNumber given_numbers[number_count] = {
    {Field::rank, &Config::rank, "Config::rank", 0},
    {Field::world_size, &Config::world_size, "Config::world_size", 1},
    {Field::local_rank, &Config::local_rank, "Config::local_rank", 0},
    {Field::local_world_size, &Config::local_world_size, "Config::local_world_size", 1},
    {Field::node_rank, &Config::node_rank, "Config::node_rank", 0},
    {Field::node_count, &Config::node_count, "Config::node_count", 1},
};
constexpr std::string_view config_name(Field field) {
  return given_numbers[static_cast<std::size_t>(field)].name;
}

class Draft {
 public:
  constexpr bool knows(Field field) const { return numbers_[index(field)] >= 0; }
  constexpr int operator[](Field field) const { return numbers_[index(field)]; }
  constexpr const Origin& origin(Field field) const { return origins_[index(field)]; }

  constexpr void give(Field field, int number, std::string_view member) {
    set(field, number, {OriginKind::given, Launcher::given, member, {}});
  }
  constexpr void read(Field field, const Value& value, Launcher launcher) {
    if (value.rule.empty()) {
      set(field, value.number, {OriginKind::read, launcher, value.variable, shortened(value.text)});
    } else {
      derive(field, value.number, value.rule);
    }
  }
  /// Sets what is not known yet; a derived value never replaces a better one.
  constexpr void derive(Field field, std::int64_t number, std::string_view rule) {
    if (knows(field) || number < 0 || number > INT32_MAX) return;
    set(field, static_cast<int>(number), {OriginKind::derived, Launcher::none, rule, {}});
  }
  /// The caller lists the workers of each node, and a node may have none.
  constexpr void allow_empty_nodes() { empty_nodes_ = true; }
  constexpr void forget(Field field) {
    numbers_[index(field)] = -1;
    origins_[index(field)] = {};
  }

  /// The rules that hold for every launcher. Each fires only where what it needs is known; what
  /// they set is the same on every rank of a job, except for the rank's own place.
  constexpr void apply_rules() {
    const auto is = [&](Field field, int number) {
      return knows(field) && (*this)[field] == number;
    };
    if (is(Field::world_size, 1)) {
      constexpr std::string_view rule = "a world of one process";
      derive(Field::rank, 0, rule);
      derive(Field::local_rank, 0, rule);
      derive(Field::local_world_size, 1, rule);
    }
    const bool all_nodes_run_some = knows(Field::world_size) && !empty_nodes_;
    if (all_nodes_run_some && is(Field::local_world_size, (*this)[Field::world_size])) {
      constexpr std::string_view rule = "one node: local_world_size = world_size";
      derive(Field::node_rank, 0, rule);
      derive(Field::node_count, 1, rule);
    }
    if (all_nodes_run_some && is(Field::node_count, (*this)[Field::world_size])) {
      constexpr std::string_view rule = "as many nodes as processes";
      derive(Field::local_world_size, 1, rule);
      derive(Field::local_rank, 0, rule);
    }
    if (is(Field::node_count, 1)) {
      constexpr std::string_view rule = "one node: node_count = 1";
      derive(Field::node_rank, 0, rule);
      if (knows(Field::world_size))
        derive(Field::local_world_size, (*this)[Field::world_size], rule);
      if (knows(Field::rank)) derive(Field::local_rank, (*this)[Field::rank], rule);
    }
  }

  /// The first two fields that cannot both be true, as an error about the one at fault.
  constexpr Maybe<Error> find_contradiction() const;

 private:
  static constexpr std::size_t index(Field field) { return static_cast<std::size_t>(field); }
  constexpr void set(Field field, int number, const Origin& origin) {
    numbers_[index(field)] = number;
    origins_[index(field)] = origin;
  }

  int numbers_[number_count] = {-1, -1, -1, -1, -1, -1};
  Origin origins_[number_count] = {};
  bool empty_nodes_ = false;
};

/// Whether somebody told the number itself, rather than what it follows from.
constexpr bool is_told(const Draft& draft, Field field) {
  const Origin& origin = draft.origin(field);
  return origin.kind == OriginKind::read || origin.source == config_name(field);
}

/// The name under which a message speaks of a field: its variable or its member of Config, and
/// where nobody told the number its own.
constexpr std::string_view subject_of(const Draft& draft, Field field) {
  return is_told(draft, field) ? draft.origin(field).source : name(field);
}

/// `WORLD_SIZE="4"`: a field's source and number, for the middle of a message.
constexpr Text<95> quoted(const Draft& draft, Field field) {
  Text<95> out(subject_of(draft, field));
  out.append("=\"");
  if (draft.origin(field).kind == OriginKind::read) {
    out.append(draft.origin(field).text);
  } else {
    out.append_number(draft[field]);
  }
  return out.append('"');
}

/// An error about a field of a draft: `expected` completes the sentence.
constexpr Error error_about(const Draft& draft, Errc code, Field field, std::string_view expected) {
  const auto number = joined<15>(draft[field]);
  const Origin& origin = draft.origin(field);
  const bool read = origin.kind == OriginKind::read;
  const std::string_view found = read ? origin.text.view() : number.view();
  auto remedy = joined<159>("pass values that fit each other");
  if (read) {
    remedy = joined<159>("unset it or pass ", config_name(field));
  } else if (!is_told(draft, field)) {
    remedy = joined<159>("it was derived (", origin.source, "): ", remedy.view());
  }
  Error error = error_found(code, subject_of(draft, field), {}, expected, remedy);
  error.found = Text<127>(found);  // escaped already
  return error;
}

constexpr Maybe<Error> Draft::find_contradiction() const {
  const auto below = [&](Field value, Field bound) -> Maybe<Error> {
    if (!knows(value) || !knows(bound) || (*this)[value] < (*this)[bound]) return std::nullopt;
    return error_about(
        *this, Errc::out_of_range, value,
        joined<159>("a number in [0, ", (*this)[bound], "), as ", quoted(*this, bound), " says"));
  };
  const auto at_most = [&](Field value, Field bound) -> Maybe<Error> {
    if (!knows(value) || !knows(bound) || (*this)[value] <= (*this)[bound]) return std::nullopt;
    return error_about(
        *this, Errc::inconsistent, value,
        joined<159>("at most ", (*this)[bound], ", as ", quoted(*this, bound), " says"));
  };
  Maybe<Error> error = below(Field::rank, Field::world_size);
  if (!error) error = below(Field::local_rank, Field::local_world_size);
  if (!error) error = below(Field::local_rank, Field::world_size);
  if (!error) error = at_most(Field::local_world_size, Field::world_size);
  if (!error) error = below(Field::node_rank, Field::node_count);
  if (error || empty_nodes_) return error;
  error = below(Field::node_rank, Field::world_size);  // no node is without a process
  if (!error) error = at_most(Field::node_count, Field::world_size);
  if (error) return error;
  if (knows(Field::node_count) && knows(Field::local_world_size) && knows(Field::world_size)) {
    const int nodes = (*this)[Field::node_count];
    const int elsewhere = (*this)[Field::world_size] - (*this)[Field::local_world_size];
    if (nodes == 1 ? elsewhere != 0 : nodes - 1 > elsewhere) {
      const auto bound = nodes == 1       ? joined<31>("more than 1")
                         : elsewhere == 0 ? joined<31>("1")
                                          : joined<31>("at most ", elsewhere + 1);
      return error_about(*this, Errc::inconsistent, Field::node_count,
                         joined<159>(bound, ", as ", quoted(*this, Field::local_world_size), " of ",
                                     quoted(*this, Field::world_size), " says"));
    }
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_IDENTITY_HPP
