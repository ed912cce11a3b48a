// SPDX-License-Identifier: MIT
// The version, which CMake reads from these three macros. Every other header includes this one
// first, so a compiler that cannot build rankmap stops here.
#ifndef RANKMAP_VERSION_HPP
#define RANKMAP_VERSION_HPP

#define RANKMAP_VERSION_MAJOR 0
#define RANKMAP_VERSION_MINOR 1
#define RANKMAP_VERSION_PATCH 0

// MSVC keeps __cplusplus at 199711L without /Zc:__cplusplus; _MSVC_LANG has the language in use.
#if defined(_MSVC_LANG)
#if _MSVC_LANG < 202002L
#error "rankmap needs C++20: compile with /std:c++20"
#endif
#elif !defined(__cplusplus) || __cplusplus < 202002L
#error "rankmap needs C++20: compile with -std=c++20 (CMAKE_CXX_STANDARD or CMAKE_CUDA_STANDARD 20)"
#error "rankmap for C and older C++: rankmap.h, with one file as C++20: docs/how-to/cxx17.md"
#endif

// Marks arithmetic that may also run on a device; empty outside CUDA and HIP compilers.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define RANKMAP_HD __host__ __device__
#else
#define RANKMAP_HD
#endif
// The same for a member of a template whose argument may work on the host only: nvcc then does not
// warn that a device cannot call it.
#if defined(__NVCC__)
#define RANKMAP_HD_OF_ANY _Pragma("nv_exec_check_disable") RANKMAP_HD
#else
#define RANKMAP_HD_OF_ANY RANKMAP_HD
#endif

// Behind a member or a parameter: the result shows what it holds. clang warns where such a result
// is kept longer than that.
#if defined(__clang__) && !defined(__CUDACC__)
#define RANKMAP_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define RANKMAP_LIFETIMEBOUND
#endif

// Before a function that runs a few times in a process: compiled for size, and not copied into its
// callers. Who inlines it wins nothing, and every program that includes it pays. Not for what a
// program calls: g++ takes what follows a call of a cold function for cold, as a loop over samples.
#if defined(__clang__) && !defined(__CUDACC__)
#define RANKMAP_RARE __attribute__((noinline, cold, minsize))
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define RANKMAP_RARE __attribute__((noinline, cold))
#else
#define RANKMAP_RARE
#endif
// Before a function that may run often, and is long beside what a call costs: one copy of it, for
// all of its callers.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define RANKMAP_NOINLINE __attribute__((noinline))
#else
#define RANKMAP_NOINLINE
#endif

/// Everything public lives here. The inline namespace keeps two incompatible versions of the
/// library apart when two parts of one program vendor different ones.
namespace rankmap::inline v0 {

/// The version of the headers in use.
struct Version {
  int major_number;
  int minor_number;
  int patch_number;
  friend constexpr bool operator==(const Version&, const Version&) = default;
};

inline constexpr Version version{RANKMAP_VERSION_MAJOR, RANKMAP_VERSION_MINOR,
                                 RANKMAP_VERSION_PATCH};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_VERSION_HPP
