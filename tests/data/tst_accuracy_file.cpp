// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/accuracy_file.h"

#include <QTest>

namespace tst_accuracy_file {

using namespace alidade;
using data::AccuracyReading;
using data::readAccuracy;

class TestAccuracyFile : public QObject {
    Q_OBJECT

private slots:
    void curves_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("measure");
        QTest::addColumn<double>("last");
        QTest::addColumn<double>("accuracy");
        const auto row = [](const char* name, const char* text, AccuracyMeasure measure, double last,
                            double accuracy) {
            QTest::newRow(name) << QByteArray(text) << static_cast<int>(measure) << last << accuracy;
        };
        using enum AccuracyMeasure;
        row("csv", "k,pass_at_k\n1,0.4\n4,0.6\n", passAtK, 4, 0.6);
        row("order, comments, CRLF", "# MATH\r\nk,pass_at_k\r\n4,0.6\r\n\r\n1,0.4\r\n", passAtK, 4, 0.6);
        row("other columns", "model,best_of_n,k\nx,0.4,1\nx,0.35,4\n", bestOfN, 4, 0.35);
        row("semicolons", "k;majority\n1;0.4\n8;0.5\n", majority, 8, 0.5);
        row("quoted", "\"k\",\"pass_at_k\"\n1,0.4\n2,0.5\n", passAtK, 2, 0.5);
        row("byte order mark", "\xEF\xBB\xBFk,pass_at_k\n1,0.4\n", passAtK, 1, 0.4);
        row("budgets", "thinking_tokens,accuracy\n1000,0.5\n16000,0.7\n", thinking, 16'000, 0.7);
        row("counts", "problem,n,c\na,4,1\nb,4,4\n", passAtK, 4, 1);
        row("json", R"({"k": [1, 4], "pass_at_k": [0.4, 0.6]})", passAtK, 4, 0.6);
        row("json of counts", R"({"n": [4, 4], "c": [1, 4]})", passAtK, 4, 1);
    }
    void curves() {
        QFETCH(QByteArray, text);
        QFETCH(int, measure);
        QFETCH(double, last);
        QFETCH(double, accuracy);
        const AccuracyReading read = readAccuracy(text.toStdString(), "a.csv");
        QVERIFY2(read.curve, read.faults.empty() ? "" : read.faults.front().c_str());
        QVERIFY(read.faults.empty());
        QCOMPARE(static_cast<int>(read.curve->measure), measure);
        QCOMPARE(read.curve->last(), last);
        QCOMPARE(read.curve->points.back().accuracy, accuracy);
    }

    void faults_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* text, const char* said) {
            QTest::newRow(name) << QByteArray(text) << QString::fromUtf8(said);
        };
        row("empty", "", "f: is empty; name the columns k,pass_at_k");
        row("no rows", "k,pass_at_k\n", "f: no rows; add one");
        row("no header", "1,0.4\n", "f:1: the columns '1', '0.4' are not a table");
        row("two curves", "k,pass_at_k,majority\n1,0.4,0.4\n", "f:1: both 'pass_at_k' and 'majority'");
        row("percent", "k,pass_at_k\n1,0.4\n4,62\n",
            "f:3: pass_at_k is 62; expected a share of 1, such as 0.62");
        row("negative", "k,pass_at_k\n1,-0.1\n", "f:2: pass_at_k is -0.1; expected an accuracy from 0 to 1");
        row("no number", "k,pass_at_k\n1,high\n", "f:2: 'high' is not a number; write one such as 0.41");
        row("infinite", "k,pass_at_k\n1,inf\n", "f:2: 'inf' is not a number");
        row("half a sample", "k,pass_at_k\n1.5,0.4\n", "f:2: k is 1.5; expected a whole number from 1 to");
        row("zero", "k,pass_at_k\n0,0.4\n", "f:2: k is 0; expected a whole number");
        row("short row", "k,x,pass_at_k\n1,0.4\n", "f:2: has 2 columns; use as many");
        row("falls", "k,pass_at_k\n1,0.4\n4,0.3\n", "f:3: pass_at_k falls from 0.4 to 0.3 at k = 4");
        row("twice", "k,majority\n1,0.4\n1,0.3\n", "f:3: a second row for k = 1; keep one");
        row("more right than drawn", "n,c\n4,5\n", "f:2: c is 5; expected how many of the n = 4");
        row("json, uneven", R"({"k": [1, 4], "pass_at_k": [0.4]})", "f:/pass_at_k: expected an array");
        row("json, text", R"({"k": [1], "pass_at_k": ["high"]})", "f:/pass_at_k/0: ");
        row("json, broken", R"({"k": [1,)", "f: line 1, column");
        row("json, others", R"({"a": [1]})", "f: the columns 'a' are not a table");
    }
    void faults() {
        QFETCH(QByteArray, text);
        QFETCH(QString, said);
        const AccuracyReading read = readAccuracy(text.toStdString(), "f");
        QVERIFY(!read.curve);
        QVERIFY(!read.faults.empty());
        const QString first = QString::fromStdString(read.faults.front());
        QVERIFY2(first.startsWith(said), qPrintable(first));
    }

    void everyFaultIsNamed() {
        const AccuracyReading read = readAccuracy("k,pass_at_k\nx,0.1\n2,7\n3,0.5\n", "f");
        QCOMPARE(read.faults.size(), std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestAccuracyFile)

} // namespace tst_accuracy_file

#include "tst_accuracy_file.moc"
