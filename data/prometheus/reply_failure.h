// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_exchange.h"
#include "data/prometheus/reply_reader.h"

#include <string>
#include <string_view>

namespace alidade::data {

/// Why a request has no answer.
struct ReplyFailure {
    std::string why;      ///< what the server answered and what would help, without the server's name
    bool smaller = false; ///< a request for fewer points may succeed
};

/// What the server says in the error of a JSON answer, in words that help: Prometheus, Thanos, Mimir,
/// VictoriaMetrics and Amazon Managed Prometheus.
/// \param status of HTTP
ReplyFailure failureOf(const ReplyEnvelope& envelope, int status);

/// Of a reply that carries a fault, or whose body could not be read as an answer.
/// \param reading why the body is not an answer; empty: it was not looked at
ReplyFailure failureOf(const HttpReply& reply, const std::string& reading);

} // namespace alidade::data
