// SPDX-License-Identifier: MIT
// How axes are named and passed: the list that makes a mesh, and the axes that a question is about.
#ifndef RANKMAP_MESH_AXES_HPP
#define RANKMAP_MESH_AXES_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/mesh/detail/mixed_radix.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace rankmap::inline v0 {

/// Which end of the list of axes varies fastest.
enum class AxisOrder : std::uint8_t {
  last_fastest,   ///< row-major: MPI, DeviceMesh, DeepSpeed, JAX and most others
  first_fastest,  ///< column-major: the order strings of Megatron
};

constexpr std::string_view name(AxisOrder order) {
  return detail::enumerator("last_fastest\0first_fastest", order);
}

/// How the groups over some axes are numbered. Their members are the same in both orders.
enum class GroupOrder : std::uint8_t {
  axis_order,   ///< the other axes count as they do in the mesh (MPI, Megatron, DeepSpeed's
                ///< topology): in a mesh that make() made, groups ascend by their lowest rank
  device_mesh,  ///< as DeviceMesh built them before its layouts: it swaps the axis with the fastest
                ///< one first, so [0,4][2,6][1,5][3,7] for the slowest axis of 2 x 2 x 2
};

constexpr std::string_view name(GroupOrder order) {
  return detail::enumerator("axis_order\0device_mesh", order);
}

/// `{"tp", 8}`: a name of letters, digits, '_' and '.', and a size, or -1: Mesh::inferred.
struct AxisSize {
  std::string_view name;
  int size = 1;
};

/// One axis of a mesh. `name` points into the mesh.
struct Axis {
  std::string_view name;
  int size = 1;
  int stride = 1;  ///< from one coordinate to the next, in ranks
  friend constexpr bool operator==(const Axis&, const Axis&) = default;
};

/// Some of the axes of one mesh, found by name once. Has no meaning for another mesh.
class Axes {
 public:
  constexpr Axes() = default;
  RANKMAP_HD friend constexpr Axes operator|(Axes a, Axes b) noexcept {
    return Axes(a.bits_ | b.bits_);
  }
  RANKMAP_HD friend constexpr Axes operator&(Axes a, Axes b) noexcept {
    return Axes(a.bits_ & b.bits_);
  }
  friend constexpr bool operator==(const Axes&, const Axes&) = default;

 private:
  friend class Mesh;
  RANKMAP_HD constexpr explicit Axes(std::uint32_t bits) noexcept : bits_(bits) {}
  std::uint32_t bits_ = 0;  // by digit, the fastest first
};

/// One number for each axis: what a Coordinate and the Dims of a grid are. Holds the first 8 of a
/// longer list, and size() says how long the list was.
class AxisValues {
 public:
  constexpr AxisValues() = default;
  constexpr AxisValues(std::initializer_list<int> values) {
    for (const int value : values) {
      if (size_ < std::size_t{detail::max_digits}) values_[size_] = value;
      ++size_;
    }
  }
  /// So many zeros.
  RANKMAP_HD constexpr explicit AxisValues(std::size_t size) noexcept : size_(size) {}

  RANKMAP_HD constexpr std::size_t size() const noexcept { return size_; }
  RANKMAP_HD constexpr int operator[](std::size_t i) const noexcept { return values_[i]; }
  RANKMAP_HD constexpr int& operator[](std::size_t i) noexcept { return values_[i]; }
  /// The values that are held, whatever size() is.
  constexpr const int* begin() const { return values_; }
  constexpr const int* end() const {
    return values_ +
           (size_ < std::size_t{detail::max_digits} ? size_ : std::size_t{detail::max_digits});
  }
  friend constexpr bool operator==(const AxisValues&, const AxisValues&) = default;

 private:
  int values_[detail::max_digits] = {};
  std::size_t size_ = 0;
};

/// A list as an argument, read and not kept: braces, an array, a vector, a span.
template <class T>
class ListArgument {
 public:
  constexpr ListArgument(std::initializer_list<T> list) : size_(list.size()) {
    data_ = list.begin();  // it lives as long as the call that the argument is for
  }
  template <std::size_t Size>
  constexpr ListArgument(const T (&list)[Size]) : data_(list), size_(Size) {}  // NOLINT
  template <class List>
  requires requires(const List& list, const T* data) {
    data = list.data();
    list.size();
  }
  constexpr ListArgument(const List& list) : data_(list.data()), size_(list.size()) {}  // NOLINT
  constexpr ListArgument(const T* data, std::size_t size) : data_(data), size_(size) {}
  RANKMAP_HD constexpr ListArgument() noexcept {}  // NOLINT: a defaulted one would be host code

  constexpr std::size_t size() const { return size_; }
  constexpr const T& operator[](std::size_t i) const { return data_[i]; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The axes that make a mesh: `{{"pp", 2}, {"dp", 4}, {"tp", 8}}`.
using AxisList = ListArgument<AxisSize>;

/// Names of axes: `{"dp", "cp"}`, a list of names, or one text with '-' between them, "dp-cp".
class AxisNames {
 public:
  constexpr AxisNames(std::initializer_list<std::string_view> names) : list_(names) {}
  template <class List>
  requires requires(const List& list) { ListArgument<std::string_view>(list); }
  constexpr AxisNames(const List& list) : list_(list) {}  // NOLINT
  template <class Text>
  requires requires(const Text& text) { std::string_view(text); }
  constexpr AxisNames(const Text& text) {  // NOLINT
    const std::string_view view(text);
    text_ = view.data();
    text_size_ = view.size();
  }
  RANKMAP_HD constexpr AxisNames() noexcept {}  // NOLINT: a defaulted one would be host code

  /// Calls `visit(name)` for each name until it returns false; returns whether it never did.
  template <class Visit>
  constexpr bool each(const Visit& visit) const {
    for (const std::string_view name : list_) {
      if (!visit(name)) return false;
    }
    detail::ListEntries names({text_, text_size_}, '-');
    while (text_size_ != 0 && names.next()) {
      if (!visit(names.text())) return false;
    }
    return true;
  }

 private:
  ListArgument<std::string_view> list_;
  // No std::string_view, which device code cannot make: an AxesArgument there has one of these.
  const char* text_ = nullptr;
  std::size_t text_size_ = 0;
};

/// Axes as questions to a mesh take them: `Axes`, in device code only these, or AxisNames.
class AxesArgument {
 public:
  RANKMAP_HD constexpr AxesArgument(Axes axes) noexcept : axes_(axes) {}  // NOLINT
  constexpr AxesArgument(std::initializer_list<std::string_view> names)
      : names_(names), by_name_(true) {}
  template <class Names>
  requires requires(const Names& names) { AxisNames(names); }
  constexpr AxesArgument(const Names& names) : names_(names), by_name_(true) {}  // NOLINT

 private:
  friend class Mesh;
  AxisNames names_;
  Axes axes_;
  bool by_name_ = false;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_MESH_AXES_HPP
