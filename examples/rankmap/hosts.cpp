// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <rankmap/hosts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace program {
namespace {

using rankmap::HostList;
using rankmap::HostListBuilder;
using rankmap::HostName;

// More would be printed than anybody reads.
constexpr std::size_t max_hosts = std::size_t{1} << 20U;

std::optional<HostList> parse(std::string_view text, std::string_view subject) {
  auto list = HostList::parse(text, {.max_hosts = max_hosts}, subject);
  if (list) return *list;
  rankmap::Error error = list.error();
  if (error.code == rankmap::Errc::limit_exceeded) error.remedy = "name fewer of them at a time";
  return complain(error);
}

int hosts(const Arguments& arguments) {
  if (arguments.words().empty()) {
    return unusable("hosts: a list is missing, such as 'n[1-4]'; see rankmap hosts --help");
  }
  if (arguments.has("--count") && arguments.has("--fold")) {
    complain("--count and --fold: expected one of them");
    return not_usable;
  }
  std::string all;
  for (const std::string& word : arguments.words()) all += (all.empty() ? "" : ",") + word;
  std::optional<HostList> list = parse(all, "hosts");
  if (!list) return not_usable;
  // As of `rankmap hosts "$SLURM_JOB_NODELIST"` outside of a job. A count of 0 says it itself.
  if (list->empty() && !arguments.has("--count")) {
    return unusable("hosts: the list is empty; where it comes from a variable, see if that is set");
  }
  if (const auto other_text = arguments.value("--intersect")) {
    const std::optional<HostList> other = parse(*other_text, "--intersect");
    if (!other) return not_usable;
    HostListBuilder both({.max_hosts = max_hosts});
    for (const HostName& host : *list) {
      if (other->contains(host.view())) both.add(host.view());
    }
    list = both.finish().value();
  }
  if (arguments.has("--count")) {
    print(std::to_string(list->size()) + '\n');
    return good;
  }
  std::string text;
  if (arguments.has("--fold")) {
    text = list->str().view();
    text += '\n';
  } else {
    for (const HostName& host : *list) {
      text += host.view();
      text += '\n';
    }
  }
  print(text);
  return good;
}

}  // namespace

Command hosts_command() {
  return {"hosts",
          "LIST...",
          "The hosts of a list as Slurm writes it, one in a line, in their order.",
          "",
          "rankmap hosts 'rack[1-2]n[01-16]' --intersect 'rack2n[01-64]' --fold",
          {{"--fold", "", "as the shortest list"},
           {"--count", "", "how many they are"},
           {"--intersect", "LIST", "those that are in this list, too"}},
          max_hosts,
          hosts};
}

}  // namespace program
