// SPDX-License-Identifier: MIT
// All of domain/: racks, switches, blocks and NVLink domains, and which node is in which.
#ifndef RANKMAP_DOMAIN_HPP
#define RANKMAP_DOMAIN_HPP

#include <rankmap/domain/clique.hpp>
#include <rankmap/domain/domain_labels.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/domain/gather_domains.hpp>
#include <rankmap/domain/gcp_order.hpp>
#include <rankmap/domain/node_order.hpp>
#include <rankmap/domain/repair.hpp>
#include <rankmap/domain/segments.hpp>
#include <rankmap/domain/slurm_address.hpp>
#include <rankmap/domain/slurm_switches.hpp>

#endif  // RANKMAP_DOMAIN_HPP
