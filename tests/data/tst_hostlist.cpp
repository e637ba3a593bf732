// SPDX-License-Identifier: GPL-3.0-or-later
// Host lists of Slurm, expanded.
#include "data/topology/hostlist.h"

#include <QtTest>

namespace tst_hostlist {

using namespace alidade;

namespace {

QString joined(const char* text) {
    const auto names = data::expandHostlist(text);
    if (!names)
        return QStringLiteral("! ") + QString::fromStdString(names.error());
    QStringList out;
    for (const std::string& name : *names)
        out.push_back(QString::fromStdString(name));
    return out.join(u' ');
}

} // namespace

class TestHostlist : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void expands_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* text, const char* names) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(names);
        };
        row("", "");
        row("gpu1", "gpu1");
        row("gpu1,login", "gpu1 login");
        row("gpu[001-003,012]", "gpu001 gpu002 gpu003 gpu012");
        row("gpu[8-11]", "gpu8 gpu9 gpu10 gpu11");
        row("gpu[08-11]", "gpu08 gpu09 gpu10 gpu11");
        row("gpu[099-101]x", "gpu099x gpu100x gpu101x");
        row("r[0-1]n[2-3]", "r0n2 r0n3 r1n2 r1n3");
        row("a[1-2], b[3]", "a1 a2 b3");
        row("tux[00x11]", "tux00 tux01 tux10 tux11");
        row("tux[08x1a]", "tux08 tux09 tux0A tux18 tux19 tux1A");
        row("gpu[1,1]", "gpu1 gpu1");
        row("i-0a[1-2]z.local", "i-0a1z.local i-0a2z.local");
    }
    void expands() {
        QFETCH(QString, text);
        QTEST(joined(text.toUtf8().constData()), "names");
    }

    void refuses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("begin");
        const auto row = [](const char* text, const char* begin) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(begin);
        };
        row("gpu[1-3", "! column 4: '[' is not closed");
        row("gpu1]", "! column 5: ']' without '['");
        row("gpu[3-1]", "! column 5: the range 3-1 runs backwards");
        row("gpu[a-b]", "! column 5: 'a' is not a number");
        row("gpu[1,]", "! column 7: '' is not a number");
        row("gpu[]", "! column 5: '' is not a number");
        row("gpu[1x]", "! column 5: '1x' is not a box");
        row("gpu[10x0]", "! column 5: '10x0' is not a box");
        row("gpu[1-9999999999]", "! column 5: expands to more than 1000000 names");
        row("a[0-999]b[0-999]c[0-999]", "! column ");
        row("gpu[99999999999999999999]", "! column 5: '99999999999999999999' is not a number");
    }
    void refuses() {
        QFETCH(QString, text);
        QFETCH(QString, begin);
        const QString said = joined(text.toUtf8().constData());
        QVERIFY2(said.startsWith(begin), qPrintable(said));
    }
};

QTEST_GUILESS_MAIN(TestHostlist)

} // namespace tst_hostlist

#include "tst_hostlist.moc"
