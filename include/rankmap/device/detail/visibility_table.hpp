// SPDX-License-Identifier: MIT
// The grammars of the visibility variables, as data: one row per variable of a vendor, in the order
// in which the vendor's software applies them. A new vendor is a new row. Where the members of a
// row cannot describe what a vendor does, a member is missing here.
#ifndef RANKMAP_DEVICE_DETAIL_VISIBILITY_TABLE_HPP
#define RANKMAP_DEVICE_DETAIL_VISIBILITY_TABLE_HPP

#include <rankmap/device/device_kind.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// How an entry's number is written.
enum class Digits : std::uint8_t {
  none,       ///< entries are never numbers
  whole,      ///< decimal digits and nothing else: "01" is 1, "+1" and "1x" are bad
  canonical,  ///< as a number is printed: "01" is bad too
  any_base,   ///< as C's strtol with base 0, over the whole entry: "0x1", "010", "+1"
  leading,    ///< a sign and the first digits of the entry: "1gpu2" is 1, "0x1" is 0
};

/// How an entry names a device by its identifier.
enum class Uuid : std::uint8_t {
  none,
  cuda,   ///< a unique prefix; where the first entry has "GPU-" or "MIG-", all must have it
  rocr,   ///< a unique prefix of 5 to 20 characters, in any case
  hip,    ///< any text that contains "GPU-"; the first device whose lower-case name contains it
  exact,  ///< the whole name: 36 or more characters with a '-'
};

/// What a vendor does about a bad entry.
enum class Action : std::uint8_t {
  stop,     ///< ignores that entry and the rest
  skip,     ///< ignores that entry
  discard,  ///< treats the whole list as empty: no device
  reject,   ///< its software fails
  unknown,  ///< not documented: rankmap does not guess
  as_bad,   ///< the same as for other bad entries
};

/// What a variable that is set and empty means.
enum class EmptyText : std::uint8_t {
  none,     ///< no device
  unset,    ///< the next name counts; without one it hides nothing
  all,      ///< it hides nothing
  unknown,  ///< not documented
};

/// What surprises people about an empty text, in the order of EmptyText.
inline constexpr std::string_view empty_notes[] = {"an empty list hides every device",
                                                   "an empty list hides nothing here",
                                                   "an empty mask hides nothing here", ""};

enum class ListOrder : std::uint8_t {
  kept,       ///< devices appear as listed
  sorted,     ///< the list is a set
  ascending,  ///< `repeat` says what happens to a list that is not strictly ascending
};

struct VisibilityGrammar {
  DeviceKind kind = DeviceKind::cpu;
  std::string_view names = {};  ///< with commas between them; the first that is set counts
  EmptyText empty = EmptyText::none;
  std::string_view words_for_all = {};  ///< texts that hide nothing, with commas between them
  bool trims = false;                   ///< blanks around an entry are ignored
  bool ends_at_foreign = false;  ///< the text ends at a character that is no digit and no comma
  Digits digits = Digits::whole;
  Uuid uuid = Uuid::none;
  bool ranges = false;        ///< "1-3"
  bool sub_devices = false;   ///< "1.0"
  int id_limit = 0;           ///< ids are below this; 0: below the device count
  Action bad = Action::stop;  ///< also for an id that no device has
  Action empty_entry = Action::as_bad;
  bool trailing_comma = false;  ///< an empty last entry is no entry
  Action repeat = Action::as_bad;
  ListOrder order = ListOrder::kept;
  bool checks_at_end = false;  ///< repeats are found before ids are checked against the devices
  bool reads_at_most_count = false;  ///< reads no more entries than there are devices
  std::string_view count_name = {};  ///< a number of devices, used if no list is set
  std::string_view hierarchy_name = {};
  std::string_view repeat_note = {};  ///< a surprising rule about repeats and order
};

inline constexpr VisibilityGrammar visibility_grammars[] = {
    // CUDA Programming Guide, "CUDA Environment Variables"; details from PyTorch's reader.
    {.kind = DeviceKind::cuda,
     .names = "CUDA_VISIBLE_DEVICES",
     .trims = true,
     .digits = Digits::leading,
     .uuid = Uuid::cuda,
     .repeat = Action::discard,
     .checks_at_end = true,
     .repeat_note = "CUDA then shows no device"},

    // AMD: ROCr filters and renumbers first, then HIP indexes what ROCr left.
    {.kind = DeviceKind::rocm,
     .names = "ROCR_VISIBLE_DEVICES",
     .trims = true,
     .digits = Digits::any_base,
     .uuid = Uuid::rocr,
     .empty_entry = Action::reject,
     .trailing_comma = true,
     .reads_at_most_count = true},
    {.kind = DeviceKind::rocm,
     .names = "HIP_VISIBLE_DEVICES,CUDA_VISIBLE_DEVICES",
     .empty = EmptyText::unset,
     .digits = Digits::canonical,
     .uuid = Uuid::hip,
     .repeat = Action::skip},

    // CANN, as torch_npu mirrors it.
    {.kind = DeviceKind::npu,
     .names = "ASCEND_RT_VISIBLE_DEVICES",
     .ends_at_foreign = true,
     .repeat = Action::discard,
     .order = ListOrder::ascending,
     .repeat_note = "Ascend accepts strictly ascending ids only, and else shows no device"},

    // Level Zero; then SYCL's own filter, of which only texts that filter nothing are understood.
    {.kind = DeviceKind::xpu,
     .names = "ZE_AFFINITY_MASK",
     .empty = EmptyText::all,
     .words_for_all = "default",
     .sub_devices = true,
     .bad = Action::skip,
     .order = ListOrder::sorted,
     .hierarchy_name = "ZE_FLAT_DEVICE_HIERARCHY"},
    {.kind = DeviceKind::xpu,
     .names = "ONEAPI_DEVICE_SELECTOR",
     .empty = EmptyText::unknown,
     .words_for_all = "*:*,*:gpu,level_zero:*,level_zero:gpu",
     .digits = Digits::none,
     .bad = Action::unknown},

    // torch_mlu.
    {.kind = DeviceKind::mlu,
     .names = "CN_VISIBLE_DEVICES,MLU_VISIBLE_DEVICES",
     .trims = true,
     .uuid = Uuid::exact,
     .repeat = Action::discard,
     .checks_at_end = true,
     .repeat_note = "the whole list then counts as empty"},

    // The grammar is not published: only what all vendors read in the same way is accepted.
    {.kind = DeviceKind::musa,
     .names = "MUSA_VISIBLE_DEVICES",
     .empty = EmptyText::unknown,
     .digits = Digits::canonical,
     .bad = Action::unknown,
     .order = ListOrder::ascending},

    // Gaudi: module ids of the board, not ordinals; every process of a node gets the same list.
    {.kind = DeviceKind::hpu,
     .names = "HABANA_VISIBLE_MODULES",
     .empty = EmptyText::unknown,
     .id_limit = 8,
     .bad = Action::reject},

    // Neuron runtime, with ranges as torch_xla reads them.
    {.kind = DeviceKind::neuron,
     .names = "NEURON_RT_VISIBLE_CORES",
     .empty = EmptyText::unknown,
     .ranges = true,
     .bad = Action::reject,
     .count_name = "NEURON_RT_NUM_CORES",
     .repeat_note = "overlapping ranges are an error"},

    {.kind = DeviceKind::tpu,
     .names = "TPU_VISIBLE_CHIPS,TPU_VISIBLE_DEVICES",
     .empty = EmptyText::unknown,
     .bad = Action::unknown},
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_VISIBILITY_TABLE_HPP
