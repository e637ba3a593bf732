// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data {

/// A request as it goes over the wire.
struct SignableRequest {
    std::string method;                                       ///< "POST"
    std::string path;                                         ///< as in the request line, without the query
    std::string query;                                        ///< as in the request line, without the "?"
    std::vector<std::pair<std::string, std::string>> headers; ///< Host among them
    std::string_view body;
};

struct SigningScope {
    std::string region;
    std::string service = "aps";
    std::string time;          ///< UTC, "20150830T123600Z"
    bool normalizePath = true; ///< for all services but S3
    bool sendBodyHash = false; ///< X-Amz-Content-Sha256, which S3 wants
};

/// The steps of the signature; the later ones contain the earlier ones. None holds the secret key.
struct SigV4Signature {
    /// Headers to send: Host and what else was given are signed as they are; X-Amz-Date, X-Amz-Security-Token
    /// (with a session token) and Authorization come new.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string canonicalRequest, stringToSign, signature;
};

/// AWS Signature Version 4 in the Authorization header.
/// Source: AWS, "Signature Version 4 signing process"; equal to the test suite that AWS publishes.
SigV4Signature sign(const SignableRequest& request, const SigningScope& scope,
                    const Credentials& credentials);

/// RFC 3986: everything but letters, digits, "-._~" as %XX in capitals; "/" stays where `keepSlash`.
std::string percentEncoded(std::string_view text, bool keepSlash = false);

} // namespace alidade::data
