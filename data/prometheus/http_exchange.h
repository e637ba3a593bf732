// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace alidade::data {

/// What bounds a request, whatever the server does.
struct HttpLimits {
    double connectS = 10;                           ///< until the first byte of the head
    double idleS = 30;                              ///< without a byte
    double overallS = 120;                          ///< of a request with its repetitions
    std::size_t bodyBytes = std::size_t{256} << 20; ///< after decompression
    int attempts = 4;    ///< on 429, 503 and refused connections, with back-off and jitter
    int concurrency = 4; ///< requests at a time
};

struct HttpRequest {
    std::string path;                                            ///< "/api/v1/query_range"
    std::vector<std::pair<std::string, std::string>> parameters; ///< form fields; names may repeat
    bool post = true; ///< as a form; where the server refuses that (405, 403, 501): as a query
};

enum class HttpFault : std::uint8_t {
    none,
    refused,
    tls,
    timeout,
    tooLarge,
    cancelled,
    redirect,
    status,
    broken
};

struct HttpReply {
    HttpFault fault = HttpFault::none; ///< none: the body is whole, status is 200 .. 299
    int status = 0;                    ///< 0: there was no answer
    std::string contentType;
    std::string body;    ///< decompressed; also of a failed status, up to 64 KiB
    std::string message; ///< for a person, of a fault: host, status, what to do; never a secret
    std::size_t wireBytes = 0;
    double seconds = 0;
    int attempts = 1;
};

/// Sends requests to one server. Blocks the calling thread, which must not be the GUI's; runs its own event
/// loop there. Every setting that makes Qt's network unsafe by default is set here and nowhere else.
class HttpExchange {
public:
    HttpExchange(Connection connection, Credentials credentials, HttpLimits limits = {});
    ~HttpExchange();
    HttpExchange(const HttpExchange&) = delete;
    HttpExchange& operator=(const HttpExchange&) = delete;

    /// All replies in the order of the requests. `arrived` is called for each as it comes, on this thread,
    /// and may take its body away.
    std::vector<HttpReply> exchange(const std::vector<HttpRequest>& requests, std::stop_token stop = {},
                                    const std::function<void(std::size_t, HttpReply&)>& arrived = {});

    const Connection& connection() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace alidade::data
