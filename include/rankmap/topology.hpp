// SPDX-License-Identifier: MIT
// All of topology/: who this process is and where, from any launcher or from explicit values.
#ifndef RANKMAP_TOPOLOGY_HPP
#define RANKMAP_TOPOLOGY_HPP

#include <rankmap/topology/endpoint.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/port_rules.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/topology/topology.hpp>

#endif  // RANKMAP_TOPOLOGY_HPP
