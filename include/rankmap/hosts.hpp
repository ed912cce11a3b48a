// SPDX-License-Identifier: MIT
// All of hosts/: host lists, read and written as schedulers do.
#ifndef RANKMAP_HOSTS_HPP
#define RANKMAP_HOSTS_HPP

#include <rankmap/hosts/host_formats.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/hosts/host_sources.hpp>
#include <rankmap/hosts/host_table.hpp>

#endif  // RANKMAP_HOSTS_HPP
