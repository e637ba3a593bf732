// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of an answer's series, and whose hosts are whose: without a server.
#include "data/observation/cluster_map.h"
#include "data/observation/signal_rows.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tst_observation_rows {

using namespace alidade;
using namespace alidade::data;
using alidade::data::ClusterMap; // not the one of the model

class TestObservationRows : public QObject {
    Q_OBJECT
private slots:
    void hostNames();
    void rowsAreSortedAndScaled();
    void sentinelsAndSharesAboveOne();
    void laterExporterContinuesTheRow();
    void newestCodeCounts();
    void eventsAreOfAStep();
    void unnamedSeriesAreCounted();
    void bucketWidths();
    void addressesGetNames();
    void sharedNamesAreNone();
    void hostsByTheScheduler();
    void hostsByTheJobItself();
    void hostsByExclusion();
    void twoJobsThatNothingTellsApart();
    void jobThatIsNot();
};

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

MetricRule gauge(Signal signal, double scale = 1) {
    MetricRule rule;
    rule.signal = signal;
    rule.metric = "M";
    rule.scale = scale;
    return rule;
}

Matrix matrix(std::vector<Labels> series, std::vector<double> values) {
    Matrix out;
    out.grid = {1000, 10, series.empty() ? 0 : values.size() / series.size()};
    out.series = std::move(series);
    out.values = std::move(values);
    return out;
}

SignalRows read(const Matrix& answer, const MetricRule& rule) {
    static const LabelNames labels;
    static const HostAliases none;
    return signalRows(answer, {rule, labels, none, {.step = 10}});
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b,
                              [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

ClusterMap::Gpu gpu(const char* host, const char* job = "") { return {host, 0, job}; }

} // namespace

void TestObservationRows::hostNames() {
    const HostAliases aliases = {{"10.0.0.7", "gpu-0007"}};
    QCOMPARE(hostName("gpu-0001", aliases), std::string("gpu-0001"));
    QCOMPARE(hostName("gpu-0001:9100", aliases), std::string("gpu-0001"));
    QCOMPARE(hostName("10.0.0.7:9400", aliases), std::string("gpu-0007"));
    QCOMPARE(hostName("[fe80::1]:9100", aliases), std::string("fe80::1"));
    QCOMPARE(hostName("fe80::1", aliases), std::string("fe80::1"));
    QCOMPARE(hostName("", aliases), std::string());
}

void TestObservationRows::rowsAreSortedAndScaled() {
    const SignalRows rows = read(matrix({{{"gpu", "10"}, {"instance", "b:9400"}},
                                         {{"gpu", "9"}, {"instance", "b:9400"}},
                                         {{"gpu", "0"}, {"instance", "a:9400"}}},
                                        {1, 2, 3, 4, 5, nothing}),
                                 gauge(Signal::smClock, 1e6));
    QCOMPARE(rows.table.rows, (std::vector<Entity>{{"a", 0, {}}, {"b", 9, {}}, {"b", 10, {}}}));
    QVERIFY(same(rows.table.values, {5e6, nothing, 3e6, 4e6, 1e6, 2e6}));
}

void TestObservationRows::sentinelsAndSharesAboveOne() {
    MetricRule share = gauge(Signal::tensorActive);
    share.largest = 1;
    const SignalRows rows = read(matrix({{{"gpu", "0"}, {"instance", "a"}}},
                                        {0.5, 9223372036854775794.0, 140737488355328.0, 1.5, 1, 2147483632}),
                                 share);
    QVERIFY(same(rows.table.values, {0.5, nothing, nothing, nothing, 1, nothing}));
    QCOMPARE(rows.blanks.size(), std::size_t{2});
    QCOMPARE(rows.blanks[0].start, 1010.0);
    QCOMPARE(rows.blanks[0].end, 1030.0);
    QCOMPARE(rows.blanks[1].start, 1050.0);
    QCOMPARE(rows.blanks[0].where, (Entity{"a", 0, {}}));
}

// A new pod of the exporter has another address; the host's name stays.
void TestObservationRows::laterExporterContinuesTheRow() {
    MetricRule rule = gauge(Signal::gpuPower);
    rule.host = "Hostname|instance";
    const SignalRows rows = read(matrix({{{"Hostname", "a"}, {"gpu", "0"}, {"instance", "10.0.0.1:9400"}},
                                         {{"Hostname", "a"}, {"gpu", "0"}, {"instance", "10.0.0.2:9400"}}},
                                        {1, 2, nothing, nothing, 3, 4}),
                                 rule);
    QCOMPARE(rows.table.rows, (std::vector<Entity>{{"a", 0, {}}}));
    QVERIFY(same(rows.table.values, {1, 3, 4}));
}

void TestObservationRows::newestCodeCounts() {
    MetricRule code = gauge(Signal::xid);
    code.part = "err_code";
    const auto labels = [](const char* value) {
        return Labels{{"err_code", value}, {"gpu", "0"}, {"instance", "a"}};
    };
    // 94 comes, its 0 echoes for one point; then 48 comes while 94 echoes; then the node reboots.
    const SignalRows rows =
        read(matrix({labels("0"), labels("94"), labels("48")}, {0, 0, nothing, nothing, nothing, 0,    //
                                                                nothing, 94, 94, 94, nothing, nothing, //
                                                                nothing, nothing, nothing, 48, 48, nothing}),
             code);
    QCOMPARE(rows.table.rows.size(), std::size_t{1});
    QVERIFY(same(rows.table.values, {0, 94, 94, 48, 48, 0}));
}

void TestObservationRows::eventsAreOfAStep() {
    MetricRule errors = gauge(Signal::eccDoubleBit);
    errors.kind = MetricKind::counter;
    const SignalRows rows = read(matrix({{{"gpu", "0"}, {"instance", "a"}}}, {0, 0.05}), errors);
    QVERIFY(same(rows.table.values, {0, 0.5})); // 0.05 a second, ten seconds
}

void TestObservationRows::unnamedSeriesAreCounted() {
    const SignalRows rows =
        read(matrix({{{"instance", "a"}}, {{"gpu", "x"}, {"instance", "a"}}, {{"gpu", "0"}}}, {1, 2, 3}),
             gauge(Signal::gpuPower));
    QCOMPARE(rows.unnamed, std::size_t{3});
    QVERIFY(rows.table.rows.empty());
}

void TestObservationRows::bucketWidths() {
    SignalTable table;
    table.values = {nothing, 0.2, 0.21, 0.3};
    const std::vector<std::string> bounds = {"+Inf", "0.1", "0.25", "0.5"};
    QCOMPARE(bucketWidthOf(table, bounds, 1), 0.15);
    table.values = {0.05};
    QCOMPARE(bucketWidthOf(table, bounds, 1), 0.1); // the first one begins at zero
    table.values = {0.7};
    QCOMPARE(bucketWidthOf(table, bounds, 1), 0.0); // beyond the last finite bound
    table.values = {nothing};
    QCOMPARE(bucketWidthOf(table, bounds, 1), 0.0);
}

void TestObservationRows::addressesGetNames() {
    MapSeries series;
    series.uname = {{{"instance", "10.0.0.1:9100"}, {"nodename", "gpu-0001"}}};
    series.node = {{{"instance", "10.0.0.1:9100"}}};
    const ClusterMap map = clusterMap(series, {});
    QCOMPARE(map.nodes, std::vector<std::string>{"gpu-0001"});
}

void TestObservationRows::sharedNamesAreNone() {
    MapSeries series;
    series.uname = {{{"instance", "10.0.0.1:9100"}, {"nodename", "localhost"}},
                    {{"instance", "10.0.0.2:9100"}, {"nodename", "localhost"}}};
    QVERIFY(clusterMap(series, {}).aliases.empty());
}

void TestObservationRows::hostsByTheScheduler() {
    ClusterMap map;
    map.gpus = {gpu("a", "4711"), gpu("b", "4711"), gpu("c", "4712"), gpu("d")};
    map.training = {{"llama", "job_name", "a", false}};
    const Result<JobHosts> hosts = jobHosts(map, "llama", {});
    QVERIFY2(hosts, hosts.error().c_str());
    QCOMPARE(hosts->hosts, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(hosts->selection.matcher, std::string("job_name=\"llama\""));
    QVERIFY2(hosts->how.find("4711") != std::string::npos, hosts->how.c_str());
    QCOMPARE(hosts->gpus, std::size_t{2});
    // The scheduler's own name of it is a job, too.
    QCOMPARE(jobHosts(map, "4712", {})->hosts, std::vector<std::string>{"c"});
}

void TestObservationRows::hostsByTheJobItself() {
    ClusterMap map;
    map.gpus = {gpu("a"), gpu("b"), gpu("c")};
    map.training = {{"llama", "job_name", "a", false},
                    {"llama", "job_name", "b", true},
                    {"other", "job_name", "c", true}};
    QVERIFY(!needsIdleHosts(map, "llama"));
    QCOMPARE(jobHosts(map, "llama", {})->hosts, std::vector<std::string>{"b"});
    QVERIFY(jobHosts(map, "llama", {})->doubt.empty());
}

void TestObservationRows::hostsByExclusion() {
    ClusterMap map;
    map.gpus = {gpu("a"), gpu("b"), gpu("c"), gpu("d")};
    map.training = {{"llama", "job_name", "head", false}};
    map.serving = {{"model", "model_name", "c", false}};
    QVERIFY(needsIdleHosts(map, "llama"));
    QCOMPARE(jobHosts(map, "llama", {"d"})->hosts, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(jobHosts(map, "model", {})->hosts, std::vector<std::string>{"c"});
    QCOMPARE(jobHosts(map, {}, {})->hosts, (std::vector<std::string>{"a", "b", "c", "d"}));
    QVERIFY(jobHosts(map, {}, {})->selection.hosts.empty());
}

void TestObservationRows::twoJobsThatNothingTellsApart() {
    ClusterMap map;
    map.gpus = {gpu("a"), gpu("b")};
    map.training = {{"one", "job_name", "head", false}, {"two", "job_name", "head", false}};
    QVERIFY2(jobHosts(map, "one", {})->doubt.find("hpc_job") != std::string::npos,
             jobHosts(map, "one", {})->doubt.c_str());
}

void TestObservationRows::jobThatIsNot() {
    ClusterMap map;
    map.training = {{"llama-70b", "job_name", "a", false}};
    const Result<JobHosts> hosts = jobHosts(map, "llama-70", {});
    QVERIFY(!hosts);
    QVERIFY2(hosts.error().find("llama-70b") != std::string::npos, hosts.error().c_str());
}

QTEST_APPLESS_MAIN(TestObservationRows)

} // namespace tst_observation_rows

#include "tst_observation_rows.moc"
