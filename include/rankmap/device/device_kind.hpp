// SPDX-License-Identifier: MIT
// The kinds of device and their names.
#ifndef RANKMAP_DEVICE_DEVICE_KIND_HPP
#define RANKMAP_DEVICE_DEVICE_KIND_HPP

#include <rankmap/version.hpp>

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

struct DeviceKindRow {
  DeviceKind kind;
  std::string_view name;
  std::string_view torch_name;
};
inline constexpr DeviceKindRow device_kinds[] = {
    {DeviceKind::cpu, "cpu", "cpu"},    {DeviceKind::cuda, "cuda", "cuda"},
    {DeviceKind::rocm, "rocm", "cuda"},  // PyTorch's ROCm build answers to CUDA's name
    {DeviceKind::npu, "npu", "npu"},    {DeviceKind::xpu, "xpu", "xpu"},
    {DeviceKind::mlu, "mlu", "mlu"},    {DeviceKind::musa, "musa", "musa"},
    {DeviceKind::hpu, "hpu", "hpu"},    {DeviceKind::neuron, "neuron", "neuron"},
    {DeviceKind::tpu, "tpu", "xla"},
};

constexpr const DeviceKindRow& row_of(DeviceKind kind) {
  for (const DeviceKindRow& row : device_kinds) {
    if (row.kind == kind) return row;
  }
  return device_kinds[0];
}

}  // namespace detail

/// The kind's own name: "cuda", "rocm", "npu", ... O(1).
constexpr std::string_view name(DeviceKind kind) { return detail::row_of(kind).name; }

/// The type that PyTorch's device strings use for this kind: "cuda" for rocm and "xla" for tpu,
/// else the kind's own name. O(1).
constexpr std::string_view torch_name(DeviceKind kind) { return detail::row_of(kind).torch_name; }

/// The kind with this name, in lower case and nothing around it; none for any other text. O(1).
constexpr std::optional<DeviceKind> device_kind(std::string_view text) {
  for (const detail::DeviceKindRow& row : detail::device_kinds) {
    if (row.name == text) return row.kind;
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_KIND_HPP
