// SPDX-License-Identifier: MIT
// How items of unequal cost are cut into parts: the longest first, first fit at a bisected
// capacity, the differencing method, and exchanges out of the heaviest part (cut_parts.hpp). Every
// tie has a rule, so the result depends on the costs alone.
#ifndef RANKMAP_SAMPLER_DETAIL_BALANCED_CUT_HPP
#define RANKMAP_SAMPLER_DETAIL_BALANCED_CUT_HPP

#include <rankmap/detail/sift_down.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/sampler/detail/cut_parts.hpp>
#include <rankmap/sampler/detail/differencing.hpp>
#include <rankmap/sampler/detail/first_fit.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

/// Cuts the items of one problem again and again.
class BalancedCut : public CutParts {
 public:
  using CutParts::CutParts;

  /// Counts within one of each other. Returns the heaviest load.
  constexpr std::uint64_t even(std::uint32_t parts) {
    begin(parts);
    longest_first(true);
    return difference(true, exchange(false));
  }
  /// Any counts, but no empty part unless there are fewer items than parts. Returns the heaviest
  /// load. If that is above `cap`, first fit cannot keep the cap either.
  constexpr std::uint64_t free(std::uint32_t parts, std::uint64_t cap) {
    begin(parts);
    longest_first(false);
    std::uint64_t heaviest = load_parts();
    std::uint64_t low = bound(parts);
    // With very many items there is no trial: the exchanges reach the bound alone.
    for (std::uint64_t trials = max_trial_items / (item_count_ + 1U); low < heaviest && trials != 0;
         --trials) {
      const std::uint64_t capacity = low + (heaviest - low) / 2;
      if (first_fit(capacity, parts)) {
        heaviest = take_fit();
      } else {
        low = capacity + 1;
      }
    }
    heaviest = difference(false, exchange(true));
    if (heaviest > cap && first_fit(cap, parts)) heaviest = take_fit();
    return heaviest;
  }
  /// Writes the part of each item in the last cut.
  constexpr void write(std::uint32_t* part_of) const {
    for (const Item& item : items_) part_of[item.number] = item.part;
  }

  /// Puts each item, the largest cost first, into the first of `parts` parts with room for it. This
  /// is a trial and changes no cut. False if an item does not fit.
  constexpr bool first_fit(std::uint64_t capacity, std::uint32_t parts) {
    room_memory_.resize(2 * std::size_t{parts});
    Rooms<std::uint64_t> rooms(room_memory_.data(), parts, capacity);
    fitted_ = 0;
    placed_ += item_count_;
    for (Item& item : items_) {
      item.trial = rooms.first_with(item.cost);
      if (item.trial == parts) return false;
      if (item.trial >= fitted_) fitted_ = item.trial + 1;
      rooms.set(item.trial, rooms[item.trial] - item.cost);
    }
    return true;
  }
  /// How many parts the last first fit used: the first ones.
  constexpr std::uint32_t fitted() const { return fitted_; }
  /// Items that were put into parts, in all cuts.
  constexpr std::uint64_t placed() const { return placed_; }

 private:
  static constexpr std::uint64_t max_trial_items = std::uint64_t{1} << 19U;  // of all first fits

  // Puts each item into the part of least load, the lowest of equal ones. If `even`, no part gets
  // more than its count. Otherwise the last items go to parts that would be empty.
  constexpr void longest_first(bool even) {
    const auto lighter = [this](std::uint32_t p, std::uint32_t q) { return is_lighter(p, q); };
    std::uint32_t open = part_count_;  // parts that are not closed: a heap at the front of order_
    placed_ += item_count_;
    const std::uint32_t least = item_count_ / part_count_;
    std::uint32_t longer = item_count_ % part_count_;  // how many parts may still get least + 1
    std::uint32_t empty = part_count_;
    for (std::uint32_t rank = 0; rank != item_count_; ++rank) {
      const auto is_closed = [&](std::uint32_t count) {
        if (!even) return count != 0 && item_count_ - rank <= empty;
        return count > least || (count == least && longer == 0);
      };
      while (is_closed(parts_[order_[0]].count)) {
        std::swap(order_[0], order_[--open]);
        sift_down(order_.data(), 0, open, lighter);
      }
      Part& part = parts_[order_[0]];
      if (even && part.count == least) --longer;
      if (part.count == 0) --empty;
      items_[rank].part = order_[0];
      ++part.count;
      part.load += items_[rank].cost;
      sift_down(order_.data(), 0, open, lighter);
    }
  }

  // Makes the last first fit the cut. Each empty part takes the last item of the part with most
  // items, the lowest of equal ones. Returns the heaviest load.
  constexpr std::uint64_t take_fit() {
    for (Item& item : items_) item.part = item.trial;
    if (fitted_ == part_count_ || item_count_ < part_count_) return load_parts();
    clear_parts();
    for (std::uint32_t rank = 0; rank != item_count_; ++rank) {
      Part& part = parts_[items_[rank].part];
      ++part.count;
      items_[rank].next = part.first;  // its items, the last first
      part.first = rank;
    }
    const auto is_fuller = [this](std::uint32_t p, std::uint32_t q) {
      return parts_[p].count != parts_[q].count ? parts_[p].count > parts_[q].count : p < q;
    };
    for (std::uint32_t at = part_count_ / 2; at-- != 0;) {
      sift_down(order_.data(), at, part_count_, is_fuller);
    }
    // A part that takes an item here gives none: some other part has two.
    for (std::uint32_t p = fitted_; p != part_count_; ++p) {
      Part& from = parts_[order_[0]];
      items_[from.first].part = p;
      from.first = items_[from.first].next;
      --from.count;
      sift_down(order_.data(), 0, part_count_, is_fuller);
    }
    return load_parts();
  }

  // Tries the exchanges again, from the cut of the differencing method. Keeps the better result,
  // and of equal ones the first. Returns the heaviest load.
  constexpr std::uint64_t difference(bool even, std::uint64_t heaviest) {
    if (heaviest <= bound(part_count_) || item_count_ <= part_count_) return heaviest;
    constexpr std::uint64_t max_steps = std::uint64_t{1} << 24U;
    if (std::uint64_t{item_count_} * part_count_ > max_steps) return heaviest;
    for (Item& item : items_) item.trial = item.part;
    Differencing(
        item_count_, part_count_, [this](std::uint32_t rank) { return items_[rank].cost; },
        [this](std::uint32_t rank) { return items_[rank].number; })
        .cut(even, [this](std::uint32_t rank, std::uint32_t part) { items_[rank].part = part; });
    const std::uint64_t other = exchange(!even);
    if (other < heaviest) return other;
    for (Item& item : items_) item.part = item.trial;
    return heaviest;
  }

  std::uint64_t placed_ = 0;
  std::uint32_t fitted_ = 0;
  SmallVector<std::uint64_t, 32> room_memory_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_BALANCED_CUT_HPP
