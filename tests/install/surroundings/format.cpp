// SPDX-License-Identifier: MIT
//
// What rankmap prints, by std::format, where the standard library has it.
#include <rankmap/format.hpp>
#include <rankmap/probe.hpp>
#include <rankmap/rankmap.hpp>

#include <cstdio>
#include <format>
#include <string>
#include <string_view>
#include <vector>

#ifndef __cpp_lib_format
#error "This standard library has no std::format: nothing would be tested"
#endif

// An enumeration of somebody else, with a name and a format of its own.
namespace other {
enum class Colour { red };
constexpr const char* name(Colour) { return "red"; }
}  // namespace other
template <>
struct std::formatter<other::Colour> : std::formatter<std::string_view> {
  auto format(other::Colour, std::format_context& context) const {
    return std::formatter<std::string_view>::format("their red", context);
  }
};

// One of somebody else without a format still has none.
namespace another {
enum class Shape { round };
constexpr const char* name(Shape) { return "round"; }
}  // namespace another
template <class T>
concept HasFormat = requires(std::formatter<T> formatter, std::format_parse_context& context) {
  formatter.parse(context);
};
static_assert(HasFormat<rankmap::Launcher> && HasFormat<rankmap::StaticString<3>>);
static_assert(!HasFormat<another::Shape> && !HasFormat<std::vector<rankmap::Launcher>>);
static_assert(HasFormat<rankmap::Result<int>> && HasFormat<rankmap::Result<rankmap::Launcher>>);
static_assert(!HasFormat<rankmap::Result<rankmap::Topology>>);

namespace {

template <class... Values>
void print(std::format_string<const Values&...> form, const Values&... values) {
  std::puts(std::format(form, values...).c_str());
}

}  // namespace

int main() {
  print("{} {} {}", rankmap::Launcher::open_mpi, rankmap::Errc::missing, rankmap::Remainder::pad);
  print("{} {} {}", rankmap::ProbeTrust::opened, rankmap::Isolation::shared,
        static_cast<rankmap::Errc>(200));
  print("[{:>8}] [{:<8}] [{:-^9}] [{:.3}]", rankmap::Launcher::slurm, rankmap::Launcher::slurm,
        rankmap::Launcher::slurm, rankmap::Launcher::slurm);
  print("{}", other::Colour::red);
  const auto refused =
      rankmap::Identity::from_environment(rankmap::RecordedEnvironment("RANK=x", '|'));
  print("{}", refused.error());
  print("{}", message(refused.error()));
  print("[{:.4}] [{:>6}]", refused.error(), rankmap::StaticString<7>("n1"));
  print("[{:>6}]", rankmap::SmallString("n2"));
  const auto warned = rankmap::Identity::from_environment(
      rankmap::RecordedEnvironment("RANK=0|WORLD_SIZE=4|LOCAL_RANK=0|LOCAL_WORLD_SIZE=x", '|'));
  for (const rankmap::Warning& warning : warned->warnings()) print("{}", warning);
  print("{}", std::string_view(rankmap::name(warned->launcher())));
  // The options are those of the value; a message has none.
  const auto share = [](const rankmap::Result<double>& result) { print("[{:>8.2f}]", result); };
  share(0.125);
  share(refused.error());
  print("{} [{:>6}] {}", rankmap::Result<int>(3), rankmap::Result<std::string>("n3"),
        rankmap::Result(rankmap::Launcher::slurm));
}
