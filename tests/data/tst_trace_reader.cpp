// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded requests in the formats of Mooncake, BurstGPT and Azure, and what is wrong with a file.
#include "data/traces/trace_reader.h"

#include <QTest>

#include <sstream>

namespace tst_trace_reader {

using namespace alidade;
using namespace alidade::data;

namespace {

Result<TraceReading> read(const std::string& text) {
    std::istringstream in(text);
    return readTrace(in, "trace");
}

const std::string azureHead = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string burstHead = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";

} // namespace

class TestTraceReader : public QObject {
    Q_OBJECT

private slots:
    void mooncake() {
        const auto reading = read(
            R"({"timestamp": 27482, "input_length": 1200, "output_length": 52, "hash_ids": [46, 47, 2366]})"
            "\n"
            R"({"timestamp": 30535, "input_length": 655, "output_length": 26, "hash_ids": [46, 9]})"
            "\n");
        QVERIFY2(reading, reading.error().c_str());
        QVERIFY(reading->format == TraceFormat::mooncake);
        const RequestTrace& trace = reading->trace;
        QCOMPARE(trace.requests.size(), std::size_t{2});
        QCOMPARE(trace.requests[1].time, 30.535 - 27.482);
        QCOMPARE(trace.requests[0].input, 1200);
        QCOMPARE(trace.requests[1].output, 26);
        const auto first = trace.blocksOf(trace.requests[0]), second = trace.blocksOf(trace.requests[1]);
        QCOMPARE(first.size(), std::size_t{3});
        QCOMPARE(second[0], first[0]);
        QVERIFY(second[1] != first[1] && second[1] != first[2]);
        QVERIFY(!trace.start);
    }

    void mooncakeWithoutHashes() {
        const auto reading = read(R"({"timestamp": 0, "input_length": 5, "output_length": 2})");
        QVERIFY2(reading, reading.error().c_str());
        QVERIFY(reading->trace.blocks.empty());
    }

    void burstGpt() {
        const auto reading = read(burstHead + "5,ChatGPT,472,18,490,Conversation log\r\n"
                                              "45,ChatGPT,1087,0,1087,Conversation log\r\n"
                                              "118.5,GPT-4,417,276,693,API log\r\n");
        QVERIFY2(reading, reading.error().c_str());
        QVERIFY(reading->format == TraceFormat::burstGpt);
        QCOMPARE(reading->trace.requests.size(), std::size_t{2});
        QCOMPARE(reading->trace.failed, std::uint64_t{1});
        QCOMPARE(reading->trace.requests[1].time, 113.5);
        QCOMPARE(reading->trace.requests[1].output, 276);
    }

    void azure_data() {
        QTest::addColumn<QString>("zone");
        QTest::addColumn<double>("start");
        QTest::newRow("none") << QString() << 1700158623.97996;
        QTest::newRow("UTC") << QStringLiteral("+00:00") << 1700158623.97996;
        QTest::newRow("Z") << QStringLiteral("Z") << 1700158623.97996;
        QTest::newRow("west") << QStringLiteral("-08:00") << 1700158623.97996 + 8 * 3600;
    }
    void azure() {
        QFETCH(QString, zone);
        QFETCH(double, start);
        const std::string z = zone.toStdString();
        const auto reading = read("\xEF\xBB\xBF" + azureHead + "2023-11-16 18:17:03.9799600" + z +
                                  ",4808,10\n" + "2023-11-16 18:17:04.0319600" + z + ",3180,8\n");
        QVERIFY2(reading, reading.error().c_str());
        QVERIFY(reading->format == TraceFormat::azure);
        QVERIFY(std::abs(*reading->trace.start - start) < 1e-6);
        QVERIFY(std::abs(reading->trace.requests[1].time - 0.052) < 1e-6);
        QCOMPARE(reading->trace.requests[0].input, 4808);
    }

    void timesAreSorted() {
        const auto reading = read(burstHead + "9,m,1,1,2,l\n2,m,2,2,4,l\n5,m,3,3,6,l\n");
        QVERIFY2(reading, reading.error().c_str());
        QCOMPARE(reading->trace.requests[0].input, 2);
        QCOMPARE(reading->trace.requests[2].time, 7.0);
    }

    void faults_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, const char* place, const char* says) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(place)
                                << QString::fromLatin1(says);
        };
        row("empty", "", "trace: ", "no request");
        row("heading alone", azureHead, "trace: ", "no request");
        row("another table", "a,b,c\n1,2,3\n", "trace:1: ", "not the first line of a known trace");
        row("a word for a time", burstHead + "1,m,1,1,2,l\nsoon,m,1,1,2,l\n", "trace:3: ", "'soon'");
        row("half a token", burstHead + "1,m,1.5,1,2,l\n", "trace:2: ", "whole number");
        row("negative tokens", azureHead + "2023-11-16 18:17:03,-1,2\n", "trace:2: ", "whole number");
        row("no date", azureHead + "18:17:03,1,2\n", "trace:2: ", "2023-11-16 18:17:03.9799600");
        row("no such day", azureHead + "2023-02-30 18:17:03,1,2\n", "trace:2: ", "2023-11-16");
        row("an hour too many", azureHead + "2023-11-16 24:17:03,1,2\n", "trace:2: ", "2023-11-16");
        row("fields missing", burstHead + "1,m,1\n", "trace:2: ", "3 fields");
        row("broken JSON", "{\"timestamp\": 1,\n", "trace:1: ", "not a JSON object");
        row("key missing", "{\"timestamp\": 1, \"input_length\": 3}\n", "trace:1: ", "output_length");
        row("hashes of words", R"({"timestamp":1,"input_length":3,"output_length":1,"hash_ids":["a"]})",
            "trace:1: ", "whole numbers");
        row("too many hashes", R"({"timestamp":1,"input_length":600,"output_length":1,"hash_ids":[1,2,3]})",
            "trace:1: ", "3 entries");
        row("ten years", burstHead + "0,m,1,1,2,l\n315360000,m,1,1,2,l\n", "trace: ", "a year apart");
        row("an endless line", "{" + std::string(3 << 20, ' '), "trace:1: ", "longer than 1 MiB");
    }
    void faults() {
        QFETCH(QString, text);
        QFETCH(QString, place);
        QFETCH(QString, says);
        const auto reading = read(text.toStdString());
        QVERIFY(!reading);
        const QString error = QString::fromStdString(reading.error());
        QVERIFY2(error.startsWith(place), qPrintable(error));
        QVERIFY2(error.contains(says), qPrintable(error));
        QVERIFY2(error.contains(QStringLiteral("; ")), qPrintable(error));
    }

    void aMillionRowsAreReadInOrder() {
        std::string text = burstHead;
        constexpr int rows = 1'000'000;
        for (int i = 0; i < rows; ++i)
            text += std::to_string(i) + ",m," + std::to_string(1 + i % 1000) + ",7,8,l\n";
        std::uint64_t last = 0;
        std::istringstream in(text);
        const auto reading = readTrace(in, "trace", {}, [&last](std::uint64_t bytes) {
            QVERIFY(bytes >= last);
            last = bytes;
        });
        QVERIFY2(reading, reading.error().c_str());
        QCOMPARE(reading->trace.requests.size(), std::size_t{rows});
        QCOMPARE(reading->trace.requests.back().input, 1000);
        QVERIFY(last > text.size() / 2);
    }

    void readingStops() {
        std::stop_source stop;
        stop.request_stop();
        std::istringstream in(burstHead + "1,m,1,1,2,l\n");
        QVERIFY(!readTrace(in, "trace", stop.get_token()));
    }
};

QTEST_GUILESS_MAIN(TestTraceReader)

} // namespace tst_trace_reader

#include "tst_trace_reader.moc"
