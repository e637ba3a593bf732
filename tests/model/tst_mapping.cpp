// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/mapping_choice.h"
#include "model/observation/rule_expression.h"

#include <QTest>

#include <algorithm>

namespace tst_mapping {

using namespace alidade;

class TestMapping : public QObject {
    Q_OBJECT
private slots:
    void expressions_data();
    void expressions();
    void quantileKeepsTheBucketsApart();
    void coarseGridLeavesOutNoSample();
    void jobSelectsItsOwn();
    void hostsAreMatchedLiterally();
    void labelValuesAreEscaped();
    void trainingJobHasNoLatency();
    void windows();
    void scrapeIntervals_data();
    void scrapeIntervals();
    void firstAlternativeThatIsThere();
    void histogramNeedsItsBuckets();
    void absenceSaysWhatWasLookedFor();
    void units_data();
    void units();
};

namespace {

const QueryWindows usual = queryWindows(15, 15);

std::string text(const MetricRule& rule, const JobSelection& selection = {},
                 Statistic statistic = Statistic::value, const QueryWindows& windows = usual) {
    return expressionOf(rule, {}, windows, selection, statistic);
}

MetricRule rule(Signal signal, std::string metric, MetricKind kind = MetricKind::gauge) {
    MetricRule out;
    out.signal = signal;
    out.metric = std::move(metric);
    out.kind = kind;
    return out;
}

} // namespace

void TestMapping::expressions_data() {
    QTest::addColumn<QByteArray>("made");
    QTest::addColumn<QByteArray>("right");
    const auto row = [](const char* name, const MetricRule& each, const char* right) {
        QTest::newRow(name) << QByteArray::fromStdString(text(each)) << QByteArray(right);
    };
    row("gauge of a GPU", rule(Signal::smClock, "CLK"),
        "avg by (instance, gpu) (last_over_time(CLK[37500ms]))");
    MetricRule named = rule(Signal::smClock, "CLK");
    named.host = "Hostname|hostname";
    row("two names of the host", named, "avg by (Hostname, hostname, gpu) (last_over_time(CLK[37500ms]))");
    MetricRule chosen = rule(Signal::smClock, "CLK");
    chosen.selector = R"(modelName="H100")";
    row("selector", chosen, "avg by (instance, gpu) (last_over_time(CLK{modelName=\"H100\"}[37500ms]))");
    row("name beyond the usual characters", rule(Signal::loss, "train/loss"),
        "avg (last_over_time({__name__=\"train/loss\"}[37500ms]))");
    MetricRule code = rule(Signal::xid, "XID");
    code.part = "err_code";
    row("code", code, "max by (instance, gpu, err_code) (last_over_time(XID[37500ms]))");
    // Each series' rate first: a restart of one is not a fall of the sum.
    row("counter of devices, for the node", rule(Signal::efaTransmit, "TX", MetricKind::counter),
        "sum by (instance) (rate(TX[60s]))");
    row("events of a device", rule(Signal::efaRetransmitTimeouts, "TO", MetricKind::counter),
        "sum by (instance, device) (rate(TO[60s]))");
    row("counter of the job", rule(Signal::tokensPerSecond, "TOK", MetricKind::counter),
        "sum (rate(TOK[120s]))");
    row("gauge of the job on many ranks", rule(Signal::tokensPerSecond, "TPS"),
        "avg (last_over_time(TPS[37500ms]))");
    row("mean of the steps", rule(Signal::stepTime, "STEP", MetricKind::summary),
        "sum (rate(STEP_sum[60s])) / sum (rate(STEP_count[60s]))");
    row("share of time", rule(Signal::checkpointShare, "CKPT", MetricKind::summary),
        "sum (rate(CKPT_sum[120s]))");
    row("count that goes back", rule(Signal::stepsPerSecond, "GSTEP", MetricKind::progress),
        "avg (clamp_min(delta(GSTEP[120s]), 0) / 120)");
    MetricRule hits = rule(Signal::prefixHitShare, "HIT", MetricKind::ratio);
    hits.divisor = "ALL";
    row("ratio of counters", hits, "sum by (instance) (rate(HIT[60s])) / sum by (instance) (rate(ALL[60s]))");
    MetricRule stall = rule(Signal::dataStallShare, "WAIT", MetricKind::quotient);
    stall.divisor = "STEP";
    stall.combine = Combine::mean;
    row("quotient of gauges", stall,
        "avg (last_over_time(WAIT[37500ms])) / avg (last_over_time(STEP[37500ms]))");
    MetricRule ranks = rule(Signal::generationTokensPerSecond, "GEN", MetricKind::counter);
    ranks.copies = {"tp_rank", "pp_rank"};
    row("ranks that say the same", ranks,
        "sum by (instance) (max without (tp_rank, pp_rank) (rate(GEN[60s])))");
    MetricRule blocks = rule(Signal::kvCacheBlocks, "CONF", MetricKind::info);
    blocks.figures = {"blocks", "size"};
    row("figure in the labels", blocks, "sum by (instance, blocks, size) (last_over_time(CONF[37500ms]))");
    MetricRule up = rule(Signal::targetUp, "up");
    up.part = "job";
    row("exporters of a host", up, "min by (instance, job) (last_over_time(up[37500ms]))");
}

void TestMapping::expressions() {
    QFETCH(QByteArray, made);
    QFETCH(QByteArray, right);
    QCOMPARE(made, right);
}

void TestMapping::quantileKeepsTheBucketsApart() {
    const MetricRule ttft = rule(Signal::timeToFirstToken, "TTFT", MetricKind::histogram);
    QCOMPARE(text(ttft, {}, Statistic::p95),
             std::string("histogram_quantile(0.95, sum by (instance, le) (rate(TTFT_bucket[60s])))"));
    QCOMPARE(
        text(ttft, {}, Statistic::mean),
        std::string("sum by (instance) (rate(TTFT_sum[60s])) / sum by (instance) (rate(TTFT_count[60s]))"));
    QCOMPARE(statisticsOf(ttft).size(), std::size_t{5});
    // A summary has no buckets: its mean alone.
    QCOMPARE(statisticsOf(rule(Signal::timeToFirstToken, "TTFT", MetricKind::summary)),
             std::vector<Statistic>{Statistic::mean});
}

void TestMapping::coarseGridLeavesOutNoSample() {
    const QueryWindows coarse = queryWindows(15, 300);
    QCOMPARE(text(rule(Signal::gpuPower, "P"), {}, Statistic::value, coarse),
             std::string("avg by (instance, gpu) (avg_over_time(P[300s]))"));
    // What must not be averaged away.
    QCOMPARE(text(rule(Signal::xid, "X"), {}, Statistic::value, coarse),
             std::string("max by (instance, gpu) (max_over_time(X[300s]))"));
    QCOMPARE(text(rule(Signal::targetUp, "up"), {}, Statistic::value, coarse),
             std::string("min by (instance) (min_over_time(up[300s]))"));
    QCOMPARE(text(rule(Signal::efaTransmit, "TX", MetricKind::counter), {}, Statistic::value, coarse),
             std::string("sum by (instance) (rate(TX[300s]))"));
}

void TestMapping::jobSelectsItsOwn() {
    const JobSelection job{JobSelection::Kind::training, R"(job_name="llama")", {"gpu-0001", "gpu-0002"}};
    QCOMPARE(text(rule(Signal::loss, "LOSS"), job),
             std::string("avg (last_over_time(LOSS{job_name=\"llama\"}[37500ms]))"));
    QCOMPARE(text(rule(Signal::gpuPower, "P"), job),
             std::string("avg by (instance, gpu) (last_over_time("
                         R"(P{instance=~"(?:gpu-0001|gpu-0002)(?::[0-9]+)?"}[37500ms])))"));
    MetricRule named = rule(Signal::gpuPower, "P");
    named.host = "Hostname";
    QCOMPARE(
        text(named, job),
        std::string("avg by (Hostname, gpu) (last_over_time(P{Hostname=~\"gpu-0001|gpu-0002\"}[37500ms]))"));
    // Which of two labels a series has is not known beforehand.
    named.host = "Hostname|hostname";
    QVERIFY(text(named, job).find("gpu-0001") == std::string::npos);
    // A configuration rarely names the model.
    QVERIFY(text(rule(Signal::kvCacheBlocks, "CONF", MetricKind::info), job).find("llama") ==
            std::string::npos);
}

void TestMapping::hostsAreMatchedLiterally() {
    const JobSelection job{JobSelection::Kind::training, {}, {"gpu-1.example"}};
    MetricRule named = rule(Signal::gpuPower, "P");
    named.host = "Hostname";
    QVERIFY2(text(named, job).find("\"gpu-1\\\\.example\"") != std::string::npos, text(named, job).c_str());
}

void TestMapping::labelValuesAreEscaped() {
    QCOMPARE(labelMatcher("job", "a\"b\\c\nd"), std::string("job=\"a\\\"b\\\\c\\nd\""));
}

void TestMapping::trainingJobHasNoLatency() {
    using Kind = JobSelection::Kind;
    QVERIFY(!concerns({Kind::training, {}, {}}, Signal::timeToFirstToken));
    QVERIFY(concerns({Kind::training, {}, {}}, Signal::gpuPower));
    QVERIFY(!concerns({Kind::serving, {}, {}}, Signal::stepTime));
    QVERIFY(!concerns({Kind::serving, {}, {}}, Signal::nodeComputeTime));
    QVERIFY(concerns({Kind::everything, {}, {}}, Signal::stepTime));
}

void TestMapping::windows() {
    const QueryWindows fine = queryWindows(15, 5);
    QCOMPARE(fine.rate, 60.0); // four intervals
    QCOMPARE(fine.gauge, 37.5);
    QCOMPARE(queryWindows(15, 300).rate, 300.0);    // windows touch
    QCOMPARE(queryWindows(15, 15, 9.3).job, 149.0); // sixteen steps
    QCOMPARE(queryWindows(15, 15, 0.5).job, 60.0);
    QCOMPARE(queryWindows(15, 15, 100).job, 600.0); // no longer than ten minutes
    QCOMPARE(promDuration(37.5), std::string("37500ms"));
    QCOMPARE(promDuration(60), std::string("60s"));
}

void TestMapping::scrapeIntervals_data() {
    QTest::addColumn<double>("samples");
    QTest::addColumn<double>("interval");
    QTest::newRow("15 s, both ends in the window") << 41.0 << 15.0;
    QTest::newRow("15 s, one end") << 40.0 << 15.0;
    QTest::newRow("30 s") << 20.0 << 30.0;
    QTest::newRow("60 s") << 11.0 << 60.0;
    QTest::newRow("5 s") << 120.0 << 5.0;
    QTest::newRow("one sample tells nothing") << 1.0 << 0.0;
    QTest::newRow("none") << 0.0 << 0.0;
    QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << 0.0;
}

void TestMapping::scrapeIntervals() {
    QFETCH(double, samples);
    QFETCH(double, interval);
    QCOMPARE(scrapeIntervalOf(samples, 600), interval);
}

void TestMapping::firstAlternativeThatIsThere() {
    MetricMapping preset{.id = "p", .name = "P"};
    preset.labels.host = "Hostname";
    preset.rules = {rule(Signal::smActive, "SM"), rule(Signal::smActive, "GR"),
                    rule(Signal::gpuPower, "POWER")};
    MetricMapping other{.id = "q", .name = "Q"};
    other.rules = {rule(Signal::gpuPower, "WATTS"), rule(Signal::loss, "LOSS")};
    const MetricMapping both = chooseRules({preset, other}, {"GR", "POWER", "SM", "WATTS"});
    QCOMPARE(both.rules.size(), std::size_t{2});
    QCOMPARE(both.rule(Signal::smActive)->metric, std::string("SM"));
    QCOMPARE(both.rule(Signal::gpuPower)->metric, std::string("POWER"));
    QCOMPARE(both.rule(Signal::gpuPower)->source, std::string("p"));
    QCOMPARE(both.rule(Signal::gpuPower)->host, std::string("Hostname"));
    const MetricMapping substitute = chooseRules({preset, other}, {"GR", "WATTS"});
    QCOMPARE(substitute.rule(Signal::smActive)->metric, std::string("GR"));
    QCOMPARE(substitute.rule(Signal::gpuPower)->source, std::string("q"));
}

void TestMapping::histogramNeedsItsBuckets() {
    const MetricRule ttft = rule(Signal::timeToFirstToken, "T", MetricKind::histogram);
    QVERIFY(!readable(ttft, {"T_count", "T_sum"}));
    QVERIFY(readable(ttft, {"T_bucket", "T_count", "T_sum"}));
    QVERIFY(readable(rule(Signal::stepTime, "T", MetricKind::summary), {"T_count", "T_sum"}));
    QVERIFY(!readable(rule(Signal::smClock, "T"), {}));
}

void TestMapping::absenceSaysWhatWasLookedFor() {
    MetricMapping preset{.id = "d", .name = "dcgm-exporter"};
    preset.probe = "DCGM_";
    preset.rules = {rule(Signal::smActive, "DCGM_SM"), rule(Signal::gpuPower, "DCGM_POWER")};
    preset.absent = {{Signal::smActive, "uncomment it"}};
    const MetricMapping part = chooseRules({preset}, {"DCGM_POWER"});
    QCOMPARE(part.absent.size(), std::size_t{1});
    QCOMPARE(part.absent.front().signal, Signal::smActive);
    QCOMPARE(part.absent.front().why, std::string("no metric DCGM_SM on the server, though it has others of "
                                                  "dcgm-exporter; uncomment it"));
    const MetricMapping none = chooseRules({preset}, {"node_load1"});
    QCOMPARE(none.absent.size(), std::size_t{2});
    QCOMPARE(none.absent.front().why,
             std::string("nothing on the server is from dcgm-exporter; looked for DCGM_POWER"));
}

void TestMapping::units_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<double>("scale");
    QTest::addColumn<double>("raw");
    QTest::addColumn<QByteArray>("odd"); // empty: nothing
    const auto row = [](const char* name, Signal signal, double scale, double raw, const char* odd) {
        QTest::newRow(name) << static_cast<int>(signal) << scale << raw << QByteArray(odd);
    };
    row("fraction", Signal::tensorActive, 1, 0.6, "");
    row("percent as a fraction", Signal::tensorActive, 1, 60, "percent; try scale 0.01");
    row("counter as a fraction", Signal::tensorActive, 1, 4e9, "not a valid share");
    row("percent", Signal::gpuUtilization, 0.01, 97, "");
    row("fraction as percent", Signal::gpuUtilization, 0.01, 0.97, "fraction");
    row("temperature", Signal::gpuTemperature, 1, 71, "");
    row("temperature in millidegrees", Signal::gpuTemperature, 1, 71000, "degC");
    row("temperature of 4000", Signal::gpuTemperature, 1, 4000, "degC");
    row("clock", Signal::smClock, 1e6, 1755, "");
    row("clock in Hz read as MHz", Signal::smClock, 1e6, 1.755e9, "MHz");
    row("clock in MHz read as Hz", Signal::smClock, 1, 1755, "MHz");
    row("power", Signal::gpuPower, 1, 690, "");
    row("milliwatts", Signal::gpuPower, 1, 690000, "milliwatts");
    row("milliseconds as seconds", Signal::stepTime, 1, 9300, "milliseconds");
    row("blank sentinel", Signal::tensorActive, 1, 9223372036854775794.0, "");
}

void TestMapping::units() {
    QFETCH(int, signal);
    QFETCH(double, scale);
    QFETCH(double, raw);
    QFETCH(QByteArray, odd);
    MetricRule each = rule(static_cast<Signal>(signal), "M");
    each.scale = scale;
    const std::optional<std::string> said = implausible(each, raw);
    QCOMPARE(said.has_value(), !odd.isEmpty());
    if (said)
        QVERIFY2(QByteArray::fromStdString(*said).contains(odd), said->c_str());
}

QTEST_APPLESS_MAIN(TestMapping)

} // namespace tst_mapping

#include "tst_mapping.moc"
