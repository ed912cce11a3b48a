// SPDX-License-Identifier: MIT
// The first of the assignments of least sum, so that every process finds the same one.
#ifndef RANKMAP_DEVICE_DETAIL_LEAST_SUM_HPP
#define RANKMAP_DEVICE_DETAIL_LEAST_SUM_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// Assigns each of at most `Capacity` rows a column of its own, among as many columns. The sum of
/// `cost(row, column)` is the least possible. Of the assignments with that sum, it is the one whose
/// first rows have the lowest columns. Kuhn's and Munkres's method finds one of them, and the edges
/// that any of them may use. Then each row in turn moves to its lowest such column for which the
/// rows after it can make room. O(size cubed), no allocation.
template <int Capacity>
class LeastSum {
 public:
  constexpr LeastSum(int size, const auto& cost) : size_(size) {
    for (int row = 1; row <= size_; ++row) add_row(row, cost);
    for (int column = 1; column <= size_; ++column) column_of_[row_of_[column]] = column;
    for (int row = 1; row <= size_; ++row) move_to_lowest(row, cost);
  }
  /// Precondition: 0 <= row < size.
  constexpr int column(int row) const { return column_of_[row + 1] - 1; }

 private:
  // Rows and columns count from 1; 0 is "none". An edge costs at least the price of its row plus
  // that of its column, and just as much in an assignment of least sum.
  static constexpr std::size_t places = static_cast<std::size_t>(Capacity) + 1;

  constexpr int excess(int row, int column, const auto& cost) const {
    return cost(row - 1, column - 1) - row_price_[row] - column_price_[column];
  }

  /// Gives one more row a column in the cheapest way, for which other rows may move.
  constexpr void add_row(int row, const auto& cost) {
    int least[places] = {};
    int from[places] = {};
    bool reached[places] = {};
    bool seen[places] = {};
    row_of_[0] = row;
    int column = 0;
    do {
      reached[column] = true;
      const int current = row_of_[column];
      int next = 0;
      for (int j = 1; j <= size_; ++j) {
        if (reached[j]) continue;
        const int now = excess(current, j, cost);
        if (!seen[j] || now < least[j]) {
          seen[j] = true;
          least[j] = now;
          from[j] = column;
        }
        if (next == 0 || least[j] < least[next]) next = j;
      }
      const int delta = least[next];
      for (int j = 0; j <= size_; ++j) {
        if (reached[j]) {
          row_price_[row_of_[j]] += delta;
          column_price_[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      column = next;
    } while (row_of_[column] != 0);
    for (; column != 0; column = from[column]) row_of_[column] = row_of_[from[column]];
  }

  constexpr void move_to_lowest(int row, const auto& cost) {
    const int own = column_of_[row];
    // The columns that later rows can free by moves, the last of them to the row's own column.
    int queue[places] = {own};
    int next_of[places] = {};  // of a row that moves
    bool free[places] = {};
    free[own] = true;
    int count = 1;
    for (int at = 0; at != count; ++at) {
      for (int other = row + 1; other <= size_; ++other) {
        const int column = column_of_[other];
        if (free[column] || excess(other, queue[at], cost) != 0) continue;
        free[column] = true;
        next_of[other] = queue[at];
        queue[count++] = column;
      }
    }
    int column = 1;
    while (!free[column] || excess(row, column, cost) != 0) ++column;
    for (int mover = row; column_of_[mover] != column;) {
      const int evicted = row_of_[column];
      row_of_[column] = mover;
      column_of_[mover] = column;
      if (evicted == row) break;
      mover = evicted;
      column = next_of[mover];
    }
  }

  int size_;
  int row_price_[places] = {};
  int column_price_[places] = {};
  int row_of_[places] = {};
  int column_of_[places] = {};
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_LEAST_SUM_HPP
