// SPDX-License-Identifier: MIT
// Which device is this process's, as rankmap.h says it.
#ifndef RANKMAP_C_DETAIL_DEVICE_FACE_HPP
#define RANKMAP_C_DETAIL_DEVICE_FACE_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/device_policy.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/device/select_device.hpp>
#include <rankmap/device/visible_devices.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/result.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A process of the C face as the device policies see one.
struct ProcessPlace {
  const rankmap_process& process;

  int local_rank() const { return process.local_rank; }
  std::optional<int> local_world_size() const {
    if (process.local_world_size < 0) return std::nullopt;
    return process.local_world_size;
  }
  // A world of unknown size (-1) may have several processes.
  bool is_distributed() const { return process.world_size != 1; }
  std::string_view launcher_name() const { return text_in(process.launcher); }
};

inline Result<Device> choose_device(const DeviceRequest& request, int policy) {
  if (policy == RANKMAP_DEVICE_STRICT) return select_device(request, device_policy::strict());
  if (policy == RANKMAP_DEVICE_WRAP) return select_device(request, device_policy::wrap());
  if (policy == RANKMAP_DEVICE_BLOCK) return select_device(request, device_policy::block());
  if (policy == RANKMAP_DEVICE_UNEVEN) {
    return select_device(request, device_policy::wrap{.uneven = true});
  }
  return out_of_range("policy", policy, "0 to 3",
                      "pass one of RANKMAP_DEVICE_STRICT, _WRAP, _BLOCK, _UNEVEN");
}

/// What a remedy says of the policies of C++, and the same in C. Of two that begin alike the longer
/// one comes first.
struct DeviceWords {
  std::string_view in_cpp;
  std::string_view in_c;
};
inline constexpr DeviceWords device_words[] = {
    {"say so by device_policy::own if each has its own, or share by wrap",
     "take index 0 if each has its own, or share by RANKMAP_DEVICE_WRAP"},
    {"choose by device_policy::disjoint, or by own if each has its own",
     "take index 0 if each has its own"},
    {"choose by a policy of your own", "choose the index by what you know"},
    {"device_policy::wrap or block, or list devices by device_policy::map",
     "RANKMAP_DEVICE_WRAP or _BLOCK"},
    {"device_policy::wrap or block", "RANKMAP_DEVICE_WRAP or _BLOCK"},
    {"DeviceKind::cpu or device_policy::or_cpu", "the kind \"cpu\""},
    {"set `uneven` of the policy", "pass RANKMAP_DEVICE_UNEVEN"},
    {"in the program, pass it", "in the program, set rankmap_process.local_world_size"},
};

/// The same error, with a remedy for a program in C.
RANKMAP_RARE inline Error in_words_of_c(Error error) {
  StaticString<159> remedy;
  for (std::string_view rest = error.remedy; !rest.empty();) {
    DeviceWords next = {rest.substr(0, 1), rest.substr(0, 1)};
    for (const DeviceWords& words : device_words) {
      if (next.in_cpp.size() == 1 && rest.starts_with(words.in_cpp)) next = words;
    }
    remedy.append(next.in_c);
    rest.remove_prefix(next.in_cpp.size());
  }
  error.remedy = remedy;
  return error;
}

}  // namespace rankmap::inline v0::detail

extern "C" {

RANKMAP_API int rankmap_select_device(const rankmap_process* process, const char* kind,
                                      int visible_count, int policy, rankmap_device* out,
                                      rankmap_error* error) {
  using namespace rankmap::detail;
  using rankmap::Errc;
  if (const auto bad = check_struct(process)) return fail(error, *bad);
  if (const auto bad = check_struct(out)) return fail(error, *bad);
  if (kind == nullptr) return fail(error, null_argument("kind"));
  const auto known = rankmap::device_kind(kind);
  if (!known) {
    return fail(error, error_at(Errc::out_of_range, "kind", kind,
                                "cuda, rocm, npu, xpu, mlu, musa, hpu, neuron, tpu or cpu",
                                "pass one of these"));
  }
  if (process->local_rank < 0) {
    return fail(error, error_missing(Errc::missing, "rankmap_process.local_rank", "a local rank",
                                     "find the process with RANKMAP_NEED_LOCAL, or set it"));
  }
  const rankmap::ProcessEnvironment environment;
  const rankmap::VisibleDevices visible = visible_devices(*known, environment);
  const auto device = choose_device(
      device_request(ProcessPlace{*process}, *known, visible_count, environment, visible), policy);
  if (!device) return fail(error, in_words_of_c(device.error()));
  rankmap_device found = RANKMAP_DEVICE_INIT;
  found.index = device->index.value;
  // Where the variables list more or fewer devices than the runtime shows, numbers say nothing.
  if (visible.size() == 0 || visible.size() == visible_count) {
    if (const auto physical = visible.physical(device->index)) found.physical = physical->value;
  }
  copy_text(to_string(*device), found.name);
  copy_text(device->reason, found.reason);
  copy_struct(found, out);
  return RANKMAP_OK;
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_DEVICE_FACE_HPP
