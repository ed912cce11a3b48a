// SPDX-License-Identifier: MIT
#include <rankmap/result.hpp>
#include <rankmap/topology/endpoint.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using rankmap::Endpoint;
using rankmap::Errc;
using rankmap::parse_endpoint;
using rankmap::Result;

/// The results of torch.distributed.elastic.rendezvous.utils.parse_rendezvous_endpoint of
/// PyTorch 1.13 with the default port 29400, unless a comment says otherwise.
struct EndpointCase {
  std::string_view text;
  std::string_view host;  ///< empty: an error
  int port = 0;
};
constexpr EndpointCase endpoints[] = {
    {"", "localhost", 29400},
    {"  ", "localhost", 29400},
    {"host", "host", 29400},
    {"host:1", "host", 1},
    {" host:29400 ", "host", 29400},
    {"\thost\n", "host", 29400},
    {"host:0", "host", 0},
    {"host:65535", "host", 65535},
    {"host:65536", ""},
    {"host:123456", ""},
    {"host:00001", "host", 1},
    {"host:000001", ""},  // more than five digits
    {"host:", ""},
    {"host:x", ""},
    {"host:+1", ""},
    {"host:-1", ""},
    {"host: 1", ""},
    {"host :1", ""},
    {"ho st:1", ""},
    {":1", ""},
    {"a:1:", ""},
    {"a/b:1", ""},
    {"a..b", "a..b", 29400},
    {"a_b-c.d:7", "a_b-c.d", 7},
    {"1.2.3.4:5", "1.2.3.4", 5},
    {"[::1]", "::1", 29400},
    {"[::1]:5", "::1", 5},
    {" [fe80::1] ", "fe80::1", 29400},
    {"[host:1]", "host:1", 29400},
    {"[a]:1", "a", 1},
    {"[::1]:", ""},
    {"[::1]:99999", ""},
    {"[::1]x", ""},
    {"[::1", ""},
    {"::1]", ""},
    {"[[::1]]:5", ""},
    {"[::1]]:1", ""},
    {"[]", ""},
    {"[]:1", ""},
    {"[", ""},
    {"]", ""},
    {":", ""},
    {"[fe80::1%eth0]:1", ""},
    // Stricter than torchrun, which reads the last group of an address without brackets as the
    // port: ":" port 1, "fe80::1" port 2 and "a:b" port 1.
    {"::1", ""},
    {"fe80::1:2", ""},
    {"a:b:1", ""},
    // torchrun accepts letters of any alphabet; a resolver needs an encoding for them.
    {"h\xc3\xb6st:1", ""},
    {std::string_view("host\0:1", 7), ""},
};

constexpr bool endpoint_holds(const EndpointCase& c) {
  const Result<Endpoint> endpoint = parse_endpoint(c.text, 29400);
  if (c.host.empty()) return !endpoint && endpoint.error().code == Errc::bad_endpoint;
  return endpoint && endpoint->host == c.host && endpoint->port == c.port;
}
static_assert(std::ranges::all_of(endpoints, endpoint_holds));

TEST(Endpoint, follows_torchruns_rules) {
  for (const EndpointCase& c : endpoints) EXPECT_TRUE(endpoint_holds(c)) << '"' << c.text << '"';
}

struct Refusal {
  std::string_view text;
  std::string_view message;
};
constexpr Refusal refusals[] = {
    {"host:x",
     "rdzv_endpoint=\"host:x\": expected a port from 0 to 65535 after the last ':'; write "
     "host:port "
     "or [v6]:port"},
    {"tcp://n1:29400",
     "rdzv_endpoint=\"tcp://n1:29400\": expected a host and a port without a scheme, as torchrun "
     "does; write host:port"},
    {"::1", "rdzv_endpoint=\"::1\": expected brackets around an IPv6 address; write [v6]:port"},
    {"fe80::1:2",
     "rdzv_endpoint=\"fe80::1:2\": expected brackets around an IPv6 address; write [v6]:port"},
    {"n1:29500:1",
     "rdzv_endpoint=\"n1:29500:1\": expected one ':', before the port; write host:port or "
     "[v6]:port"},
    {"fe80::1%eth0",
     "rdzv_endpoint=\"fe80::1%eth0\": expected an address without a zone, as torchrun does; write "
     "a "
     "host name, or an address that needs no zone"},
    {"[fe80::1%eth0]:1",
     "rdzv_endpoint=\"[fe80::1%eth0]:1\": expected an address without a zone, as torchrun does; "
     "write a host name, or an address that needs no zone"},
    {"n1:29%",
     "rdzv_endpoint=\"n1:29%\": expected a port from 0 to 65535 after the last ':'; write "
     "host:port "
     "or [v6]:port"},
    {"[x", "rdzv_endpoint=\"[x\": expected ']' after the address; close the bracket"},
    {"[:1", "rdzv_endpoint=\"[:1\": expected ']' after the address; write [v6]:port"},
    {"a b",
     "rdzv_endpoint=\"a b\": expected a host of at most 255 letters, digits, '_', '.', '-' and "
     "':'; "
     "write a host name or an address"},
};

TEST(Endpoint, errors_name_text_expectation_and_remedy) {
  for (const Refusal& refusal : refusals) {
    const auto endpoint = parse_endpoint(refusal.text, 29400);
    ASSERT_FALSE(endpoint) << refusal.text;
    EXPECT_EQ(message(endpoint.error()).view(), refusal.message);
  }
  EXPECT_EQ(parse_endpoint("a b", 1, "MY_ENDPOINT").error().subject.view(), "MY_ENDPOINT");
}

TEST(Endpoint, is_bounded_for_long_texts) {
  EXPECT_TRUE(parse_endpoint(std::string(255, 'x') + ":1", 0));
  EXPECT_FALSE(parse_endpoint(std::string(256, 'x') + ":1", 0));
  EXPECT_FALSE(parse_endpoint(std::string(10'000'000, 'x'), 0));
  EXPECT_FALSE(parse_endpoint(std::string(10'000'000, '['), 0));
  EXPECT_FALSE(parse_endpoint("a:" + std::string(10'000'000, '0'), 0));
}

TEST(Endpoint, any_two_bytes_give_a_host_or_an_error) {
  for (int a = 0; a != 256; ++a) {
    for (int b = 0; b != 256; ++b) {
      const char text[] = {static_cast<char>(a), static_cast<char>(b)};
      const auto endpoint = parse_endpoint(std::string_view(text, 2), 7);
      if (endpoint) {
        EXPECT_FALSE(endpoint->host.empty());
      }
    }
  }
}

}  // namespace
