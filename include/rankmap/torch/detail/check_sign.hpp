// SPDX-License-Identifier: MIT
// Seeds may be negative in PyTorch. In saved state they may not.
#ifndef RANKMAP_TORCH_DETAIL_CHECK_SIGN_HPP
#define RANKMAP_TORCH_DETAIL_CHECK_SIGN_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/torch/generator.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Errc::bad_sampler for a negative seed, which saved state cannot hold.
constexpr Optional<Error> check_sign(const TorchSeed& seed, std::string_view subject) {
  if (!seed.is_negative()) return {};
  return error_at(Errc::bad_sampler, subject, concat<24>("-", std::uint64_t{0} - seed.bits()),
                  "a number from 0 on, since saved state has no sign", "choose a seed from 0 on");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_CHECK_SIGN_HPP
