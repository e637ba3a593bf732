// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_server.h"

#include "data/catalog/mapping_json.h"
#include "data/observation/collect.h"
#include "data/observation/follow.h"
#include "data/observation/preview.h"
#include "data/prometheus/connection_json.h"
#include "data/prometheus/credentials/aws_credentials.h"
#include "data/prometheus/http_exchange.h"
#include "data/prometheus/prometheus_api.h"
#include "views/document/text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::app {

using data::Connection;
using data::Credentials;
using views::text;

namespace {

struct LiveServerText {
    Q_DECLARE_TR_FUNCTIONS(alidade::app::LiveServer)
};

/// Of a poll: the session asks again by itself, and says at once what failed.
data::HttpLimits pollLimits() {
    data::HttpLimits limits;
    limits.attempts = 1;
    limits.oneFailureEndsAll = true;
    return limits;
}

Error superseded() { return {"superseded"}; }

/// Of a test by a person who waits: short, and once.
data::HttpLimits testLimits() {
    data::HttpLimits limits;
    limits.connectS = 8;
    limits.idleS = 10;
    limits.overallS = 20;
    limits.attempts = 1;
    return limits;
}

/// The number of series: the server's own figure where it scrapes itself, else counted.
std::optional<double> seriesOn(data::PrometheusApi& api, double now, const std::stop_token& stop) {
    for (const char* expression : {"sum(prometheus_tsdb_head_series)", "count({__name__!=\"\"})"}) {
        if (stop.stop_requested())
            return std::nullopt;
        const auto answers = api.instants({expression}, now, stop);
        if (!answers.empty() && answers.front() && !answers.front()->values.empty() &&
            std::isfinite(answers.front()->values.front()))
            return answers.front()->values.front();
    }
    return std::nullopt;
}

/// Keys of AWS that are not kept come from where its own tools find them. Reads files.
Result<Credentials> completed(const Connection& connection, const Credentials& given) {
    if (connection.authentication != data::Authentication::sigv4 || !given.accessKey.empty())
        return given;
    const Result<Credentials> found = data::awsCredentials(connection.awsProfile);
    if (!found)
        return found;
    Credentials out = given;
    out.accessKey = found->accessKey;
    out.secretKey = found->secretKey;
    out.sessionToken = found->sessionToken;
    return out;
}

} // namespace

struct LiveServer::Opened {
    data::HttpExchange exchange;
    data::PrometheusApi api;
    std::mutex reading; ///< of the follower
    data::ObservationFollower follower;
    Opened(const Connection& connection, const Credentials& credentials)
        : exchange(connection, credentials, pollLimits())
        , api(exchange) {}
};

LiveServer::LiveServer(Connection connection, AskSecrets ask, std::optional<MetricMapping> own)
    : connection_(std::move(connection))
    , ask_(std::move(ask))
    , own_(std::move(own)) {}

LiveServer::~LiveServer() = default;

Result<std::shared_ptr<LiveServer::Opened>> LiveServer::open(const std::stop_token& stop) {
    {
        const std::lock_guard lock(mutex_);
        if (opened_)
            return opened_;
    }
    Credentials credentials;
    if (ask_) {
        const auto later = std::make_shared<Secrets>();
        ask_(later);
        const std::optional<Result<Credentials>> brought = later->wait(stop);
        if (!brought)
            return superseded();
        if (!*brought)
            return Error{brought->error()};
        credentials = **brought;
    }
    const Result<Credentials> all = completed(connection_, credentials);
    if (!all)
        return Error{all.error()};
    if (const std::string fault = data::faultOf(connection_, *all); !fault.empty())
        return Error{fault};
    const std::lock_guard lock(mutex_);
    if (!opened_)
        opened_ = std::make_shared<Opened>(connection_, *all);
    return opened_;
}

Result<MetricMapping> LiveServer::detected(double start, double end, const std::stop_token& stop) {
    const auto opened = open(stop);
    if (!opened)
        return Error{opened.error()};
    {
        const std::lock_guard lock(mutex_);
        if (detected_)
            return *detected_;
    }
    Result<MetricMapping> found =
        data::detectMapping((*opened)->api, data::metricPresets(), start, end, stop);
    if (found && !found->rules.empty()) {
        const std::lock_guard lock(mutex_);
        detected_ = *found;
    }
    return found;
}

Result<MetricMapping> LiveServer::mapping(double start, double end, const std::stop_token& stop) {
    return own_ ? Result<MetricMapping>(*own_) : detected(start, end, stop);
}

Result<Observation> LiveServer::observe(const views::LiveRequest& request, const std::stop_token& stop) {
    const auto opened = open(stop);
    if (!opened)
        return Error{opened.error()};
    const auto rules = mapping(request.grid.start, request.grid.end(), stop);
    if (!rules)
        return Error{rules.error()};
    data::ObservationRequest what;
    what.grid = request.grid;
    what.job = request.job;
    const std::lock_guard one((*opened)->reading);
    return (*opened)->follower.observe((*opened)->api, *rules, what, stop);
}

Result<std::vector<SignalTable>> LiveServer::devices(const std::string& host, const TimeGrid& grid,
                                                     const std::stop_token& stop) {
    const auto opened = open(stop);
    if (!opened)
        return Error{opened.error()};
    const std::lock_guard one((*opened)->reading);
    return (*opened)->follower.deviceTraffic((*opened)->api, host, grid, stop);
}

Result<std::optional<double>> LiveServer::newestSample(double before, const std::stop_token& stop) {
    const auto opened = open(stop);
    if (!opened)
        return Error{opened.error()};
    return data::newestSample((*opened)->api, own_ ? std::vector{*own_} : data::metricPresets(), before,
                              stop);
}

Result<std::vector<views::LiveJob>> LiveServer::jobs(double start, double end, const std::stop_token& stop) {
    const auto opened = open(stop);
    if (!opened)
        return Error{opened.error()};
    const auto rules = mapping(start, end, stop);
    if (!rules)
        return Error{rules.error()};
    const auto found = data::findJobs((*opened)->api, *rules, start, end, stop);
    if (!found)
        return Error{found.error()};
    std::vector<views::LiveJob> out;
    for (const data::JobChoice& each : *found)
        out.push_back({each.job, each.kind, each.hosts});
    return out;
}

views::MappingPreview LiveServer::preview(const MetricRule& rule, const LabelNames& labels, double time,
                                          const std::stop_token& stop) {
    views::MappingPreview out;
    const auto opened = open(stop);
    if (!opened)
        return {.now = {}, .check = text(opened.error()), .odd = true, .expression = {}};
    const auto read = data::previewRule((*opened)->api, rule, labels, time, 1000, stop);
    if (!read)
        return {.now = {}, .check = text(read.error()), .odd = true, .expression = {}};
    out.expression = text(read->expression);
    out.check = text(read->check);
    out.odd = read->odd;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const data::RulePreview::Value& each : read->values)
        if (std::isfinite(each.value)) {
            low = std::min(low, each.value);
            high = std::max(high, each.value);
        }
    const auto number = [](double value) { return QLocale().toString(value, 'g', 4); };
    const QString unit = text(signalInfo(rule.signal).unit);
    if (low > high)
        out.now = LiveServerText::tr("nothing");
    else
        out.now = (low == high ? number(low) : number(low) + QStringLiteral(" – ") + number(high)) +
                  (unit == QLatin1String("1") || unit == QLatin1String("ratio") ? QString()
                                                                                : QLatin1Char(' ') + unit);
    if (read->rows > 1)
        out.now += LiveServerText::tr(", %1 rows").arg(read->rows);
    return out;
}

views::ConnectionTest testConnection(const Connection& connection, const Credentials& credentials, double now,
                                     const std::stop_token& stop) {
    const Result<Credentials> all = completed(connection, credentials);
    if (!all)
        return {false, text(all.error()), {}};
    if (const std::string fault = data::faultOf(connection, *all); !fault.empty())
        return {false, text(fault), {}};
    data::HttpExchange exchange(connection, *all, testLimits());
    data::PrometheusApi api(exchange);
    const auto build = api.buildInfo(stop);
    if (!build)
        return {false, text(build.error()), {}};
    QString words = text(build->application);
    if (!build->version.empty())
        words += QLatin1Char(' ') + text(build->version);
    const auto series = seriesOn(api, now, stop);
    words += series ? LiveServerText::tr(", %L1 series").arg(static_cast<qlonglong>(*series))
                    : LiveServerText::tr("; its number of series is unknown");
    return {true, LiveServerText::tr("Connected: %1.").arg(words), {}};
}

} // namespace alidade::app
