// SPDX-License-Identifier: MIT
// Where the workers meet: address, port, id and backend, by torchrun's names for them. The meeting
// point and the host of rank 0 may differ. rankmap uses one in place of the other only if the
// caller asks for it with a named rule.
#ifndef RANKMAP_TOPOLOGY_RENDEZVOUS_HPP
#define RANKMAP_TOPOLOGY_RENDEZVOUS_HPP

#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/endpoint.hpp>
#include <rankmap/topology/port_rules.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The longest address or id of a rendezvous, in bytes. Longer texts are refused: no DNS name and
/// no run id of a launcher has as many.
inline constexpr std::size_t longest_rendezvous_text = longest_endpoint_host;

/// The port that torchrun uses for `rdzv_backend` if the endpoint names none. Empty for a backend
/// without a default port. Source: torch.distributed.run and torch.distributed.elastic.rendezvous.
constexpr std::optional<int> default_port(std::string_view rdzv_backend) {
  if (rdzv_backend == "static") return 29500;
  if (rdzv_backend == "c10d") return 29400;
  if (rdzv_backend == "etcd" || rdzv_backend == "etcd-v2") return 2379;
  return std::nullopt;
}

/// Where the workers of a job meet.
struct Rendezvous {
  StaticString<longest_rendezvous_text> address;
  int port = 0;                              ///< 1 to 65535; 0: any, or not known
  StaticString<longest_rendezvous_text> id;  ///< rdzv_id; empty: not known
  StaticString<31> backend;                  ///< rdzv_backend; empty: not known
  OriginKind kind = OriginKind::given;       ///< read, derived or given
  std::string_view source = {};              ///< the variable or the rule; a view, not copied
  /// True: the launcher runs a store at the address. Every rank connects to it, and rank 0 must not
  /// open the port. False: rank 0 opens the port.
  bool has_agent_store = false;

  friend constexpr bool operator==(const Rendezvous&, const Rendezvous&) = default;

  /// `tcp://host:port`, as torch.distributed.init_process_group takes it. An IPv6 address gets
  /// brackets. Errors: bad_endpoint if the port is not known, or any. O(length).
  constexpr Result<StaticString<319>> init_method() const {
    if (port == 0) {
      return detail::error_at(
          Errc::bad_endpoint, "Rendezvous::port", "0",
          "a port from 1 to 65535, the same on every rank",
          "set MASTER_PORT together with MASTER_ADDR; in the program, set Rendezvous::port");
    }
    return StaticString<319>("tcp://")
        .append(detail::with_brackets(address))
        .append(':')
        .append_number(port);
  }

  /// From torchrun's three settings. An empty backend is "static". If the endpoint names no port,
  /// the port is the backend's default. Errors: as parse_endpoint; bad_endpoint also for an
  /// endpoint without a port if the backend has no default one, for an id longer than 255 bytes and
  /// for a backend longer than 31. O(length).
  static constexpr Result<Rendezvous> from_text(std::string_view rdzv_id,
                                                std::string_view rdzv_backend,
                                                std::string_view rdzv_endpoint) {
    return from_settings({"rdzv_id", rdzv_id}, {"rdzv_backend", rdzv_backend},
                         {"rdzv_endpoint", rdzv_endpoint});
  }

  /// The settings of a torchrun agent: PET_RDZV_ID, PET_RDZV_BACKEND and PET_RDZV_ENDPOINT. Without
  /// an endpoint, the static backend takes PET_MASTER_ADDR and PET_MASTER_PORT. This is where the
  /// *agents* meet. The workers meet at MASTER_ADDR and MASTER_PORT, which may be another host.
  /// Errors: missing if neither is set, else as from_text and from_address.
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
      const bool is_static = backend.value.empty() || backend.value == "static";
      if (address.value.empty() || !is_static) {
        return detail::error_missing(Errc::missing, endpoint.name, "host:port",
                                     is_static
                                         ? "set it, or PET_MASTER_ADDR and PET_MASTER_PORT"
                                         : "set it: only the static backend takes PET_MASTER_ADDR");
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

  /// From an address and a port in two texts, as MASTER_ADDR and MASTER_PORT hold them. The address
  /// is kept as written, without brackets, and never resolved. A `tcp://` before it is left out,
  /// and so is a port behind it, which is used where `port` is empty.
  ///
  /// `fallback_port`: the port if the text is empty, 0 to 65535. `address_subject`, `port_subject`:
  /// what error messages call the texts. `address_subject` also becomes `source`, which is a view:
  /// its text must outlive the rendezvous.
  ///
  /// Errors: bad_endpoint for an address that is empty, longer than 255 bytes, contains a blank or
  /// a control byte, one of '/', ',' and '@', or colons that are no IPv6 address's; has only one of
  /// two brackets, or has a port of its own that is not `port`; for a port that is no number from 0
  /// to 65535. out_of_range for such a `fallback_port`.
  RANKMAP_NOINLINE static constexpr Result<Rendezvous> from_address(
      std::string_view address, std::string_view port,
      std::string_view address_subject = "MASTER_ADDR",
      std::string_view port_subject = "MASTER_PORT", int fallback_port = 0) {
    if (const auto error = detail::check_fallback_port(fallback_port)) return *error;
    Rendezvous out;
    out.source = address_subject;
    const detail::HostPort parts = detail::split_address(address);
    const auto host = detail::without_brackets(parts.host);
    const Variable whole{address_subject, address};
    constexpr std::string_view remedy = "write a host name or an address";
    if (!host) return refuse(whole, detail::bracket_expectation, remedy);
    if (!is_host_name(*host)) return refuse(whole, detail::host_expectation, remedy);
    if (!detail::is_lone_host(*host)) return refuse(whole, detail::lone_host_expectation, remedy);
    out.address = *host;
    out.port = fallback_port;
    if (parts.number) {
      const detail::Number own = detail::parse_number(*parts.number);
      const detail::Number beside = detail::parse_number(port);
      if (!own || own.value > 65535 || (!port.empty() && beside && beside.value != own.value)) {
        return refuse(whole, detail::concat("no port, or that of ", port_subject),
                      "write the host alone");
      }
      if (port.empty()) port = *parts.number;
    }
    if (!port.empty()) {
      const detail::Number number = detail::parse_number(port);
      if (!number || number.value > 65535) {
        return refuse({port_subject, port}, "a decimal number in [0, 65536)",
                      "set it to a free port");
      }
      out.port = static_cast<int>(number.value);
    }
    return out;
  }

 private:
  RANKMAP_RARE static constexpr Error refuse(const Variable& about, std::string_view expected,
                                             std::string_view remedy) {
    return detail::error_at(Errc::bad_endpoint, about.name, about.value, expected, remedy);
  }

  /// Sets id and backend; an empty backend is "static".
  constexpr detail::Optional<Error> set_names(const Variable& rdzv_id,
                                              const Variable& rdzv_backend) {
    id = rdzv_id.value;
    if (id.cut()) return refuse(rdzv_id, "at most 255 bytes", "shorten it");
    backend = rdzv_backend.value.empty() ? std::string_view("static") : rdzv_backend.value;
    if (backend.cut()) return refuse(rdzv_backend, "at most 31 bytes", "use static or c10d");
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
      return refuse(rdzv_endpoint, "a port, since this backend has no default one",
                    "write host:port");
    }
    out.address = endpoint->host;
    out.port = endpoint->port;
    out.source = rdzv_endpoint.name;
    return out;
  }
};

/// A meeting point for a job whose launcher sets none: the host of rank 0, and a port computed by
/// `rule`. Every rank of the job gets the same one, or every rank gets an error. Its kind is
/// `derived`, and its source is the name of the rule.
///
/// `topology`: a Topology, or any type with its layout, hosts, host_of, job_id and step_id.
///
/// Errors: missing if not every rank knows the host of rank 0 (an arbitrary distribution, or a
/// launcher that does not list the hosts), if the job id is not a number, or if there is a step id
/// that is not a number. O(length of the host list's text).
template <class T>
constexpr Result<Rendezvous> derive_rendezvous(const T& topology, const PortRule& rule) {
  const auto& layout = topology.layout();
  const bool is_known_to_all = layout && (!topology.hosts().empty() || layout->node_count() == 1);
  const auto host = topology.host_of(0);
  if (!is_known_to_all || !host) {
    return detail::error_missing(
        Errc::missing, "host_of(0)", "the host of rank 0",
        "set MASTER_ADDR and MASTER_PORT; in the program, call gather_hosts() first");
  }
  constexpr std::string_view remedy =
      "set MASTER_ADDR and MASTER_PORT; in the program, use Rendezvous::from_address";
  const detail::Number job = detail::parse_number(topology.job_id());
  if (!job) {
    return detail::error_at(Errc::missing, "job_id()", topology.job_id(),
                            "a decimal job number to compute a port from", remedy);
  }
  const detail::Number step = detail::parse_number(topology.step_id());
  if (!step && step.state != detail::NumberState::empty) {
    return detail::error_at(Errc::missing, "step_id()", topology.step_id(),
                            "a decimal step number to compute a port from", remedy);
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
