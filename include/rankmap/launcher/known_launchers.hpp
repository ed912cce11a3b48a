// SPDX-License-Identifier: MIT
// The launchers of the library, and those that a program or a site declares in the same form.
#ifndef RANKMAP_LAUNCHER_KNOWN_LAUNCHERS_HPP
#define RANKMAP_LAUNCHER_KNOWN_LAUNCHERS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/launcher/detail/declaration.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The names of declared launchers, held in place.
class LauncherNames {
 public:
  constexpr void add(Launcher launcher, std::string_view name) {
    if (count_ != max_declared_launchers) items_[count_++] = {launcher, name};
  }
  /// The name that was declared for it, or the library's. O(declared).
  RANKMAP_NOINLINE constexpr std::string_view of(Launcher launcher) const RANKMAP_LIFETIMEBOUND {
    for (std::size_t i = 0; i != count_; ++i) {
      if (items_[i].launcher == launcher) return items_[i].name;
    }
    return name(launcher);
  }

  friend constexpr bool operator==(const LauncherNames&, const LauncherNames&) = default;

 private:
  struct Item {
    Launcher launcher = Launcher::none;
    StaticString<15> name;
    friend constexpr bool operator==(const Item&, const Item&) = default;
  };
  std::uint8_t count_ = 0;
  Item items_[max_declared_launchers];
};

/// All launchers that are known: a range of rows, in the order in which their records are read.
/// A row lasts as long as the iterator stays there.
///
///     KnownLaunchers known;
///     if (const auto declared = known.declare(text, "our launchers"); !declared) return error;
///     for (const LauncherRow& row : known) use(row);
class KnownLaunchers {
 public:
  /// The most bytes of one text.
  static constexpr std::size_t max_text = LauncherFile::max_bytes;

  /// Those of the library.
  constexpr KnownLaunchers() = default;

  /// Adds the launchers that a text declares. It is viewed: it must be there as long as this and
  /// what is read from it. `subject`: what an error is about. Returns how many are declared, those
  /// before included. A launcher comes before the first
  /// exported one of the library, or else the last one, that reads its rank, size or local rank
  /// from the same variable; one that says `replaces NAME` in the place of that one; any other at
  /// the end. One that is declared in the same words again counts once: a site may declare what a
  /// program does.
  ///
  /// Errors, of which nothing is added behind the launcher at fault: bad_launcher for a text that
  /// does not follow the form, for a name that is taken, for a launcher without a variable of its
  /// own, and for one that reads a variable of one launcher of the library alone; limit_exceeded
  /// for more than `max_text` bytes or max_declared_launchers launchers.
  /// Cost: O(length of the text x length of the library's). No allocation.
  RANKMAP_RARE constexpr Result<std::size_t> declare(std::string_view text,
                                                     std::string_view subject) {
    if (text.size() > max_text) {
      // A file is not read beyond that.
      return detail::error_at(Errc::limit_exceeded, subject, "more than 8192 bytes",
                              "at most 8192 bytes", "declare fewer launchers");
    }
    for (detail::DeclarationReader reader(text, subject); reader.next();) {
      if (!reader.error()) add(reader);
      if (reader.error()) return *reader.error();
    }
    return count_;
  }

  constexpr std::size_t size() const { return launcher_count + added_; }

  /// The launcher at a place of the order. Precondition of this and the next three: place < size().
  constexpr Launcher launcher_at(std::size_t place) const {
    return static_cast<Launcher>((count_ == 0 ? place : order_[place]) + 2);
  }
  /// The lines that declare it.
  constexpr std::string_view lines_at(std::size_t place) const {
    return count_ == 0 ? detail::lines_of(place) : lines_of(launcher_at(place));
  }
  /// The variables of which one is set where there is a record of it.
  constexpr VariableNames detecting_at(std::size_t place) const {
    return count_ == 0 ? detail::detecting(place) : detail::detecting(lines_of(launcher_at(place)));
  }

  constexpr LauncherRow row_at(std::size_t place) const { return row_of(launcher_at(place)); }

  /// The row of a launcher, an empty one for a declared_launcher() that is not there. Precondition:
  /// neither Launcher::none nor Launcher::config. Cost: some hundred steps.
  RANKMAP_RARE constexpr LauncherRow row_of(Launcher launcher) const {
    return detail::LazyRow(lines_of(launcher), launcher).whole();
  }
  /// The launcher of a name, as parse_launcher() has it; declared ones first.
  RANKMAP_RARE constexpr std::optional<Launcher> parse(std::string_view text) const {
    for (std::size_t i = 0; i != count_; ++i) {
      if (detail::spells_the_same(text, detail::name_of(entries_[i].lines))) {
        return entries_[i].launcher;
      }
    }
    return parse_launcher(text);
  }
  /// Its name, as it was declared or as the library has it; "declared" for a number that is none.
  RANKMAP_RARE constexpr std::string_view name_of(Launcher launcher) const {
    const Entry* const entry = find(launcher);
    return entry != nullptr ? detail::name_of(entry->lines) : name(launcher);
  }
  /// The names of those that were declared.
  RANKMAP_RARE constexpr LauncherNames names() const {
    LauncherNames out;
    for (std::size_t i = 0; i != count_; ++i) {
      out.add(entries_[i].launcher, detail::name_of(entries_[i].lines));
    }
    return out;
  }

  using Iterator = RowIterator<KnownLaunchers>;
  constexpr Iterator begin() const { return Iterator(*this, 0); }
  constexpr Iterator end() const { return Iterator(*this, size()); }

 private:
  /// A launcher that was declared; one that replaces another has its enumerator.
  struct Entry {
    std::string_view lines = {};
    Launcher launcher = Launcher::none;
  };

  constexpr const Entry* find(Launcher launcher) const {
    for (std::size_t i = 0; i != count_; ++i) {
      if (entries_[i].launcher == launcher) return &entries_[i];
    }
    return nullptr;
  }
  RANKMAP_RARE constexpr std::string_view lines_of(Launcher launcher) const {
    const std::size_t index = static_cast<std::size_t>(launcher) - 2;
    if (const Entry* const entry = find(launcher)) return entry->lines;
    return index < launcher_count ? detail::lines_of(index) : std::string_view();
  }

  /// Adds the launcher that was read last, or reports what is wrong with it.
  RANKMAP_RARE constexpr void add(detail::DeclarationReader& reader) {
    const LauncherRow& row = reader.row();
    for (std::size_t i = 0; i != count_; ++i) {
      if (detail::name_of(entries_[i].lines) != row.name) continue;
      if (detail::trimmed(entries_[i].lines) == detail::trimmed(reader.lines())) return;
      return reader.refuse(row.name, "a name that no other declaration has");
    }
    const bool replaces = row.replaces != Launcher::none;
    if (replaces && find(row.replaces) != nullptr) {
      return reader.refuse(row.name, "one replacement of a launcher; another one has it already");
    }
    const auto taken = parse(row.name);
    if (taken && !(replaces && *taken == row.replaces)) {
      return reader.refuse(row.name, "a name that is not taken, or replaces NAME");
    }
    if (count_ == max_declared_launchers) {
      return reader.refuse(row.name, "at most 16 launchers", Errc::limit_exceeded);
    }
    if (count_ == 0) {
      for (std::size_t i = 0; i != launcher_count; ++i) order_[i] = static_cast<std::uint8_t>(i);
    }
    const Launcher before = detail::launcher_behind(reader);
    if (reader.error()) return;
    if (replaces) {
      entries_[count_++] = {reader.lines(), row.replaces};
      return;
    }
    std::size_t at = size();
    if (before != Launcher::none) {
      do {
        --at;
        order_[at + 1] = order_[at];
      } while (order_[at] + 2 != static_cast<int>(before));
    }
    order_[at] = static_cast<std::uint8_t>(launcher_count + added_);
    entries_[count_++] = {reader.lines(), declared_launcher(added_++)};
  }

  std::size_t count_ = 0;  // of the entries
  std::size_t added_ = 0;  // those that replace none
  Entry entries_[max_declared_launchers];
  std::uint8_t order_[launcher_count + max_declared_launchers] = {};  // unused while there are none
};

/// The rows whose text has a word, in order. No other row reads a variable of that name, or has a
/// starter with it; a row that has the word may still mean something else by it.
///
///     for (RowsNaming rows(known, "PMI_RANK"); rows.next();) use(rows.row());
class RowsNaming {
 public:
  /// Views both.
  constexpr RowsNaming(const KnownLaunchers& known, std::string_view word)
      : known_(&known), word_(word) {}

  /// Goes to the next row; false: there is none. Cost: a search of the text up to there.
  RANKMAP_RARE constexpr bool next() {
    while (!word_.empty() && next_ != known_->size()) {
      if (!detail::names_word(known_->lines_at(next_++), word_)) continue;
      row_ = known_->row_at(next_ - 1);
      return true;
    }
    return false;
  }
  constexpr const LauncherRow& row() const { return row_; }

 private:
  const KnownLaunchers* known_;
  std::string_view word_;
  std::size_t next_ = 0;
  LauncherRow row_ = {};
};

/// Declares what `text`, that of Config::launchers, and the file that RANKMAP_LAUNCHERS names say.
/// Returns how many there are. Errors: those of `declare`; bad_file for a file that cannot be read.
RANKMAP_RARE constexpr Result<std::size_t> declare_launchers(KnownLaunchers& known,
                                                             std::string_view text,
                                                             const EnvironmentView& variables) {
  const auto declared = known.declare(text, "Config::launchers");
  const LauncherFile file = variables.launcher_file();
  if (!declared || !file.is_named) return declared;
  if (!file.text) {
    return detail::error_at(Errc::bad_file, launcher_file_variable,
                            variables.text_or_empty(launcher_file_variable),
                            "the path of a file that can be read", "correct or unset it");
  }
  auto all = known.declare(*file.text, launcher_file_variable);
  if (all) return all;
  StaticString<95> path;
  detail::append_escaped(path, variables.text_or_empty(launcher_file_variable));
  Error error = all.error();
  error.remedy = detail::concat<159>("correct it in \"", path, "\": docs/how-to/add-a-launcher.md");
  return error;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_KNOWN_LAUNCHERS_HPP
