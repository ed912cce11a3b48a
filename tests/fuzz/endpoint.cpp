// SPDX-License-Identifier: MIT
//
// Where the workers meet. The lines of an input are the run's id, the backend and the endpoint; the
// endpoint's words are also an address and a port.
#include "fuzz.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/endpoint.hpp>
#include <rankmap/topology/rendezvous.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Endpoint;
using rankmap::Rendezvous;
using rankmap::Result;
using rankmap_fuzz::require;

using Pair = std::pair<std::string, int>;

std::optional<int> port_of(std::string_view text, std::size_t max_digits) {
  if (text.empty() || text.size() > max_digits ||
      text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text) {
    value = value * 10 + (c - '0');
    if (value > 65535) return std::nullopt;
  }
  return value;
}

bool is_host(std::string_view text, bool colons) {
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const std::string_view others = colons ? "_.-:" : "_.-";
    if (!plain && others.find(c) == std::string_view::npos) return false;
  }
  return !text.empty() && text.size() <= 255;
}

std::optional<Pair> endpoint_slowly(std::string_view text, int fallback) {
  std::string cut(text);
  const auto blank = [](char c) {
    return std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos;
  };
  while (!cut.empty() && blank(cut.back())) cut.pop_back();
  while (!cut.empty() && blank(cut.front())) cut.erase(0, 1);
  if (cut.empty()) return Pair{"localhost", fallback};
  if (cut[0] == '[') {
    const std::size_t close = cut.rfind(']');
    if (close == std::string::npos) return std::nullopt;
    const std::string rest = cut.substr(close + 1);
    const std::string host = cut.substr(1, close - 1);
    if (!is_host(host, true)) return std::nullopt;
    if (rest.empty()) return Pair{host, fallback};
    const auto port = rest[0] == ':' ? port_of(std::string_view(rest).substr(1), 5) : std::nullopt;
    if (!port) return std::nullopt;
    return Pair{host, *port};
  }
  const std::size_t colon = cut.find(':');
  const std::string host = cut.substr(0, colon);
  if (!is_host(host, false)) return std::nullopt;
  if (colon == std::string::npos) return Pair{host, fallback};
  const auto port = port_of(std::string_view(cut).substr(colon + 1), 5);
  if (!port) return std::nullopt;
  return Pair{host, *port};
}

std::string written(const Endpoint& endpoint) {
  std::string host(endpoint.host.view());
  if (host.find(':') != std::string::npos) host = '[' + host + ']';
  return host + ':' + std::to_string(endpoint.port);
}

void require_sound(const Result<Rendezvous>& found, std::size_t size) {
  if (!found) {
    rankmap_fuzz::require_good_error(found.error(), size);
    return;
  }
  require(!found->address.empty() && !found->address.cut(), "workers meet at an address");
  require(found->port >= 0 && found->port <= 65535, "a port is a port");
  require(!found->source.empty(), "a meeting point names its source");
  const auto method = found->init_method();
  if (!method) {
    require(found->port == 0, "a port makes an init method");
    rankmap_fuzz::require_good_error(method.error(), size);
    return;
  }
  require(method->view().substr(0, 6) == "tcp://" && !method->cut(), "an init method is whole");
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 4096) return;
  const HeapBytes heap;
  for (const int fallback : {0, 29500}) {
    const auto endpoint = rankmap::parse_endpoint(input, fallback);
    const auto slow = endpoint_slowly(input, fallback);
    require(endpoint.has_value() == slow.has_value(), "endpoints are accepted by their grammar",
            endpoint ? std::string_view("accepted") : message(endpoint.error()).view());
    if (!endpoint) {
      require_good_error(endpoint.error(), input.size());
      continue;
    }
    require(endpoint->host.view() == slow->first && endpoint->port == slow->second,
            "an endpoint is its host and port", endpoint->host);
    const auto back = rankmap::parse_endpoint(written(*endpoint), 1);
    require(back && *back == *endpoint, "an endpoint that is written out reads the same",
            written(*endpoint));
  }

  const auto lines = split(input, '\n');
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : std::string_view(); };
  const HeapBytes more;
  const auto from_text = Rendezvous::from_text(line(0), line(1), line(2));
  const auto from_address = Rendezvous::from_address(line(0), line(1));
  const rankmap::FixedEnvironment environment({{"PET_RDZV_ID", line(0)},
                                               {"PET_RDZV_BACKEND", line(1)},
                                               {"PET_RDZV_ENDPOINT", line(2)},
                                               {"PET_MASTER_ADDR", line(3)},
                                               {"PET_MASTER_PORT", line(4)}});
  const auto from_agent = Rendezvous::from_agent_environment(environment);
  require(more.asked() == 0, "a meeting point takes no memory");
  require_sound(from_text, input.size());
  require_sound(from_address, input.size());
  require_sound(from_agent, input.size());
  if (!line(2).empty()) {
    require(from_text.has_value() == from_agent.has_value(), "an agent's settings read as texts");
  }
  if (from_text) {
    require(from_text->id.view() == line(0), "the id is kept");
    require(from_text->backend.view() == (line(1).empty() ? "static" : line(1)),
            "the backend is kept");
  }
  if (from_address && !line(1).empty()) {
    require(port_of(line(1), 4096) == from_address->port, "the port is the number that is written");
  }
}
