// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"
#include "data/prometheus/reply_reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What a reply that lists something holds. What was cut off or left out is told in the envelope's warnings.
template <class T>
struct ListReply {
    ReplyEnvelope envelope;
    T content;
};

/// Label names or values: ["a", "b"].
Result<ListReply<std::vector<std::string>>> readTexts(std::string_view text, const ReplyLimits& limits);
/// Series: [{"__name__": "up"}].
Result<ListReply<std::vector<Labels>>> readSeries(std::string_view text, const ReplyLimits& limits);
/// Metadata: {"up": [{"type", "help", "unit"}]}; the first that a metric has.
Result<ListReply<std::vector<MetricMetadata>>> readMetadata(std::string_view text, const ReplyLimits& limits);
/// Build information: {"version", "revision", "goVersion", "application"}; who that is. VictoriaMetrics
/// answers a version of Prometheus and nothing else; Thanos counts its versions from 0.
Result<ListReply<BuildInfo>> readBuildInfo(std::string_view text, const ReplyLimits& limits);

} // namespace alidade::data
