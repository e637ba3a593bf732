// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace alidade::data {

enum class Authentication : std::uint8_t { none, basic, bearer, sigv4 };

/// How a Prometheus-compatible server is reached. Holds no secret: those are Credentials.
struct Connection {
    std::string name; ///< under which it is saved; may be empty
    std::string url;  ///< http or https, the part of its URL before /api/v1
    Authentication authentication = Authentication::none;
    std::string user;                 ///< of basic
    std::string region;               ///< of sigv4; service "aps"
    std::string caFile;               ///< PEM, in the place of the system's authorities; empty: those
    std::vector<std::string> headers; ///< names of further headers, whose values are secrets
    std::string awsProfile;           ///< of the shared credentials file; empty: AWS_PROFILE, or "default"
    std::string
        grafana; ///< URL of a dashboard, with {from}, {to}, {job} and {host} where they go; may be empty
    bool operator==(const Connection&) const = default;
};

/// The secrets of a connection. Never in a workspace, a log, an argument or a report; there is no way to
/// print them. Text that a server or an operating system gave goes through a Redaction first.
struct Credentials {
    std::string password;                                     ///< of basic
    std::string token;                                        ///< of bearer
    std::string accessKey, secretKey, sessionToken;           ///< of sigv4
    std::vector<std::pair<std::string, std::string>> headers; ///< name, value
};

} // namespace alidade::data
