// SPDX-License-Identifier: MIT
#include <rankmap/hosts/host_list_view.hpp>

#include <gtest/gtest.h>

#include <rankmap/hosts/host_list.hpp>

#include <string>
#include <string_view>

namespace {

using rankmap::HostList;
using rankmap::HostListView;

// The grammar and the queries are tested as those of HostList, which asks a view for everything.

static_assert(HostListView().empty() && !HostListView().find(""));
static_assert(HostListView::parse("login,n[000001-0999999]")->size() == 1'000'000);
static_assert((*HostListView::parse("n[08-12]"))[4] == "n12");
static_assert(HostListView::parse("a[0-1]b[0-1]")->find("a1b0") == 2U);

TEST(HostListView, looks_at_the_callers_text) {
  const std::string text = "n[1-3]," + std::string(100, 'x');
  const auto view = HostListView::parse(text);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->text().data(), text.data());
  EXPECT_EQ(view->size(), 4U);
  EXPECT_EQ((*view)[3], std::string(100, 'x'));
  EXPECT_EQ(HostList::parse(text)->view().find("n3"), view->find("n3"));
}

TEST(HostListView, has_the_errors_of_a_list) {
  for (const std::string_view text : {"n[1-3", "n[3-1]", "a\x01", "n[0-9999999]", "n1],m[1]]"}) {
    const auto view = HostListView::parse(text, {}, "SLURM_STEP_NODELIST");
    ASSERT_FALSE(view) << text;
    EXPECT_EQ(view.error(), HostList::parse(text, {}, "SLURM_STEP_NODELIST").error()) << text;
  }
  EXPECT_FALSE(HostListView::parse("a,b", {.max_hosts = 1}));
  EXPECT_FALSE(HostListView::parse("abc", {.max_name_length = 2}));
}

}  // namespace
