// SPDX-License-Identifier: MIT
//
// Host lists against what the installed scontrol makes of them.
#include <rankmap/hosts/host_list.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::HostList;
using rankmap::HostName;

// scontrol expands and folds without a daemon; it only wants a configuration that it can read.
class Scontrol {
 public:
  Scontrol()
      : configuration_(testing::TempDir() + "rankmap_slurm_" + std::to_string(getpid()) + ".conf") {
    std::ofstream(configuration_) << "ClusterName=c\nSlurmctldHost=localhost\nNodeName=n1 CPUs=1\n"
                                     "PartitionName=p Nodes=n1\n";
  }
  ~Scontrol() { (void)std::remove(configuration_.c_str()); }
  Scontrol(const Scontrol&) = delete;
  Scontrol& operator=(const Scontrol&) = delete;

  bool works() const { return show("hostnames", "n[1-2]") == "n1\nn2\n"; }

  // What `scontrol show WHAT TEXT` prints. The text must not hold a single quote.
  std::string show(const std::string& what, const std::string& text) const {
    const std::string command =
        "SLURM_CONF='" + configuration_ + "' scontrol show " + what + " '" + text + "' 2>&1";
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return "no pipe";
    std::string output;
    char buffer[4096];
    for (std::size_t size = 0; (size = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) {
      output.append(buffer, size);
    }
    (void)pclose(pipe);
    return output;
  }

 private:
  std::string configuration_;
};

// How many cases a test compares, from which seed, and how many differ: in the ordinary run always
// the same, by hand (tests/launchers/host_lists) more and others.
class Cases {
 public:
  Cases(int count, unsigned seed)
      : count_(given("RANKMAP_SCONTROL_CASES", count)),
        random_(seed + static_cast<unsigned>(given("RANKMAP_SCONTROL_SEED", 0))) {}
  ~Cases() { std::printf("%d compared, %d differ\n", compared_, differ_); }
  Cases(const Cases&) = delete;
  Cases& operator=(const Cases&) = delete;

  int count() const { return count_; }
  int compared() const { return compared_; }
  std::mt19937& random() { return random_; }
  void compare(const std::string& ours, const std::string& theirs, const std::string& text) {
    ++compared_;
    differ_ += ours == theirs ? 0 : 1;
    EXPECT_EQ(ours, theirs) << text;
  }

 private:
  static int given(const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
  }

  int count_;
  std::mt19937 random_;
  int compared_ = 0;
  int differ_ = 0;
};

std::string lines(const HostList& list) {
  std::string out;
  for (const HostName& host : list) out.append(host.view()).append("\n");
  return out;
}

std::string random_list(std::mt19937& random) {
  std::string text;
  for (std::size_t tokens = 1 + random() % 4; tokens != 0; --tokens) {
    std::size_t pieces = random() % 4;
    text += "n" + std::to_string(random() % 3);
    for (; pieces != 0; --pieces) {
      if (random() % 2 == 0) text += random() % 2 == 0 ? "-b" : "0";
      text += '[';
      for (std::size_t ranges = 1 + random() % 3; ranges != 0; --ranges) {
        const auto low = random() % 120;
        text += std::string(random() % 3, '0') + std::to_string(low);
        if (random() % 2 == 0) {
          text += "-" + std::string(random() % 2, '0') + std::to_string(low + random() % 3);
        } else if (random() % 6 == 0) {
          text += '-';
        }
        if (ranges != 1) text += ',';
      }
      text += ']';
    }
    if (tokens != 1) text += std::vector<std::string>{",", " ", ",,", "\t"}[random() % 4];
  }
  return text;
}

TEST(Scontrol, expands_random_lists_to_the_same_hosts) {
  const Scontrol scontrol;
  if (!scontrol.works()) GTEST_SKIP() << "scontrol (package slurm-wlm) is not installed";
  Cases cases(300, 42);
  for (int round = 0; round != cases.count(); ++round) {
    const std::string text = random_list(cases.random());
    const auto list = HostList::parse(text);
    ASSERT_TRUE(list) << text;
    cases.compare(lines(*list), scontrol.show("hostnames", text), text);
  }
}

// The lists that Slurm itself writes, folded from names in its own order.
TEST(Scontrol, expands_the_lists_that_it_sorts_to_the_same_hosts) {
  const Scontrol scontrol;
  if (!scontrol.works()) GTEST_SKIP() << "scontrol (package slurm-wlm) is not installed";
  Cases cases(50, 45);
  for (int round = 0; round != cases.count(); ++round) {
    const std::string text = random_list(cases.random());
    std::string sorted = scontrol.show("hostlistsorted", text);
    ASSERT_FALSE(sorted.empty()) << text;
    sorted.pop_back();  // the end of the line
    const auto list = HostList::parse(sorted);
    ASSERT_TRUE(list) << sorted << " of " << text;
    cases.compare(lines(*list), scontrol.show("hostnames", sorted), sorted);
    const std::set<HostName> hosts(list->begin(), list->end());
    const auto given = HostList::parse(text);
    ASSERT_TRUE(given) << text;
    EXPECT_EQ(hosts, std::set<HostName>(given->begin(), given->end())) << text;
  }
}

// An open bracket at the end, a bracket or a blank within one, a ']' too many beside brackets.
bool is_oddity(const std::string& text) {
  bool inside = false;
  bool bracket = false;
  bool stray = false;
  for (const char c : text) {
    if (inside) {
      if (c == ' ' || c == '[') return true;
      inside = c != ']';
    } else if (c == ' ' || c == ',') {
      bracket = stray = false;
    } else {
      bracket = bracket || c == '[';
      stray = stray || c == ']';
      inside = c == '[';
    }
    if (bracket && stray) return true;
  }
  return inside;
}

TEST(Scontrol, agrees_on_every_damaged_list_that_is_accepted) {
  const Scontrol scontrol;
  if (!scontrol.works()) GTEST_SKIP() << "scontrol (package slurm-wlm) is not installed";
  Cases cases(300, 43);
  std::mt19937& random = cases.random();
  for (int round = 0; round != cases.count(); ++round) {
    std::string text = std::vector<std::string>{"a[1-3]", "a[1,3]b[2-4]", "a1,b[01-02]",
                                                "a[0-1]b[0-1]c[0-1]"}[random() % 4];
    constexpr std::string_view alphabet = "[]-,01 x";
    for (std::size_t changes = 1 + random() % 2; changes != 0; --changes) {
      text[1 + random() % (text.size() - 1)] = alphabet[random() % alphabet.size()];
    }
    const auto list = HostList::parse(text);
    const std::string theirs = scontrol.show("hostnames", text);
    const bool invalid = theirs.find("nvalid hostlist") != std::string::npos ||
                         theirs.find("error:") != std::string::npos;
    bool suffix = false;  // accepted from 23.02.5 on
    for (std::size_t i = 1; i < text.size(); ++i) {
      suffix = suffix || (text[i - 1] == ']' && text[i] != ',' && text[i] != ' ');
    }
    if (!list) {
      // refusing what scontrol lets through is right for its oddities, and for nothing else
      ASSERT_TRUE(invalid || is_oddity(text)) << text;
      continue;
    }
    if (invalid && suffix) continue;
    cases.compare(lines(*list), theirs, text);
  }
  EXPECT_GT(cases.compared(), cases.count() / 6);
}

TEST(Scontrol, folds_random_names_to_the_same_list) {
  const Scontrol scontrol;
  if (!scontrol.works()) GTEST_SKIP() << "scontrol (package slurm-wlm) is not installed";
  Cases cases(150, 44);
  std::mt19937& random = cases.random();
  for (int round = 0; round != cases.count(); ++round) {
    std::vector<std::string> names;
    std::string text;
    auto number = random() % 110;
    for (std::size_t count = 1 + random() % 12; count != 0; --count) {
      number = random() % 3 == 0 ? random() % 110 : number + 1;
      std::string name = std::vector<std::string>{"n", "n", "rack1-n", "m"}[random() % 4];
      // without a number at its end a name with digits would fold as a suffix, which is newer
      if (name.size() > 1 || random() % 10 != 0) {
        if (random() % 4 == 0) name += '0';
        name += std::to_string(number);
      }
      names.push_back(name);
      text += (text.empty() ? "" : ",") + name;
    }
    cases.compare(std::string(HostList::from_names(names)->str().view()) + "\n",
                  scontrol.show("hostlist", text), text);
  }
}

}  // namespace
