// SPDX-License-Identifier: MIT
//
// Charts of the tables on the page of benchmarks: a bar for each row, as long as its time.
//
//     charts docs/benchmarks.md FOLDER
//
// A group of a table begins with a line that names it; the rows are indented: a name, a time with
// its unit, and a ratio.
#include <rankmap/draw/detail/svg_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Bar {
  std::string name;
  double nanoseconds = 0;
};
struct Group {
  std::string name;
  std::vector<Bar> bars;
};

// The groups that a chart shows, by how their names begin.
struct Chart {
  const char* file;
  const char* title;
  std::vector<const char*> groups;
};
const Chart charts[] = {
    {"identity.svg", "Who is this process?", {"who am I: torchrun", "who am I: srun"}},
    {"layout.svg",
     "Where is a rank?",
     {"layout of 1048576 ranks, block", "layout of 1048576 ranks, arbitrary"}},
    {"samples.svg",
     "Which samples are mine?",
     {"first index of an epoch", "a whole epoch", "whole permutation"}},
    {"mesh.svg", "Which group is mine?", {"mesh of 1046925 ranks"}},
    {"headers.svg", "What does a header cost?", {"one #include"}},
};

// "  name    12.50 ns     1.00x"; a row without a time is no bar.
bool read_bar(const std::string& line, Bar& bar) {
  for (const auto& [unit, factor] : {std::pair{" ns ", 1.0}, std::pair{" ms ", 1e6}}) {
    const std::size_t end = line.rfind(unit);
    if (end == std::string::npos) continue;
    const std::size_t start = line.find_last_of(' ', end - 1) + 1;
    const std::size_t last = line.find_last_not_of(' ', start - 1);
    if (last == std::string::npos) return false;
    bar.name = line.substr(2, last - 1);
    bar.nanoseconds = std::strtod(line.c_str() + start, nullptr) * factor;
    return bar.nanoseconds > 0;
  }
  return false;
}

std::vector<Group> read_groups(std::istream& page) {
  std::vector<Group> groups;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```text";
    } else if (inside && !line.starts_with(' ')) {
      groups.push_back({line, {}});
    } else if (Bar bar; inside && !groups.empty() && read_bar(line, bar)) {
      groups.back().bars.push_back(bar);
    }
  }
  return groups;
}

// Three digits: 8.6 ns, 79.4 ns, 11.5 us, 318 ms.
std::string text_of(double nanoseconds) {
  const char* unit = "ns";
  for (const char* const larger : {"us", "ms", "s"}) {
    if (nanoseconds < 999.5) break;
    nanoseconds /= 1000;
    unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s",
                nanoseconds < 9.995   ? 2
                : nanoseconds < 99.95 ? 1
                                      : 0,
                nanoseconds, unit);
  return text;
}

bool draw(const Chart& chart, const std::vector<Group>& all, const std::string& folder) {
  std::vector<const Group*> shown;
  for (const char* const name : chart.groups) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Group& group) {
      return group.name.starts_with(name) && !group.bars.empty();
    });
    if (found == all.end()) {
      std::fprintf(stderr, "charts: no group \"%s\"\n", name);
      return false;
    }
    shown.push_back(&*found);
  }
  constexpr int width = 560;
  constexpr int left = rankmap::detail::picture_margin;
  constexpr int longest = width - 2 * left - 80;  // of a bar; the time is behind it
  constexpr int row = 34;
  constexpr int heading = 30;
  int height = 2 * left + rankmap::detail::heading_height - 10;
  for (const Group* const group : shown)
    height += heading + row * static_cast<int>(group->bars.size());

  std::ofstream file(folder + '/' + chart.file, std::ios::binary);
  const auto out = [&](std::string_view piece) { file << piece; };
  rankmap::detail::SvgWriter svg(out);
  const auto title = [&] { svg.put(chart.title); };
  const auto sentence = [&] {
    svg.put("Time: shorter is better. Grey is what the others are compared with.");
  };
  svg.begin(width, height, title, sentence, [&] {
    for (const Group* const group : shown) {
      svg.escape(group->name);
      for (const Bar& bar : group->bars) {
        svg.put("; ");
        svg.escape(bar.name);
        svg.put(": ", text_of(bar.nanoseconds));
      }
      svg.put(". ");
    }
  });
  int y = left + rankmap::detail::heading_height;
  for (const Group* const group : shown) {
    svg.fitted(left, y + 14, "h2", group->name, 60);
    y += heading - 6;
    double most = 0;
    for (const Bar& bar : group->bars) most = std::max(most, bar.nanoseconds);
    for (const Bar& bar : group->bars) {
      const int length = std::max(2, static_cast<int>(longest * bar.nanoseconds / most));
      svg.text(left, y + 10, "s", bar.name);
      svg.box({left, y + 15, length, 12}, &bar == &group->bars.front() ? "u" : "c1", 2);
      svg.text(left + length + 8, y + 25, "", text_of(bar.nanoseconds));
      y += row;
    }
    y += 6;
  }
  svg.end();
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream page(argc == 3 ? argv[1] : "");
  if (!page) {
    std::fprintf(stderr, "usage: charts docs/benchmarks.md FOLDER\n");
    return 2;
  }
  const std::vector<Group> groups = read_groups(page);
  return std::all_of(std::begin(charts), std::end(charts),
                     [&](const Chart& chart) { return draw(chart, groups, argv[2]); })
             ? 0
             : 1;
}
