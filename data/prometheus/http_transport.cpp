// SPDX-License-Identifier: GPL-3.0-or-later
// The API over a real network. In a separate file, so that a program that gives its own transport links
// none.
#include "data/prometheus/prometheus_api.h"

namespace alidade::data {

PrometheusApi::PrometheusApi(HttpExchange& exchange, ReplyLimits limits)
    : PrometheusApi([&exchange](const auto& requests, std::stop_token stop,
                                const auto& arrived) { return exchange.exchange(requests, stop, arrived); },
                    exchange.connection().url, limits) {
    redact_ = [&exchange](std::string text) { return exchange.redacted(std::move(text)); };
}

} // namespace alidade::data
