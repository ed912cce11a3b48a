// SPDX-License-Identifier: MIT
//
// The environment of a live process. On Linux this program also starts itself below a shell, and
// prints what it sees of the processes above it.
#include "support/variable.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/detail/process_files.hpp>
#include <rankmap/environment/detail/read_launcher_file.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/environment/process_environment.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using rankmap::Ancestor;
using rankmap::Ancestors;
using rankmap::ProcessEnvironment;
using rankmap_test::has_empty_variables;
using rankmap_test::set_variable;
using rankmap_test::unset_variable;

static_assert(rankmap::Environment<ProcessEnvironment>);

TEST(ProcessEnvironment, is_read_by_getenv) {
  set_variable("RANKMAP_TEST_VARIABLE", "text");
  set_variable("RANKMAP_TEST_EMPTY", "");
  const ProcessEnvironment process;
  EXPECT_EQ(process("RANKMAP_TEST_VARIABLE"), std::optional<std::string_view>("text"));
  EXPECT_EQ(process("RANKMAP_TEST_EMPTY").has_value(), has_empty_variables);
  EXPECT_EQ(process("RANKMAP_TEST_EMPTY").value_or(""), "");
  EXPECT_EQ(process("RANKMAP_TEST_UNSET"), std::nullopt);
  EXPECT_EQ(process(std::string(1000, 'X')), std::nullopt);
  // a name that is a view into a longer text
  EXPECT_EQ(process(std::string_view("RANKMAP_TEST_VARIABLE_AND_MORE").substr(0, 21)),
            std::optional<std::string_view>("text"));
}

// ---- the file of declared launchers

std::string written(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "rankmap_" + name;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  EXPECT_NE(file, nullptr) << path;
  if (file != nullptr) {
    EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
  }
  return path;
}

TEST(ProcessEnvironment, has_one_file_of_launchers) {
  const ProcessEnvironment process;
  unset_variable("RANKMAP_LAUNCHERS");
  EXPECT_FALSE(process.launcher_file().is_named);
  set_variable("RANKMAP_LAUNCHERS", "");
  EXPECT_FALSE(process.launcher_file().is_named);
  set_variable("RANKMAP_LAUNCHERS", written("launchers", "acme A\n").c_str());
  EXPECT_TRUE(process.launcher_file().is_named);
  EXPECT_EQ(process.launcher_file().text, std::optional<std::string_view>("acme A\n"));
  EXPECT_EQ(rankmap::EnvironmentViewOf(process).launcher_file().text,
            std::optional<std::string_view>("acme A\n"));
  set_variable("RANKMAP_LAUNCHERS", written("others", "other B\n").c_str());
  EXPECT_EQ(process.launcher_file().text, std::optional<std::string_view>("acme A\n"))
      << "what was found by it may still be used";
  unset_variable("RANKMAP_LAUNCHERS");
}

TEST(ProcessEnvironment, reads_no_more_of_a_file_than_a_declaration_may_have) {
  const auto text_of = [](const std::string& path) {
    const auto file = std::make_unique<rankmap::detail::StoredFile>(path.c_str());
    const auto text = file->text();
    return text ? std::optional<std::string>(*text) : std::nullopt;
  };
  EXPECT_EQ(text_of(written("empty", "")), "");
  EXPECT_EQ(text_of(written("whole", std::string(8192, 'x'))), std::string(8192, 'x'));
  EXPECT_EQ(text_of(written("long", std::string(100000, 'x'))), std::string(8193, 'x'));
  EXPECT_EQ(text_of("/nowhere/at/all"), std::nullopt);
  EXPECT_EQ(text_of(testing::TempDir()), std::nullopt) << "a folder";
#if defined(__linux__)
  EXPECT_EQ(text_of("/dev/zero"), std::nullopt) << "a device has no end";
  const std::string pipe = testing::TempDir() + "rankmap_pipe" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(text_of(pipe), std::nullopt) << "a pipe that nobody writes to would wait for ever";
  unlink(pipe.c_str());
#endif
}

TEST(ProcessEnvironment, refuses_names_that_getenv_would_cut) {
  set_variable("RANKMAP_TEST_VARIABLE", "text=more");
  const ProcessEnvironment process;
  EXPECT_EQ(process(std::string_view()), std::nullopt);
  EXPECT_EQ(process(std::string_view("RANKMAP_TEST_VARIABLE\0X", 23)), std::nullopt);
  EXPECT_EQ(process("RANKMAP_TEST_VARIABLE=text"), std::nullopt);
  EXPECT_EQ(process(std::string(127, 'X')), std::nullopt);
  set_variable(std::string(127, 'X').c_str(), "long");
  EXPECT_EQ(process(std::string(127, 'X')), std::optional<std::string_view>("long"));
}

TEST(ProcessEnvironment, lists_every_variable) {
  set_variable("RANKMAP_TEST_VARIABLE", "text=more");
  set_variable("RANKMAP_TEST_EMPTY", "");
  std::map<std::string, std::string> listed;
  ProcessEnvironment().for_each(
      [&](std::string_view name, std::string_view text) { listed.emplace(name, text); });
  EXPECT_EQ(listed.count("RANKMAP_TEST_VARIABLE"), 1U);
  EXPECT_EQ(listed["RANKMAP_TEST_VARIABLE"], "text=more");
  EXPECT_EQ(listed.count("RANKMAP_TEST_EMPTY"), has_empty_variables ? 1U : 0U);
  for (const auto& [name, text] : listed) {
    EXPECT_STREQ(std::getenv(name.c_str()), text.c_str()) << name;
  }
}

#if defined(__linux__)

TEST(ProcessEnvironment, lists_what_the_program_put_into_environ) {
  char one[] = "ONE=1";
  char odd[] = "no variable";
  char two[] = "TWO=";
  char* list[] = {one, odd, two, nullptr};
  char** const before = environ;
  std::string listed;
  const auto visit = [&](std::string_view name, std::string_view text) {
    listed.append(name).append("=").append(text).append(";");
  };
  environ = list;
  ProcessEnvironment().for_each(visit);
  environ = nullptr;  // clearenv() of some C libraries
  ProcessEnvironment().for_each(visit);
  environ = before;
  EXPECT_EQ(listed, "ONE=1;TWO=;");
}

// ---- what a process below a shell sees

constexpr std::string_view answer(std::optional<bool> same) {
  return !same ? "unknown" : *same ? "yes" : "no";
}

/// Whether this process and the two above it started with each of these variables.
constexpr const char* shown_variables[] = {"OUTER", "INNER", "INSIDE", "CHANGED", "UNSET"};

void describe_process() {
  set_variable("INSIDE", "1");
  set_variable("CHANGED", "2");
  const ProcessEnvironment process;
  const Ancestors above = process.ancestors();
  for (const char* const name : shown_variables) {
    const std::string text(process(name).value_or(""));
    std::printf("%s: %s", name, std::string(answer(process.started_with(name))).c_str());
    for (std::size_t i = 0; i != 2 && i != above.size(); ++i) {
      const std::string_view of_it = answer(above[i].started_with(name, text));
      std::printf(", %s", std::string(of_it).c_str());
    }
    std::printf("\n");
  }
  std::printf("below %s, %s %d\n", above[0].name.c_str(), above[1].name.c_str(), above[1].pid);
}

/// As a program does that writes its title over its environment.
void describe_process_that_wiped_its_environment() {
  const std::string_view first = environ[0];
  const char* end = first.data();
  for (char** entry = environ; *entry != nullptr; ++entry) end = *entry + std::strlen(*entry);
  std::memset(environ[0], 0, static_cast<std::size_t>(end - first.data()));
  describe_process();
}

/// What `sh -c command` prints; in the command "$0" is this program.
std::string printed_by_shell(const std::string& command) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::FILE* const pipe = popen(("exec sh -c '" + command + "' '" + self + "'").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0);
  return out;
}

/// This process, as one below it sees it.
Ancestor self() {
  const int pid = std::stoi(std::filesystem::read_symlink("/proc/self").string());
  const auto stat = rankmap::detail::read_process_stat(pid);
  return {stat.value().name, {}, pid, stat.value().start_time};
}
std::string below_a_shell() {
  return "below sh, " + std::string(self().name) + " " + std::to_string(self().pid) + "\n";
}

TEST(ProcessEnvironment, sees_which_process_set_a_variable) {
  set_variable("OUTER", "1");  // from inside, as seen from this process
  EXPECT_EQ(printed_by_shell("export INNER=1 CHANGED=1; \"$0\" --describe; :"),
            "OUTER: yes, yes, no\n"
            "INNER: yes, no, no\n"
            "INSIDE: no, no, no\n"
            "CHANGED: no, no, no\n"
            "UNSET: unknown, no, no\n" +
                below_a_shell());
}

TEST(ProcessEnvironment, of_a_wiped_process_proves_nothing) {
  EXPECT_EQ(printed_by_shell("export INNER=1; \"$0\" --wipe; :"),
            "OUTER: unknown, no, no\n"
            "INNER: unknown, no, no\n"
            "INSIDE: unknown, no, no\n"
            "CHANGED: unknown, no, no\n"
            "UNSET: unknown, no, no\n" +
                below_a_shell());
}

TEST(ProcessEnvironment, set_from_inside_is_not_started_with) {
  const ProcessEnvironment process;
  set_variable("RANKMAP_TEST_VARIABLE", "text");
  EXPECT_EQ(process.started_with("RANKMAP_TEST_VARIABLE"), false);
  EXPECT_EQ(process.started_with("RANKMAP_TEST_UNSET"), std::nullopt);
  const rankmap::EnvironmentViewOf view(process);
  EXPECT_EQ(view.started_with("RANKMAP_TEST_VARIABLE"), false);
  ASSERT_TRUE(view.ancestors().has_value());
  EXPECT_EQ(view.ancestors()->size(), process.ancestors().size());
}

// ---- who may read what

/// The exit status of a child that runs `work`.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Root may read everything; nobody reads only what is nobody's.
bool become_an_ordinary_user() {
  constexpr unsigned nobody = 65534;
  return geteuid() != 0 || (setgid(nobody) == 0 && setuid(nobody) == 0);
}

TEST(ProcessEnvironment, knows_the_name_of_a_parent_that_it_may_not_read) {
  const int status = status_of_child([] {
    prctl(PR_SET_NAME, "a) b (c");
    prctl(PR_SET_DUMPABLE, 0);
    return status_of_child([] {
      if (!become_an_ordinary_user()) return 2;
      const Ancestors above = ProcessEnvironment().ancestors();
      if (above.empty()) return 3;
      if (above[0].name != "a) b (c") return 4;
      return above[0].started_with("PATH", "") ? 5 : 0;
    });
  });
  EXPECT_EQ(status, 0);
}

TEST(Ancestor, is_not_known_if_its_pid_is_in_use_again) {
  const Ancestor living = self();
  EXPECT_EQ(living.started_with("RANKMAP_TEST_NEVER", ""), false);
  Ancestor earlier = living;
  --earlier.start_time;
  EXPECT_EQ(earlier.started_with("RANKMAP_TEST_NEVER", ""), std::nullopt);
  Ancestor before_exec = living;
  before_exec.name = "mpirun";
  EXPECT_EQ(before_exec.started_with("RANKMAP_TEST_NEVER", ""), std::nullopt);
  Ancestor gone = living;
  gone.pid = 2147483647;
  EXPECT_EQ(gone.started_with("RANKMAP_TEST_NEVER", ""), std::nullopt);
}

// ---- what it costs

std::size_t open_files() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += entry.path().empty() ? 0U : 1U;
  }
  return count;
}

TEST(ProcessEnvironment, leaves_no_file_open) {
  set_variable("RANKMAP_TEST_VARIABLE", "text");
  const ProcessEnvironment process;
  const std::size_t files = open_files();
  for (int i = 0; i != 3; ++i) {
    ASSERT_EQ(process.started_with("RANKMAP_TEST_VARIABLE"), false);
    for (const Ancestor& ancestor : process.ancestors()) {
      ASSERT_NE(ancestor.started_with("RANKMAP_TEST_VARIABLE", "text"), true);
    }
  }
  EXPECT_EQ(open_files(), files);
}

TEST(ProcessFile, that_cannot_be_read_is_nothing) {
  using rankmap::detail::ProcessFile;
  using rankmap::detail::this_process;
  char buffer[64];
  EXPECT_TRUE(ProcessFile(this_process, "/stat")(buffer, sizeof buffer).has_value());
  EXPECT_FALSE(ProcessFile(this_process, "/no-such-file")(buffer, sizeof buffer).has_value());
  EXPECT_FALSE(ProcessFile(this_process, "/task")(buffer, sizeof buffer).has_value()) << "a folder";
}

#else

TEST(ProcessEnvironment, sees_no_other_process) {
  EXPECT_TRUE(ProcessEnvironment().ancestors().empty());
  EXPECT_EQ(ProcessEnvironment().started_with("PATH"), std::nullopt);
}

#endif

}  // namespace

int main(int argc, char** argv) {
#if defined(__linux__)
  if (argc == 2 && std::string_view(argv[1]) == "--describe") return describe_process(), 0;
  if (argc == 2 && std::string_view(argv[1]) == "--wipe") {
    return describe_process_that_wiped_its_environment(), 0;
  }
#endif
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
