// SPDX-License-Identifier: MIT
// What the device policies share: the checks of a request, the errors, and the one rule for devices
// of one's own. One file, since each error names what the checks before it have ruled out.
#ifndef RANKMAP_DEVICE_DETAIL_POLICY_RULES_HPP
#define RANKMAP_DEVICE_DETAIL_POLICY_RULES_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr Device make_device(const DeviceRequest& request, std::string_view policy,
                             std::int64_t index, int count, DeviceBasis basis,
                             std::string_view reason) {
  return {request.kind, VisibleIndex(static_cast<int>(index)), count, basis, policy, reason};
}

constexpr Device make_cpu(std::string_view policy, DeviceBasis basis) {
  const std::string_view reason =
      basis == DeviceBasis::requested ? "the caller requested the CPU" : "no device is visible";
  return {DeviceKind::cpu, VisibleIndex(), 0, basis, policy, reason};
}

RANKMAP_RARE constexpr Error bad_devices_each(std::string_view field, int k) {
  return out_of_range(field, k, "1 or more", "pass how many devices each process uses");
}
RANKMAP_RARE constexpr Error bad_sharing(std::string_view field, int sharing) {
  return out_of_range(field, sharing, "1 or more", "pass how many processes may use each device");
}
RANKMAP_RARE constexpr Error bad_node_list(std::string_view field, std::size_t found, int expected,
                                           std::string_view of_each) {
  return error_at(Errc::inconsistent, field, concat(std::uint64_t{found}, " nodes"),
                  concat(expected, ", one for each ", of_each), "use -1 where a node is not known");
}

RANKMAP_RARE constexpr Error count_error(Errc code, const DeviceRequest& request,
                                         std::string_view expected, std::string_view remedy) {
  return error_at(code, concat("visible ", name(request.kind), " devices"),
                  concat(request.visible_count), expected, remedy);
}

/// "4 or more: 1 for each of 4 local processes".
RANKMAP_RARE constexpr StaticString<159> devices_needed(const DeviceRequest& request,
                                                        std::int64_t needed, int each) {
  const std::optional<int> size = request.local_size();
  StaticString<159> out = concat(needed, " or more: ", each, " for each of ");
  if (size) return out.append_number(*size).append(" local processes");
  return out.append("the processes up to local rank ").append_number(request.local_index());
}

/// Fewer devices than this policy needs: both numbers, and the remedies.
RANKMAP_RARE constexpr Error not_enough(const DeviceRequest& request, std::int64_t needed,
                                        int each) {
  StaticString<159> expected = devices_needed(request, needed, each);
  if (request.isolation.isolation == Isolation::shared) {
    expected.append(", which see the same devices");
    const std::string_view because = request.isolation.because;
    if (!because.empty()) expected.append(" (").append(because).append(')');
  }
  return count_error(Errc::not_enough_devices, request, expected,
                     "start fewer processes, or show them more devices; in the program, share by "
                     "device_policy::wrap or block, or list devices by device_policy::map");
}

RANKMAP_RARE constexpr const VisibilityLayer* malformed_layer(const DeviceRequest& request) {
  return request.visible != nullptr ? request.visible->malformed_layer() : nullptr;
}

/// The variable that looks valid and whose meaning is not known here, or null. Such are a tile
/// where nothing says what an index counts, and a filter of SYCL's.
constexpr const VisibilityLayer* unknown_layer(const DeviceRequest& request) {
  if (request.visible == nullptr || request.kind != DeviceKind::xpu) return nullptr;
  for (const VisibilityLayer& layer : request.visible->layers()) {
    if (layer.state == Visibility::unknown && layer.stop != ParseStop::too_long) return &layer;
  }
  return nullptr;
}

/// The last variable that says which devices there are, or null.
constexpr const VisibilityLayer* last_restriction(const VisibleDevices& visible) {
  const VisibilityLayer* last = nullptr;
  for (const VisibilityLayer& layer : visible.layers()) {
    if (layer.state == Visibility::list || layer.state == Visibility::none) last = &layer;
  }
  return last;
}

/// An error about a malformed variable, with what is wrong in it.
RANKMAP_RARE constexpr Error malformed_error(const VisibilityLayer& layer,
                                             StaticString<159> expected, std::string_view remedy) {
  const bool stopped = !layer.read_whole();
  const bool in_part = !stopped && layer.partial != 0;
  if (stopped) expected.append(" (here: ").append(stop_reason(layer.stop)).append(')');
  if (in_part) expected.append(" (here: the rest of an entry is not read)");
  if (!layer.note.empty()) expected.append("; ").append(layer.note);
  const std::size_t at = in_part ? layer.partial_at : layer.position;
  return error_at(Errc::bad_device_list, layer.variable, layer.text, expected, remedy,
                  stopped || in_part ? at : std::string_view::npos);
}

/// No device at all: a variable is malformed or may list wrong devices, or there is no device.
RANKMAP_RARE constexpr Error no_device(const DeviceRequest& request) {
  if (const VisibilityLayer* const malformed = malformed_layer(request)) {
    return malformed_error(*malformed, "a list that the vendor's software accepts",
                           "correct or unset it");
  }
  if (request.visible != nullptr && request.visible->size() > 0) {
    const VisibilityLayer& last = *last_restriction(*request.visible);
    return error_at(Errc::bad_device_list, last.variable, last.text, "devices, but none is shown",
                    "correct or unset it, or check the driver and the allocation");
  }
  return count_error(Errc::no_device, request, "at least one",
                     "check the driver, the allocation and the visibility variables; in the "
                     "program, use DeviceKind::cpu or device_policy::or_cpu");
}

/// Fewer devices than this policy needs, by a malformed variable.
RANKMAP_RARE constexpr Error malformed_list(const VisibilityLayer& layer,
                                            const DeviceRequest& request, std::int64_t needed,
                                            int each) {
  return malformed_error(layer, concat("a list of ", devices_needed(request, needed, each)),
                         layer.stop == ParseStop::second_instance
                             ? "give each process one instance; in the program, share it by "
                               "device_policy::wrap or block"
                             : "list each device once, with commas and no blanks between them; in "
                               "the program, share devices by device_policy::wrap or block");
}

/// More devices than the visibility variables show: the count is that of the machine, or was read
/// before the variable was set. A program may use fewer. Of TPUs and Intel's devices a runtime may
/// count the parts, so nothing is known. A malformed variable shows what its vendor's software
/// reads of it. A runtime that counts several MIG instances is newer than the rule of one.
RANKMAP_RARE constexpr Optional<Error> too_many_counted(const DeviceRequest& request) {
  if (request.visible == nullptr || request.kind == DeviceKind::tpu ||
      request.kind == DeviceKind::xpu) {
    return std::nullopt;
  }
  const std::optional<int> shown = request.visible->count();
  if (!shown || request.visible_count <= *shown) return std::nullopt;
  if (const VisibilityLayer* const malformed = malformed_layer(request)) {
    if (malformed->stop == ParseStop::second_instance) return std::nullopt;
    return malformed_error(
        *malformed,
        concat("a list of at least ", request.visible_count, " devices, as the program counts"),
        "correct or unset it; in the program, pass the count that the runtime shows");
  }
  const VisibilityLayer* const last = last_restriction(*request.visible);
  if (last == nullptr) return std::nullopt;
  return error_at(
      Errc::inconsistent, last->variable, last->text,
      concat("at least ", request.visible_count, " devices, the visible_count of the program"),
      concat("correct or unset it; in the program, pass the count that the runtime shows, at most ",
             *shown));
}

/// An error if the request is malformed, or no device can answer it.
RANKMAP_RARE constexpr Optional<Error> check_request(const DeviceRequest& request) {
  if (request.visible_count < 0) {
    return count_error(Errc::out_of_range, request, "0 or more",
                       "pass the count that the runtime reports");
  }
  const std::optional<int> size = request.local_size();
  const int rank = request.local_index();
  if (rank < 0 || (size && rank >= *size)) {
    return out_of_range(
        "local rank", rank,
        size ? concat("a number in [0, ", *size, ")") : StaticString<159>("0 or more"),
        "pass the local rank, not the global rank, and the number of processes on this node");
  }
  if (request.visible_count == 0) return no_device(request);
  return too_many_counted(request);
}

/// Too few devices for all local processes, and no proof that no other process has these. Two
/// processes may have the same device, or each may have its own.
RANKMAP_RARE constexpr Error unproved(const DeviceRequest& request, std::int64_t needed, int each) {
  const IsolationEvidence& evidence = request.isolation;
  StaticString<159> expected = devices_needed(request, needed, each);
  expected.append(", or proof that each has its own");
  const VisibilityLayer* const unread = unknown_layer(request);
  if (unread != nullptr && unread->stop == ParseStop::hierarchy_unknown) {
    expected.append("; ").append(unread->variable).append(' ').append(stop_reason(unread->stop));
  }
  if (!evidence.because.empty()) expected.append(" (").append(evidence.because).append(')');
  return count_error(Errc::ambiguous, request, expected,
                     "bind by srun --gpus-per-task, or show all devices to all; in the program, "
                     "say so by device_policy::own if each has its own, or share by wrap");
}

/// What is wrong with a binding, for each BoundBy.
struct BindingWords {
  std::string_view expected;
  std::string_view remedy;
};
inline constexpr BindingWords binding_words[] = {
    {"a binding by which no two local processes can get the same, unlike ",
     "bind by srun --gpus-per-task alone, or not at all by --gpu-bind=none; in the program, choose "
     "by device_policy::disjoint, or by own if each has its own"},
    {"the device at the local rank, unlike ",
     "unset it if another launch set it; in the program, take the visible device that it names"},
    {"local ranks that count all processes of the node, unlike those below ",
     "start one agent on each node, or bind by srun --gpus-per-task; in the program, choose by a "
     "policy of your own"},
};

/// An error if two local processes may get the same device by their local ranks, or by lists that
/// overlap. Then no index is right without the lists of the others, however many are visible.
RANKMAP_RARE constexpr Optional<Error> check_binding(const DeviceRequest& request) {
  if (request.isolation.isolation != Isolation::bound || request.local_size() == 1) {
    return std::nullopt;
  }
  const BindingWords& words = binding_words[static_cast<std::size_t>(request.isolation.bound_by)];
  return count_error(Errc::ambiguous, request,
                     concat(words.expected, request.isolation.because.view()), words.remedy);
}

/// `each` devices for every local rank, in rank order: the rule of strict, per_process and trainer.
/// If there are enough for all processes, it is right for the same list on all and for own devices.
/// Then a device that the launcher names for this process is the first, whatever the rank.
RANKMAP_RARE constexpr Result<Device> assign_in_rank_order(const DeviceRequest& request, int each,
                                                           std::string_view policy) {
  const std::int64_t rank = request.local_index();
  const std::optional<int> size = request.local_size();
  const std::int64_t needed = each * (size ? std::int64_t{*size} : rank + 1);
  if (const auto error = check_request(request)) return *error;
  const int named = request.isolation.named;
  const bool takes_named =
      named >= 0 && needed <= request.visible_count && named <= request.visible_count - each;
  if (takes_named) {
    return make_device(request, policy, named, each, DeviceBasis::policy,
                       concat("its launcher names it (", request.isolation.because, ")"));
  }
  if (const auto error = check_binding(request)) return *error;
  if (needed > request.visible_count) {
    // What a malformed list shows may be the beginning of what was meant for all processes.
    const VisibilityLayer* const malformed = malformed_layer(request);
    const bool own = request.isolation.isolation == Isolation::own;
    if (malformed != nullptr && malformed != unknown_layer(request)) {
      // No launcher writes such a text, so proof of what a launcher did is not about it.
      const bool by_hand = malformed->partial != 0 || malformed->stop == ParseStop::bad_entry;
      if (!own || by_hand) return malformed_list(*malformed, request, needed, each);
    }
    if (own && request.visible_count >= each) {
      return make_device(
          request, policy, 0, each, DeviceBasis::isolated,
          concat("no other process has ", each == 1 ? "this device (" : "these devices (",
                 request.isolation.because, ")"));
    }
    if (own || request.isolation.isolation == Isolation::shared) {
      return not_enough(request, needed, each);
    }
    return unproved(request, needed, each);
  }
  return make_device(request, policy, each * rank, each,
                     each == 1 ? DeviceBasis::local_rank : DeviceBasis::policy,
                     each == 1 ? StaticString<159>("the visible device at the local rank")
                               : concat(each, " devices for each local rank"));
}

/// An error if some device would have more than `sharing` processes; 0: any number may be.
RANKMAP_RARE constexpr Optional<Error> check_sharing(const DeviceRequest& request, int sharing,
                                                     std::string_view field) {
  if (sharing == 0) return std::nullopt;
  if (sharing < 0) return bad_sharing(field, sharing);
  // Each process has its own devices, or Slurm gave one device to at most so many processes.
  const IsolationEvidence& evidence = request.isolation;
  if (evidence.isolation == Isolation::own) return std::nullopt;
  const int most = evidence.most_processes;
  if (most != 0 && most <= sharing && request.visible_count == 1) return std::nullopt;
  const std::optional<int> size = request.local_size();
  if (!size) {
    return error_missing(Errc::missing, "local world size",
                         "the number of processes on this node, to count those on each device",
                         "set LOCAL_WORLD_SIZE; in the program, pass it");
  }
  const std::int64_t room = std::int64_t{request.visible_count} * sharing;
  if (*size <= room) return std::nullopt;
  return count_error(Errc::not_enough_devices, request,
                     concat((*size + std::int64_t{sharing} - 1) / sharing, " or more: ", *size,
                            " local processes, at most ", sharing, " on each"),
                     "start fewer processes, or show them more devices; in the program, raise "
                     "`sharing` of the policy");
}

/// An error if the local processes cannot share the visible devices evenly, unless that is allowed.
/// `needs_size`: the policy needs the local world size even then.
RANKMAP_RARE constexpr Optional<Error> check_even(const DeviceRequest& request, bool uneven,
                                                  bool needs_size = false) {
  const std::optional<int> size = request.local_size();
  if (uneven && (size || !needs_size)) return std::nullopt;
  if (request.visible_count > 1) {
    if (const auto error = check_binding(request)) return *error;
  }
  if (!size) {
    return error_missing(
        Errc::missing, "local world size",
        "the number of processes on this node, to share devices evenly",
        needs_size
            ? "set LOCAL_WORLD_SIZE; in the program, pass it"
            : "set LOCAL_WORLD_SIZE; in the program, pass it, or set `uneven` of the policy");
  }
  if (*size <= request.visible_count || *size % request.visible_count == 0) return std::nullopt;
  return count_error(
      Errc::not_enough_devices, request,
      concat("a divisor of ", *size, ", the number of local processes"),
      "start a multiple of the number of devices; in the program, set `uneven` of the policy");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_POLICY_RULES_HPP
