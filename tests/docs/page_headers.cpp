// SPDX-License-Identifier: MIT
//
// The library of precompiled headers has to have a source.
