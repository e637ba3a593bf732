// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace alidade::cli {

/// How a command reaches a Prometheus-compatible server, as the arguments say it. A secret is never an
/// argument: these name files, variables and saved connections.
struct ConnectionOptions {
    std::string url;                  ///< --prometheus
    std::string connection;           ///< --connection: a saved one
    std::string tokenFile;            ///< --token-file
    std::string user, passwordFile;   ///< --user, --password-file
    std::vector<std::string> headers; ///< --header-env NAME=ENVVAR
    std::string caFile;               ///< --ca
    std::string region;               ///< --sigv4-region

    /// A server was named, by its URL or as a saved connection.
    bool given() const { return !url.empty() || !connection.empty(); }
};

/// What came of the options.
struct OpenedConnection {
    data::Connection connection;
    data::Credentials credentials;
    std::vector<std::string> notes; ///< for standard error
};

/// Adds the options to a command. `options` must outlive the parsing.
void addConnectionOptions(CLI::App& command, ConnectionOptions& options);

/// Reads the files and variables that the options name, and the keyring for a saved connection's secrets.
/// What else is given next to --connection overrides what is saved, --prometheus too. Makes the
/// QCoreApplication that the network needs, if there is none. A Failure names the option that is wrong, never
/// a secret.
OpenedConnection openConnection(const ConnectionOptions& options);

} // namespace alidade::cli
