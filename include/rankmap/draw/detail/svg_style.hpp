// SPDX-License-Identifier: MIT
// How the pictures look: one style sheet for all. Colours are Okabe and Ito's, which people with
// any kind of colour vision can distinguish ("Color Universal Design", 2008); nothing is shown by
// colour only. Plain rules without CSS variables, which librsvg and others do not support.
#ifndef RANKMAP_DRAW_DETAIL_SVG_STYLE_HPP
#define RANKMAP_DRAW_DETAIL_SVG_STYLE_HPP

#include <rankmap/version.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr int picture_margin = 20;
/// The width that a caller asks for, at least 320 and at most 10,000 pixels.
constexpr int picture_width(int width) {
  return width < 320 ? 320 : width > 10'000 ? 10'000 : width;
}

/// Colours of groups and ranks, in this order; they repeat.
inline constexpr int svg_colours = 7;

/// Every rule begins with the picture's own class, so that an HTML page can contain the picture.
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

/// The class of a colour.
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

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DRAW_DETAIL_SVG_STYLE_HPP
