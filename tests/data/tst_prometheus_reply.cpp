// SPDX-License-Identifier: GPL-3.0-or-later
// Replies of queries, recorded and broken, into columns.
#include "data/prometheus/matrix_reader.h"
#include "tests/data/prometheus_fixture.h"

#include <QtTest>

#include <cmath>

namespace tst_prometheus_reply {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

constexpr double epoch = 1767225600;

struct Reading {
    Matrix matrix;
    std::string error; ///< of the text; "error: ..." where the server says so
    ReplyEnvelope envelope;
};

Reading read(const std::string& text, QueryKind kind, const TimeGrid& grid, const ReplyLimits& limits = {},
             bool skim = true) {
    MatrixBuilder builder(grid, limits);
    auto envelope = readMatrix(text, kind, {0, grid.points}, limits, builder, skim);
    Reading out;
    if (!envelope) {
        out.error = envelope.error();
    } else {
        out.envelope = *envelope;
        out.error = envelope->status == "success" ? "" : "error: " + envelope->error;
    }
    out.matrix = builder.take();
    return out;
}

Reading instant(const std::string& text) { return read(text, QueryKind::instant, {epoch, 1, 1}); }

/// Two points at 0 and 30 s.
Reading pair(const std::string& text, const ReplyLimits& limits = {}) {
    return read(quotes(text), QueryKind::range, {0, 30, 2}, limits);
}

/// "name{labels}: values", one series a line; '-' for what is absent.
QString outline(const Matrix& matrix) {
    QString out;
    for (std::size_t i = 0; i < matrix.series.size(); ++i) {
        out += QString::fromStdString(labelText(matrix.series[i])) + u':';
        for (const double value : matrix.row(i))
            out += u' ' + (std::isnan(value) ? QStringLiteral("-") : QString::number(value));
        out += u'\n';
    }
    return out;
}

QString warningsOf(const Matrix& matrix) { return lines(matrix.warnings); }

const std::string head = "{'status':'success','data':{'resultType':'matrix','result':[";

} // namespace

class PrometheusReplyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aVectorHasOnePointASeries() {
        const Reading reading = instant(reply("query_vector.json"));
        QCOMPARE(reading.error, "");
        QCOMPARE(reading.matrix.series.size(), 8U);
        QCOMPARE(reading.matrix.values.size(), 8U);
        QCOMPARE(reading.matrix.values[0], 0.499635);
        const Labels& labels = reading.matrix.series[0];
        QVERIFY(std::ranges::is_sorted(labels));
        QVERIFY(std::ranges::find(labels, Labels::value_type{"modelName", "NVIDIA H100 80GB HBM3"}) !=
                labels.end());
        QCOMPARE(warningsOf(reading.matrix), QString());
    }

    void scalarsAndStringsAreRead() {
        const Reading scalar = instant(reply("query_scalar.json"));
        QCOMPARE(scalar.error, "");
        QCOMPARE(outline(scalar.matrix), QStringLiteral("{}: 19\n"));
        const Reading text = instant(reply("query_string.json"));
        QCOMPARE(text.matrix.text, "p5.48xlarge");
        QCOMPARE(outline(text.matrix), QStringLiteral("{}: -\n"));
        // A string that looks like a number is a string.
        const Reading number =
            instant(quotes("{'status':'success','data':{'result':[1,'7'],'resultType':'string'}}"));
        QCOMPARE(number.matrix.text, "7");
        QCOMPARE(outline(number.matrix), QStringLiteral("{}: -\n"));
    }

    void nothingIsNeitherZeroNorAnError() {
        const Reading reading = instant(reply("query_empty.json"));
        QCOMPARE(reading.error, "");
        QVERIFY(reading.matrix.series.empty());
        QCOMPARE(pair("{'status':'success','data':{'resultType':'matrix','result':null}}").error, "");
    }

    void infinitiesStayAndAreTold() {
        const Reading reading = instant(reply("query_inf.json"));
        QCOMPARE(outline(reading.matrix),
                 QStringLiteral("{k=\"pos\"}: inf\n{k=\"neg\"}: -inf\n{k=\"nan\"}: -\n"));
        QCOMPARE(reading.matrix.infinite, 2U);
        QCOMPARE(warningsOf(reading.matrix), QStringLiteral("2 values are infinite"));
        QVERIFY(std::isnan(instant(reply("query_quantile_nan.json")).matrix.values.at(0)));
    }

    void statisticsOfTheServerAreSkipped() {
        const Reading reading = instant(reply("query_stats.json"));
        QCOMPARE(reading.error, "");
        QCOMPARE(outline(reading.matrix), QStringLiteral("{}: 19\n"));
    }

    void aRangeIsOnItsGrid() {
        const Reading reading = read(reply("range_matrix.json"), QueryKind::range, {epoch, 120, 61});
        QCOMPARE(reading.error, "");
        QCOMPARE(reading.matrix.series.size(), 1U);
        QCOMPARE(reading.matrix.row(0).front(), 8.402099515);
        QCOMPARE(reading.matrix.row(0).back(), 8.412781124);
        QVERIFY(std::ranges::none_of(reading.matrix.values, [](double v) { return std::isnan(v); }));
        QCOMPARE(warningsOf(reading.matrix), QString());
    }

    void gapsStayGaps() {
        const Reading reading = read(reply("range_gaps.json"), QueryKind::range, {epoch + 5700, 60, 26});
        QCOMPARE(reading.error, "");
        const auto row = reading.matrix.row(0);
        QCOMPARE(std::ranges::count_if(row, [](double v) { return std::isnan(v); }), 5);
        QVERIFY(!std::isnan(row[9]) && std::isnan(row[10]) && std::isnan(row[14]) && !std::isnan(row[15]));
    }

    void seriesThatFollowEachOtherHaveARowEach() {
        const Reading reading = read(reply("range_churn.json"), QueryKind::range, {epoch + 5280, 30, 13});
        QCOMPARE(reading.matrix.series.size(), 2U);
        QCOMPARE(std::ranges::count(reading.matrix.row(0), 0.0), 13);
        QVERIFY(std::ranges::count(reading.matrix.row(1), 94.0) > 0);
    }

    void nativeHistogramsAreNamedAndSkipped() {
        const Reading one = instant(reply("query_native_histogram.json"));
        QCOMPARE(one.error, "");
        QVERIFY(one.matrix.series.empty());
        QCOMPARE(one.matrix.nativeHistograms.size(), 1U);
        QVERIFY(one.matrix.nativeHistograms[0].starts_with("demo_latency_seconds{"));
        QVERIFY(warningsOf(one.matrix).contains(QStringLiteral("histogram_quantile")));
        const Reading many = read(reply("range_native_histogram.json"), QueryKind::range, {1795195078, 2, 4});
        QCOMPARE(many.error, "");
        QCOMPARE(many.matrix.nativeHistograms.size(), 1U);
        // A series may have both: its numbers count.
        const Reading both =
            pair(head + "{'metric':{'a':'b'},'histograms':[[0,{'count':'1','buckets':[[0,'1','2','3']]}]],"
                        "'values':[[30,'4']]}]}}");
        QCOMPARE(outline(both.matrix), QStringLiteral("{a=\"b\"}: - 4\n"));
        QCOMPARE(both.matrix.nativeHistograms.size(), 1U);
    }

    void warningsInfosAndPartialAnswersAreKept() {
        const Reading warned = instant(reply("query_warnings.json"));
        QCOMPARE(warned.envelope.warnings.size(), 1U);
        QVERIFY(warned.envelope.warnings[0].starts_with("remote_read: error sending request"));
        QCOMPARE(instant(reply("prometheus3_infos.json")).envelope.warnings.size(), 1U);
        QCOMPARE(instant(reply("thanos_partial.json")).envelope.warnings.size(), 2U);
        const Reading partial = read(reply("victoriametrics_partial.json"), QueryKind::range, {epoch, 30, 3});
        QCOMPARE(partial.error, "");
        QVERIFY(partial.matrix.partial);
        QVERIFY(warningsOf(partial.matrix).contains(QStringLiteral("partial")));
        QCOMPARE(partial.matrix.row(0)[2], 560.25);
    }

    void theOrderOfKeysDoesNotMatter() {
        const Reading reading =
            pair("{'data':{'result':[{'values':[[0,'1'],[30,'2']],'metric':{'b':'1','a':'2'}}],"
                 "'resultType':'matrix','stats':{'x':[1,{'y':null}]}},'status':'success'}");
        QCOMPARE(reading.error, "");
        QCOMPARE(outline(reading.matrix), QStringLiteral("{a=\"2\",b=\"1\"}: 1 2\n"));
    }

    void samplesInEveryFormAreRead_data() {
        QTest::addColumn<QString>("values");
        QTest::addColumn<QString>("points");
        const auto row = [](const char* values, const char* points) {
            QTest::newRow(values) << QString::fromLatin1(values) << QString::fromLatin1(points);
        };
        row("[[0,'1'],[30,'2']]", "1 2");
        row(" [ [0 , '1'] , [30,'2'] ] ", "1 2");
        row("[[0.000,'1e3'],[30.0,'-2.5E-1']]", "1000 -0.25");
        row("[[0,'NaN'],[30,'+Inf']]", "- inf");
        row("[[0,'-Inf'],[30,'Inf']]", "-inf inf");
        row("[[30,'2'],[0,'1']]", "1 2");
        row("[[3e1,'2']]", "- 2");
        row("[[0,1.5],[30,null]]", "1.5 -");
        row("[]", "- -");
        row("[[0,'1\\u0030'],[30,'2']]", "10 2");
        row("[[0,'5e-324'],[30,'1.7976931348623157e308']]", "4.94066e-324 1.79769e+308");
        row("[[0,'0x10'],[30,'1_0']]", "- -");
        row("[[0,'nan(1)'],[30,'infinity']]", "- -");
        row("[[0,'1e999'],[30,'']]", "- -");
        row("[[0,' 1'],[30,'1 ']]", "- -");
        row("[[0,'-'],[30,'--1']]", "- -");
    }
    void samplesInEveryFormAreRead() {
        QFETCH(QString, values);
        QFETCH(QString, points);
        const Reading reading = pair(head + "{'metric':{},'values':" + values.toStdString() + "}]}}");
        QCOMPARE(reading.error, "");
        QCOMPARE(outline(reading.matrix), QStringLiteral("{}: ") + points + u'\n');
        const bool told = warningsOf(reading.matrix).contains(QStringLiteral("not numbers"));
        QCOMPARE(told, points.contains(u'-') &&
                           values.contains(QRegularExpression(QStringLiteral("x1|nan\\(|e999|' |--"))));
    }

    void timesOffTheGridAreRoundedOrTold() {
        // A twentieth of 30 s is 1.5 s.
        const Reading reading =
            pair(head +
                 "{'metric':{},'values':[[1.5,'1'],[28.5,'2'],[15,'3'],[31.501,'4'],[60,'5'],[-30,'6']]}]}}");
        QCOMPARE(reading.error, "");
        QCOMPARE(outline(reading.matrix), QStringLiteral("{}: 1 2\n"));
        QVERIFY(warningsOf(reading.matrix)
                    .contains(QStringLiteral("2 samples were left out: their times are not")));
        QVERIFY(warningsOf(reading.matrix)
                    .contains(QStringLiteral("2 samples were left out: their times are outside")));
    }

    void whatComesTwiceCountsOnce() {
        const Reading reading = pair(head + "{'metric':{'a':'b'},'values':[[0,'1'],[0,'9']]},"
                                            "{'metric':{'a':'b'},'values':[[0,'8'],[30,'2']]}]}}");
        QCOMPARE(outline(reading.matrix), QStringLiteral("{a=\"b\"}: 1 2\n"));
        QVERIFY(warningsOf(reading.matrix).contains(QStringLiteral("1 series came twice")));
        QVERIFY(
            warningsOf(reading.matrix).contains(QStringLiteral("1 sample of a time that was there already")));
    }

    void limitsAreKeptAndTold() {
        std::string many = head;
        for (int i = 0; i < 10; ++i) {
            many += (i == 0 ? "" : ",") + std::string("{'metric':{'i':'") + std::to_string(i) +
                    "'},'values':[[0,'1']]}";
        }
        const Reading series = pair(many + "]}}", {.series = 4});
        QCOMPARE(series.matrix.series.size(), 4U);
        QCOMPARE(series.matrix.seriesLeftOut, 6U);
        QVERIFY(warningsOf(series.matrix).contains(QStringLiteral("6 series were left out")));
        QCOMPARE(pair(many + "]}}", {.values = 7}).matrix.series.size(), 3U);

        const std::string longValue(10'000'000, 'x');
        const Reading cut =
            pair(head + "{'metric':{'a':'" + longValue + "','b':'ok'},'values':[[0,'1']]}]}}");
        QCOMPARE(cut.error, "");
        QCOMPARE(cut.matrix.series[0][0].second.size(), 4096U);
        QVERIFY(cut.matrix.series[0][0].second.capacity() < 10'000U);
        QCOMPARE(cut.matrix.series[0][1].second, "ok");
        QVERIFY(warningsOf(cut.matrix).contains(QStringLiteral("1 label was cut off after 4,096 bytes")));
        // Not inside a character.
        const Reading umlaut = pair(head + "{'metric':{'a':'xää'},'values':[]}]}}", {.labelBytes = 4});
        QCOMPARE(umlaut.matrix.series[0][0].second, "xä");
    }

    void whatIsNoAnswerIsRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* text, const char* why) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(why);
        };
        row("", "ends in the middle, after 0 bytes");
        row("{", "ends in the middle");
        row("{'status':'success','data':{'resultType':'matrix','result':[{'metric':{},'values':[[0,'1'],[30,'"
            "2",
            "ends in the middle");
        row("{'status':'success','data':{'resultType':'matrix','result':[{'metric':{},'values':[[0,'1'],[30,'"
            "2']",
            "ends in the middle");
        row("{'status':'success','data':{'result':[]}", "ends in the middle");
        row("[]", "not a JSON object");
        row("7", "not a JSON object");
        row("null", "not a JSON object");
        row("{'status':'success'}", "no data");
        row("{'status':'success','data':7}", "another shape");
        row("{'status':'success','data':[]}", "another shape");
        row("{'status':'success','data':true}", "unexpected boolean");
        row("{'status':'success','data':{'result':{}}}", "another shape");
        row("{'status':'success','data':{'result':['a']}}", "another shape");
        row("{'status':'success','data':{'result':[[1,'2']]}}", "another shape");
        row("{'status':'success','data':{'result':[{'metric':[]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'metric':{'a':{}}}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'metric':{'a':1}}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'values':[1]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'values':[['0','1']]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'values':[[0,'1','2']]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'values':[[0]]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'values':[[]]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'values':[[[[[[0]]]]]]}]}}", "another shape");
        row("{'status':'success','data':{'result':[{'value':[0,'1']}]}}", "values of one time");
        row("{'status':'success','data':{'result':[0,'1']}}", "values of one time");
        row("{'status':'success','data':{'result':[0]}}", "scalar without its value");
        row("{'status':'success','data':{'result':[{'values':[[1e13,'1']]}]}}", "a time of");
        row("{'status':'success','data':{'result':[{'values':[[1e999,'1']]}]}}", "too large");
        row("{'status':'success','status':'success','data':{'result':[]}}", "\"status\" occurs twice");
        row("{'status':'success','data':{'result':[],'result':[]}}", "\"result\" occurs twice");
        row("{'status':'success','data':{'result':[{'metric':{},'metric':{}}]}}", "\"metric\" occurs twice");
        row("{'status':'success','data':{'result':[{'metric':{'a':'1','a':'2'}}]}}", "label occurs twice");
        row("{'status':'success','data':{'result':[]}} x", "not valid JSON at byte");
        row("{'status':'success','data':{'result':[{'values':[[0,'1'],[30,'2'],]}]}}", "not valid JSON");
        row("{'status':'success','data':{'result':[{'values':[[00,'1'],[30,'2']]}]}}", "not valid JSON");
        row("{'status':'success','data':{'result':[{'values':[[0.,'1'],[30,'2']]}]}}", "not valid JSON");
        row("<html><body>Log in</body></html>", "not valid JSON at byte 1: <html>");
    }
    void whatIsNoAnswerIsRefused() {
        QFETCH(QString, text);
        QFETCH(QString, why);
        const Reading reading = pair(text.toStdString());
        QVERIFY2(QString::fromStdString(reading.error).contains(why), reading.error.c_str());
    }

    void hostileTextsAreRefused() {
        QVERIFY(pair(std::string(100'000, '[')).error.find("not a JSON object") != std::string::npos);
        QVERIFY(pair("{'x':" + std::string(100'000, '[')).error.find("deeper than 64") != std::string::npos);
        QVERIFY(pair(head + "{'x':" + std::string(100'000, '[')).error.find("deeper than 64") !=
                std::string::npos);
        using namespace std::string_literals;
        QVERIFY(pair("{'status':'success','data':{'result':[]}}\0"s).error.find("NUL") != std::string::npos);
        QVERIFY(pair("{'a':'\xff'}").error.find("\\xff") != std::string::npos);
        QVERIFY(pair("{'a':'\x1b[31m'}").error.find('\x1b') == std::string::npos);
    }

    void aRangeVectorInAnInstantQueryIsExplained() {
        const Reading reading = instant(quotes("{'status':'success','data':{'resultType':'matrix','result':[{"
                                               "'metric':{},'values':[[1,'2']]}]}}"));
        QVERIFY(reading.error.find("last_over_time") != std::string::npos);
    }

    void theFastWayReadsWhatTheParserReads_data() {
        QTest::addColumn<QString>("file");
        for (const QString& file : replyFiles())
            QTest::newRow(qPrintable(file)) << file;
    }
    void theFastWayReadsWhatTheParserReads() {
        QFETCH(QString, file);
        const std::string text = reply(file.toStdString());
        const TimeGrid grid{epoch, 30, 241};
        for (std::size_t length = text.size(); length > 0; length -= std::min<std::size_t>(length, 97)) {
            const std::string cut = text.substr(0, length);
            const Reading fast = read(cut, QueryKind::range, grid);
            const Reading slow = read(cut, QueryKind::range, grid, {}, false);
            QCOMPARE(fast.error, slow.error);
            QCOMPARE(fast.matrix.series.size(), slow.matrix.series.size());
            QCOMPARE(outline(fast.matrix), outline(slow.matrix));
            QCOMPARE(warningsOf(fast.matrix), warningsOf(slow.matrix));
        }
    }
};

QTEST_APPLESS_MAIN(PrometheusReplyTest)

} // namespace tst_prometheus_reply

#include "tst_prometheus_reply.moc"
