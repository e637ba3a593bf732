// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/live_later.h"
#include "data/prometheus/connection.h"
#include "model/base/result.h"
#include "model/observation/metric_mapping.h"
#include "views/live/connection_dialog.h"
#include "views/live/live_state.h"
#include "views/live/mapping_model.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace alidade::data {
class HttpExchange;
class PrometheusApi;
} // namespace alidade::data

namespace alidade::app {

/// One server as the live page asks it. Every call blocks and may come from any thread but the GUI's; the
/// connection is opened, and its secrets are asked for, with the first of them.
class LiveServer {
public:
    using Secrets = Later<Result<data::Credentials>>;
    /// Has them brought; called on the thread that needs them.
    using AskSecrets = std::function<void(std::shared_ptr<Secrets>)>;

    /// \param own mapping of a person; else what is detected
    LiveServer(data::Connection connection, AskSecrets ask, std::optional<MetricMapping> own);
    ~LiveServer();

    Result<Observation> observe(const views::LiveRequest& request, const std::stop_token& stop);
    /// See data::newestSample.
    Result<std::optional<double>> newestSample(double before, const std::stop_token& stop);
    /// See data::ObservationFollower::deviceTraffic.
    Result<std::vector<SignalTable>> devices(const std::string& host, const TimeGrid& grid,
                                             const std::stop_token& stop);
    Result<std::vector<views::LiveJob>> jobs(double start, double end, const std::stop_token& stop);
    /// What the presets find on the server; asked for once.
    Result<MetricMapping> detected(double start, double end, const std::stop_token& stop);
    views::MappingPreview preview(const MetricRule& rule, const LabelNames& labels, double time,
                                  const std::stop_token& stop);

private:
    struct Opened;
    Result<std::shared_ptr<Opened>> open(const std::stop_token& stop);
    Result<MetricMapping> mapping(double start, double end, const std::stop_token& stop);

    const data::Connection connection_;
    const AskSecrets ask_;
    const std::optional<MetricMapping> own_;
    std::mutex mutex_;
    std::shared_ptr<Opened> opened_;
    std::optional<MetricMapping> detected_;
};

/// Who a server is and how much it holds: build, and its number of series. Blocks.
views::ConnectionTest testConnection(const data::Connection& connection, const data::Credentials& credentials,
                                     double now, const std::stop_token& stop);

} // namespace alidade::app
