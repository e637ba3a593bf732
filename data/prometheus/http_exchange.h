// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace alidade::data {

/// What bounds a request, whatever the server does.
struct HttpLimits {
    double connectS = 10;  ///< until the connection is established (name, TCP, TLS) and the request is sent
    double idleS = 30;     ///< without a byte, also while the server computes
    double overallS = 120; ///< of a request with its repetitions, from its first start
    std::size_t bodyBytes = std::size_t{256} << 20; ///< after decompression
    int attempts = 4;    ///< on 429, 503 and refused connections, with back-off and jitter
    int concurrency = 4; ///< requests at a time, 1 .. 16
    /// Once a request of a call was not answered, those that have not begun get the same fault: for who asks
    /// again soon anyway.
    bool oneFailureEndsAll = false;
    double backOffS = 1; ///< before the first repetition; doubles with each
    double backOffMaxS = 60;
    /// 0 .. 1, how much of the second half of a back-off is waited. Absent: at random. Called on the thread
    /// of the network.
    std::function<double()> jitter;
};

struct HttpRequest {
    std::string path; ///< "/api/v1/query_range"; percent-encoded where a label name needs it
    std::vector<std::pair<std::string, std::string>> parameters; ///< form fields; names may repeat
    bool post = true; ///< as a form; where the server refuses that (405, 403, 501): as a query
};

enum class HttpFault : std::uint8_t {
    none,
    refused,
    tls,
    timeout,
    tooLarge,
    canceled,
    redirect,
    status,
    broken
};

struct HttpReply {
    HttpFault fault = HttpFault::none; ///< none: the body is whole, status is 200 .. 299
    int status = 0;                    ///< 0: there was no answer
    std::string contentType;
    std::string body;          ///< decompressed; also of a failed status, up to 64 KiB
    std::string message;       ///< for a person, of a fault: host, status, what to do; never a secret
    std::size_t wireBytes = 0; ///< of the last body, as it came
    double seconds = 0;        ///< from the first start to the end
    int attempts = 1;
    /// The server's clock minus this one's, where a Date was given; exact to about 1 s.
    std::optional<double> clockAheadS;
    /// For a person: a secret sent over plain http, clocks that differ by more than 30 s.
    std::vector<std::string> warnings;
};

/// Sends requests to one server. Blocks the calling thread, which must not be the GUI's; the network itself
/// runs on a thread of the exchange, so that connections live on between calls and a reply is read while
/// another is parsed. Every request of the program goes through here: HTTP/1.1, https with verification, no
/// cookies, redirects to the same origin alone (scheme, host, port).
/// A QCoreApplication must exist. May be called from several threads at once; the limit of requests at a
/// time holds for all of them together.
class HttpExchange {
public:
    HttpExchange(Connection connection, Credentials credentials, HttpLimits limits = {});
    ~HttpExchange();
    HttpExchange(const HttpExchange&) = delete;
    HttpExchange& operator=(const HttpExchange&) = delete;

    /// All replies in the order of the requests. `arrived` is called for each as it comes, on the calling
    /// thread, and may take its body away. It must not throw.
    /// Once a request has failed because the server cannot be reached or trusted at all, those of this call
    /// that have not begun get the same fault without being sent.
    std::vector<HttpReply> exchange(const std::vector<HttpRequest>& requests, std::stop_token stop = {},
                                    const std::function<void(std::size_t, HttpReply&)>& arrived = {});

    const Connection& connection() const;

    /// Text from the server made fit to be shown: the secrets of this exchange are replaced. The bodies of
    /// failed replies have been through it; whoever quotes one of a good reply calls it.
    std::string redacted(std::string text) const;

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace alidade::data
