// SPDX-License-Identifier: MIT
//
// The commands of the program, one in each file of its name.
#ifndef RANKMAP_EXAMPLES_RANKMAP_COMMANDS_HPP
#define RANKMAP_EXAMPLES_RANKMAP_COMMANDS_HPP

#include "arguments.hpp"

namespace program {

Command whoami_command();
Command report_command();
Command table_command();
Command diff_command();
Command explain_command();
Command exec_command();
Command env_command();
Command launchers_command();
Command hosts_command();
Command mesh_command();
Command shard_command();

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_COMMANDS_HPP
