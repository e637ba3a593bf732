// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/joined_queries.h"
#include "data/observation/percentile_queries.h"
#include "tests/data/observation_rig.h"

#include <QTest>

namespace tst_joined_queries {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

/// A client that counts what it asks.
struct Counted {
    explicit Counted(HttpExchange& exchange)
        : api(
              [this, &exchange](const std::vector<HttpRequest>& requests, std::stop_token stop,
                                const std::function<void(std::size_t, HttpReply&)>& arrived) {
                  count += requests.size();
                  return exchange.exchange(requests, std::move(stop), arrived);
              },
              "http://prometheus.example:9090") {}
    std::size_t count = 0;
    PrometheusApi api;
};

/// NaN equals NaN here, and nothing else is rounded.
bool same(const Matrix& a, const Matrix& b) {
    return a.grid == b.grid && a.series == b.series && a.infinite == b.infinite &&
           std::ranges::equal(a.values, b.values,
                              [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

Matrix answerOf(std::vector<Labels> series) {
    Matrix out;
    out.grid = {1000, 10, 1};
    for (std::size_t i = 0; i < series.size(); ++i)
        out.values.push_back(static_cast<double>(i));
    out.series = std::move(series);
    return out;
}

} // namespace

class TestJoinedQueries : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const QString& why : {PrometheusServer::missing(), SimulatedCluster::missing()})
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
        rig_ = std::make_unique<Rig>(quiet());
        QVERIFY2(rig_->error().isEmpty(), qPrintable(rig_->error()));
        grid_ = {rig_->cluster.start() + 900, 15, 5};
    }

    void onlyWhatIsKnownToBeSmallIsJoined() {
        const AnswerSizes sizes{{"a", 4}, {"b", 5000}, {"d", 1}};
        const std::vector<JoinedQuery> queries = joinedQueries({"a", "b", "c", "d"}, sizes);
        QCOMPARE(queries.size(), std::size_t{3});
        QCOMPARE(queries[0].members, (std::vector<std::size_t>{0, 3}));
        QCOMPARE(queries[0].expression, "label_replace(a, \"alidade_query\", \"0\", \"\", \"\") or "
                                        "label_replace(d, \"alidade_query\", \"1\", \"\", \"\")");
        QCOMPARE(queries[1].expression, "b");
        QCOMPARE(queries[2].expression, "c");
        // Of one there is nothing to join.
        QCOMPARE(joinedQueries({"a", "b"}, sizes).front().expression, "a");
    }

    void groupsFitIntoAUrl() {
        std::vector<std::string> expressions;
        AnswerSizes sizes;
        for (int i = 0; i < 100; ++i) {
            expressions.push_back("sum(" + std::string(300, 'x') + std::to_string(i) + ")");
            sizes[expressions.back()] = 1;
        }
        std::size_t members = 0;
        const std::vector<JoinedQuery> queries = joinedQueries(expressions, sizes);
        QCOMPARE(queries.size(), std::size_t{10});
        for (const JoinedQuery& query : queries) {
            QVERIFY(query.expression.size() <= 4000);
            members += query.members.size();
        }
        QCOMPARE(members, expressions.size());
    }

    void seriesGoToTheirMembersInOrder() {
        const Matrix answer = answerOf({{{"alidade_query", "1"}, {"gpu", "0"}},
                                        {{"alidade_query", "0"}, {"z", "1"}},
                                        {{"alidade_query", "1"}},
                                        {{"alidade_query", "7"}},
                                        {{"gpu", "1"}}});
        const std::vector<Matrix> parts = separated(answer, 3);
        QCOMPARE(parts.size(), std::size_t{3});
        QCOMPARE(parts[0].series, (std::vector<Labels>{{{"z", "1"}}}));
        QCOMPARE(parts[1].series, (std::vector<Labels>{{}, {{"gpu", "0"}}}));
        QCOMPARE(parts[1].values, (std::vector<double>{2, 0}));
        QVERIFY(parts[2].series.empty());
    }

    /// Also of quotients, percentiles, an answer without series and one that is not a number.
    void answersAreThoseOfEachAlone() {
        const std::vector<std::string> expressions{
            "sum by (instance) (rate(vllm:generation_tokens_total[60s]))",
            "max by (Hostname, gpu) (last_over_time(DCGM_FI_DEV_SM_CLOCK[40s]))",
            "histogram_quantile(0.99, sum by (instance, le) "
            "(rate(vllm:time_to_first_token_seconds_bucket[60s])))",
            "sum (rate(training_step_duration_seconds_sum[60s])) / sum "
            "(rate(training_step_duration_seconds_count[60s]))",
            "sum by (instance) (no_such_metric)",
            "sum by (instance) (0 * last_over_time(node_boot_time_seconds[40s])) / 0",
            "min by (instance, job) (last_over_time(up[40s]))",
        };
        Counted counted(*rig_->exchange);
        AnswerSizes sizes;
        const auto first = rangesTogether(counted.api, expressions, grid_, sizes);
        QCOMPARE(counted.count, expressions.size());
        QCOMPARE(sizes.size(), expressions.size());
        const auto second = rangesTogether(counted.api, expressions, grid_, sizes);
        QCOMPARE(counted.count, expressions.size() + 1);
        for (std::size_t i = 0; i < expressions.size(); ++i) {
            QVERIFY2(first[i] && second[i], expressions[i].c_str());
            QVERIFY2(same(*first[i], *second[i]), expressions[i].c_str());
        }
        QVERIFY(!first[2]->series.empty() && !first[5]->series.empty());
    }

    /// Four percentiles of a histogram are one request for its buckets, and no other than the server's.
    void percentilesShareTheirBuckets() {
        const std::string buckets =
            "sum by (instance, le) (rate(vllm:time_to_first_token_seconds_bucket[60s]))";
        std::vector<std::string> expressions;
        for (const char* level : {"0.5", "0.9", "0.95", "0.99"})
            expressions.push_back("histogram_quantile(" + std::string(level) + ", " + buckets + ")");
        Counted counted(*rig_->exchange);
        AnswerSizes sizes;
        const auto first = rangesTogether(counted.api, expressions, grid_, sizes);
        QCOMPARE(counted.count, std::size_t{4}); // they might be large
        QCOMPARE(requestsTogether(expressions, sizes), std::size_t{1});
        const auto second = rangesTogether(counted.api, expressions, grid_, sizes);
        QCOMPARE(counted.count, std::size_t{5});
        QVERIFY(sizes.contains(buckets));
        for (std::size_t i = 0; i < expressions.size(); ++i) {
            QVERIFY2(first[i] && second[i], expressions[i].c_str());
            QVERIFY(!first[i]->series.empty() && std::isfinite(first[i]->values.back()));
            QVERIFY2(same(*first[i], *second[i]), expressions[i].c_str());
        }
    }

    /// What is not a percentile alone, is large or has no other of its histogram is asked as it is.
    void onlySmallPercentilesShare() {
        const std::string p50 = "histogram_quantile(0.5, sum by (le) (a))",
                          p99 = "histogram_quantile(0.99, sum by (le) (a))",
                          scaled = "histogram_quantile(0.9, sum by (le) (a)) * 2",
                          other = "histogram_quantile(0.5, sum by (le) (b))";
        AnswerSizes sizes{{p50, 1}, {p99, 1}, {scaled, 1}, {other, 1}};
        const PercentileQueries shared = withSharedBuckets({p50, scaled, other, p99}, sizes);
        QCOMPARE(shared.expressions, (std::vector<std::string>{"sum by (le) (a)", scaled, other}));
        QCOMPARE(shared.sources[0].level, 0.5);
        QCOMPARE(shared.sources[3].asked, std::size_t{0});
        QCOMPARE(shared.sources[3].level, 0.99);
        QVERIFY(shared.sources[1].level < 0 && shared.sources[2].level < 0);
        sizes[p99] = 65;
        QCOMPARE(withSharedBuckets({p50, p99}, sizes).expressions, (std::vector<std::string>{p50, p99}));
    }

    /// Buckets that cannot be answered are asked for no more.
    void bucketsThatFailAreLeft() {
        const std::vector<std::string> expressions{"histogram_quantile(0.5, sum by (le) (up{))",
                                                   "histogram_quantile(0.9, sum by (le) (up{))",
                                                   "max (last_over_time(up[40s]))"};
        AnswerSizes sizes;
        for (const std::string& each : expressions)
            sizes[each] = 1;
        const auto answers = rangesTogether(*rig_->api, expressions, grid_, sizes);
        QVERIFY(!answers[0] && QByteArray(answers[0].error().c_str()).contains("parse error"));
        QVERIFY(!answers[1] && answers[2] && answers[2]->series.size() == 1);
    }

    void failureHurtsNoOther() {
        const std::vector<std::string> expressions{"sum (last_over_time(up[40s]))", "sum (",
                                                   "max (last_over_time(up[40s]))"};
        AnswerSizes sizes;
        for (const std::string& each : expressions)
            sizes[each] = 1; // as if they had been answered before
        const auto answers = rangesTogether(*rig_->api, expressions, grid_, sizes);
        QVERIFY(answers[0] && answers[0]->series.size() == 1);
        QVERIFY(!answers[1] && QByteArray(answers[1].error().c_str()).contains("parse error"));
        QVERIFY(answers[2] && answers[2]->series.size() == 1);
        QVERIFY(sizes.empty()); // and they are alone from now on
    }

    /// A server that has no time now is not asked the more for it.
    void refusedGroupIsNotTakenApart() {
        std::size_t asked = 0;
        PrometheusApi api(
            [&](const std::vector<HttpRequest>& requests, std::stop_token,
                const std::function<void(std::size_t, HttpReply&)>& arrived) {
                asked += requests.size();
                std::vector<HttpReply> replies(requests.size());
                for (std::size_t i = 0; i < replies.size(); ++i) {
                    replies[i].fault = HttpFault::status;
                    replies[i].status = 429;
                    arrived(i, replies[i]);
                }
                return replies;
            },
            "http://prometheus.example:9090");
        AnswerSizes sizes{{"a", 1}, {"b", 1}};
        const auto answers = rangesTogether(api, {"a", "b"}, grid_, sizes);
        QCOMPARE(asked, std::size_t{1});
        QVERIFY(!answers[0] && !answers[0].error().empty());
        QVERIFY(!answers[1] && !answers[1].error().empty());
    }

private:
    std::unique_ptr<Rig> rig_;
    TimeGrid grid_;
};

QTEST_GUILESS_MAIN(TestJoinedQueries)

} // namespace tst_joined_queries

#include "tst_joined_queries.moc"
