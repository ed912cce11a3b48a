// SPDX-License-Identifier: MIT
// Lines of cells, aligned in columns. Characters of East Asia take two columns, accents none.
#ifndef RANKMAP_JOB_DETAIL_TEXT_COLUMNS_HPP
#define RANKMAP_JOB_DETAIL_TEXT_COLUMNS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The columns of a character. Source: Unicode's EastAsianWidth, wide and fullwidth, by blocks.
constexpr std::size_t width_of(std::uint32_t code) {
  constexpr CodeRange accents[] = {
      {0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};
  constexpr CodeRange wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                                {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
                                {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
  return is_in(accents, code) ? 0 : is_in(wide, code) ? 2 : 1;
}

/// The columns of a text.
constexpr std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

/// A cell of a table.
inline constexpr std::size_t longest_cell = 95;
using TextCell = StaticString<longest_cell>;

/// The beginning of a text that a cell holds and that is not wider than `width`, with '~' at its
/// end if it is cut.
constexpr TextCell cut_to(std::string_view text, std::size_t width = longest_cell) {
  if (text.size() <= longest_cell && width_of(text) <= width) return text;
  TextCell out;
  std::size_t left = width - 1;
  std::size_t room = longest_cell - 1;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t columns = width_of(character.code);
    if (columns > left || character.bytes > room) break;
    out.append(text.substr(0, character.bytes));
    left -= columns;
    room -= character.bytes;
    text.remove_prefix(character.bytes);
  }
  return out.append('~');
}

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
    bool is_number = false;        ///< aligned to the right
    std::size_t min_width = 1000;  ///< if the table is too wide, the column may be cut to this
  };

  constexpr explicit TextColumns(const Column (&columns)[Columns]) : columns_(columns) {}

  constexpr void add(const Line& line) { lines_.push_back(line); }

  /// Writes the titles and the lines, each with its newline.
  constexpr void write(auto& out, std::size_t width) const {
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
        if (widths[c] <= columns_[c].min_width) continue;
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
  constexpr void write_line(auto& out, const Line& line,
                            const std::size_t (&widths)[Columns]) const {
    StaticString<200 * Columns> text;
    const auto pad = [&text](std::size_t count) {
      for (; count != 0; --count) text.append(' ');
    };
    text.append(line.mark).append(' ');
    for (std::size_t c = 0; c != Columns; ++c) {
      if (widths[c] == 0) continue;
      const TextCell cell = cut_to(line.cells[c], widths[c]);
      const std::size_t rest = widths[c] - width_of(cell);
      pad(columns_[c].is_number ? rest : 0);
      text.append(cell);
      pad(columns_[c].is_number ? 2 : rest + 2);
    }
    out(text.view().substr(0, text.view().find_last_not_of(' ') + 1));
    out(std::string_view("\n"));
  }

  const Column (&columns_)[Columns];
  SmallVector<Line, 1> lines_;
};

/// Writes a text in lines that are not wider than `width`, broken at blanks, each after `indent`.
constexpr void write_wrapped(auto& out, std::string_view text, std::string_view indent,
                             std::size_t width) {
  while (!text.empty()) {
    std::size_t end = std::string_view::npos;
    if (indent.size() + text.size() > width) {
      const std::size_t room = width > indent.size() ? width - indent.size() : 1;
      end = text.substr(0, room + 1).rfind(' ');
      if (end == 0 || end == std::string_view::npos) end = text.find(' ');  // behind a long word
    }
    const std::string_view line = text.substr(0, end);
    out(indent);
    out(line);
    out(std::string_view("\n"));
    text.remove_prefix(line.size());
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_TEXT_COLUMNS_HPP
