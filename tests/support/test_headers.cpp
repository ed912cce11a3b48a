// SPDX-License-Identifier: MIT
//
// Nothing but a reason to parse GoogleTest once for all test programs.
