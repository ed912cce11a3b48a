// SPDX-License-Identifier: MIT
// SVG to any callable that takes a std::string_view, in ASCII, without scripts, fonts and other
// files. All numbers are whole, so that the same picture is the same bytes everywhere.
#ifndef RANKMAP_DRAW_DETAIL_SVG_WRITER_HPP
#define RANKMAP_DRAW_DETAIL_SVG_WRITER_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr int picture_margin = 20;
/// The width that a caller asks for, at least 320 and at most 10,000 pixels.
constexpr int picture_width(int width) {
  return width < 320 ? 320 : width > 10'000 ? 10'000 : width;
}

/// Colours of groups and ranks, which repeat: Okabe and Ito's, for any kind of colour vision
/// ("Color Universal Design", 2008). Nothing is shown by colour only.
inline constexpr int svg_colours = 7;

/// Plain rules without CSS variables, which librsvg and others do not support. Every rule begins
/// with the picture's own class, so that an HTML page can contain the picture.
/// Class names are short, since a large picture has thousands of them:
///   a background, b box of a node, c cell, d dashed, l line, o outlined, p padding, u used;
///   h1 title, h2 heading, s soft, n small; m centred, e at the end;
///   c0 ... c6 the colours, k dark and w white text on them.
inline constexpr std::string_view svg_style =
    ".rankmap text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',"
    "monospace;font-size:12px;fill:#1f2328}\n"
    ".rankmap .h1{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;"
    "font-size:17px;font-weight:600}\n"
    ".rankmap .h2{font-size:14px;font-weight:700}\n"
    ".rankmap .s{fill:#59636e}\n"
    ".rankmap .n{font-size:11px}\n"
    ".rankmap .m{text-anchor:middle}\n"
    ".rankmap .e{text-anchor:end}\n"
    ".rankmap .a{fill:#ffffff}\n"
    ".rankmap .b{fill:#f6f8fa;stroke:#818b98}\n"
    ".rankmap .c{fill:#ffffff;stroke:#818b98}\n"
    ".rankmap .d{fill:none;stroke:#59636e;stroke-dasharray:4 3}\n"
    ".rankmap .l{fill:none;stroke:#1f2328;stroke-width:2}\n"
    ".rankmap .o{fill:none;stroke:#1f2328;stroke-width:3}\n"
    ".rankmap .p{fill:none;stroke:#1f2328;stroke-width:2;stroke-dasharray:4 2}\n"
    ".rankmap .u{fill:#e1e6eb;stroke:#818b98}\n"
    ".rankmap .c0{fill:#e69f00}.rankmap .c1{fill:#56b4e9}.rankmap .c2{fill:#009e73}\n"
    ".rankmap .c3{fill:#f0e442}.rankmap .c4{fill:#0072b2}.rankmap .c5{fill:#d55e00}\n"
    ".rankmap .c6{fill:#cc79a7}\n"
    ".rankmap .k{fill:#111111}\n"
    ".rankmap .w{fill:#ffffff}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".rankmap text{fill:#f0f6fc}\n"
    ".rankmap .s{fill:#9198a1}\n"
    ".rankmap .a{fill:#0d1117}\n"
    ".rankmap .b{fill:#151b23;stroke:#656c76}\n"
    ".rankmap .c{fill:#0d1117;stroke:#656c76}\n"
    ".rankmap .d{stroke:#9198a1}\n"
    ".rankmap .l{stroke:#f0f6fc}\n"
    ".rankmap .o{stroke:#f0f6fc}\n"
    ".rankmap .p{stroke:#f0f6fc}\n"
    ".rankmap .u{fill:#2a313a;stroke:#656c76}\n"
    ".rankmap .k{fill:#111111}\n"
    ".rankmap .w{fill:#ffffff}\n"
    "}\n";

constexpr std::string_view colour_class(std::int64_t index) {
  constexpr std::string_view names[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6"};
  return names[index % svg_colours];
}
/// The classes of a centred text on that colour.
constexpr std::string_view ink(std::int64_t index, bool is_small = false) {
  const bool dark = index % svg_colours == 4;
  if (is_small) return dark ? "w n m" : "k n m";
  return dark ? "w m" : "k m";
}

struct SvgBox {
  int x;
  int y;
  int width;
  int height;
};

/// Of the title and the sentence below it.
inline constexpr int heading_height = 54;

/// The largest width of a text of so many characters in the 12 pixel fixed-width font.
constexpr int text_width(int characters) { return characters * 15 / 2; }
constexpr int text_columns(int width) { return width * 2 / 15; }

/// Of a number from 0 on.
constexpr int digits_of(int value) {
  return static_cast<int>(decimal_digits(static_cast<unsigned>(value)));
}

/// A number with separators from five digits on: 9999, 10,000.
constexpr StaticString<27> with_separators(auto number) {
  const StaticString<20> digits = StaticString<20>().append_number(number);
  StaticString<27> out;
  for (std::size_t i = 0; i != digits.size(); ++i) {
    if (i != 0 && digits.size() > 4 && (digits.size() - i) % 3 == 0) out.append(',');
    out.append(digits.view()[i]);
  }
  return out;
}

template <class Out>
class SvgWriter {
 public:
  constexpr explicit SvgWriter(Out& out) : out_(out) {}

  /// The frame of a picture, its heading and a sentence below. Title, sentence and description,
  /// which a screen reader reads, are functions that call put().
  constexpr void begin(int width, int height, const auto& title, const auto& sentence,
                       const auto& description) {
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rankmap\" role=\"img\" width=\"", width,
        "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height, "\">\n<title>");
    title();
    put("</title>\n<desc>");
    description();
    put("</desc>\n<style>\n", svg_style,
        "</style>\n<defs>"
        "<pattern id=\"rankmap-stripes\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V8\" stroke=\"#000000\" "
        "stroke-opacity=\".35\" stroke-width=\"4\"/></pattern></defs>\n");
    box({0, 0, width, height}, "a", 8);
    open_text(picture_margin, picture_margin + 14, "h1");
    title();
    put("</text>\n");
    open_text(picture_margin, picture_margin + 36, "s");
    sentence();
    put("</text>\n");
  }
  constexpr void end() { put("</svg>\n"); }

  /// The tool tip of the shapes up to end_group().
  constexpr void begin_group(const auto&... tip) {
    put("<g><title>");
    (write(tip), ...);
    put("</title>\n");
  }
  constexpr void end_group() { put("</g>\n"); }

  constexpr void box(SvgBox box, std::string_view classes, int radius = 4) {
    open_box(box, radius);
    put("\" class=\"", classes, "\"/>\n");
  }
  /// Stripes along the lower edge of a box that is drawn already.
  constexpr void stripes(SvgBox box) {
    open_box({box.x, box.y + box.height - 7, box.width, 7}, 3);
    put("\" fill=\"url(#rankmap-stripes)\"/>\n");
  }

  /// A line that ties two boxes: an arc below those of one row, straight between rows.
  constexpr void tie(SvgBox from, SvgBox to) {
    const int start = from.x + from.width / 2;
    const int end = to.x + to.width / 2;
    const int bottom = from.y + from.height;
    put("<path class=\"l\" d=\"M", start, " ", bottom);
    if (from.y == to.y) {
      constexpr int max_depth = 32;  // of the control point, twice that of the arc
      const int depth = 10 + (start < end ? end - start : start - end) / 16;
      put("Q", (start + end) / 2, " ", bottom + (depth < max_depth ? depth : max_depth), " ", end,
          " ", bottom);
    } else {
      put("L", end, " ", to.y);
    }
    put("\"/>\n");
  }

  constexpr void text(int x, int y, std::string_view classes, const auto&... pieces) {
    open_text(x, y, classes);
    (write(pieces), ...);
    put("</text>\n");
  }
  /// The same in the middle of a box, `down` pixels below its upper edge.
  constexpr void centred(SvgBox box, int down, std::string_view classes, const auto&... pieces) {
    text(box.x + box.width / 2, box.y + down, classes, pieces...);
  }
  /// Any text, cut where it would be wider than `columns` characters.
  constexpr void fitted(int x, int y, std::string_view classes, std::string_view text,
                        int columns) {
    open_text(x, y, classes);
    const bool whole = bytes_within(text, columns) == text.size();
    escape(text.substr(0, whole ? text.size() : bytes_within(text, columns - 3)));
    put(whole ? "</text>\n" : "...</text>\n");
  }

  /// Markup, unchanged, and numbers.
  constexpr void put(const auto&... pieces) { (put_one(pieces), ...); }
  /// Any bytes as text. Control characters and bytes that are not UTF-8 become U+FFFD.
  constexpr void escape(std::string_view text) {
    write_escaped(out_, text, "<>&\"", [this](std::uint32_t code) { reference(code); });
  }

 private:
  constexpr void put_one(const auto& piece) {
    if constexpr (requires { std::string_view(piece); }) {
      out_(std::string_view(piece));
    } else {
      out_(StaticString<24>().append_number(piece).view());
    }
  }
  constexpr void write(const auto& piece) {
    if constexpr (requires { std::string_view(piece); }) {
      escape(std::string_view(piece));
    } else {
      put_one(piece);
    }
  }
  constexpr void open_box(SvgBox box, int radius) {
    put("<rect x=\"", box.x, "\" y=\"", box.y, "\" width=\"", box.width, "\" height=\"", box.height,
        "\" rx=\"", radius);
  }
  constexpr void open_text(int x, int y, std::string_view classes) {
    put("<text x=\"", x, "\" y=\"", y, "\"");
    if (!classes.empty()) put(" class=\"", classes, "\"");
    put(">");
  }
  // XML 1.0 has no control characters, and no U+FFFE and U+FFFF, not even as references.
  constexpr void reference(std::uint32_t code) {
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (control || code == 0xfffe || code == 0xffff) code = replacement_character;
    put("&#", std::uint64_t{code}, ";");
  }
  // Letters of most scripts are one column wide, ideographs and most pictures two.
  static constexpr std::size_t bytes_within(std::string_view text, int columns) {
    std::size_t bytes = 0;
    while (bytes != text.size()) {
      const Character character = first_character(text.substr(bytes));
      const bool wide = character.code >= 0x1100 && character.code != replacement_character;
      columns -= wide ? 2 : 1;
      if (columns < 0) break;
      bytes += character.bytes;
    }
    return bytes;
  }

  Out& out_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DRAW_DETAIL_SVG_WRITER_HPP
