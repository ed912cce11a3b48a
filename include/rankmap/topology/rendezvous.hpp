// SPDX-License-Identifier: MIT
//
// Where the workers meet: address, port, id and backend, in the words of torchrun. The meeting
// point and the host of rank 0 are two things, which may differ; nothing here takes one for the
// other unless the caller asks by the name of a rule.
#ifndef RANKMAP_TOPOLOGY_RENDEZVOUS_HPP
#define RANKMAP_TOPOLOGY_RENDEZVOUS_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/origin.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Texts longer than this are refused: no DNS name and no run id that a launcher makes comes near.
inline constexpr std::size_t longest_rendezvous_text = 255;

/// The port that torchrun takes where the endpoint names none; nothing for a backend it gives none.
/// Source: torch.distributed.run and torch.distributed.elastic.rendezvous.
constexpr std::optional<int> default_port(std::string_view rdzv_backend) {
  struct Row {
    std::string_view backend;
    int port;
  };
  constexpr Row rows[] = {{"static", 29500}, {"c10d", 29400}, {"etcd", 2379}, {"etcd-v2", 2379}};
  for (const Row& row : rows) {
    if (row.backend == rdzv_backend) return row.port;
  }
  return std::nullopt;
}

/// A host and a port.
struct Endpoint {
  StaticString<longest_rendezvous_text> host;
  int port = 0;  ///< 1 to 65535; 0: any or not known
  friend constexpr bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Parses `host`, `host:port`, `[v6]` or `[v6]:port` by torchrun's rules: blanks around it are cut,
/// an empty text is localhost, a missing port is `fallback_port` (0 to 65535). `subject` names the
/// text in messages.
///
/// Errors: bad_endpoint for a port that is not 1 to 5 digits below 65536, for a host with other
/// characters than letters, digits, '_', '.', '-' and ':', for one longer than 255 bytes, and for
/// an IPv6 address without brackets, whose last group torchrun would take for the port. O(length).
constexpr Result<Endpoint> parse_endpoint(std::string_view text, int fallback_port,
                                          std::string_view subject = "rdzv_endpoint") {
  const std::string_view whole = text;
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const auto refuse = [&](std::string_view expected, std::string_view remedy) {
    return detail::error_at(Errc::bad_endpoint, subject, whole, expected, remedy);
  };
  const std::size_t first = text.find_first_not_of(blanks);
  text = first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
  if (text.empty()) return Endpoint{"localhost", fallback_port};

  Endpoint endpoint;
  endpoint.port = fallback_port;
  const bool bracketed = text.front() == '[';
  const std::size_t colon = text.rfind(':');
  if (bracketed ? text.back() != ']' : colon != std::string_view::npos) {
    if (colon == std::string_view::npos)
      return refuse("']' after the address", "close the bracket");
    const std::string_view digits = text.substr(colon + 1);
    const detail::Number port = detail::parse_number(digits);
    if (!port || digits.size() > 5 || port.value > 65535) {
      return refuse("a port from 0 to 65535 after the last ':'", "write host:port or [v6]:port");
    }
    endpoint.port = static_cast<int>(port.value);
    text = text.substr(0, colon);
  }
  if (bracketed) {
    const auto address = detail::without_brackets(text);
    if (!address) return refuse("']' after the address", "write [v6]:port");
    text = *address;
  } else if (text.find(':') != std::string_view::npos) {
    return refuse("brackets around an IPv6 address", "write [v6]:port");
  }
  bool plain = !text.empty();
  for (const char c : text) {
    plain = plain && (detail::is_letter(c) || detail::is_digit(c) || c == '_' || c == '.' ||
                      c == '-' || c == ':');
  }
  if (!plain || text.size() > longest_rendezvous_text) {
    return refuse("a host of at most 255 letters, digits, '_', '.', '-' and ':'",
                  "write a host name or an address");
  }
  endpoint.host = text;
  return endpoint;
}

/// Where the workers of a job meet.
struct Rendezvous {
  StaticString<longest_rendezvous_text> address;
  int port = 0;                              ///< 1 to 65535; 0: any or not known
  StaticString<longest_rendezvous_text> id;  ///< rdzv_id; empty: not known
  StaticString<31> backend;                  ///< rdzv_backend; empty: not known
  OriginKind kind = OriginKind::given;       ///< read, derived or given
  std::string_view source = {};              ///< the variable or the rule; a view, not copied
  /// The launcher keeps a store at the address itself: every rank joins it, and rank 0 must not try
  /// to open the port. Else it is rank 0 that opens it.
  bool has_agent_store = false;

  /// `tcp://host:port`, as torch.distributed.init_process_group takes it, with brackets around an
  /// IPv6 address. Errors: bad_endpoint where the port is not known.
  constexpr Result<StaticString<319>> init_method() const {
    if (port == 0) {
      return detail::error_missing(Errc::bad_endpoint, "MASTER_PORT", "a port from 1 to 65535",
                                   "set it beside MASTER_ADDR");
    }
    return StaticString<319>("tcp://")
        .append(detail::with_brackets(address))
        .append(':')
        .append_number(port);
  }

  /// From torchrun's three settings. An empty backend is "static"; the port is the backend's
  /// default where the endpoint names none. Errors: as parse_endpoint; bad_endpoint also for a
  /// backend without a default port and for an id or backend that is too long.
  static constexpr Result<Rendezvous> from_text(std::string_view rdzv_id,
                                                std::string_view rdzv_backend,
                                                std::string_view rdzv_endpoint) {
    return from_settings({"rdzv_id", rdzv_id}, {"rdzv_backend", rdzv_backend},
                         {"rdzv_endpoint", rdzv_endpoint});
  }

  /// The settings of a torchrun agent in PET_RDZV_ID, PET_RDZV_BACKEND and PET_RDZV_ENDPOINT, or,
  /// without an endpoint, in PET_MASTER_ADDR and PET_MASTER_PORT. They tell where the *agents*
  /// meet: the workers' own meeting point is MASTER_ADDR and MASTER_PORT, and may be another host.
  /// Errors: missing where neither is set, else as from_text.
  template <Environment Env>
  static constexpr Result<Rendezvous> from_agent_environment(const Env& environment) {
    const EnvironmentViewOf<Env> variables(environment);
    const auto variable = [&](std::string_view name) {
      return Variable{name, variables.text_or_empty(name)};
    };
    const Variable id = variable("PET_RDZV_ID");
    const Variable backend = variable("PET_RDZV_BACKEND");
    const Variable endpoint = variable("PET_RDZV_ENDPOINT");
    Result<Rendezvous> out = Rendezvous();
    if (!endpoint.value.empty()) {
      out = from_settings(id, backend, endpoint);
    } else {
      const Variable address = variable("PET_MASTER_ADDR");
      const Variable port = variable("PET_MASTER_PORT");
      if (address.value.empty()) {
        return detail::error_missing(Errc::missing, endpoint.name, "host:port",
                                     "set it, or PET_MASTER_ADDR and PET_MASTER_PORT");
      }
      out = from_address(address.value, port.value, address.name, port.name,
                         default_port("static").value());
      if (out) {
        if (const auto error = out->set_names(id, backend)) return *error;
      }
    }
    if (out) out->kind = OriginKind::read;
    return out;
  }

  /// From an address and a port that stand in two texts, as MASTER_ADDR and MASTER_PORT do. An
  /// empty port is `fallback_port`; the address is kept as given, without brackets, and never
  /// resolved. `address_subject` becomes the `source`, and must live as long as that is looked at.
  /// Errors: bad_endpoint for an address that is empty, too long, has a blank or control byte in it
  /// or one bracket of two, and for a port outside 0 to 65535.
  static constexpr Result<Rendezvous> from_address(std::string_view address, std::string_view port,
                                                   std::string_view address_subject = "MASTER_ADDR",
                                                   std::string_view port_subject = "MASTER_PORT",
                                                   int fallback_port = 0) {
    Rendezvous out;
    out.source = address_subject;
    const auto host = detail::without_brackets(address);
    if (!host) {
      return detail::error_at(Errc::bad_endpoint, address_subject, address,
                              detail::bracket_expectation, "write a host name or an address");
    }
    out.address = *host;
    if (!is_host_name(*host)) {
      return detail::error_at(Errc::bad_endpoint, address_subject, address,
                              detail::host_expectation, "write a host name or an address");
    }
    out.port = fallback_port;
    if (!port.empty()) {
      const detail::Number number = detail::parse_number(port);
      if (!number || number.value > 65535) {
        return detail::error_at(Errc::bad_endpoint, port_subject, port,
                                "a decimal number in [0, 65536)", "set it to a free port");
      }
      out.port = static_cast<int>(number.value);
    }
    return out;
  }

 private:
  /// Sets id and backend; an empty backend is "static".
  constexpr detail::Optional<Error> set_names(const Variable& rdzv_id,
                                              const Variable& rdzv_backend) {
    id = rdzv_id.value;
    if (id.cut()) {
      return detail::error_at(Errc::bad_endpoint, rdzv_id.name, rdzv_id.value, "at most 255 bytes",
                              "shorten it");
    }
    backend = rdzv_backend.value.empty() ? std::string_view("static") : rdzv_backend.value;
    if (backend.cut()) {
      return detail::error_at(Errc::bad_endpoint, rdzv_backend.name, rdzv_backend.value,
                              "at most 31 bytes", "use static or c10d");
    }
    return std::nullopt;
  }

  static constexpr Result<Rendezvous> from_settings(const Variable& rdzv_id,
                                                    const Variable& rdzv_backend,
                                                    const Variable& rdzv_endpoint) {
    Rendezvous out;
    if (const auto error = out.set_names(rdzv_id, rdzv_backend)) return *error;
    const std::optional<int> fallback = default_port(out.backend);
    const Result<Endpoint> endpoint =
        parse_endpoint(rdzv_endpoint.value, fallback.value_or(0), rdzv_endpoint.name);
    if (!endpoint) return endpoint.error();
    if (!fallback && endpoint->port == 0) {
      return detail::error_at(Errc::bad_endpoint, rdzv_endpoint.name, rdzv_endpoint.value,
                              "a port, since this backend has no default one", "write host:port");
    }
    out.address = endpoint->host;
    out.port = endpoint->port;
    out.source = rdzv_endpoint.name;
    return out;
  }
};

/// A named way to make a port of a job's and a step's number. The peers' formulas are here under
/// their names, so that a program can meet workers that use one of them; they ignore the step, so
/// that two steps of one job collide.
struct PortRule {
  std::string_view name;
  int (*port)(std::uint64_t job, std::uint64_t step);
};

namespace port_rules {

/// 20000 to 29999, below Linux's ephemeral ports, different for the steps of one job.
inline constexpr PortRule job_and_step = {
    "job_and_step", [](std::uint64_t job, std::uint64_t step) {
      return static_cast<int>(20000 + (job % 10000 + step % 10000 * 617) % 10000);
    }};
/// Lightning, pytorch-ignite: the last four digits of the job id + 15000.
inline constexpr PortRule lightning = {"lightning", [](std::uint64_t job, std::uint64_t) {
                                         return static_cast<int>(job % 10000 + 15000);
                                       }};
/// JAX under Slurm: job mod 4096 + 61440.
inline constexpr PortRule jax = {
    "jax", [](std::uint64_t job, std::uint64_t) { return static_cast<int>(job % 4096 + 61440); }};
/// enroot's PyTorch hook: job mod 4536 + 61000.
inline constexpr PortRule enroot = {"enroot", [](std::uint64_t job, std::uint64_t) {
                                      return static_cast<int>(job % 4536 + 61000);
                                    }};

}  // namespace port_rules

/// A meeting point for a job whose launcher gives none: the host of rank 0 and a port by `rule`.
/// `topology` is a Topology (or anything with its layout, hosts, host_of, job_id and step_id). The
/// same on every rank, or an error on every rank; marked as derived, with the rule's name as its
/// source.
///
/// Errors: missing where not every rank knows the host of rank 0 (an arbitrary distribution, a
/// launcher that tells no hosts; rank 0 alone would know its own), the job id is no number, or
/// there is a step id that is none.
template <class T>
constexpr Result<Rendezvous> derive_rendezvous(const T& topology, const PortRule& rule) {
  const auto& layout = topology.layout();
  const bool is_known_to_all = layout && (!topology.hosts().empty() || layout->node_count() == 1);
  const auto host = topology.host_of(0);
  if (!is_known_to_all || !host) {
    return detail::error_missing(Errc::missing, "host_of(0)", "the host of rank 0",
                                 "call gather_hosts, or set MASTER_ADDR and MASTER_PORT");
  }
  const detail::Number job = detail::parse_number(topology.job_id());
  if (!job) {
    return detail::error_at(Errc::missing, "job_id()", topology.job_id(),
                            "a decimal job number to make a port of",
                            "set MASTER_ADDR and MASTER_PORT");
  }
  const detail::Number step = detail::parse_number(topology.step_id());
  if (!step && step.state != detail::NumberState::empty) {
    return detail::error_at(Errc::missing, "step_id()", topology.step_id(),
                            "a decimal step number to make a port of",
                            "set MASTER_ADDR and MASTER_PORT");
  }
  Rendezvous out;
  out.address = std::string_view(*host);
  out.port = rule.port(job.value, step.value);  // 0 without a step
  out.kind = OriginKind::derived;
  out.source = rule.name;
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_RENDEZVOUS_HPP
