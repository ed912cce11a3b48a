// SPDX-License-Identifier: MIT
// Lines of cells, aligned in columns, within a width.
#ifndef RANKMAP_JOB_DETAIL_TEXT_COLUMNS_HPP
#define RANKMAP_JOB_DETAIL_TEXT_COLUMNS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/text_width.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A cell of a table. Longer texts are cut.
using TextCell = StaticString<95>;

/// A table of a few lines. A column in which no line has a text is left out.
template <std::size_t Columns>
class TextColumns {
 public:
  struct Line {
    char mark = ' ';
    TextCell cells[Columns];
  };
  struct Column {
    std::string_view title;
    bool is_number = false;    ///< aligned to the right
    std::size_t least = 1000;  ///< if the table is too wide, it may be cut to this
  };

  constexpr explicit TextColumns(const Column (&columns)[Columns]) : columns_(columns) {}

  constexpr void add(const Line& line) { lines_.push_back(line); }

  /// Writes the titles and the lines, each with its newline.
  template <class Out>
  constexpr void write(Out& out, std::size_t width) const {
    std::size_t widths[Columns] = {};
    std::size_t total = 2;
    for (std::size_t c = 0; c != Columns; ++c) {
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        const std::size_t cell = width_of(lines_[i].cells[c]);
        if (cell > widths[c]) widths[c] = cell;
      }
      if (widths[c] == 0) continue;
      if (columns_[c].title.size() > widths[c]) widths[c] = columns_[c].title.size();
      total += widths[c] + 2;
    }
    while (total > width + 2) {
      std::size_t widest = Columns;
      for (std::size_t c = 0; c != Columns; ++c) {
        if (widths[c] <= columns_[c].least) continue;
        if (widest == Columns || widths[c] > widths[widest]) widest = c;
      }
      if (widest == Columns) break;
      --widths[widest];
      --total;
    }
    Line titles;
    for (std::size_t c = 0; c != Columns; ++c) titles.cells[c] = columns_[c].title;
    write_line(out, titles, widths);
    for (std::size_t i = 0; i < lines_.size(); ++i) write_line(out, lines_[i], widths);
  }

 private:
  template <class Out>
  constexpr void write_line(Out& out, const Line& line,
                            const std::size_t (&widths)[Columns]) const {
    constexpr std::string_view blanks = "                                ";
    const auto pad = [&out, blanks](std::size_t count) {
      for (; count > blanks.size(); count -= blanks.size()) out(blanks);
      if (count != 0) out(blanks.substr(0, count));
    };
    const char mark[] = {line.mark, ' '};
    std::size_t gap = line.mark == ' ' ? 2 : 0;  // blanks that a text must follow
    if (gap == 0) out(std::string_view(mark, 2));
    for (std::size_t c = 0; c != Columns; ++c) {
      if (widths[c] == 0) continue;
      const TextCell cell = cut_to<95>(line.cells[c], widths[c]);
      const std::size_t rest = widths[c] - width_of(cell);
      if (cell.empty()) {
        gap += widths[c] + 2;
        continue;
      }
      pad(columns_[c].is_number ? gap + rest : gap);
      out(cell.view());
      gap = columns_[c].is_number ? 2 : rest + 2;
    }
    out(std::string_view("\n"));
  }

  const Column (&columns_)[Columns];
  SmallVector<Line, 1> lines_;
};

/// Writes a text in lines that are not wider than `width`, broken at blanks, each after `indent`.
template <class Out>
constexpr void write_wrapped(Out& out, std::string_view text, std::string_view indent,
                             std::size_t width) {
  while (!text.empty()) {
    std::size_t end = text.size();
    if (indent.size() + text.size() > width) {
      end = width > indent.size() ? width - indent.size() : 1;
      const std::size_t blank = text.substr(0, end + 1).rfind(' ');
      if (blank != std::string_view::npos && blank != 0) {
        end = blank;
      } else {
        const std::size_t next = text.find(' ');  // a word that is longer than a line
        end = next == std::string_view::npos ? text.size() : next;
      }
    }
    out(indent);
    out(text.substr(0, end));
    out(std::string_view("\n"));
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_TEXT_COLUMNS_HPP
