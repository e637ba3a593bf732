// SPDX-License-Identifier: GPL-3.0-or-later
// Fleet files, and that a planned fleet keeps its promises where an estimate of the same replicas is asked.
#include "data/catalog/catalog_reader.h"
#include "data/fleet/fleet_file.h"
#include "data/json/json.h"
#include "model/engine/engine.h"
#include "model/fleet/fleet_replay.h"
#include "model/scenario/rented_machines.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

namespace tst_fleet_file {

using namespace alidade;
using namespace alidade::data;

namespace {

using Json = nlohmann::ordered_json;

const Catalog& catalog() {
    static const auto shipped = loadShippedCatalog().catalog;
    return *shipped;
}

Json small() {
    return Json::parse(R"({"alidade": 1, "fleet": {
        "services": [{"name": "chat", "scenario": "serve-llama-3.1-8b-1xp5.4xlarge",
                      "traffic": {"peak_requests_per_s": 60, "trough_requests_per_s": 6},
                      "targets": {"ttft_slo_s": 0.5, "itl_slo_s": 0.03}}],
        "pools": [{"name": "small", "instance": "p5.4xlarge", "instances": 30, "region": "us-east-1"}]}})");
}

FleetFile fileOf(const Json& json, const std::string& name = "fleet.json") {
    FleetReading reading = readFleet(json.dump(), name);
    if (!reading.file)
        qFatal("%s", reading.faults.front().c_str());
    return *std::move(reading.file);
}

FleetAnswer answerOf(const Fleet& fleet) {
    auto answer = planFleet(fleet, catalog(), catalog().defaultProfile);
    if (!answer)
        qFatal("%s", answer.error().c_str());
    return *std::move(answer);
}

} // namespace

class TestFleetFile : public QObject {
    Q_OBJECT

private slots:
    void theShippedFleetsArePlanned_data() {
        QTest::addColumn<QString>("id");
        for (const std::string& id : sampleFleetIds())
            QTest::newRow(id.c_str()) << QString::fromStdString(id);
    }
    void theShippedFleetsArePlanned() {
        QFETCH(QString, id);
        const auto text = sampleFleet(id.toStdString());
        QVERIFY2(text, text.error().c_str());
        const FleetReading reading = readFleet(*text, "fleet");
        QVERIFY2(reading.file, reading.faults.empty() ? "" : reading.faults.front().c_str());
        const Fleet& fleet = reading.file->fleet;
        const FleetAnswer answer = answerOf(fleet);
        QVERIFY2(answer.best, answer.whyNot.c_str());
        QVERIFY(answer.second);
        QVERIFY(answer.best->total <= answer.second->total);
        Cents sum = 0;
        for (const PlannedPool& pool : answer.best->pools) {
            QVERIFY(pool.most <= fleet.pools[pool.pool].maxInstances);
            QVERIFY(pool.least >= fleet.pools[pool.pool].spares + 1);
            for (const OrderLine& line : pool.lines) {
                QCOMPARE(line.amount, amountOf(line.quantity, line.price));
                sum += line.amount;
            }
        }
        QCOMPARE(sum, answer.best->total);
        double shares = 0;
        for (const PlacedService& placed : answer.best->services) {
            QVERIFY(placed.option.verified);
            QVERIFY(placed.option.plan.onTime() >= fleet.services[placed.service].onTime);
            QVERIFY(!placed.ttftTarget || placed.ttft <= *placed.ttftTarget);
            QVERIFY(!placed.itlTarget || placed.itl <= *placed.itlTarget);
            shares += placed.dollars;
        }
        QVERIFY(std::abs(shares - dollarsOf(answer.best->total)) < 1e-6 * shares);
    }

    /// As many replicas as the plan has at the peak, asked for the peak: the estimate says so too.
    void theEstimateOfThePeakMeetsTheTargets() {
        const auto text = sampleFleet("chat-reasoning-batch");
        const FleetFile file = fileOf(Json::parse(*text));
        const FleetAnswer answer = answerOf(file.fleet);
        for (const PlacedService& placed : answer.best->services) {
            ScenarioSpec spec = placed.option.spec;
            const int replicas = placed.option.plan.most();
            spec.plan.dataParallel = replicas;
            spec.cluster.gpus = replicas * placed.option.gpus;
            spec.cluster.instances =
                (*spec.cluster.gpus + gpusOfMachine(catalog(), *spec.cluster.instance) - 1) /
                gpusOfMachine(catalog(), *spec.cluster.instance);
            spec.workload.requestRatePerS = replicas * placed.peakRate;
            const auto result = estimate(spec, catalog(), catalog().defaultProfile, {.fixes = false});
            QVERIFY2(result, result.error().c_str());
            QVERIFY(result->serving->meetsTargets.value_or(true));
        }
    }

    void anUnchangedFleetIsWrittenAsItWasRead() {
        for (const std::string& id : sampleFleetIds()) {
            const auto text = sampleFleet(id);
            const FleetFile file = *readFleet(*text, id).file;
            QVERIFY(Json::parse(writeFleet(file, file, file.path)) == Json::parse(*text));
        }
    }

    void whatIsEditedIsReadAgain() {
        const FleetFile read = fileOf(Json::parse(*sampleFleet("chat-reasoning-batch")));
        FleetFile edited = read;
        FleetService& chat = edited.fleet.services[0];
        chat.spec.workload.ttftSloS.reset(); // also where the scenario has a target
        chat.spec.workload.itlSloS = 0.04;
        edited.traffic[1].scale = 2;
        for (double& rate : edited.fleet.services[1].traffic.rates)
            rate *= 2;
        for (FleetService& each : edited.fleet.services)
            each.scaling.instanceStart = 240;
        FleetPool& p5 = edited.fleet.pools[0];
        p5.maxInstances = 20;
        p5.spares = 0;
        p5.base->purchase = "capacity_block";
        p5.baseInstances = 4;
        edited.fleet.pools[1].base.reset();

        const std::string text = writeFleet(read, edited, read.path);
        const FleetFile again = fileOf(Json::parse(text));
        QVERIFY(!again.fleet.services[0].spec.workload.ttftSloS);
        QCOMPARE(*again.fleet.services[0].spec.workload.itlSloS, 0.04);
        QCOMPARE(again.fleet.services[1].traffic.peak(), edited.fleet.services[1].traffic.peak());
        QCOMPARE(again.fleet.services[2].scaling.instanceStart, 240.0);
        QCOMPARE(again.fleet.pools[0].maxInstances, 20);
        QCOMPARE(again.fleet.pools[0].spares, 0);
        QCOMPARE(again.fleet.pools[0].base->purchase, std::string("capacity_block"));
        QCOMPARE(*again.fleet.pools[0].baseInstances, 4);
        QVERIFY(!again.fleet.pools[1].base);
        QCOMPARE(answerOf(again.fleet).best->total, answerOf(edited.fleet).best->total);
        // Taken back after it was saved, it is what it was.
        const FleetFile back = fileOf(Json::parse(writeFleet(again, read, read.path)));
        QCOMPARE(*back.fleet.services[0].spec.workload.ttftSloS, 1.0);
        QCOMPARE(back.fleet.services[1].traffic.peak(), read.fleet.services[1].traffic.peak());
        QCOMPARE(back.fleet.pools[1].base->purchase, std::string("capacity_block"));
        QVERIFY(!back.fleet.pools[0].baseInstances);
        QCOMPARE(answerOf(back.fleet).best->total, answerOf(read.fleet).best->total);
    }

    /// A fleet without a base is bought On-Demand, also where the file named no burst.
    void aRemovedBaseLeavesAWayToBuy() {
        Json json = small();
        json["fleet"]["pools"][0]["base"] = {{"purchase", "reserved"}};
        const FleetFile read = fileOf(json);
        QVERIFY(read.fleet.pools[0].burst.empty());
        FleetFile edited = read;
        edited.fleet.pools[0].base.reset();
        edited.fleet.pools[0].burst.emplace_back();
        const FleetFile again = fileOf(Json::parse(writeFleet(read, edited, read.path)));
        QCOMPARE(again.fleet.pools[0].burst.size(), std::size_t{1});
        QVERIFY(answerOf(again.fleet).best);
    }

    void anImportedTraceIsNamed() {
        QTemporaryDir folder;
        const std::string trace = folder.filePath(QStringLiteral("trace.csv")).toStdString();
        QFile out(QString::fromStdString(trace));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 08:00:00,100,20\n"
                  "2023-11-16 08:00:01,300,40\n");
        out.close();
        Json json = small();
        json["fleet"]["services"][0]["traffic"]["prefix_cache_hit"] = 0.25; // of which the trace is silent
        const FleetFile read = fileOf(json);
        FleetFile edited = read;
        QCOMPARE(takeTrace(trace, trace, edited.fleet.services[0], edited.traffic[0]), std::string());
        alignPeriods(edited.fleet);
        const FleetFile again = fileOf(Json::parse(writeFleet(read, edited, read.path)));
        QVERIFY(again.traffic[0].trace);
        const WorkloadSpec &was = edited.fleet.services[0].spec.workload,
                           &is = again.fleet.services[0].spec.workload;
        QCOMPARE(*is.inputTokens, *was.inputTokens);
        QCOMPARE(*is.prefixCacheHit, *was.prefixCacheHit);
        QCOMPARE(again.fleet.services[0].traffic.rates, edited.fleet.services[0].traffic.rates);
        QVERIFY(Json::parse(writeFleet(read, read, read.path)) == json);
    }

    void namesAreRewrittenForAnotherFolder() {
        QTemporaryDir folder;
        const QDir dir(folder.path());
        QVERIFY(dir.mkpath(QStringLiteral("a")) && dir.mkpath(QStringLiteral("b/c")));
        QFile out(dir.filePath(QStringLiteral("a/trace.csv")));
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 08:00:00,100,20\n");
        out.close();
        Json json = small();
        json["fleet"]["services"][0]["traffic"] = {{"trace", "trace.csv"}};
        const FleetFile read = fileOf(json, dir.filePath(QStringLiteral("a/fleet.json")).toStdString());
        const std::string other = dir.filePath(QStringLiteral("b/c/fleet.json")).toStdString();
        const std::string text = writeFleet(read, read, other);
        const Json written = Json::parse(text)["fleet"]["services"][0];
        QCOMPARE(written["traffic"]["trace"].get<std::string>(), std::string("../../a/trace.csv"));
        QCOMPARE(written["scenario"].get<std::string>(), std::string("serve-llama-3.1-8b-1xp5.4xlarge"));
        QVERIFY(fileOf(Json::parse(text), other).traffic[0].trace);
    }

    void moreTrafficNeverCostsLess() {
        Cents before = 0;
        for (const double scale : {0.5, 1.0, 1.7, 3.0}) {
            Json json = small();
            json["fleet"]["services"][0]["traffic"]["scale"] = scale;
            const FleetAnswer answer = answerOf(fileOf(json).fleet);
            QVERIFY2(answer.best, answer.whyNot.c_str());
            QVERIFY(answer.best->total >= before);
            before = answer.best->total;
        }
    }

    void aBaseIsOnlyBoughtWhereItPays() {
        Json json = small();
        Json& pool = json["fleet"]["pools"][0];
        pool["burst"] = Json::array({{{"purchase", "on_demand"}}});
        const Cents onDemand = answerOf(fileOf(json).fleet).best->total;
        pool["base"] = {{"purchase", "custom"}, {"dollars_per_instance_hour", 6.88 * 0.999}};
        const FleetAnswer hardly = answerOf(fileOf(json).fleet);
        QVERIFY(hardly.best->pools[0].split.base <= hardly.best->pools[0].least);
        pool["base"]["dollars_per_instance_hour"] = 2.0;
        const FleetAnswer cheap = answerOf(fileOf(json).fleet);
        QVERIFY(cheap.best->total < onDemand);
        QVERIFY(cheap.best->pools[0].split.base > hardly.best->pools[0].split.base);
        pool["base"]["instances"] = 0;
        QCOMPARE(answerOf(fileOf(json).fleet).best->total, onDemand);
    }

    /// Five days of much traffic: blocks of days cost less than as many hours On-Demand.
    void daysAreBoughtInCapacityBlocks() {
        Json json = small();
        Json hours = Json::array();
        for (int hour = 0; hour < 168; ++hour)
            hours.push_back(hour < 120 ? 200 : 20);
        json["fleet"]["services"][0]["traffic"] = {{"hourly_requests_per_s", hours}};
        json["fleet"]["pools"][0]["burst"] = Json::parse(R"([{"purchase": "on_demand"}])");
        const FleetAnswer onDemand = answerOf(fileOf(json).fleet);
        json["fleet"]["pools"][0]["burst"] =
            Json::parse(R"([{"purchase": "on_demand"}, {"purchase": "capacity_block"}])");
        const FleetAnswer mixed = answerOf(fileOf(json).fleet);
        QVERIFY(mixed.best->total < onDemand.best->total);
        const PlannedPool& pool = mixed.best->pools[0];
        QVERIFY(pool.split.blocks > 0);
        QCOMPARE(pool.split.blocks + pool.split.onDemand, pool.most);
        // Whole days: the lowest instances all week, the others for the five days and what follows them.
        QVERIFY(std::abs(std::remainder(pool.split.blockHours, 24)) < 1e-9);
        QVERIFY(pool.split.blockHours + pool.split.onDemandHours >= pool.split.usedHours);
        const auto line = std::ranges::find_if(
            pool.lines, [](const OrderLine& each) { return each.text.ends_with("Capacity Blocks"); });
        QVERIFY(line != pool.lines.end());
        QCOMPARE(line->price, nanoDollars(5.191));
    }

    void whatCannotBeSaysWhy_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<int>("reason");
        const auto row = [](const char* name, const char* change, RejectionReason reason) {
            QTest::newRow(name) << QString::fromLatin1(change) << static_cast<int>(reason);
        };
        row("fit", R"({"services": [{"scenario": {"workload": {"kind": "serving", "model": "llama-3.1-405b",
             "input_tokens": 100, "output_tokens": 100}, "plan": {"engine": "vllm"}}}]})",
            RejectionReason::doesNotFit);
        row("TTFT", R"({"services": [{"targets": {"ttft_slo_s": 0.001}}]})", RejectionReason::missesTtft);
        row("ITL", R"({"services": [{"targets": {"itl_slo_s": 0.0005}}]})", RejectionReason::missesItl);
        row("instances", R"({"pools": [{"instances": 1}]})", RejectionReason::tooFewInstances);
        row("price", R"({"pools": [{"region": "eu-west-9"}]})", RejectionReason::noPrice);
    }
    void whatCannotBeSaysWhy() {
        QFETCH(QString, change);
        QFETCH(int, reason);
        Json json = small();
        const Json patch = Json::parse(change.toStdString());
        for (const char* list : {"services", "pools"})
            if (patch.contains(list))
                json["fleet"][list][0].merge_patch(patch[list][0]);
        if (patch.contains("services") && patch["services"][0].contains("scenario"))
            json["fleet"]["services"][0]["scenario"] = patch["services"][0]["scenario"];
        const FleetAnswer answer = answerOf(fileOf(json).fleet);
        QVERIFY(!answer.best);
        QVERIFY(!answer.whyNot.empty());
        QCOMPARE(answer.rejected.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(answer.rejected[0].reason), reason);
    }

    void faultsNameTheirPlace_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* pointer, const char* value, const char* says) {
            QTest::newRow(name) << QString::fromLatin1(pointer) << QString::fromLatin1(value)
                                << QString::fromLatin1(says);
        };
        row("unknown field", "/fleet/pools/0/spares", "1", "spare_instances");
        row("unknown scenario", "/fleet/services/0/scenario", "\"serve-llama\"", "no shipped scenario");
        row("unknown pool", "/fleet/services/0/pools", "[\"smal\"]", "did you mean 'small'");
        row("too few hours", "/fleet/services/0/traffic", R"({"hourly_requests_per_s": [1, 2]})",
            "24 values");
        row("two kinds", "/fleet/services/0/traffic/hourly_requests_per_s", "[1]", "several sources");
        row("trough above peak", "/fleet/services/0/traffic/trough_requests_per_s", "80", "above the peak");
        row("no such trace", "/fleet/services/0/traffic", R"({"trace": "missing.csv"})", "missing.csv");
        row("no price", "/fleet/pools/0/base", R"({"purchase": "custom"})", "dollars_per_instance_hour");
        row("no pools", "/fleet/pools", "[]", "at least one");
        row("scaling", "/fleet/autoscaling", R"({"kind": "fast"})", "reactive");
        row("percentile", "/fleet/services/0/targets/slo_percentile", "101", "slo_percentile");
    }
    void faultsNameTheirPlace() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, says);
        Json json = small();
        const std::string place = pointer.toStdString();
        json[Json::json_pointer(place)] = Json::parse(value.toStdString());
        const FleetReading reading = readFleet(json.dump(), "folder/fleet.json");
        QVERIFY(!reading.file);
        const QString fault = QString::fromStdString(reading.faults.front());
        QVERIFY2(fault.contains(says), qPrintable(fault));
        QVERIFY2(fault.contains(QStringLiteral("; ")), qPrintable(fault));
    }

    void profilesAreReadAsTheyWereWritten() {
        QTemporaryDir folder;
        const TypedTraffic typed{.rates = trafficOf({.peak = 20, .trough = 3, .days = 1}),
                                 .inputTokens = 900,
                                 .inputTokensCv = 1.5,
                                 .outputTokens = 123,
                                 .outputTokensCv = {},
                                 .prefixCacheHit = 0.25,
                                 .arrivalCv = 2};
        QFile file(folder.filePath(QStringLiteral("day.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(writeTraffic(typed).c_str());
        file.close();
        Json json = small();
        json["fleet"]["services"][0]["traffic"] = {{"profile", "day.json"}, {"scale", 2}};
        const FleetFile read = fileOf(json, folder.filePath(QStringLiteral("fleet.json")).toStdString());
        const FleetService& service = read.fleet.services[0];
        QCOMPARE(service.traffic.rates.size(), typed.rates.rates.size());
        for (std::size_t i = 0; i < typed.rates.rates.size(); ++i)
            QCOMPARE(service.traffic.rates[i], 2 * typed.rates.rates[i]);
        QCOMPARE(*service.spec.workload.inputTokens, 900.0);
        QCOMPARE(*service.spec.workload.prefixCacheHit, 0.25);
        QCOMPARE(*service.spec.workload.arrivalCv, 2.0);
    }

    /// A trace of Poisson arrivals is answered by the planned replicas within the targets, and worse by
    /// fewer.
    void aTraceIsReplayedOnThePlannedReplicas() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("trace.jsonl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        std::mt19937_64 random(9);
        std::exponential_distribution<double> gap(100.0 / 1000); // ms
        double at = 0;
        int next = 1000;
        for (int i = 0; i < 12000; ++i) {
            at += gap(random);
            Json ids = Json::array({1, 2, ++next});
            const Json row{{"timestamp", static_cast<std::int64_t>(at)},
                           {"input_length", 1400},
                           {"output_length", 20 + static_cast<int>(random() % 200)},
                           {"hash_ids", ids}};
            file.write((row.dump() + "\n").c_str());
        }
        file.close();
        Json json = small();
        json["fleet"]["services"][0]["traffic"] = {{"trace", "trace.jsonl"}};
        const FleetFile read = fileOf(json, folder.filePath(QStringLiteral("fleet.json")).toStdString());
        const FleetAnswer answer = answerOf(read.fleet);
        QVERIFY2(answer.best, answer.whyNot.c_str());
        PlacedService placed = answer.best->services[0];
        QVERIFY(std::abs(*placed.option.spec.workload.prefixCacheHit - 1024.0 / 1400) < 0.01);
        const RequestTrace& trace = read.traffic[0].trace->trace;
        const auto played = replayTrace(trace, placed, catalog(), catalog().defaultProfile, {});
        QVERIFY(played);
        QVERIFY(played->complete);
        QCOMPARE(played->requests, std::uint64_t{12000});
        QVERIFY(played->meetsTargets);
        QVERIFY(played->onTime > 0.9);
        // What is planned at the peak is what is played, within the difference of a Poisson hour.
        QVERIFY(std::abs(played->itlAtTarget / placed.itl - 1) < 0.3);
        QVERIFY(placed.option.plan.most() > 1);
        for (int& count : placed.option.plan.serving)
            count = 1;
        const auto fewer = replayTrace(trace, placed, catalog(), catalog().defaultProfile, {});
        QVERIFY(!fewer->meetsTargets);
        QVERIFY(fewer->onTime < played->onTime);
        const auto half =
            replayTrace(trace, answer.best->services[0], catalog(), catalog().defaultProfile, {.scale = 0.5});
        QCOMPARE(half->requests, std::uint64_t{6000});
    }
};

QTEST_GUILESS_MAIN(TestFleetFile)

} // namespace tst_fleet_file

#include "tst_fleet_file.moc"
