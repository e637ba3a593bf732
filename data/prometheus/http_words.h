// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_attempt.h"
#include "data/prometheus/redaction.h"

#include <QUrl>

namespace alidade::data {

/// What the words of an outcome depend on.
struct WordsContext {
    const Connection& connection;
    const Redaction& redaction;
    const HttpLimits& limits;
    QUrl url;
    int attempts = 1;
    std::optional<double> waitRefusedS = {}; ///< what a Retry-After asked for, beyond the time of the request
};

/// The reply that a person and the caller get for an outcome: its fault, and a message that names the host
/// and says what would help. Text of the server in it, and the body of a failed status, are without secrets.
HttpReply replyOf(AttemptOutcome outcome, const WordsContext& context);

/// Why a redirect is not followed; empty: it may be.
std::string redirectFault(const QUrl& from, const QUrl& to, int followed);

constexpr int mostRedirects = 5;

} // namespace alidade::data
