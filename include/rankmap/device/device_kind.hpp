// SPDX-License-Identifier: MIT
// The kinds of device and their names.
#ifndef RANKMAP_DEVICE_DEVICE_KIND_HPP
#define RANKMAP_DEVICE_DEVICE_KIND_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

enum class DeviceKind : std::uint8_t {
  cpu,     ///< the CPUs of the host
  cuda,    ///< NVIDIA
  rocm,    ///< AMD
  npu,     ///< Huawei Ascend
  xpu,     ///< Intel, through Level Zero
  mlu,     ///< Cambricon
  musa,    ///< Moore Threads
  hpu,     ///< Intel Gaudi (Habana)
  neuron,  ///< AWS Neuron cores
  tpu,     ///< Google TPU chips
};

namespace detail {

inline constexpr std::string_view device_kinds[] = {"cpu", "cuda", "rocm", "npu",    "xpu",
                                                    "mlu", "musa", "hpu",  "neuron", "tpu"};

}  // namespace detail

/// The kind's own name: "cuda", "rocm", "npu", ... O(1).
constexpr std::string_view name(DeviceKind kind) {
  const auto place = static_cast<std::size_t>(kind);
  return detail::device_kinds[place < std::size(detail::device_kinds) ? place : 0];
}

/// The type in PyTorch's device strings: "cuda" for rocm, "xla" for tpu, else the own name. O(1).
constexpr std::string_view torch_name(DeviceKind kind) {
  if (kind == DeviceKind::rocm) return "cuda";  // PyTorch's ROCm build answers to CUDA's name
  return kind == DeviceKind::tpu ? "xla" : name(kind);
}

/// The kind with this name, in lower case and nothing around it; none for any other text. O(1).
constexpr std::optional<DeviceKind> device_kind(std::string_view text) {
  for (std::size_t i = 0; i != std::size(detail::device_kinds); ++i) {
    if (detail::device_kinds[i] == text) return static_cast<DeviceKind>(i);
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_KIND_HPP
