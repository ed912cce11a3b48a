// SPDX-License-Identifier: MIT
// All of identity/: who this process is, from any launcher or from explicit values.
#ifndef RANKMAP_IDENTITY_HPP
#define RANKMAP_IDENTITY_HPP

#include <rankmap/identity/config.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/identity/origin.hpp>

#endif  // RANKMAP_IDENTITY_HPP
