// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/time_text.h"

#include <QtTest>

namespace tst_time_text {

using namespace alidade;
using namespace alidade::cli;

class TimeTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timesOfAllKindsAreUnixSeconds_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("seconds");
        const auto row = [](const char* text, double seconds) {
            QTest::newRow(text) << QString::fromLatin1(text) << seconds;
        };
        row("1767225600", 1767225600);
        row("1767225600.25", 1767225600.25);
        row("0", 0);
        row("now", 1000000);
        row("-2h", 1000000 - 7200);
        row("-1h30m", 1000000 - 5400);
        row("-1.5h", 1000000 - 5400);
        row("-1d", 1000000 - 86400);
        row("-90s", 1000000 - 90);
        row("-250ms", 1000000 - 0.25);
        row("2026-01-01T00:00:00Z", 1767225600);
        row("2026-01-01t00:00:00z", 1767225600);
        row("2026-01-01 00:00:00Z", 1767225600);
        row("2026-01-01", 1767225600);
        row("2026-01-01T02:00:00+02:00", 1767225600);
        row("2025-12-31T19:30:00-04:30", 1767225600);
        row("2026-01-01T00:00:00.5Z", 1767225600.5);
        row("2024-02-29T00:00:00Z", 1709164800);
        row("2016-12-31T23:59:60Z", 1483228800); // a leap second is the next midnight
        row("1970-01-01T00:00:00Z", 0);
    }
    void timesOfAllKindsAreUnixSeconds() {
        QFETCH(QString, text);
        QFETCH(double, seconds);
        const auto time = timeOf(text.toStdString(), 1000000);
        QVERIFY2(bool(time), time.error().c_str());
        QCOMPARE(*time, seconds);
    }

    void whatIsNoTimeIsRefusedWithWhatWouldBeRight_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"",
                                 "-",
                                 "yesterday",
                                 "-2",
                                 "-2x",
                                 "-30m1h",
                                 "-1h1h",
                                 "2h",
                                 "1.2.3",
                                 ".5",
                                 "5.",
                                 "1e9",
                                 "+5",
                                 "2026-13-01T00:00:00Z",
                                 "2026-02-30",
                                 "2023-02-29",
                                 "2026-01-01T24:00:00Z",
                                 "2026-01-01T00:60:00Z",
                                 "2026-01-01T00:00:00",
                                 "2026-01-01T00:00Z",
                                 "2026-01-01T00:00:00.Z",
                                 "2026-01-01T00:00:00+25:00",
                                 "2026-01-01T00:00:00Z ",
                                 " now",
                                 "2026-1-1",
                                 "1767225600000",
                                 "1960-01-01",
                                 "-99999w",
                                 "inf"}) {
            QTest::newRow(text) << QString::fromLatin1(text);
        }
    }
    void whatIsNoTimeIsRefusedWithWhatWouldBeRight() {
        QFETCH(QString, text);
        const auto time = timeOf(text.toStdString(), 1000000);
        QVERIFY(!time);
        QVERIFY(time.error().find('\'' + text.toStdString() + '\'') != std::string::npos);
        QVERIFY(time.error().find("; ") != std::string::npos);
    }

    void lengthsOfTimeAreSeconds() {
        QCOMPARE(*durationOf("30"), 30.0);
        QCOMPARE(*durationOf("0.5"), 0.5);
        QCOMPARE(*durationOf("30s"), 30.0);
        QCOMPARE(*durationOf("500ms"), 0.5);
        QCOMPARE(*durationOf("1h30m"), 5400.0);
        QCOMPARE(*durationOf("1w"), 604800.0);
        for (const char* wrong : {"", "0", "0s", "-5", "5 s", "s", "m5", "1s1s", "1e3", "nan"})
            QVERIFY2(!durationOf(wrong), wrong);
    }

    void timesArePrintedAsTheyAreRead() {
        for (const double time : {0.0, 1767225600.0, 1709164799.0, 1767225600.125, 4102444800.0}) {
            const std::string text = timeText(time);
            QCOMPARE(*timeOf(text, 0), time);
        }
        QCOMPARE(QString::fromStdString(timeText(1767225600)), QStringLiteral("2026-01-01T00:00:00Z"));
        QCOMPARE(QString::fromStdString(timeText(std::numeric_limits<double>::quiet_NaN())),
                 QStringLiteral("unknown"));
    }

    void lengthsArePrintedForAPerson() {
        QCOMPARE(QString::fromStdString(durationText(7200)), QStringLiteral("2 h"));
        QCOMPARE(QString::fromStdString(durationText(5400)), QStringLiteral("1 h 30 min"));
        QCOMPARE(QString::fromStdString(durationText(0.25)), QStringLiteral("250 ms"));
        QCOMPARE(QString::fromStdString(durationText(0)), QStringLiteral("0 s"));
    }
};

QTEST_APPLESS_MAIN(TimeTextTest)

} // namespace tst_time_text

#include "tst_time_text.moc"
