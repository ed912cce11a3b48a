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
  TopologyField field;
  std::optional<int> Config::*member;
  std::string_view name;
  int lowest;
};
inline constexpr GivenNumber given_numbers[number_count] = {
    {TopologyField::rank, &Config::rank, "Config::rank", 0},
    {TopologyField::world_size, &Config::world_size, "Config::world_size", 1},
    {TopologyField::local_rank, &Config::local_rank, "Config::local_rank", 0},
    {TopologyField::local_world_size, &Config::local_world_size, "Config::local_world_size", 1},
    {TopologyField::node_rank, &Config::node_rank, "Config::node_rank", 0},
    {TopologyField::node_count, &Config::node_count, "Config::node_count", 1},
};
constexpr std::string_view config_name(TopologyField field) {
  return given_numbers[static_cast<std::size_t>(field)].name;
}

class Identity {
 public:
  constexpr bool knows(TopologyField field) const { return numbers_[index(field)] >= 0; }
  constexpr int operator[](TopologyField field) const { return numbers_[index(field)]; }
  constexpr const Origin& origin(TopologyField field) const { return origins_[index(field)]; }

  constexpr void give(TopologyField field, int number, std::string_view member) {
    set(field, number, {OriginKind::given, Launcher::config, member, {}});
  }
  constexpr void read(TopologyField field, const Value& value, Launcher launcher) {
    if (value.rule.empty()) {
      set(field, value.number, {OriginKind::read, launcher, value.variable, shortened(value.text)});
    } else {
      derive(field, value.number, value.rule);
    }
  }
  /// Sets what is not known yet; a derived value never replaces a better one.
  constexpr void derive(TopologyField field, std::int64_t number, std::string_view rule) {
    if (knows(field) || number < 0 || number > INT32_MAX) return;
    set(field, static_cast<int>(number), {OriginKind::derived, Launcher::none, rule, {}});
  }
  /// The caller lists the workers of each node, and a node may have none.
  constexpr void allow_empty_nodes() { empty_nodes_ = true; }
  constexpr void forget(TopologyField field) {
    numbers_[index(field)] = -1;
    origins_[index(field)] = {};
  }

  /// The rules that hold for every launcher. Each fires only where what it needs is known; what
  /// they set is the same on every rank of a job, except for the rank's own place.
  constexpr void apply_rules() {
    const auto is = [&](TopologyField field, int number) {
      return knows(field) && (*this)[field] == number;
    };
    if (is(TopologyField::world_size, 1)) {
      constexpr std::string_view rule = "a world of one process";
      derive(TopologyField::rank, 0, rule);
      derive(TopologyField::local_rank, 0, rule);
      derive(TopologyField::local_world_size, 1, rule);
    }
    const bool all_nodes_run_some = knows(TopologyField::world_size) && !empty_nodes_;
    if (all_nodes_run_some &&
        is(TopologyField::local_world_size, (*this)[TopologyField::world_size])) {
      constexpr std::string_view rule = "one node: local_world_size = world_size";
      derive(TopologyField::node_rank, 0, rule);
      derive(TopologyField::node_count, 1, rule);
    }
    if (all_nodes_run_some && is(TopologyField::node_count, (*this)[TopologyField::world_size])) {
      constexpr std::string_view rule = "as many nodes as processes";
      derive(TopologyField::local_world_size, 1, rule);
      derive(TopologyField::local_rank, 0, rule);
    }
    if (is(TopologyField::node_count, 1)) {
      constexpr std::string_view rule = "one node: node_count = 1";
      derive(TopologyField::node_rank, 0, rule);
      if (knows(TopologyField::world_size))
        derive(TopologyField::local_world_size, (*this)[TopologyField::world_size], rule);
      if (knows(TopologyField::rank))
        derive(TopologyField::local_rank, (*this)[TopologyField::rank], rule);
    }
  }

  /// The first two fields that cannot both be true, as an error about the one at fault.
  constexpr Optional<Error> find_contradiction() const;

 private:
  static constexpr std::size_t index(TopologyField field) {
    return static_cast<std::size_t>(field);
  }
  constexpr void set(TopologyField field, int number, const Origin& origin) {
    numbers_[index(field)] = number;
    origins_[index(field)] = origin;
  }

  int numbers_[number_count] = {-1, -1, -1, -1, -1, -1};
  Origin origins_[number_count] = {};
  bool empty_nodes_ = false;
};

/// Whether somebody told the number itself, rather than what it follows from.
constexpr bool is_told(const Identity& identity, TopologyField field) {
  const Origin& origin = identity.origin(field);
  return origin.kind == OriginKind::read || origin.source == config_name(field);
}

/// The name under which a message speaks of a field: its variable or its member of Config, and
/// where nobody told the number its own.
constexpr std::string_view subject_of(const Identity& identity, TopologyField field) {
  return is_told(identity, field) ? identity.origin(field).source : name(field);
}

/// `WORLD_SIZE="4"`: a field's source and number, for the middle of a message.
constexpr StaticString<95> quoted(const Identity& identity, TopologyField field) {
  StaticString<95> out(subject_of(identity, field));
  out.append("=\"");
  if (identity.origin(field).kind == OriginKind::read) {
    out.append(identity.origin(field).text);
  } else {
    out.append_number(identity[field]);
  }
  return out.append('"');
}

/// An error about a field of a identity: `expected` completes the sentence.
constexpr Error error_about(const Identity& identity, Errc code, TopologyField field,
                            std::string_view expected) {
  const auto number = concat<15>(identity[field]);
  const Origin& origin = identity.origin(field);
  const bool read = origin.kind == OriginKind::read;
  const std::string_view found = read ? origin.text.view() : number.view();
  auto remedy = concat<159>("pass values that fit each other");
  if (read) {
    remedy = concat<159>("unset it or pass ", config_name(field));
  } else if (!is_told(identity, field)) {
    remedy = concat<159>("it was derived (", origin.source, "): ", remedy.view());
  }
  Error error = error_at(code, subject_of(identity, field), {}, expected, remedy);
  error.found = StaticString<127>(found);  // escaped already
  return error;
}

constexpr Optional<Error> Identity::find_contradiction() const {
  const auto below = [&](TopologyField value, TopologyField bound) -> Optional<Error> {
    if (!knows(value) || !knows(bound) || (*this)[value] < (*this)[bound]) return std::nullopt;
    return error_about(
        *this, Errc::out_of_range, value,
        concat<159>("a number in [0, ", (*this)[bound], "), as ", quoted(*this, bound), " says"));
  };
  const auto at_most = [&](TopologyField value, TopologyField bound) -> Optional<Error> {
    if (!knows(value) || !knows(bound) || (*this)[value] <= (*this)[bound]) return std::nullopt;
    return error_about(
        *this, Errc::inconsistent, value,
        concat<159>("at most ", (*this)[bound], ", as ", quoted(*this, bound), " says"));
  };
  Optional<Error> error = below(TopologyField::rank, TopologyField::world_size);
  if (!error) error = below(TopologyField::local_rank, TopologyField::local_world_size);
  if (!error) error = below(TopologyField::local_rank, TopologyField::world_size);
  if (!error) error = at_most(TopologyField::local_world_size, TopologyField::world_size);
  if (!error) error = below(TopologyField::node_rank, TopologyField::node_count);
  if (error || empty_nodes_) return error;
  error =
      below(TopologyField::node_rank, TopologyField::world_size);  // no node is without a process
  if (!error) error = at_most(TopologyField::node_count, TopologyField::world_size);
  if (error) return error;
  if (knows(TopologyField::node_count) && knows(TopologyField::local_world_size) &&
      knows(TopologyField::world_size)) {
    const int nodes = (*this)[TopologyField::node_count];
    const int elsewhere =
        (*this)[TopologyField::world_size] - (*this)[TopologyField::local_world_size];
    if (nodes == 1 ? elsewhere != 0 : nodes - 1 > elsewhere) {
      const auto bound = nodes == 1       ? concat<31>("more than 1")
                         : elsewhere == 0 ? concat<31>("1")
                                          : concat<31>("at most ", elsewhere + 1);
      return error_about(*this, Errc::inconsistent, TopologyField::node_count,
                         concat<159>(bound, ", as ", quoted(*this, TopologyField::local_world_size),
                                     " of ", quoted(*this, TopologyField::world_size), " says"));
    }
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_IDENTITY_HPP
