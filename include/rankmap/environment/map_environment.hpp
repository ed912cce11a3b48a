// SPDX-License-Identifier: MIT
// Variables that are put together while the program runs, in texts of its own. Written without
// <string> and <map>, which cost more than all of environment/.
#ifndef RANKMAP_ENVIRONMENT_MAP_ENVIRONMENT_HPP
#define RANKMAP_ENVIRONMENT_MAP_ENVIRONMENT_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

/// An environment that owns its texts. Copyable, constexpr. The first of a name counts. O(log
/// variables) for each look-up, O(text log variables) to make, O(text x variables) of one text.
///
///     const MapEnvironment env({{"RANK", std::to_string(rank)}, {"WORLD_SIZE", "8"}});
class MapEnvironment {
 public:
  constexpr MapEnvironment() = default;
  constexpr MapEnvironment(
      std::initializer_list<std::pair<std::string_view, std::string_view>> variables) {
    add_all(variables);
  }
  /// From a std::map, a std::vector of pairs, or any range whose elements have a text `first` and a
  /// text `second`.
  template <class Variables>
  requires requires(const Variables& variables) {
    std::string_view(variables.begin()->first);
    std::string_view(variables.begin()->second);
    variables.end();
  }
  constexpr explicit MapEnvironment(const Variables& variables) { add_all(variables); }
  /// From a text of `NAME=value` entries: the output of `env`, one a line, or that of `env -0` and
  /// /proc/PID/environ, which end each by a NUL. A text with a NUL in it is of the second kind, as
  /// no value can hold one. An entry without '=' is no variable.
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  constexpr explicit MapEnvironment(const Text& text) {
    const std::string_view all(text);
    const char separator = all.find('\0') == std::string_view::npos ? '\n' : '\0';
    RecordedEnvironment(all, separator)
        .for_each([this](std::string_view name, std::string_view value) { add(name, value); });
    sort();
  }

  /// The text is valid as long as this object lives and is not changed.
  constexpr std::optional<std::string_view> operator()(std::string_view name) const
      RANKMAP_LIFETIMEBOUND {
    const std::size_t place = detail::partition_point(
        std::size_t{0}, order_.size(), [&](std::size_t i) { return name_of(order_[i]) < name; });
    if (place == order_.size() || name_of(order_[place]) != name) return std::nullopt;
    return value_of(order_[place]);
  }
  /// Calls `visit(name, text)` for each variable, in the order of the names' bytes.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < order_.size(); ++i) visit(name_of(order_[i]), value_of(order_[i]));
  }

 private:
  /// Where the texts of a variable are in `texts_`: its name, and behind it its value.
  struct Place {
    std::size_t begin;
    std::size_t middle;
    std::size_t end;
  };

  constexpr std::string_view name_of(std::uint32_t variable) const {
    const Place& place = places_[variable];
    return texts_.view().substr(place.begin, place.middle - place.begin);
  }
  constexpr std::string_view value_of(std::uint32_t variable) const {
    const Place& place = places_[variable];
    return texts_.view().substr(place.middle, place.end - place.middle);
  }

  constexpr void add(std::string_view name, std::string_view value) {
    const std::size_t begin = texts_.size();
    texts_.append(name).append(value);
    places_.push_back({begin, begin + name.size(), texts_.size()});
  }
  constexpr void add_all(const auto& variables) {
    for (const auto& variable : variables) {
      add(std::string_view(variable.first), std::string_view(variable.second));
    }
    sort();
  }
  /// Sorts by name and leaves out what has the name of an earlier one.
  constexpr void sort() {
    order_ = detail::sorted_indices(places_.size(), [this](std::uint32_t a, std::uint32_t b) {
      return name_of(a) < name_of(b);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (kept == 0 || name_of(order_[kept - 1]) != name_of(order_[i])) order_[kept++] = order_[i];
    }
    order_.resize(kept);
  }

  SmallString texts_;
  detail::SmallVector<Place, 1> places_;  // in the order in which they were given
  detail::Indices order_;                 // of these, by name
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENVIRONMENT_MAP_ENVIRONMENT_HPP
