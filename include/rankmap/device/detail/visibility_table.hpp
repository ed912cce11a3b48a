// SPDX-License-Identifier: MIT
//
// The grammars of the visibility variables, as data: one row per variable of a vendor, in the order
// in which the vendor's software applies them. A new vendor is a new row; where the words of a row
// cannot say what a vendor does, a word is missing here.
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
  canonical,  ///< as the number would be printed: "01" is bad too
  any_base,   ///< C's strtol with base 0 over the whole entry: "0x1", "010", "+1"
  leading,    ///< a sign and the digits that lead the entry: "1gpu2" is 1, "0x1" is 0
};

/// How an entry names a device by its identifier.
enum class Uuid : std::uint8_t {
  none,
  cuda,   ///< a unique prefix; the first entry's "GPU-" or "MIG-" turns the whole list into names
  rocr,   ///< a unique prefix of 5 to 20 characters, in any case
  hip,    ///< any text that holds "GPU-"; the first device whose lower-case name contains it
  exact,  ///< the whole name: 36 or more characters with a '-'
};

/// What a vendor does where a list is not as it should be.
enum class Action : std::uint8_t {
  stop,     ///< that entry and the rest are ignored
  skip,     ///< that entry is ignored
  discard,  ///< the whole list counts as empty: no device
  refuse,   ///< the vendor's software fails
  unsure,   ///< not known: rankmap does not guess
};

/// What a variable that is set and empty means.
enum class EmptyText : std::uint8_t { none, all, unsure };

enum class ListOrder : std::uint8_t {
  kept,       ///< devices appear as listed
  sorted,     ///< the list is a set
  ascending,  ///< anything but strictly ascending is handled as `repeat` says
};

struct VisibilityGrammar {
  DeviceKind kind = DeviceKind::cpu;
  // Every element is written out: GCC 12 cannot read a table with elements left to default.
  std::string_view names[2] = {"", ""};  ///< the first that is set counts
  bool empty_is_unset = false;  ///< an empty one gives way to the next name, and hides nothing
  EmptyText empty = EmptyText::none;
  std::string_view words_for_all[4] = {"", "", "", ""};
  bool trims = false;            ///< blanks round an entry do not matter
  bool ends_at_foreign = false;  ///< the text ends where neither a digit nor a comma stands
  Digits digits = Digits::whole;
  Uuid uuid = Uuid::none;
  bool ranges = false;        ///< "1-3"
  bool sub_devices = false;   ///< "1.0"
  bool dense = true;          ///< ids are those below the device count
  int id_limit = 0;           ///< ids are below this; 0: no such limit
  Action bad = Action::stop;  ///< also where an id is beyond the devices there are
  Action empty_entry = Action::stop;
  bool trailing_comma = false;  ///< an empty last entry is no entry
  Action repeat = Action::stop;
  ListOrder order = ListOrder::kept;
  bool checks_at_end = false;  ///< repeats are judged before ids are checked against the devices
  bool reads_at_most_count = false;  ///< no more entries are looked at than there are devices
  std::string_view count_name = {};  ///< a number of devices, used where no list is set
  std::string_view hierarchy_name = {};
  std::string_view empty_note = {};   ///< what surprises people about an empty text
  std::string_view repeat_note = {};  ///< ... about repeats and order
};

inline constexpr VisibilityGrammar visibility_grammars[] = {
    // CUDA Programming Guide, "CUDA Environment EnvironmentView"; details as PyTorch's reader has
    // them.
    {.kind = DeviceKind::cuda,
     .names = {"CUDA_VISIBLE_DEVICES", ""},
     .trims = true,
     .digits = Digits::leading,
     .uuid = Uuid::cuda,
     .repeat = Action::discard,
     .checks_at_end = true,
     .empty_note = "an empty list hides every device",
     .repeat_note = "CUDA then shows no device at all"},

    // AMD: ROCr filters and renumbers first, then HIP indexes what ROCr left.
    {.kind = DeviceKind::rocm,
     .names = {"ROCR_VISIBLE_DEVICES", ""},
     .trims = true,
     .digits = Digits::any_base,
     .uuid = Uuid::rocr,
     .empty_entry = Action::refuse,
     .trailing_comma = true,
     .reads_at_most_count = true,
     .empty_note = "an empty list hides every device"},
    {.kind = DeviceKind::rocm,
     .names = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
     .empty_is_unset = true,
     .digits = Digits::canonical,
     .uuid = Uuid::hip,
     .repeat = Action::skip,
     .empty_note = "an empty list hides nothing here"},

    // CANN, as torch_npu mirrors it.
    {.kind = DeviceKind::npu,
     .names = {"ASCEND_RT_VISIBLE_DEVICES", ""},
     .ends_at_foreign = true,
     .repeat = Action::discard,
     .order = ListOrder::ascending,
     .empty_note = "an empty list hides every device",
     .repeat_note = "Ascend takes strictly ascending ids only and then shows no device at all"},

    // Level Zero; then SYCL's own filter, of which only the texts that filter nothing are read.
    {.kind = DeviceKind::xpu,
     .names = {"ZE_AFFINITY_MASK", ""},
     .empty = EmptyText::all,
     .words_for_all = {"default", "", "", ""},
     .sub_devices = true,
     .bad = Action::skip,
     .empty_entry = Action::skip,
     .repeat = Action::skip,
     .order = ListOrder::sorted,
     .hierarchy_name = "ZE_FLAT_DEVICE_HIERARCHY",
     .empty_note = "an empty mask hides nothing here"},
    {.kind = DeviceKind::xpu,
     .names = {"ONEAPI_DEVICE_SELECTOR", ""},
     .empty = EmptyText::unsure,
     .words_for_all = {"*:*", "*:gpu", "level_zero:*", "level_zero:gpu"},
     .digits = Digits::none,
     .bad = Action::unsure,
     .empty_entry = Action::unsure},

    // torch_mlu.
    {.kind = DeviceKind::mlu,
     .names = {"CN_VISIBLE_DEVICES", "MLU_VISIBLE_DEVICES"},
     .trims = true,
     .uuid = Uuid::exact,
     .repeat = Action::discard,
     .checks_at_end = true,
     .empty_note = "an empty list hides every device",
     .repeat_note = "the whole list then counts as empty"},

    // The grammar is not published: only what every vendor reads alike is believed.
    {.kind = DeviceKind::musa,
     .names = {"MUSA_VISIBLE_DEVICES", ""},
     .empty = EmptyText::unsure,
     .digits = Digits::canonical,
     .bad = Action::unsure,
     .empty_entry = Action::unsure,
     .repeat = Action::unsure,
     .order = ListOrder::ascending},

    // Gaudi: module ids of the board, not ordinals; every process of a node gets the same list.
    {.kind = DeviceKind::hpu,
     .names = {"HABANA_VISIBLE_MODULES", ""},
     .empty = EmptyText::unsure,
     .dense = false,
     .id_limit = 8,
     .bad = Action::refuse,
     .empty_entry = Action::refuse,
     .repeat = Action::refuse},

    // Neuron runtime, with ranges as torch_xla reads them.
    {.kind = DeviceKind::neuron,
     .names = {"NEURON_RT_VISIBLE_CORES", ""},
     .empty = EmptyText::unsure,
     .ranges = true,
     .bad = Action::refuse,
     .empty_entry = Action::refuse,
     .repeat = Action::refuse,
     .count_name = "NEURON_RT_NUM_CORES",
     .repeat_note = "overlapping ranges are an error"},

    {.kind = DeviceKind::tpu,
     .names = {"TPU_VISIBLE_CHIPS", "TPU_VISIBLE_DEVICES"},
     .empty = EmptyText::unsure,
     .bad = Action::unsure,
     .empty_entry = Action::unsure,
     .repeat = Action::unsure},
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_VISIBILITY_TABLE_HPP
