// SPDX-License-Identifier: MIT
// Compressed lists of host names, as Slurm writes them, in text that is never expanded.
#ifndef RANKMAP_HOSTS_HOST_LIST_HPP
#define RANKMAP_HOSTS_HOST_LIST_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/hosts/detail/host_cursor.hpp>
#include <rankmap/hosts/detail/host_list_fold.hpp>
#include <rankmap/hosts/detail/host_list_tokens.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <optional>
#include <string_view>  // the iterator tags too: <iterator> itself would cost twice as much
#include <utility>

namespace rankmap::inline v0 {

namespace detail {
class HostTableBuilder;
}  // namespace detail

/// The compressed text of a list: owns its bytes, converts to std::string_view.
using HostListText = SmallString;

/// A list of host names in compressed form: `rack[0-1]n[01-64],login1`.
///
/// It holds the text (64 bytes in place, more on the heap) and the number of hosts, nothing else.
/// Order and duplicates are kept; names are compared byte for byte. The grammar is that of
/// `scontrol show hostnames` (Slurm 22.05), against which it is tested, with the suffixes that
/// Slurm accepts from 23.02.5 on (`n[1-2]-ib`). constexpr; an object that outlives the constant
/// evaluation must have at most 64 bytes of text.
class HostList {
 public:
  class iterator;
  using const_iterator = iterator;
  using value_type = HostName;

  /// The empty list. A list that was moved from is empty, too.
  constexpr HostList() = default;

  /// Reads a list; an empty text, or separators alone, is the empty list.
  ///
  /// `text` is copied. `subject` names the text in errors: a variable. Errors, each with its byte
  /// offset: `bad_host_list` for text outside the grammar, `limit_exceeded` for more hosts or
  /// longer names than `limits` allow. O(length of the text). Golden-tested.
  static constexpr Result<HostList> parse(std::string_view text, HostListLimits limits = {},
                                          std::string_view subject = "host list") {
    const Result<HostListView> view = HostListView::parse(text, limits, subject);
    if (!view) return view.error();
    return HostList(HostListText(text), view->size());
  }

  /// Folds names, in the order given, as Slurm does.
  ///
  /// `names`: any range of texts. Errors: `bad_host_list` for a name that is empty or holds a
  /// separator, a control byte or '['; `limit_exceeded` as in `parse`. O(bytes), no other memory.
  template <class Names>
  static constexpr Result<HostList> from_names(const Names& names, HostListLimits limits = {},
                                               std::string_view subject = "host name");

  /// The number of hosts, duplicates included. O(1).
  constexpr std::size_t size() const { return text_.empty() ? 0 : size_; }
  constexpr bool empty() const { return size() == 0; }

  /// The name of host `i`. Precondition: i < size(). O(length of the text), not of the expansion.
  /// To visit all hosts use begin() and end(), which do it in one pass over the text; in a token of
  /// several brackets, the text before the last one is read again each time that one has run.
  constexpr HostName operator[](std::size_t i) const { return view()[i]; }

  /// The first index of `host`, or nothing. O(length of the text).
  constexpr std::optional<std::size_t> find(std::string_view host) const {
    return view().find(host);
  }
  constexpr bool contains(std::string_view host) const { return find(host).has_value(); }

  /// Random-access iterators over HostName values, valid while the list lives and is not moved.
  constexpr iterator begin() const& RANKMAP_LIFETIMEBOUND;
  constexpr iterator end() const& RANKMAP_LIFETIMEBOUND;
  iterator begin() const&& = delete;  // it would dangle
  iterator end() const&& = delete;

  /// The text of this list as Slurm folds it. It parses back to the same list, and lists of
  /// the same hosts in the same order give the same text.
  /// O(length of the text) if the list is folded already, else as visiting all hosts.
  constexpr HostListText str() const { return detail::folded(text_, size()); }

  /// The text as it was given. Valid while the list lives and is not moved.
  constexpr std::string_view text() const RANKMAP_LIFETIMEBOUND { return text_.view(); }

  /// The same queries without ownership.
  constexpr HostListView view() const RANKMAP_LIFETIMEBOUND { return {text_.view(), size()}; }

  /// The memory of this list in bytes, the object included.
  constexpr std::size_t bytes() const { return sizeof(HostList) + text_.heap_bytes(); }

  /// Whether both lists name the same hosts in the same order, however they are written.
  friend constexpr bool operator==(const HostList& a, const HostList& b) {
    if (a.size() != b.size()) return false;
    return a.text() == b.text() || a.str() == b.str();
  }

 private:
  friend class HostListBuilder;
  constexpr HostList(HostListText text, std::size_t size) : text_(std::move(text)), size_(size) {}

  HostListText text_;  // empty after a move
  std::size_t size_ = 0;
};

/// Random access to the hosts of a list. A step forward reads the text between both hosts; a step
/// backward out of a token starts at the beginning of the list.
class HostList::iterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // it gives values, not references
  using value_type = HostName;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = HostName;

  constexpr iterator() = default;

  constexpr HostName operator*() const { return cursor_.name(); }
  constexpr HostName operator[](difference_type n) const { return *(*this + n); }

  constexpr iterator& operator+=(difference_type n) {
    index_ = static_cast<std::size_t>(static_cast<difference_type>(index_) + n);
    if (index_ < size_) cursor_.seek(index_);
    return *this;
  }
  constexpr iterator& operator-=(difference_type n) { return *this += -n; }
  constexpr iterator& operator++() { return *this += 1; }
  constexpr iterator& operator--() { return *this += -1; }
  constexpr iterator operator++(int) { return std::exchange(*this, *this + 1); }
  constexpr iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend constexpr iterator operator+(iterator it, difference_type n) { return it += n; }
  friend constexpr iterator operator+(difference_type n, iterator it) { return it += n; }
  friend constexpr iterator operator-(iterator it, difference_type n) { return it -= n; }
  friend constexpr difference_type operator-(const iterator& a, const iterator& b) {
    return static_cast<difference_type>(a.index_) - static_cast<difference_type>(b.index_);
  }
  friend constexpr bool operator==(const iterator& a, const iterator& b) {
    return a.index_ == b.index_;
  }
  friend constexpr auto operator<=>(const iterator& a, const iterator& b) {
    return a.index_ <=> b.index_;
  }

 private:
  friend class HostList;
  constexpr iterator(const HostList& list, std::size_t index)
      : cursor_(list.text()), size_(list.size()) {
    *this += static_cast<difference_type>(index);
  }

  detail::HostCursor cursor_;
  std::size_t size_ = 0;
  std::size_t index_ = 0;
};

constexpr HostList::iterator HostList::begin() const& { return {*this, 0}; }
constexpr HostList::iterator HostList::end() const& { return {*this, size()}; }

/// Folds names one at a time. O(bytes): a name is compared with the one before it only.
class HostListBuilder {
 public:
  constexpr explicit HostListBuilder(HostListLimits limits = {},
                                     std::string_view subject = "host name")
      : limits_(limits), subject_(subject) {
    if (limits_.max_name_length > longest_host_name) limits_.max_name_length = longest_host_name;
  }

  /// Adds one name at the end. After a bad name all others are ignored, and finish() fails.
  constexpr HostListBuilder& add(std::string_view name) {
    if (error_) return *this;
    const bool is_too_long = name.size() > limits_.max_name_length;
    if (is_too_long || size_ == limits_.max_hosts) {
      error_ = detail::host_list_error(
          is_too_long ? detail::HostFault::name_too_long : detail::HostFault::too_many_hosts,
          subject_, name, 0, limits_);
      return *this;
    }
    std::size_t good = 0;
    while (good != name.size() && name[good] != '[' && !detail::is_host_separator(name[good]) &&
           !detail::is_control(name[good])) {
      ++good;
    }
    if (good != name.size() || name.empty()) {
      error_ = detail::error_at(Errc::bad_host_list, subject_, name,
                                "a host name without blanks, commas, '[' and control bytes",
                                "give one host at a time, or parse the text as a list", good);
      return *this;
    }
    folder_.add(name);
    ++size_;
    return *this;
  }

  /// The list of all names added, or the first error. Leaves the builder empty.
  constexpr Result<HostList> finish() {
    HostList list(folder_.finish(), std::exchange(size_, 0U));
    if (!error_) return list;
    return *std::exchange(error_, std::nullopt);
  }

 private:
  friend class detail::HostTableBuilder;  // asks which name is the bad one
  HostListLimits limits_;
  StaticString<63> subject_;
  detail::HostFolder folder_;
  std::size_t size_ = 0;
  detail::Optional<Error> error_;
};

template <class Names>
constexpr Result<HostList> HostList::from_names(const Names& names, HostListLimits limits,
                                                std::string_view subject) {
  HostListBuilder builder(limits, subject);
  for (const auto& name : names) builder.add(name);
  return builder.finish();
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_LIST_HPP
