// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a server, in which parts, and what its answers become. The server is a function.
#include "data/prometheus/prometheus_api.h"
#include "tests/data/prometheus_fixture.h"

#include <QtTest>

#include <cmath>
#include <map>

namespace tst_prometheus_api {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

constexpr double epoch = 1767225600;

using Parameters = std::map<std::string, std::string>;

HttpReply good(std::string body) {
    HttpReply reply;
    reply.status = 200;
    reply.contentType = "application/json";
    reply.body = std::move(body);
    return reply;
}

HttpReply failed(int status, std::string body, std::string type = "application/json") {
    HttpReply reply = good(std::move(body));
    reply.fault = HttpFault::status;
    reply.status = status;
    reply.contentType = std::move(type);
    reply.message = "not shown";
    return reply;
}

/// Answers requests with a function and remembers them. Replies arrive last first, as a server may well do.
struct Server {
    std::function<HttpReply(const std::string& path, const Parameters&)> answer;
    std::vector<std::string> asked; ///< "path query start end step"
    ReplyLimits limits = {};

    PrometheusApi api() {
        return PrometheusApi(
            [this](const auto& requests, std::stop_token, const auto& arrived) {
                std::vector<HttpReply> replies(requests.size());
                for (std::size_t i = requests.size(); i-- > 0;) {
                    Parameters parameters;
                    std::string line = requests[i].path;
                    for (const auto& [name, value] : requests[i].parameters) {
                        parameters[name] = value;
                        line += " " + name + "=" + value;
                    }
                    asked.push_back(line);
                    replies[i] = answer(requests[i].path, parameters);
                    if (arrived)
                        arrived(i, replies[i]);
                }
                return replies;
            },
            "http://user:secret@server:9090/prom", limits);
    }
};

/// What a server with these series answers to a range query: the value is the point's number on a grid of 30
/// s. Series "late" begins at the first instant after `late`.
HttpReply ramp(const Parameters& p, double late = epoch) {
    std::string result;
    const double step = std::stod(p.at("step"));
    for (const std::string name : {"early", "late"}) {
        std::string values;
        for (double t = std::stod(p.at("start")); t <= std::stod(p.at("end")) + 1e-6; t += step) {
            if (name == "early" || t > late) {
                values +=
                    (values.empty() ? "" : ",") +
                    QStringLiteral("[%1,\"%2\"]").arg(t, 0, 'f', 3).arg((t - epoch) / step).toStdString();
            }
        }
        if (!values.empty()) {
            result += (result.empty() ? "" : ",") + std::string("{\"metric\":{\"name\":\"") + name +
                      "\"},\"values\":[" + values + "]}";
        }
    }
    return good("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" + result + "]}}");
}

std::size_t pointsOf(const Parameters& p) {
    return static_cast<std::size_t>(
               std::llround((std::stod(p.at("end")) - std::stod(p.at("start"))) / std::stod(p.at("step")))) +
           1;
}

} // namespace

class PrometheusApiTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gridsAreAlignedToTheirStep() {
        QCOMPARE(alignedGrid(1000, 2000, 30), (TimeGrid{1020, 30, 33}));
        QCOMPARE(alignedGrid(990, 1980, 30), (TimeGrid{990, 30, 34}));
        QCOMPARE(alignedGrid(1001, 1010, 30), (TimeGrid{990, 30, 1})); // none in between: the one before
        QCOMPARE(alignedGrid(2000, 1000, 30), (TimeGrid{990, 30, 1}));
        QCOMPARE(alignedGrid(0.1, 0.5, 0.25), (TimeGrid{0.25, 0.25, 2}));
        QCOMPARE(alignedGrid(-45, 0, 30), (TimeGrid{-30, 30, 2}));
    }

    void aShortRangeIsOneRequest() {
        Server server{[](const auto&, const Parameters& p) { return ramp(p); }, {}};
        const auto results = server.api().ranges({{"up", {epoch, 30, 241}}});
        QCOMPARE(server.asked.size(), 1U);
        QCOMPARE(server.asked[0], "/api/v1/query_range query=up start=1767225600 end=1767232800 step=30");
        QVERIFY(results.at(0));
        QCOMPARE(results[0]->series.size(), 2U);
        QCOMPARE(results[0]->row(0)[240], 240.0);
    }

    void aLongRangeIsSplitAndStitched() {
        Server server{[](const auto&, const Parameters& p) { return ramp(p, epoch + 30 * 4000); }, {}};
        server.limits.pointsPerRequest = 700;
        const std::size_t points = 5003;
        const auto results = server.api().ranges({{"a", {epoch, 30, points}}, {"b", {epoch + 0.5, 0.5, 3}}});
        QCOMPARE(server.asked.size(), 1 + 1 + (points - 700 + 699) / 700);
        QVERIFY(results.at(0));
        const Matrix& matrix = *results[0];
        QCOMPARE(matrix.series.size(), 2U);
        QCOMPARE(matrix.series[0][0].second, "early");
        for (std::size_t i = 0; i < points; ++i) {
            QCOMPARE(matrix.row(0)[i], static_cast<double>(i));
            QCOMPARE(std::isnan(matrix.row(1)[i]), i <= 4000);
        }
        QCOMPARE(lines(matrix.warnings), QString());
        QCOMPARE(results.at(1)->row(0)[2], 3.0);
    }

    void partsDoNotOverlap() {
        std::vector<std::pair<double, double>> parts;
        Server server{[&](const auto&, const Parameters& p) {
                          parts.emplace_back(std::stod(p.at("start")), std::stod(p.at("end")));
                          return ramp(p);
                      },
                      {}};
        server.limits.pointsPerRequest = 100;
        (void)server.api().ranges({{"a", {epoch, 30, 950}}});
        std::ranges::sort(parts);
        QCOMPARE(parts.front().first, epoch);
        QCOMPARE(parts.back().second, epoch + 949 * 30);
        for (std::size_t i = 1; i < parts.size(); ++i)
            QCOMPARE(parts[i].first, parts[i - 1].second + 30);
    }

    void manySeriesMakeTheFurtherPartsShorter() {
        std::size_t longest = 0;
        Server server{[&](const auto&, const Parameters& p) {
                          const std::size_t points = pointsOf(p);
                          longest = points == 1000 ? longest : std::max(longest, points);
                          std::string result;
                          for (int i = 0; i < 5000; ++i) {
                              result += (i == 0 ? "" : ",") + std::string("{'metric':{'i':'") +
                                        std::to_string(i) + "'},'values':[]}";
                          }
                          return good(quotes("{'status':'success','data':{'resultType':'matrix','result':[" +
                                             result + "]}}"));
                      },
                      {}};
        server.limits.values = 100'000'000;
        const auto results = server.api().ranges({{"a", {epoch, 30, 3000}}});
        QVERIFY(results.at(0));
        QCOMPARE(longest, 400U); // of 5,000 series: 2 million samples
    }

    void aPartThatIsTooMuchIsHalved() {
        std::size_t refused = 0;
        Server server{[&](const auto&, const Parameters& p) {
                          if (pointsOf(p) > 130) {
                              ++refused;
                              return failed(422, reply("error_samples.json"));
                          }
                          return ramp(p);
                      },
                      {}};
        const auto results = server.api().ranges({{"a", {epoch, 30, 2500}}});
        QVERIFY2(results.at(0), results[0].error().c_str());
        for (std::size_t i = 0; i < 2500; ++i)
            QCOMPARE(results[0]->row(0)[i], static_cast<double>(i));
        QVERIFY(refused <=
                7); // what the server bears is learned from the first part: 1,000, 500 and 250 points
    }

    void halvingEnds() {
        for (const auto& always :
             {failed(422, reply("error_samples.json")), failed(400, reply("error_points.json")),
              failed(422, reply("mimir_error_chunks.json"))}) {
            Server server{[&](const auto&, const auto&) { return always; }, {}};
            const auto results = server.api().ranges({{"a", {epoch, 30, 5000}}});
            QVERIFY(!results.at(0));
            QVERIFY(results[0].error().find("range") != std::string::npos);
            QVERIFY(server.asked.size() < 200);
        }
    }

    void otherErrorsAreNotAskedAgain() {
        for (const auto& always :
             {failed(422, reply("error_match.json")), failed(503, reply("error_timeout.json")),
              failed(422, reply("error_timeout_select.json"))}) {
            Server server{[&](const auto&, const auto&) { return always; }, {}};
            QVERIFY(!server.api().ranges({{"a", {epoch, 30, 500}}}).at(0));
            QCOMPARE(server.asked.size(), 1U);
        }
    }

    void oneQueryThatFailsDoesNotHurtTheOthers() {
        Server server{[](const auto&, const Parameters& p) {
                          return p.at("query") == "bad" ? failed(400, reply("error_parse.json")) : ramp(p);
                      },
                      {}};
        const auto results =
            server.api().ranges({{"a", {epoch, 30, 5}}, {"bad", {epoch, 30, 5}}, {"b", {epoch, 30, 5}}});
        QVERIFY(results[0] && !results[1] && results[2]);
        QVERIFY(results[1].error().find("\"bad\"") != std::string::npos);
        QVERIFY(results[1].error().find("unclosed left parenthesis") != std::string::npos);
    }

    void gridsThatCannotBeAskedAreRefused() {
        Server server{[](const auto&, const Parameters& p) { return ramp(p); }, {}};
        const double nan = std::nan("");
        const auto results = server.api().ranges({{"a", {epoch, 0, 5}},
                                                  {"a", {epoch, 0.0004, 5}},
                                                  {"a", {epoch + 0.0004, 1, 5}},
                                                  {"a", {nan, 1, 5}},
                                                  {"a", {epoch, 1, 1'000'000'000'000}},
                                                  {"a", {epoch, 30, 0}}});
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(!results[i]);
        QVERIFY(results[5] && results[5]->series.empty());
        QVERIFY(server.asked.empty());
    }

    void failuresSayWhatHelps_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("help");
        const auto row = [](int status, const char* file, const char* help,
                            const char* type = "application/json") {
            QTest::newRow(file) << status << QString::fromLatin1(file) << QString::fromLatin1(type)
                                << QString::fromLatin1(help);
        };
        row(400, "error_parse.json", "correct the expression in the mapping");
        row(400, "error_points.json", "lengthen the step or shorten the range");
        row(400, "error_range_order.json", "end timestamp must not be before start time");
        row(422, "error_match.json", "joins series that are not unique");
        row(422, "error_samples.json", "shorten the range, lengthen the step or choose one job");
        row(503, "error_timeout.json", "the server ran out of time");
        row(422, "error_timeout_select.json", "the server ran out of time");
        row(401, "error_auth.txt", "give a user and a password, a token", "text/plain; charset=utf-8");
        row(404, "error_not_found.txt", "prefix such as /prometheus", "text/plain; charset=utf-8");
        row(401, "mimir_error_tenant.txt", "add the header X-Scope-OrgID", "text/plain");
        row(422, "mimir_error_chunks.json", "shorten the range, lengthen the step or choose one job");
        row(429, "mimir_error_rate.json", "wait a little");
        row(422, "victoriametrics_error.json", "choose one job, or fewer metrics");
        row(429, "amp_error_throttled.json", "wait a little");
        row(403, "amp_error_token.json", "renew the AWS credentials");
    }
    void failuresSayWhatHelps() {
        QFETCH(int, status);
        QFETCH(QString, file);
        QFETCH(QString, type);
        QFETCH(QString, help);
        Server server{[&](const auto&, const auto&) {
                          return failed(status, reply(file.toStdString()), type.toStdString());
                      },
                      {}};
        server.limits.halvings = 0;
        const auto results = server.api().ranges({{"up", {epoch, 30, 5}}});
        const QString said = QString::fromStdString(results.at(0).error());
        QVERIFY2(said.startsWith(QStringLiteral("http://server:9090/prom, \"up\": answered %1").arg(status)),
                 qPrintable(said));
        QVERIFY2(said.contains(help), qPrintable(said));
        QVERIFY(!said.contains(QStringLiteral("secret")));
        // The same words where the server says 200, as some proxies make it.
        HttpReply reply200 = good(reply(file.toStdString()));
        Server proxy{[&](const auto&, const auto&) { return reply200; }, {}};
        QVERIFY(!proxy.api().instants({"up"}, epoch).at(0));
    }

    void pagesThatAreNoAnswersAreShown() {
        const std::string page = "<!DOCTYPE html><title>Sign in</title>\x1b]0;x\x07" + std::string(5000, 'y');
        HttpReply html = good(page);
        html.contentType = "text/html";
        Server server{[&](const auto&, const auto&) { return html; }, {}};
        const auto results = server.api().instants({"up"}, epoch);
        const QString said = QString::fromStdString(results.at(0).error());
        QVERIFY2(said.contains(QStringLiteral("text/html")) && said.contains(QStringLiteral("Sign in")),
                 qPrintable(said));
        QVERIFY(said.contains(QStringLiteral("\\x1b]0;x\\x07")) && said.size() < 600);
        QVERIFY(said.contains(QStringLiteral("login page")));

        Server bad{
            [&](const auto&, const auto&) { return failed(502, "<html>Bad Gateway</html>", "text/html"); },
            {}};
        QVERIFY(bad.api().instants({"up"}, epoch).at(0).error().find("proxy in front") != std::string::npos);
        Server foreign{[&](const auto&, const auto&) { return good("{\"ok\":true}"); }, {}};
        QVERIFY(foreign.api().instants({"up"}, epoch).at(0).error().find("before /api/v1") !=
                std::string::npos);
        Server cut{[&](const auto&, const auto&) { return good(reply("range_matrix.json").substr(0, 900)); },
                   {}};
        QVERIFY(cut.api().instants({"up"}, epoch).at(0).error().find("ends in the middle") !=
                std::string::npos);
    }

    void faultsOfTheNetworkAreHandedOn() {
        HttpReply gone;
        gone.fault = HttpFault::refused;
        gone.message = "nobody listens at server:9090; is it running?";
        Server server{[&](const auto&, const auto&) { return gone; }, {}};
        auto api = server.api();
        for (const std::string& error :
             {api.ranges({{"up", {epoch, 30, 5}}}).at(0).error(), api.instants({"up"}, epoch).at(0).error(),
              api.labelNames(0, 1).error(), api.buildInfo().error(), api.series({"up"}, 0, 1).error()}) {
            QVERIFY2(error.find("nobody listens") != std::string::npos, error.c_str());
        }
    }

    void warningsOfServersReachTheMatrix() {
        Server server{[](const auto&, const auto&) { return good(reply("thanos_partial.json")); }, {}};
        const auto results = server.api().instants({"a", "b"}, epoch);
        QCOMPARE(results.size(), 2U);
        QCOMPARE(results[1]->warnings.size(), 2U);
        QVERIFY(results[1]->warnings[1].find("code = Unavailable") != std::string::npos);
        QCOMPARE(server.asked[0], "/api/v1/query query=b time=1767225600");
    }

    void listsAreRead() {
        Server server{[](const std::string& path, const auto&) {
                          return good(path == "/api/v1/series"     ? reply("series.json")
                                      : path == "/api/v1/labels"   ? reply("labels.json")
                                      : path == "/api/v1/metadata" ? reply("metadata.json")
                                                                   : reply("label_values.json"));
                      },
                      {}};
        auto api = server.api();
        const auto series = api.series({"up{job=\"dcgm_exporter\"}", "training_info"}, epoch, epoch + 7200);
        QCOMPARE(server.asked.back(), "/api/v1/series start=1767225600 end=1767232800 "
                                      "match[]=up{job=\"dcgm_exporter\"} match[]=training_info");
        QCOMPARE(series->size(), 5U);
        QCOMPARE(series->at(1).at(0).second, "up");
        const auto labels = api.labelNames(0, 1);
        QVERIFY(std::ranges::find(*labels, "Hostname") != labels->end());
        const auto names = api.labelValues("__name__", {}, 0, 1.5);
        QCOMPARE(server.asked.back(), "/api/v1/label/__name__/values start=0 end=1.5");
        QVERIFY(std::ranges::find(*names, "DCGM_FI_PROF_SM_ACTIVE") != names->end());
        QVERIFY(!api.labelValues("../../x", {}, 0, 1));
        const auto metadata = api.metadata();
        QCOMPARE(metadata->size(), 6U);
        QCOMPARE(metadata->at(0).metric, "DCGM_FI_DEV_FB_USED");
        QCOMPARE(metadata->at(0).type, "gauge");
        QCOMPARE(metadata->at(0).help, "Framebuffer memory used (in MiB).");
        Server none{[](const auto&, const auto&) { return good(reply("metadata_empty.json")); }, {}};
        QVERIFY(none.api().metadata() && none.api().metadata()->empty());
    }

    void listsHaveLimits() {
        std::string names;
        for (int i = 0; i < 50; ++i)
            names += (i == 0 ? "\"" : ",\"") + std::string(i == 3 ? 9000 : 1, 'x') + std::to_string(i) + "\"";
        Server server{[&](const auto&, const auto&) {
                          return good("{\"status\":\"success\",\"data\":[" + names +
                                      "],\"warnings\":[\"w\"]}");
                      },
                      {}};
        server.limits.names = 20;
        std::vector<std::string> warnings;
        const auto read = server.api().labelNames(0, 1, {}, &warnings);
        QCOMPARE(read->size(), 20U);
        QCOMPARE(read->at(3).size(), 4096U);
        QCOMPARE(warnings.size(), 3U);
        QCOMPARE(warnings[0], "w");
        QVERIFY(warnings[1].starts_with("30 of the list were left out"));
        QVERIFY(warnings[2].starts_with("1 text was cut off"));
    }

    void listsOfAnotherShapeAreRefused() {
        for (const char* data :
             {"7", "{}", "[1]", "[[\"a\"]]", "[{\"a\":1}]", "[{\"a\":\"1\",\"a\":\"2\"}]", "[null]"}) {
            Server server{[&](const auto&, const auto&) {
                              return good(std::string("{\"status\":\"success\",\"data\":") + data + "}");
                          },
                          {}};
            QVERIFY2(!server.api().series({"a"}, 0, 1), data);
        }
    }

    void serversAreRecognized() {
        const auto who = [](const HttpReply& answer, const std::string& url = "http://s") {
            PrometheusApi api([&](const auto&, auto, const auto&) { return std::vector{answer}; }, url);
            const auto info = api.buildInfo();
            return info ? QString::fromStdString(info->application + " " + info->version)
                        : QStringLiteral("! ") + QString::fromStdString(info.error());
        };
        QCOMPARE(who(good(reply("buildinfo.json"))), QStringLiteral("Prometheus 2.42.0+ds"));
        QCOMPARE(who(good(reply("thanos_buildinfo.json"))), QStringLiteral("Thanos 0.36.1"));
        QCOMPARE(who(good(reply("mimir_buildinfo.json"))), QStringLiteral("Grafana Mimir 2.14.0"));
        QCOMPARE(who(good(reply("victoriametrics_buildinfo.json"))), QStringLiteral("VictoriaMetrics "));
        QCOMPARE(who(good(reply("metadata_empty.json"))), QStringLiteral("Prometheus-compatible server "));
        QCOMPARE(who(failed(404, reply("error_not_found.txt"), "text/plain")),
                 QStringLiteral("Prometheus-compatible server "));
        QCOMPARE(who(failed(403, "", ""), "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1"),
                 QStringLiteral("Amazon Managed Prometheus "));
        QVERIFY(who(failed(401, reply("mimir_error_tenant.txt"), "text/plain"))
                    .contains(QStringLiteral("X-Scope-OrgID")));
        QVERIFY(who(good("<html>")).startsWith(u'!'));
    }
};

QTEST_APPLESS_MAIN(PrometheusApiTest)

} // namespace tst_prometheus_api

#include "tst_prometheus_api.moc"
