// SPDX-License-Identifier: MIT
//
// Launchers of one's own: what is refused, where they stand among those of the library, and that
// they take part in all that those do.
#include "support/files.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/launcher/detail/row_words.hpp>
#include <rankmap/launcher/known_launchers.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace {
namespace known_launchers {

using rankmap::Config;
using rankmap::declared_launcher;
using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::Identity;
using rankmap::KnownLaunchers;
using rankmap::Launcher;
using rankmap::LauncherRow;
using rankmap::Need;
using rankmap::Topology;

constexpr std::string_view acme =
    "# ours\n"
    "\n"
    "acme ACME_RANK,ACME_SIZE,ACME_LOCAL_RANK\n"
    "# one process for each device\n"
    " local_size=ACME_LOCAL_SIZE! starters=acmed\n"
    " hint: start it with acme run\n";

// ---- what is refused

struct Refused {
  std::string_view text;
  std::string_view message;
};

#define FORM "; correct it: docs/how-to/add-a-launcher.md"
constexpr Refused refused[] = {
    {"acme ACME-RANK\n",
     R"(Config::launchers="ACME-RANK" at byte 5: expected names of variables, with commas between, )"
     "in line 1, column 6" FORM},
    {"acme A\n job=A,,B\n",
     R"(Config::launchers="A,,B" at byte 12: expected names of variables, with commas between, in )"
     "line 2, column 6" FORM},
    {"acme A\n starters=acmed,/opt/acmed\n",
     R"(Config::launchers="/opt/acmed" at byte 23: expected the name of a process: at most 15 bytes, )"
     "without its folder, in line 2, column 17" FORM},
    {"acme A\n starters=sixteen_bytes_16\n",
     R"(Config::launchers="sixteen_bytes_16" at byte 17: expected the name of a process: at most 15 )"
     "bytes, without its folder, in line 2, column 11" FORM},
    {"acme A\n rank=count:1A\n",
     R"(Config::launchers="1A" at byte 19: expected names of variables, with commas between, in )"
     "line 2, column 13" FORM},
    {"acme A\n start=abcdefghijklmnopqrstuvwxyz\n",
     R"(Config::launchers="abcdefghijklmnopqrstuvwxyz" at byte 14: expected at most 25 bytes, in )"
     "line 2, column 8" FORM},
    {"acme\n A\n",
     R"(Config::launchers="acme" at byte 0: expected variables behind the name, in line 1, column 1)" FORM},
    {"acme A rank=B\n",
     R"(Config::launchers="rank=B" at byte 7: expected a list without blanks, and words in the )"
     "lines below, in line 1, column 8" FORM},
    {"acme A\n rnk=B\n",
     R"(Config::launchers="rnk=B" at byte 8: expected a word of a declaration, without blanks around )"
     "=, in line 2, column 2" FORM},
    {"acme A\n size= B\n",
     R"(Config::launchers="size=" at byte 8: expected a word of a declaration, without blanks around )"
     "=, in line 2, column 2" FORM},
    {"acme A\n hint start it\n",
     R"(Config::launchers="hint" at byte 8: expected a colon behind it, in line 2, column 2)" FORM},
    {"acme A\n agents=all_nodes\n",
     R"(Config::launchers="agents=all_nodes" at byte 8: expected none,every_node,some_nodes, in )"
     "line 2, column 2" FORM},
    {"acme A\n check=torchrun\n",
     R"(Config::launchers="check=torchrun" at byte 8: expected none,torchrun_worker,tpu_process,)"
     "any_starter,slurm_step,pmix_server,pbs_task,sge_task,elastic_pod,platform_mpi,alone,"
     "ray_actor, in line 2, column 2" FORM},
    {"acme A\n rank=B!\n",
     R"(Config::launchers="rank=B!" at byte 8: expected a word of a declaration, without blanks )"
     "around =, in line 2, column 2" FORM},
    {"acme A\n rank=place:B\n",
     R"(Config::launchers="B" at byte 19: expected @VARIABLE behind number, place, on_host and )"
     "json_index alone, in line 2, column 13" FORM},
    {"acme A\n rank=word:B@C\n",
     R"(Config::launchers="B" at byte 18: expected @VARIABLE behind number, place, on_host and )"
     "json_index alone, in line 2, column 12" FORM},
    {"acme A\n size=+\n",
     R"(Config::launchers="size=+" at byte 8: expected a word of a declaration, without blanks )"
     "around =, in line 2, column 2" FORM},
    {"acme A\n job=\n",
     R"(Config::launchers="job=" at byte 8: expected a text behind it, in line 2, column 2)" FORM},
    {"acme A\n replaces\n",
     R"(Config::launchers="replaces" at byte 8: expected a word of a declaration, without blanks )"
     "around =, in line 2, column 2" FORM},
    {"acme A\n replaces hydra replaces slurm\n",
     R"(Config::launchers="replaces" at byte 23: expected each word once, in line 2, column 17)" FORM},
    {"acme A\n job=B\n size=C job=D\n",
     R"(Config::launchers="job=D" at byte 22: expected each word once, in line 3, column 9)" FORM},
    {"acme A +B +C\n",
     R"(Config::launchers="+C" at byte 10: expected each word once, in line 1, column 11)" FORM},
    {"acme A\n node slot\n",
     R"(Config::launchers="slot" at byte 13: expected each word once, in line 2, column 7)" FORM},
    {"acme A\n\tjob=B\n",
     R"(Config::launchers="\x09" at byte 7: expected printable ASCII, blanks and ends of lines, in )"
     "line 2, column 1" FORM},
    {"acme A\r\n",
     R"(Config::launchers="\x0d" at byte 6: expected ends of lines without the carriage returns of )"
     "Windows, in line 1, column 7" FORM},
    {"\xef\xbb\xbf"
     "acme A\n",
     R"(Config::launchers="\xef" at byte 0: expected a text without a byte order mark at its )"
     "beginning, in line 1, column 1" FORM},
    {"acme A\n\xef\xbb\xbf\n",
     R"(Config::launchers="\xef" at byte 7: expected printable ASCII, blanks and ends of lines, in )"
     "line 2, column 1" FORM},
    {" job=B\n",
     R"(Config::launchers=" " at byte 0: expected a launcher's name, in line 1, column 1)" FORM},
    {"Acme A\n",
     R"(Config::launchers="Acme" at byte 0: expected a name of at most 15 lower-case letters, )"
     "digits and _, in line 1, column 1" FORM},
    {"abcdefghijklmnop A\n",
     R"(Config::launchers="abcdefghijklmnop" at byte 0: expected a name of at most 15 lower-case )"
     "letters, digits and _, in line 1, column 1" FORM},
    {"acme A\nacme B\n",
     R"(Config::launchers="acme" at byte 7: expected a name that no other declaration has, in )"
     "line 2, column 1" FORM},
    {"slurm A\n",
     R"(Config::launchers="slurm" at byte 0: expected a name that is not taken, or replaces NAME, )"
     "in line 1, column 1" FORM},
    {"srun A\n",
     R"(Config::launchers="srun" at byte 0: expected a name that is not taken, or replaces NAME, in )"
     "line 1, column 1" FORM},
    {"none A\n",
     R"(Config::launchers="none" at byte 0: expected a name that is not taken, or replaces NAME, in )"
     "line 1, column 1" FORM},
    {"slurm A\n replaces hydra\n",
     R"(Config::launchers="slurm" at byte 0: expected a name that is not taken, or replaces NAME, )"
     "in line 1, column 1" FORM},
    {"acme A\n replaces none\n",
     R"(Config::launchers="none" at byte 17: expected a launcher of the library, in line 2, column 11)" FORM},
    {"one A\n replaces hydra\ntwo B\n replaces hydra\n",
     R"(Config::launchers="two" at byte 22: expected one replacement of a launcher; another one has )"
     "it already, in line 3, column 1" FORM},
    {"acme SLURM_PROCID +A\n",
     R"(Config::launchers="SLURM_PROCID" at byte 5: expected a variable that slurm does not have, )"
     "or replaces slurm, in line 1, column 6" FORM},
    {"acme A\n rank=B size=OMPI_COMM_WORLD_SIZE\n",
     R"(Config::launchers="OMPI_COMM_WORLD_SIZE" at byte 20: expected a variable that open_mpi does )"
     "not have, or replaces open_mpi, in line 2, column 14" FORM},
    {"acme RANK,WORLD_SIZE,LOCAL_RANK\n",
     R"(Config::launchers="RANK,WORLD_SIZE,LOCAL_RANK" at byte 5: expected a variable that no known )"
     "launcher has, here or behind +, or replaces NAME, in line 1, column 6" FORM},
    {"a A\nb B\nc C\nd D\ne E\nf F\ng G\nh H\ni I\nj J\nk K\nl L\nm M\nn N\no O\np P\nq Q\n",
     R"(Config::launchers="q" at byte 64: expected at most 16 launchers, in line 17, column 1)" FORM},
};
#undef FORM

constexpr bool is_refused(const Refused& row) {
  KnownLaunchers known;
  const auto declared = known.declare(row.text, "Config::launchers");
  return !declared && message(declared.error()) == row.message;
}
static_assert(is_refused(refused[0]) && is_refused(refused[5]));

TEST(KnownLaunchers, refuse_a_text_with_line_and_column) {
  for (const Refused& row : refused) {
    KnownLaunchers known;
    const auto declared = known.declare(row.text, "Config::launchers");
    ASSERT_FALSE(declared) << row.text;
    EXPECT_EQ(message(declared.error()), row.message);
    EXPECT_EQ(declared.error().code == Errc::limit_exceeded, row.text.starts_with("a A"));
  }
}

TEST(KnownLaunchers, have_all_words_of_a_declaration_on_their_page) {
  namespace detail = rankmap::detail;
  std::string words =
      "torch_names,torch_address,hosts=,hosts=json:,role=,also_sets=,check=,replaces,hint:";
  for (const auto& known : detail::number_words) words.append(",").append(known.word) += '=';
  for (const auto& known : detail::name_words) words.append(",").append(known.word) += '=';
  for (const auto& known : detail::text_words) words.append(",").append(known.word) += '=';
  for (const auto& known : detail::caution_words) words.append(",").append(known.word) += '=';
  for (const auto& known : detail::flag_words) words.append(",").append(known.word);
  words.append(",").append(detail::level_names).append(",").append(detail::check_names);
  const auto add = [&](std::string_view list, std::string_view before, std::string_view behind) {
    for (const std::string_view word : rankmap::VariableNames(list)) {
      words.append(",").append(before).append(word).append(behind);
    }
  };
  add(detail::format_names, "", ":");
  add(detail::agent_names, "agents=", "");
  const std::string page =
      rankmap_test::text_of(RANKMAP_TEST_DIR "/../docs/how-to/add-a-launcher.md");
  const std::string_view table = std::string_view(page).substr(page.find("## All words"));
  for (const std::string_view word : rankmap::VariableNames(words)) {
    EXPECT_NE(table.find("`" + std::string(word)), table.npos) << word;
  }
}

TEST(KnownLaunchers, that_do_not_say_the_rank_are_what_an_error_is_about) {
  const FixedEnvironment process({{"ACME_RANK", "1"}, {"ACME_SIZE", "4"}});
  const auto me =
      Identity::from_environment(process, Need::process, {.launchers = "acme ACME_RANK\n"});
  ASSERT_FALSE(me);
  EXPECT_EQ(
      message(me.error()).view(),
      "Config::rank is not set: expected a rank, since ACME_RANK=\"1\" is set (acme); declare "
      "its variable, or set RANK, WORLD_SIZE, LOCAL_RANK and RANKMAP_LAUNCHER=torch_env; in "
      "the program, pass Config::rank and ::world_size");
}

TEST(KnownLaunchers, that_have_numbers_mixed_up_are_named_in_the_remedy) {
  const FixedEnvironment process(
      {{"ACME_SIZE", "4"}, {"ACME_RANK", "1"}, {"ACME_LOCAL_RANK", "1"}});
  const auto me = Identity::from_environment(
      process, Need::process, {.launchers = "acme ACME_SIZE,ACME_RANK,ACME_LOCAL_RANK\n"});
  ASSERT_FALSE(me);
  EXPECT_EQ(message(me.error()).view(),
            "ACME_SIZE=\"4\": expected a decimal number in [0, 1), as ACME_RANK says; correct or "
            "redeclare it, or set RANKMAP_IGNORE=acme if inherited; in the program, pass "
            "Config::rank or set ::exclude");
}

TEST(KnownLaunchers, may_be_declared_by_a_text_of_none) {
  for (const std::string_view text :
       {"", "\n", " \n\n", "# a comment", "# ours\n\n # none yet\n"}) {
    KnownLaunchers known;
    const auto declared = known.declare(text, "text");
    ASSERT_TRUE(declared) << text;
    EXPECT_EQ(*declared, 0U) << text;
  }
}

TEST(KnownLaunchers, bound_a_text) {
  KnownLaunchers known;
  EXPECT_TRUE(known.declare(std::string(8192, '#'), "text"));
  const auto declared = known.declare(std::string(8193, '#'), "text");
  ASSERT_FALSE(declared);
  EXPECT_EQ(message(declared.error()),
            R"(text="more than 8192 bytes": expected at most 8192 bytes; declare fewer launchers)");
}

TEST(KnownLaunchers, add_nothing_behind_the_launcher_at_fault) {
  KnownLaunchers known;
  EXPECT_FALSE(known.declare("one A\ntwo 2\nthree C\n", "text"));
  EXPECT_EQ(known.parse("one"), declared_launcher(0));
  EXPECT_FALSE(known.parse("two") || known.parse("three"));
  EXPECT_EQ(known.size(), rankmap::launcher_count + 1);
}

// ---- the library's own form

/// A declaration of the library is one that this reader takes.
constexpr bool reads_as_the_library(std::size_t first, std::size_t last) {
  std::size_t i = 0;
  rankmap::detail::DeclarationReader reader(rankmap::launchers.text(), "text");
  while (i != last && reader.next()) {
    if (reader.error()) return false;
    const auto launcher = static_cast<Launcher>(i + 2);
    LauncherRow row = reader.row();
    row.launcher = launcher;
    if (i++ >= first && !(row == rankmap::row_of(launcher))) return false;
  }
  return i == last;
}
#if !defined(__clang__)  // more steps than clang 14 gives a constant
static_assert(reads_as_the_library(0, 1));
#endif

TEST(KnownLaunchers, are_read_as_the_library_reads_its_own) {
  EXPECT_TRUE(reads_as_the_library(0, rankmap::launcher_count));
}

// ---- where they stand

constexpr Launcher behind(std::string_view text) {
  KnownLaunchers known;
  if (!known.declare(text, "text")) return Launcher::config;
  for (std::size_t place = 0; place + 1 != known.size(); ++place) {
    if (known.launcher_at(place) == declared_launcher(0)) return known.launcher_at(place + 1);
  }
  return Launcher::none;
}
struct Place {
  std::string_view text;
  Launcher next;
};
constexpr Place places[] = {
    {"acme A\n rank=B\n", Launcher::none},
    {"node A\n node rank=B\n", Launcher::none},
    {"acme A,B,C,D,E,F\n", Launcher::none},
    {"acme A\n torch_names\n", Launcher::torch_env},
    {"acme A\n rank=B size=WORLD_SIZE local=C\n", Launcher::torch_env},
    {"acme A\n rank=PMI_RANK size=PMI_SIZE local=B\n", Launcher::pmi},
    {"acme A\n rank=PMIX_RANK size=B local=C\n", Launcher::pmix},
    {"acme A +VC_TASK_INDEX\n node rank=VC_TASK_INDEX\n", Launcher::volcano},
    {"acme JOB_COMPLETION_INDEX +A\n node\n", Launcher::kubernetes},
};
// clang 14 takes more steps for a comparison with the library's text than a constant may have.
#if !defined(__clang__)
static_assert(behind(places[1].text) == places[1].next);
#endif

TEST(KnownLaunchers, stand_where_their_variables_belong_to_them) {
  for (const Place& row : places) EXPECT_EQ(behind(row.text), row.next) << row.text;
}

TEST(KnownLaunchers, are_all_there_once_and_in_order) {
  KnownLaunchers known;
  const auto declared = known.declare(
      "one A\n torch_names\ntwo B\n rank=C\nthree D\n torch_names\nfour E\n replaces hydra\n",
      "text");
  EXPECT_EQ(declared.value(), 4U);
  EXPECT_EQ(known.size(), rankmap::launcher_count + 3);
  std::string names;
  std::size_t own = 2;
  for (const LauncherRow& row : known) {
    if (row.launcher >= declared_launcher(0) || row.name != name(row.launcher)) {
      names += std::string(row.name) + '@' + std::to_string(own) + ' ';
    }
    if (row.launcher < declared_launcher(0)) {
      EXPECT_EQ(static_cast<std::size_t>(row.launcher), own++);
    }
    EXPECT_EQ(known.row_of(row.launcher), row);
    EXPECT_EQ(known.name_of(row.launcher), row.name);
    EXPECT_EQ(known.parse(row.name), row.launcher);
  }
  EXPECT_EQ(names, "one@10 three@10 four@27 two@73 ");
  EXPECT_EQ(known.parse("hydra"), Launcher::hydra);
  EXPECT_EQ(known.names().of(Launcher::hydra), "four");
  EXPECT_EQ(known.names().of(declared_launcher(2)), "three");
  EXPECT_EQ(known.names().of(declared_launcher(3)), "declared");
}

TEST(KnownLaunchers, count_one_that_is_declared_in_the_same_words_again_once) {
  KnownLaunchers known;
  EXPECT_EQ(known.declare(acme, "text").value(), 1U);
  std::string again(acme);
  while (again.back() == '\n') again.pop_back();
  EXPECT_EQ(known.declare(again, "file").value(), 1U);
  EXPECT_EQ(known.declare("four B\n replaces hydra\n", "file").value(), 2U);
  EXPECT_EQ(known.declare("four B\n replaces hydra\nfive C\n", "file").value(), 3U);
}

TEST(KnownLaunchers, name_their_variables_to_who_looks_for_one) {
  KnownLaunchers known;
  EXPECT_EQ(known.declare(acme, "text").value(), 1U);
  rankmap::RowsNaming own(known, "ACME_RANK");
  EXPECT_TRUE(own.next() && own.row().name == "acme" && !own.next());
  rankmap::RowsNaming starter(known, "acmed");
  EXPECT_TRUE(starter.next() && has_starter(starter.row(), "acmed") && !starter.next());
  EXPECT_FALSE(rankmap::RowsNaming(KnownLaunchers(), "ACME_RANK").next());
}

// ---- who a process is

constexpr FixedEnvironment acme_process(
    {{"ACME_RANK", "3"}, {"ACME_SIZE", "8"}, {"ACME_LOCAL_RANK", "1"}, {"ACME_LOCAL_SIZE", "4"}});
constexpr bool is_acme_process() {
  const auto me = Identity::from_environment(acme_process, Need::all, {.launchers = acme});
  return me && me->rank() == 3 && me->world_size() == 8 && me->local_rank() == 1 &&
         me->local_world_size() == 4 && me->launcher() == declared_launcher(0) &&
         me->launcher_name() == "acme";
}
#if !defined(__clang__)
static_assert(is_acme_process());
#endif

TEST(KnownLaunchers, say_who_a_process_is) {
  EXPECT_TRUE(is_acme_process());
  const auto unknown = Identity::from_environment(acme_process);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->launcher(), Launcher::none);
  EXPECT_GT(unknown->warnings().size(), 0U) << "a trace of a launcher that nobody declared";
}

TEST(KnownLaunchers, of_a_file_are_not_forgotten_in_silence) {
  constexpr FixedEnvironment environment({{"RANKMAP_LAUNCHERS", "/etc/rankmap"}});
  const auto me = Topology::from_environment(environment);
  ASSERT_TRUE(me);
  ASSERT_EQ(me->warnings().size(), 1U);
  EXPECT_EQ(me->warnings()[0].variable, "RANKMAP_LAUNCHERS");
  EXPECT_EQ(
      message(Topology::from_environment(environment, {.strict = true}).error()),
      R"(RANKMAP_LAUNCHERS="/etc/rankmap": expected to be read: these variables are not taken )"
      "from the process itself; in the program, pass the text of the file as "
      "Config::launchers");
  EXPECT_TRUE(Topology::from_environment(environment, {.launchers = acme})->warnings().empty());
}

constexpr std::string_view acme_with_id =
    "acme ACME_L +ACME_N\n rank=ACME_R,ACME_ID@ACME_ID size=+ local=*\n";

struct Spoken {
  std::string_view environment;
  Config config;
  std::string_view text;  ///< the error, or `launcher: rank of size`
};
const Spoken spoken[] = {
    {"ACME_RANK=3|ACME_SIZE=8|ACME_LOCAL_RANK=1",
     {.launchers = acme},
     R"(ACME_LOCAL_SIZE is not set: expected a local_world_size, since ACME_RANK="3" is set (acme); start it )"
     "with acme run; in the program, pass Config::local_world_size"},
    {"ACME_RANK=3|ACME_SIZE=8|ACME_LOCAL_RANK=1|ACME_LOCAL_SIZE=2|RANKMAP_IGNORE=acme",
     {.launchers = acme},
     "none: 0 of 1"},
    {"ACME_RANK=3|ACME_SIZE=8|ACME_LOCAL_RANK=1|ACME_LOCAL_SIZE=2|RANK=0|WORLD_SIZE=2|"
     "LOCAL_RANK=0|RANKMAP_LAUNCHER=Acme",
     {.launchers = acme},
     "acme: 3 of 8"},
    {"ACME_RANK=3|ACME_SIZE=8|ACME_LOCAL_RANK=1|ACME_LOCAL_SIZE=2",
     {.launcher = declared_launcher(0), .launchers = acme},
     "acme: 3 of 8"},
    {"ACME_RANK=3|ACME_SIZE=8|ACME_LOCAL_RANK=1|ACME_LOCAL_SIZE=2",
     {.exclude = {declared_launcher(0)}, .launchers = acme},
     "none: 0 of 1"},
    {"RANK=0|WORLD_SIZE=2|LOCAL_RANK=0",
     {.launcher = declared_launcher(0), .launchers = acme},
     "ACME_RANK is not set: expected the variables of acme, as Config::launcher says; start the "
     "process with that launcher; in the program, leave Config::launcher unset"},
    {"RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|RANKMAP_LAUNCHER=acme",
     {},
     R"(RANKMAP_LAUNCHER="acme": expected the name of a launcher (here torch_env) or none; correct or )"
     "unset it (all names: docs/launchers.md)"},
    // A job with torchrun's names and a mark of its own, and torchrun below it.
    {"ACME_JOB=7|RANK=3|WORLD_SIZE=8|LOCAL_RANK=1|ACME_HERE=4",
     {.launchers = "acme ACME_JOB\n torch_names local_size=ACME_HERE\n"},
     "acme: 3 of 8"},
    {"ACME_JOB=7|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|ACME_HERE=4|GROUP_RANK=0|"
     "TORCHELASTIC_RUN_ID=none",
     {.launchers = "acme ACME_JOB\n torch_names local_size=ACME_HERE\n"},
     "torchrun: 0 of 2"},
    // Nor does the mark of a pod take DeepSpeed's workers, or Ray's.
    {"ACME_JOB=7|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_SIZE=2|CROSS_RANK=1|CROSS_SIZE=2",
     {.launchers = "acme ACME_JOB\n torch_names nodes_if_no_local local_size=LOCAL_WORLD_SIZE\n"},
     "deepspeed: 3 of 4"},
    {"ACME_JOB=7|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|NODE_RANK=1|"
     "ACCELERATE_TORCH_DEVICE=cuda:1",
     {.launchers = "acme ACME_JOB\n torch_names nodes_if_no_local local_size=LOCAL_WORLD_SIZE\n"},
     "ray_train: 3 of 4"},
    // Hydra's record stays Hydra's.
    {"ACME_JOB=7|PMI_RANK=1|PMI_SIZE=2|MPI_LOCALRANKID=1|MPI_LOCALNRANKS=2|ACME_LOCAL=0",
     {.launchers = "acme ACME_JOB\n rank=PMI_RANK size=PMI_SIZE local=ACME_LOCAL\n"},
     "hydra: 1 of 2"},
    // One name in place of the others, and a size by which the launcher is known, too.
    {"ACME_L=0|ACME_N=4|ACME_R=2", {.launchers = acme_with_id}, "acme: 2 of 4"},
    {"ACME_L=0|ACME_N=4|ACME_ID=3", {.launchers = acme_with_id}, "acme: 3 of 4"},
    {"ACME_L=0|ACME_N=4|ACME_R=2|ACME_ID=3",
     {.launchers = acme_with_id},
     R"(ACME_R="2": expected "3", as ACME_ID says (acme sets one of them); unset the one that was )"
     "inherited; in the program, pass Config::rank"},
    {"SLURM_PROCID=5|SLURM_STEP_NUM_TASKS=6|SLURM_LOCALID=1",
     {.launchers = "simple_slurm SLURM_PROCID\n rank=* size=SLURM_STEP_NUM_TASKS "
                   "local=SLURM_LOCALID replaces slurm\n"},
     "simple_slurm: 5 of 6"},
    // Each is said to set what the other one has.
    {"JSM_NAMESPACE_RANK=0|JSM_NAMESPACE_SIZE=2|JSM_NAMESPACE_LOCAL_RANK=0|"
     "JSM_NAMESPACE_LOCAL_SIZE=2|ACME_RANK=0|ACME_SIZE=2|ACME_LOCAL=0",
     {.launchers = "mpi ACME_RANK,ACME_SIZE,ACME_LOCAL\n also_sets=jsrun replaces open_mpi\n"},
     R"(ACME_RANK="0": expected a number of the launch of JSM_NAMESPACE_RANK (jsrun, not mpi), though )"
     "both are equal here: either may have started the other; set RANKMAP_LAUNCHER to the inner "
     "one, jsrun or mpi, or unset the variables of the other; in the program, set "
     "Config::launcher"},
    {"RANK=0",
     {.launchers = "acme A-B"},
     R"(Config::launchers="A-B" at byte 5: expected names of variables, with commas between, in line )"
     "1, column 6; correct it: docs/how-to/add-a-launcher.md"},
};

TEST(KnownLaunchers, take_part_in_the_choice_of_a_record) {
  for (const Spoken& row : spoken) {
    const rankmap::RecordedEnvironment environment(row.environment, '|');
    const auto me = Topology::from_environment(environment, row.config);
    const std::string text = me ? std::string(me->launcher_name()) + ": " +
                                      std::to_string(me->rank()) + " of " +
                                      std::to_string(me->world_size())
                                : std::string(message(me.error()));
    EXPECT_EQ(text, row.text) << row.environment;
  }
}

TEST(KnownLaunchers, of_which_a_local_rank_alone_is_left_are_not_passed_over) {
  const rankmap::RecordedEnvironment variables(
      "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|"
      "OMPI_COMM_WORLD_LOCAL_SIZE=1|MPT_LRANK=3",
      '|');
  const rankmap::WithAncestors environment(variables, {{"mptd"}, {"prterun"}});
  const auto me = Topology::from_environment(
      environment, {.launchers = "mpt MPT_LRANK\n local=* starters=mptd agents=every_node\n"});
  ASSERT_FALSE(me);
  EXPECT_EQ(message(me.error()).view(),
            "MPT_LRANK=\"3\": expected a rank beside it: a process above this one has the name of "
            "its launcher, below that of open_mpi; pass the inner launcher's variables on, or set "
            "RANKMAP_LAUNCHER=open_mpi if that one started this process; in the program, set "
            "Config::launcher");
}

TEST(KnownLaunchers, are_proved_and_shown_in_a_nested_chain) {
  const rankmap::RecordedEnvironment variables(
      "SLURM_PROCID=0|SLURM_STEP_NUM_TASKS=2|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|"
      "SLURM_STEP_NUM_NODES=2|SLURM_STEP_NODELIST=n[1-2]|SLURM_STEP_TASKS_PER_NODE=1(x2)|"
      "SLURMD_NODENAME=n1|SLURM_JOB_ID=7|SLURM_STEP_ID=0|"
      "ACME_RANK=3|ACME_SIZE=8|ACME_LOCAL_RANK=1|ACME_LOCAL_SIZE=2",
      '|');
  const rankmap::WithAncestors environment(variables, {{"acmed"}, {"slurmstepd"}});
  const auto me = Topology::from_environment(environment, {.launchers = acme});
  ASSERT_TRUE(me) << message(me.error());
  EXPECT_EQ(me->rank(), 3);
  EXPECT_EQ(me->proof().kind, rankmap::ProofKind::starter);
  const rankmap::Explanation shown = explain(*me);
  EXPECT_NE(shown.view().find("launcher          acme\n"), std::string_view::npos) << shown;
  EXPECT_NE(shown.view().find("believed          acme, parent process acmed; older: slurm\n"),
            std::string_view::npos)
      << shown;
  std::string json;
  write_json(*me, [&](std::string_view piece) { json += piece; });
  EXPECT_NE(json.find(R"("launcher":"acme")"), std::string::npos);
  EXPECT_NE(json.find(R"("proof":{"kind":"starter","launcher":"acme","other":"slurm")"),
            std::string::npos)
      << json;
}

// It writes over a number of the launcher above, whose others are left.
TEST(KnownLaunchers, that_read_anothers_rank_are_seen_below_it) {
  const rankmap::RecordedEnvironment variables(
      "ACME_JOB=1|PMI_RANK=3|PMI_SIZE=4|MPI_LOCALRANKID=0|MPI_LOCALNRANKS=1", '|');
  const rankmap::Config config = {
      .launchers = "acme ACME_JOB\n rank=PMI_RANK size=PMI_SIZE starters=acmed\n"};
  const rankmap::WithAncestors below(variables, {{"acmed"}, {"hydra_pmi_proxy"}});
  const auto me = Topology::from_environment(below, config);
  ASSERT_FALSE(me) << explain(*me);
  EXPECT_EQ(message(me.error()).view(),
            "PMI_RANK=\"3\": expected a number of the launch of MPI_LOCALRANKID (hydra): acme is "
            "nearer and sets this too; unset the variables of the one that did not start this "
            "process; in the program, pass Config::rank, ::world_size and ::local_rank");
  const rankmap::WithAncestors above(variables, {{"hydra_pmi_proxy"}, {"acmed"}});
  EXPECT_TRUE(Topology::from_environment(above, config));
}

TEST(KnownLaunchers, say_how_to_start_without_what_to_unset) {
  const rankmap::RecordedEnvironment environment("ACME_ID=1", '|');
  const auto me = Identity::from_environment(
      environment, Need::all,
      {.launchers =
           "acme ACME_ID\n rank=ACME_RANK size=ACME_SIZE local=ACME_LOCAL start=acmerun\n"});
  ASSERT_FALSE(me);
  EXPECT_EQ(
      message(me.error()).view(),
      "ACME_RANK is not set: expected a rank, since ACME_ID=\"1\" is set (acme); start it with "
      "acmerun; in the program, pass Config::rank, ::world_size and ::local_rank");
}

/// A launcher of the library that is declared once more gives the same answers.
TEST(KnownLaunchers, answer_as_the_ones_that_they_replace) {
  std::string text;
  for (const Launcher launcher : {Launcher::torchrun, Launcher::torch_env, Launcher::open_mpi,
                                  Launcher::hydra, Launcher::slurm}) {
    text += rankmap::detail::lines_of(static_cast<std::size_t>(launcher) - 2);
    text += " replaces " + std::string(name(launcher)) + '\n';
  }
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RANKMAP_TEST_DIR "/recordings")) {
    // Each costs five declarations.
    if (entry.path().extension() != ".env" || count++ % 8 != 0) continue;
    const std::string file = rankmap_test::text_of(entry.path().string());
    const rankmap::RecordedEnvironment environment(file);
    const auto library = Identity::from_environment(environment);
    const auto own = Identity::from_environment(environment, Need::all, {.launchers = text});
    ASSERT_EQ(library.has_value(), own.has_value())
        << entry.path() << (own ? "" : message(own.error()).c_str());
    if (library) {
      EXPECT_EQ(own->rank(), library->rank()) << entry.path();
      EXPECT_EQ(own->local_rank(), library->local_rank()) << entry.path();
      EXPECT_EQ(own->launcher(), library->launcher()) << entry.path();
    } else {
      EXPECT_EQ(message(own.error()), message(library.error())) << entry.path();
    }
  }
  EXPECT_GT(count, 500U);
}

}  // namespace known_launchers
}  // namespace
