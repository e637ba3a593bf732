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
    std::string url;  ///< http or https, up to what stands before /api/v1
    Authentication authentication = Authentication::none;
    std::string user;                 ///< of basic
    std::string region;               ///< of sigv4; service "aps"
    std::string caFile;               ///< PEM; empty: the system's authorities
    std::vector<std::string> headers; ///< names of further headers, whose values are secrets
    bool operator==(const Connection&) const = default;
};

/// The secrets of a connection. Never in a workspace, a log, an argument or a report.
struct Credentials {
    std::string password;                                     ///< of basic
    std::string token;                                        ///< of bearer
    std::string accessKey, secretKey, sessionToken;           ///< of sigv4
    std::vector<std::pair<std::string, std::string>> headers; ///< name, value
};

} // namespace alidade::data
