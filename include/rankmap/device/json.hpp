// SPDX-License-Identifier: MIT
// The choice of a device as JSON: the request, the answer and its reason.
#ifndef RANKMAP_DEVICE_JSON_HPP
#define RANKMAP_DEVICE_JSON_HPP

#include <rankmap/detail/json_writer.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/result.hpp>

namespace rankmap::inline v0 {

/// Rises when a key changes its meaning or is removed; new keys may be added without.
inline constexpr int device_json_schema = 1;

/// Writes a request and the answer of select_device as one line of JSON, as write_json(topology).
///
/// `out`: any callable that takes a std::string_view. Every key is always written, in the same
/// order. `device` is null if there is none, and then `error` is the message. At most 8 KiB besides
/// `local_rank_source`, which has any length. No error, no allocation; constexpr. Golden-tested.
template <class Out>
constexpr void write_json(const DeviceRequest& request, const Result<Device>& device, Out&& out) {
  detail::JsonWriter json(out);
  json.begin("{")
      .member("schema", device_json_schema)
      .member("kind", name(request.kind))
      .member("local_rank", request.local_rank.value)
      .member("local_world_size", request.local_world_size)
      .flag("launched", request.launched)
      .member("local_rank_source", request.local_rank_source)
      .member("visible_count", request.visible_count)
      .member("isolation_evidence", request.isolation.because.view())
      .key("device");
  if (device) {
    json.begin("{")
        .member("name", to_string(*device).view())
        .member("torch_name", to_torch_string(*device).view())
        .member("kind", name(device->kind))
        .member("index", device->index.value)
        .member("count", device->count)
        .member("policy", device->policy.view())
        .member("basis", name(device->basis))
        .member("reason", device->reason.view())
        .end("}");
    json.key("error").null();
  } else {
    json.null().member("error", message(device.error()).view());
  }
  json.end("}");
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_JSON_HPP
