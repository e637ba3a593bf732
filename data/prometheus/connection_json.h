// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "data/prometheus/connection.h"
#include "model/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What is wrong with a connection, as a sentence; empty: nothing. The URL is http or https with a host,
/// without user, password, query or fragment; header names are HTTP tokens that this program does not set
/// itself.
std::string faultOf(const Connection& connection);

/// What is wrong with the secrets of a connection: line breaks, missing ones. Never shows a secret.
std::string faultOf(const Connection& connection, const Credentials& credentials);

/// What is wrong with a file of authorities (PEM), as a sentence without the file's name; empty: nothing, or
/// no file is named.
std::string authorityFault(const std::string& caFile);

struct ConnectionReading {
    std::vector<Connection> connections; ///< by name; empty if there are faults
    std::vector<JsonFault> faults;
};

/// A document { "alidade": 1, "connections": [ { "name", "url", "authentication": none|basic|bearer|sigv4,
/// "user", "region", "ca_file", "headers": [names], "aws_profile" } ] }. An unknown field is a fault, and one
/// that looks like a secret says where secrets are kept.
ConnectionReading readConnections(std::string_view text);
std::string writeConnections(const std::vector<Connection>& connections);

/// Where a person's connections are kept: "connections.json" in the folder of the program's settings
/// ($XDG_CONFIG_HOME/alidade).
std::string connectionFile();

/// The connections of the file; none if there is no file. The error is "FILE:/json/pointer: ...", the first
/// of all.
Result<std::vector<Connection>> loadConnections(const std::string& file = connectionFile());

/// Writes the file in one step, readable by the person alone. Refuses to replace a file that it cannot read,
/// so that nothing is lost. The error is a sentence with the file's name; empty: saved.
std::string saveConnections(const std::vector<Connection>& connections,
                            const std::string& file = connectionFile());

/// The saved connection of that name; the error names the nearest one.
Result<Connection> namedConnection(const std::string& name, const std::string& file = connectionFile());

} // namespace alidade::data
