// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules a server can answer, what is said of the others, and what is odd about values; names and
// expressions.
#include "model/observation/histogram_quantile.h"
#include "model/observation/mapping_choice.h"
#include "model/observation/rule_expression.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_mapping_choice {

using namespace alidade;

namespace {

MetricRule rule(Signal signal, std::string metric, MetricKind kind = MetricKind::gauge) {
    MetricRule out;
    out.signal = signal;
    out.metric = std::move(metric);
    out.kind = kind;
    return out;
}

MetricMapping preset(const char* id, std::vector<MetricRule> rules) {
    MetricMapping out;
    out.id = id;
    out.name = "The " + std::string(id);
    out.rules = std::move(rules);
    return out;
}

std::string whyAbsent(const MetricMapping& of, Signal signal) {
    for (const MissingSignal& each : of.absent)
        if (each.signal == signal)
            return each.why;
    return {};
}

} // namespace

class TestMappingChoice : public QObject {
    Q_OBJECT

private slots:
    void namesOfWhatWasDetected() {
        std::vector<MetricMapping> presets;
        std::vector<std::string> names;
        const auto detected = [&] { return chooseRules(presets, names).name; };
        QCOMPARE(detected(), std::string("nothing that is known"));
        const Signal read[] = {Signal::smClock, Signal::gpuPower, Signal::loss, Signal::xid,
                               Signal::targetUp};
        const char* said[] = {"Detected: The 0", "Detected: The 0 and The 1",
                              "Detected: The 0, The 1 and The 2", "Detected: The 0, The 1, The 2 and The 3",
                              "Detected: The 0, The 1, The 2, The 3, ..."};
        // In the order of the signals.
        const std::size_t order[] = {0, 1, 3, 4, 2};
        for (std::size_t i = 0; i < 5; ++i) {
            names.push_back(std::string(1, static_cast<char>('a' + static_cast<char>(i))));
            presets.push_back(preset(std::to_string(i).c_str(), {rule(read[order[i]], names.back())}));
            QCOMPARE(detected(), std::string(said[i]));
        }
        QCOMPARE(chooseRules(presets, names).id, std::string("detected"));
    }

    /// What was looked for, where others of its source are there or nothing is.
    void whatIsNotThere() {
        MetricMapping first = preset("dcgm", {rule(Signal::smActive, "D_SM"), rule(Signal::smActive, "D_GR"),
                                              rule(Signal::gpuPower, "D_P"),
                                              rule(Signal::timeToFirstToken, "D_T", MetricKind::histogram)});
        first.absent = {
            {Signal::gpuPower, "not this"}, {Signal::smActive, "uncomment it"}, {Signal::smActive, "never"}};
        MetricMapping second = preset("amd", {rule(Signal::smActive, "A_SM"), rule(Signal::gpuPower, "A_P")});
        MetricMapping found = chooseRules({first, second}, {"D_P"});
        QCOMPARE(whyAbsent(found, Signal::smActive),
                 std::string("no metric D_SM or D_GR on the server, though it has others "
                             "of The dcgm; uncomment it"));
        // Of a histogram the first name that is missing.
        QCOMPARE(whyAbsent(found, Signal::timeToFirstToken),
                 std::string("no metric D_T_bucket on the server, though it has others of The dcgm"));
        QCOMPARE(found.absent.size(), std::size_t{2});
        found = chooseRules({first, second}, {"A_P", "D_P"});
        QCOMPARE(whyAbsent(found, Signal::smActive),
                 std::string("no metric D_SM, D_GR or A_SM on the server, though it has "
                             "others of The dcgm and The amd; uncomment it"));
        found = chooseRules({first, second}, {"other"});
        QCOMPARE(
            whyAbsent(found, Signal::smActive),
            std::string("nothing on the server is from The dcgm or The amd; looked for D_SM, D_GR and A_SM"));
        QCOMPARE(whyAbsent(found, Signal::loss), std::string());
        MetricMapping twice = first; // what is asked twice is told once
        twice.rules.push_back(rule(Signal::smActive, "D_SM"));
        QCOMPARE(whyAbsent(chooseRules({twice, twice}, {"other"}), Signal::smActive),
                 std::string("nothing on the server is from The dcgm; looked for D_SM and D_GR"));
        // A probe is how the names of a source begin.
        first.probe = "D_";
        QVERIFY(whyAbsent(chooseRules({first}, {"C", "D_X"}), Signal::smActive)
                    .starts_with("no metric D_SM or D_GR on"));
        QVERIFY(whyAbsent(chooseRules({first}, {"C", "DX"}), Signal::smActive)
                    .starts_with("nothing on the server"));
        QVERIFY(
            whyAbsent(chooseRules({first}, {"C"}), Signal::smActive).starts_with("nothing on the server"));
    }

    /// Engines of several makes serve side by side; of everything else the first alternative alone is read.
    void enginesAreReadSideBySide() {
        const auto rules = [](Signal signal) {
            const MetricMapping found =
                chooseRules({preset("p", {rule(signal, "a"), rule(signal, "b")}),
                             preset("q", {rule(signal, "c")}), preset("r", {rule(signal, "x")})},
                            {"a", "b", "c"});
            std::string out;
            for (const MetricRule& each : found.rules)
                out += each.metric + '(' + each.source + ')';
            return out;
        };
        QCOMPARE(rules(Signal::requestsRunning), std::string("a(p)c(q)"));
        QCOMPARE(rules(Signal::gpuPower), std::string("a(p)"));
        MetricMapping sourced = preset("p", {rule(Signal::gpuPower, "a")});
        sourced.rules.front().source = "elsewhere";
        QCOMPARE(chooseRules({sourced}, {"a"}).rules.front().source, std::string("elsewhere"));
    }

    /// Labels that differ from the usual ones are taken, the first preset's first; that of the host with the
    /// rule.
    void labelsOfPresets() {
        MetricMapping first = preset("p", {rule(Signal::gpuPower, "a"), rule(Signal::smClock, "b")});
        first.labels = {.host = "Hostname",
                        .gpu = "GPU",
                        .device = "Device",
                        .engine = "Engine",
                        .job = "Job",
                        .model = "Model",
                        .batchJob = "Batch"};
        first.rules[1].host = "own";
        MetricMapping second = preset("q", {rule(Signal::loss, "c")});
        second.labels = first.labels;
        second.labels.gpu = "other";
        const MetricMapping found = chooseRules({first, second}, {"a", "b", "c"});
        QCOMPARE(found.rule(Signal::gpuPower)->host, std::string("Hostname"));
        QCOMPARE(found.rule(Signal::smClock)->host, std::string("own"));
        LabelNames all = first.labels;
        all.host = LabelNames().host;
        QVERIFY(found.labels == all);
        QVERIFY(chooseRules({preset("p", {rule(Signal::gpuPower, "a")})}, {"a"}).rules.front().host.empty());
    }

    void oddValues_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<double>("scale");
        QTest::addColumn<double>("raw");
        QTest::addColumn<QByteArray>("said"); // empty: nothing
        const auto row = [](const char* name, Signal signal, double scale, double raw, const char* said) {
            QTest::newRow(name) << static_cast<int>(signal) << scale << raw << QByteArray(said);
        };
        row("share", Signal::tensorActive, 1, 1.05, "");
        row("percent", Signal::tensorActive, 1, 1.06,
            "M is up to 1.06, which looks like percent; try scale 0.01");
        row("all percent", Signal::tensorActive, 1, 105,
            "M is up to 105, which looks like percent; try scale 0.01");
        row("no percent", Signal::tensorActive, 1, 106,
            "M is up to 106, which is not a valid share; use another metric or scale");
        row("percent of percent", Signal::gpuUtilization, 0.5, 100,
            "M is up to 100, which looks like percent; try scale 0.005");
        row("fraction", Signal::gpuUtilization, 0.01, 0.97,
            "M is up to 0.97, which looks like a fraction and is read as percent; if it is a fraction, use "
            "scale 1");
        row("one percent", Signal::gpuUtilization, 0.01, 1, "");
        row("nothing", Signal::gpuUtilization, 0.01, 0, "");
        row("fiftieths", Signal::gpuUtilization, 0.02, 0.97, "");
        row("warm", Signal::gpuTemperature, 1, 150, "");
        row("hot", Signal::gpuTemperature, 1, 151,
            "M is up to 151, which exceeds any GPU's limit; use a temperature in degC");
        row("slow clock", Signal::smClock, 1e6, 10, "");
        row("no clock", Signal::smClock, 1e6, 9.9,
            "M is up to 9.9, read as 9.9 MHz; look at the unit of the metric");
        row("fast clock", Signal::smClock, 1e6, 1e5, "");
        row("too fast", Signal::smClock, 1e6, 101'000,
            "M is up to 1.01e+05, read as 1.01e+05 MHz; look at the unit of the metric");
        row("clock that stands", Signal::smClock, 1e6, 0, "");
        row("watts", Signal::gpuPower, 1, 5000, "");
        row("too many", Signal::gpuPower, 2, 2501,
            "M is up to 2.5e+03, read as 5e+03 W for one GPU; milliwatts would need scale 0.001");
        row("hour", Signal::stepTime, 1, 3600, "");
        row("more", Signal::stepTime, 2, 1805,
            "M is up to 1.8e+03, read as a step of 3.61e+03 s; milliseconds would need scale 0.001");
        row("other time", Signal::queueTime, 1, 9000, "");
        row("memory", Signal::memoryUsed, 1048576, 9.5e6, "");
        row("bytes as MiB", Signal::memoryUsed, 1048576, 1e7,
            "M is up to 1e+07, read as 1.05e+04 GB in one GPU; bytes would need scale 1");
        row("not blank", Signal::gpuPower, 1, 1e15,
            "M is up to 1e+15, read as 1e+15 W for one GPU; milliwatts would need scale 0.001");
        row("blank", Signal::gpuPower, 1, 1.1e15, "");
        row("no number", Signal::gpuPower, 1, std::numeric_limits<double>::quiet_NaN(), "");
    }
    void oddValues() {
        QFETCH(int, signal);
        QFETCH(double, scale);
        QFETCH(double, raw);
        QFETCH(QByteArray, said);
        MetricRule each = rule(static_cast<Signal>(signal), "M");
        each.scale = scale;
        QCOMPARE(QByteArray::fromStdString(implausible(each, raw).value_or("")), said);
    }
    void sharesOfCountersAreNotJudged() {
        QVERIFY(!implausible(rule(Signal::checkpointShare, "M", MetricKind::counter), 50));
        QVERIFY(implausible(rule(Signal::prefixHitShare, "M"), 50));
    }

    void combinations() {
        using enum Signal;
        for (const Signal each : {xid, rowsRemappedUncorrectable, rowsRemappedCorrectable, rowRemapFailure,
                                  rowRemapPending, bootTime, lastStep})
            QVERIFY(combination(rule(each, "M")) == Combine::largest);
        QVERIFY(combination(rule(targetUp, "M")) == Combine::smallest);
        for (const Signal each :
             {requestsRunning, requestsWaiting, kvCacheBlocks, eccSingleBit, efaTransmit, requestsPerSecond})
            QVERIFY(combination(rule(each, "M")) == Combine::sum);
        QVERIFY(combination(rule(tokensPerSecond, "M")) == Combine::mean); // each rank tells the whole job's
        QVERIFY(combination(rule(tokensPerSecond, "M", MetricKind::progress)) == Combine::mean);
        QVERIFY(combination(rule(tokensPerSecond, "M", MetricKind::counter)) == Combine::sum);
        QVERIFY(combination(rule(gpuPower, "M")) == Combine::mean);
        MetricRule told = rule(xid, "M");
        told.combine = Combine::smallest;
        QVERIFY(combination(told) == Combine::smallest);
    }

    void wordsOfRules() {
        for (const auto& [kind, word] :
             {std::pair(MetricKind::gauge, "gauge"), std::pair(MetricKind::ratio, "ratio"),
              std::pair(MetricKind::progress, "progress")}) {
            QCOMPARE(name(kind), std::string_view(word));
            QVERIFY(metricKindOf(word) == kind);
        }
        QVERIFY(!metricKindOf("x"));
        QCOMPARE(name(Combine::smallest), std::string_view("smallest"));
        QCOMPARE(alternatives("a|b|c"), (std::vector<std::string>{"a", "b", "c"}));
        QCOMPARE(alternatives("||a||"), std::vector<std::string>{"a"});
        QVERIFY(alternatives("").empty());
        MetricRule ratio = rule(Signal::prefixHitShare, "A", MetricKind::ratio);
        ratio.divisor = "B";
        QCOMPARE(metricNames(ratio), (std::vector<std::string>{"A", "B"}));
        ratio.kind = MetricKind::quotient;
        QCOMPARE(metricNames(ratio), (std::vector<std::string>{"A", "B"}));
        ratio.kind = MetricKind::histogram;
        QCOMPARE(metricNames(ratio), (std::vector<std::string>{"A_bucket", "A_sum", "A_count"}));
        ratio.kind = MetricKind::summary;
        QCOMPARE(metricNames(ratio), (std::vector<std::string>{"A_sum", "A_count"}));
        ratio.kind = MetricKind::info;
        QCOMPARE(metricNames(ratio), std::vector<std::string>{"A"});
        MetricMapping mapping;
        mapping.rules = {rule(Signal::gpuPower, "P"), rule(Signal::gpuPower, "Q")};
        QVERIFY(mapping.rule(Signal::gpuPower)->metric == "P" && mapping.rule(Signal::xid) == nullptr);
        QVERIFY(signalOf("xid") == Signal::xid && !signalOf("XID"));
    }

    void expressionsOfOtherRules() {
        const QueryWindows fine = queryWindows(15, 15), coarse = queryWindows(15, 300);
        const auto text = [](const MetricRule& each, const QueryWindows& windows,
                             Statistic statistic = Statistic::value, const JobSelection& job = {}) {
            return QByteArray::fromStdString(expressionOf(each, {}, windows, job, statistic));
        };
        const MetricRule ttft = rule(Signal::timeToFirstToken, "T", MetricKind::histogram);
        for (const auto& [statistic, level] :
             {std::pair(Statistic::p50, "0.5"), std::pair(Statistic::p90, "0.9"),
              std::pair(Statistic::p95, "0.95"), std::pair(Statistic::p99, "0.99")})
            QCOMPARE(text(ttft, fine, statistic), "histogram_quantile(" + QByteArray(level) +
                                                      ", sum by (instance, le) (rate(T_bucket[60s])))");
        QVERIFY(text(ttft, fine).startsWith("sum by (instance) (rate(T_sum[60s])) / sum by"));
        QCOMPARE(text(rule(Signal::requestsRunning, "R"), coarse),
                 QByteArray("sum by (instance) (avg_over_time(R[300s]))"));
        QCOMPARE(text(rule(Signal::bootTime, "B"), coarse),
                 QByteArray("max by (instance) (max_over_time(B[300s]))"));
        QCOMPARE(text(rule(Signal::bootTime, "B"),
                      queryWindows(120, 300)), // a gauge looks back as far as the grid
                 QByteArray("max by (instance) (last_over_time(B[300s]))"));
        MetricRule mean = rule(Signal::xid, "X");
        mean.combine = Combine::mean;
        QCOMPARE(text(mean, coarse),
                 QByteArray("avg by (instance, gpu) (max_over_time(X[300s]))")); // codes have no mean
        // Names that PromQL does not read as they are.
        for (const char* odd : {"a/b", "1a", "a-b"})
            QCOMPARE(text(rule(Signal::loss, odd), fine),
                     "avg (last_over_time({__name__=\"" + QByteArray(odd) + "\"}[37500ms]))");
        for (const char* plain : {"a1", "_a", "a:b", "A_1"})
            QCOMPARE(text(rule(Signal::loss, plain), fine),
                     "avg (last_over_time(" + QByteArray(plain) + "[37500ms]))");
        MetricRule selected = rule(Signal::loss, "a/b");
        selected.selector = "x=\"1\"";
        JobSelection job{JobSelection::Kind::training, "job=\"j\"", {"h-1_a", "h.2"}};
        QCOMPARE(text(selected, fine, Statistic::value, job),
                 QByteArray("avg (last_over_time({__name__=\"a/b\",x=\"1\",job=\"j\"}[37500ms]))"));
        QCOMPARE(
            text(rule(Signal::efaRetransmitted, "E", MetricKind::counter), fine, Statistic::value, job),
            QByteArray(
                "sum by (instance, device) (rate(E{instance=~\"(?:h-1_a|h\\\\.2)(?::[0-9]+)?\"}[60s]))"));
        QCOMPARE(text(rule(Signal::requestsRunning, "R"), fine, Statistic::value, job),
                 QByteArray("sum by (instance) (last_over_time(R{job=\"j\"}[37500ms]))"));
        job.matcher.clear();
        QCOMPARE(text(rule(Signal::loss, "L"), fine, Statistic::value, job),
                 QByteArray("avg (last_over_time(L[37500ms]))"));
        MetricRule parted = rule(Signal::smClock, "C");
        parted.part = "gpu|slot";
        QCOMPARE(text(parted, fine),
                 QByteArray("avg by (instance, gpu, slot) (last_over_time(C[37500ms]))")); // each once
        MetricRule progress = rule(Signal::stepsPerSecond, "S", MetricKind::progress);
        QCOMPARE(text(progress, queryWindows(15, 15, 5.25)),
                 QByteArray("avg (clamp_min(delta(S[84s]), 0) / 84)"));
    }

    /// Rates of the job are over whole steps; ratios of them, and what is not of the job, over the shorter
    /// window.
    void windowsOfRules() {
        const QueryWindows windows{60, 200, 40, 30};
        QCOMPARE(windowOf(rule(Signal::loss, "M"), windows), 40.0);
        QCOMPARE(windowOf(rule(Signal::loss, "M", MetricKind::info), windows), 40.0);
        QCOMPARE(windowOf(rule(Signal::loss, "M", MetricKind::quotient), {60, 200, 40, 90}), 90.0);
        QCOMPARE(windowOf(rule(Signal::tokensPerSecond, "M", MetricKind::counter), windows), 200.0);
        QCOMPARE(windowOf(rule(Signal::checkpointShare, "M", MetricKind::ratio), windows), 60.0);
        QCOMPARE(windowOf(rule(Signal::stepTime, "M", MetricKind::summary), windows), 60.0);
        QCOMPARE(windowOf(rule(Signal::efaTransmit, "M", MetricKind::counter), windows), 60.0);
        QCOMPARE(promDuration(0.0004), std::string("0s"));
        QCOMPARE(promDuration(1.5), std::string("1500ms"));
        using Kind = JobSelection::Kind;
        QVERIFY(concerns({Kind::training, {}, {}}, Signal::stepTime) &&
                concerns({Kind::serving, {}, {}}, Signal::kvCacheUse));
        QVERIFY(concerns({Kind::training, {}, {}}, Signal::nodeComputeTime) &&
                concerns({Kind::serving, {}, {}}, Signal::xid));
        QVERIFY(concerns({Kind::everything, {}, {}}, Signal::kvCacheUse));
        QVERIFY(statisticsOf(rule(Signal::gpuPower, "M")) == std::vector{Statistic::value});
    }

    /// Two counts that differ by rounding are one; a rank at a bound is of the bucket below it.
    void quantilesOfBuckets() {
        QCOMPARE(histogramQuantile(0.5, {{1, 2}, {2, 4}, {HUGE_VAL, 4}}), 1.0);
        QCOMPARE(histogramQuantile(0.5, {{1, 1}, {3, 4}, {HUGE_VAL, 4}}), 1 + 2 * (1.0 / 3));
        QCOMPARE(histogramQuantile(0.25, {{4, 4}, {HUGE_VAL, 4}}), 1.0);
        QCOMPARE(histogramQuantile(0.25, {{0, 4}, {HUGE_VAL, 4}}), 0.0);
        QCOMPARE(histogramQuantile(1, {{1, 2}, {2, 4}, {HUGE_VAL, 8}}), 2.0);
        QCOMPARE(
            histogramQuantile(0.75, {{1, 1}, {1, 1}, {2, 1}, {2, 1}, {3, 4}, {HUGE_VAL, 2}, {HUGE_VAL, 2}}),
            2.5);
        // A relative difference of 5e-13 is no observation: the second bucket is empty. One of 2e-12 is.
        QVERIFY(std::abs(histogramQuantile(0.5 + 0.25e-12, {{1, 2}, {2, 2 + 2e-12}, {4, 4}, {HUGE_VAL, 4}}) -
                         2) < 1e-6);
        QVERIFY(std::abs(histogramQuantile(0.5 + 1e-12, {{1, 2}, {2, 2 + 8e-12}, {4, 4}, {HUGE_VAL, 4}}) -
                         1.5) < 1e-2);
        QVERIFY(std::isnan(histogramQuantile(0.5, {{1, -1}, {HUGE_VAL, -1}})));
    }
};

QTEST_APPLESS_MAIN(TestMappingChoice)

} // namespace tst_mapping_choice

#include "tst_mapping_choice.moc"
