// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/profile.h"

#include <QTest>

namespace tst_profile {

using namespace alidade;

/// Which constant of a profile a scenario takes.
class TestProfile : public QObject {
    Q_OBJECT

private slots:
    void theClosestKeyWins_data() {
        QTest::addColumn<QString>("gpu");
        QTest::addColumn<QString>("precision");
        QTest::addColumn<QString>("stack");
        QTest::addColumn<double>("value");
        QTest::newRow("nothing fits but the wildcard") << "b200-sxm" << "bf16" << "megatron" << 1.0;
        QTest::newRow("architecture") << "h100-sxm" << "bf16" << "megatron" << 2.0;
        QTest::newRow("the part beats its architecture") << "h100-sxm-96gb" << "bf16" << "megatron" << 3.0;
        QTest::newRow("the part beats architecture and stack") << "h100-sxm-96gb" << "bf16" << "fsdp" << 3.0;
        QTest::newRow("the stack beats the precision") << "h100-sxm" << "fp8" << "fsdp" << 5.0;
        QTest::newRow("precision") << "h100-sxm" << "fp8" << "megatron" << 4.0;
        QTest::newRow("the stack's family") << "h100-sxm" << "bf16" << "fsdp/2024" << 5.0;
        QTest::newRow("as run, of a version") << "h100-sxm" << "bf16" << "engine/2.0/as_run" << 6.0;
        QTest::newRow("as run, of the engine") << "h100-sxm" << "bf16" << "engine/as_run" << 6.0;
        QTest::newRow("tuned, of a version") << "h100-sxm" << "bf16" << "engine/2.0" << 8.0;
        QTest::newRow("tuned, of another version") << "h100-sxm" << "bf16" << "engine/1.0" << 7.0;
        QTest::newRow("as run, the version before the engine")
            << "h100-sxm" << "bf16" << "plain/2.0/as_run" << 10.0;
        QTest::newRow("as run, the engine alone") << "h100-sxm" << "bf16" << "plain/1.0/as_run" << 9.0;
        QTest::newRow("no family without a slash") << "h100-sxm" << "bf16" << "fsdp-eager" << 2.0;
    }

    void theClosestKeyWins() {
        QFETCH(QString, gpu);
        QFETCH(QString, precision);
        QFETCH(QString, stack);
        QFETCH(double, value);
        Profile profile;
        const auto add = [&profile](const char* part, const char* format, const char* software, double v) {
            Parameter& p = profile.parameters.emplace_back();
            p.name = "x";
            p.gpu = part;
            p.precision = format;
            p.stack = software;
            p.value = v;
        };
        add("*", "*", "*", 1);
        add("Hopper", "*", "*", 2);
        add("h100-sxm-96gb", "*", "*", 3);
        add("Hopper", "fp8", "*", 4);
        add("Hopper", "*", "fsdp", 5);
        add("*", "*", "engine/as_run", -1);
        add("Hopper", "*", "engine/as_run", 6);
        add("Hopper", "*", "engine", 7);
        add("Hopper", "*", "engine/2.0", 8);
        add("Hopper", "*", "plain", 9);
        add("Hopper", "*", "plain/2.0", 10);
        const std::string architecture = gpu.startsWith(QStringLiteral("h100")) ? "Hopper" : "Blackwell";
        const Parameter* found = findParameter(profile, "x", gpu.toStdString(), architecture,
                                               precision.toStdString(), stack.toStdString());
        QVERIFY(found);
        QCOMPARE(found->value, value);
        QVERIFY(!findParameter(profile, "y", gpu.toStdString(), architecture, "bf16", "*"));
    }
};

QTEST_APPLESS_MAIN(TestProfile)

} // namespace tst_profile

#include "tst_profile.moc"
