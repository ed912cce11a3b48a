// SPDX-License-Identifier: MIT
//
// A text as a terminal shows it, as an SVG picture.
#ifndef RANKMAP_EXAMPLES_DRAW_TERMINAL_HPP
#define RANKMAP_EXAMPLES_DRAW_TERMINAL_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// `blank`: what stands for a blank.
inline std::string svg_text(std::string_view text, std::string_view blank = " ") {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case ' ':
        out += blank;
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
        break;
    }
  }
  return out;
}

// Lines of ASCII, each in one colour: "$" and "error:" begin bold ones, "error:" and "!" red ones.
// `out`: any callable that takes a std::string_view.
template <class Out>
void draw_terminal(std::string_view title, std::string_view description, std::string_view text,
                   Out&& out) {
  std::vector<std::string_view> lines;
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.push_back(line);
    columns = std::max(columns, line.size());
  }
  const std::string width = std::to_string(40 + columns * 15 / 2);
  const std::string height = std::to_string(34 + 17 * lines.size());
  std::string picture =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rankmap-terminal\" xml:space=\"preserve\" "
      "role=\"img\" width=\"" +
      width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + ' ' + height +
      "\">\n<title>" + svg_text(title) + "</title>\n<desc>" + svg_text(description) +
      "</desc>\n<style>\n";
  picture +=
      ".rankmap-terminal text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"
      "'DejaVu Sans Mono',monospace;font-size:12px;fill:#1f2328}\n"
      ".rankmap-terminal .a{fill:#f6f8fa;stroke:#818b98}\n"
      ".rankmap-terminal .b{font-weight:700}\n"
      ".rankmap-terminal .r{fill:#cf222e}\n"
      "@media (prefers-color-scheme:dark){\n"
      ".rankmap-terminal text{fill:#f0f6fc}\n"
      ".rankmap-terminal .a{fill:#151b23;stroke:#656c76}\n"
      ".rankmap-terminal .r{fill:#ff7b72}\n"
      "}\n</style>\n";
  picture += "<rect x=\"0\" y=\"0\" width=\"" + width + "\" height=\"" + height +
             "\" rx=\"8\" class=\"a\"/>\n";
  std::size_t y = 30;
  for (const std::string_view line : lines) {
    const bool is_error = line.substr(0, 6) == "error:";
    const bool is_red = line.substr(0, 1) == "!";
    const bool is_bold = line.substr(0, 1) == "$";
    const std::string_view style = is_error ? "b r" : is_red ? "r" : is_bold ? "b" : "";
    if (!line.empty()) {
      picture += "<text x=\"20\" y=\"" + std::to_string(y) + '"';
      if (!style.empty()) picture += " class=\"" + std::string(style) + '"';
      // No-break spaces too: some programs keep blanks by the one, some by the other.
      picture += '>' + svg_text(line, "&#160;") + "</text>\n";
    }
    y += 17;
  }
  out(std::string_view(picture + "</svg>\n"));
}

#endif  // RANKMAP_EXAMPLES_DRAW_TERMINAL_HPP
