// SPDX-License-Identifier: GPL-3.0-or-later
// Bands of memory and of fine-tuning, to which nothing is fitted: as wide as the errors of published rows.
#include "model/calibration/validation_fit.h"
#include "tests/model/fitted_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tst_predicted_bands {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr double quantile = 1.2815515655446004; ///< 90 % of a normal distribution

/// A row whose prediction is off by so much in the logarithm.
ValidationRow rowOf(RowKind kind, const char* quantity, double error, double weight = 1) {
    ValidationRow out;
    out.kind = kind;
    out.quantity = quantity;
    out.rowKind = "benchmark";
    out.quality = "high";
    out.family = "dense";
    out.complete = true;
    out.measured = 2;
    out.predicted = 2 * std::exp(error);
    out.weight = weight;
    return out;
}

/// Errors of five rows in either direction: 80 % of their weight lies within the fourth largest.
ValidationReport fiveRows(RowKind kind, const char* quantity, double largest) {
    ValidationReport out;
    for (const double share : {0.2, -0.4, 1.0, -0.8, 0.6})
        out.rows.push_back(rowOf(kind, quantity, share * largest));
    return out;
}

struct Rig {
    Catalog catalog = fittedCatalog();

    Rig() {
        for (Parameter& each : catalog.defaultProfile.parameters)
            each.prior.reset();
        for (const char* name : {"memory_log_sd", "time_log_sd"}) {
            Parameter& general = constantIn(catalog.defaultProfile, name);
            general.prior = ParameterPrior{.value = 0.05, .logSd = 0.3};
            general.value = 0.05;
            general.kind = SourceKind::assumed;
            Parameter own = general;
            own.stack = "finetune";
            catalog.defaultProfile.parameters.push_back(own);
        }
    }
    Parameter band(const ValidationReport& report, std::string_view name, std::string_view stack) const {
        const Profile out = calibrate(report, catalog, catalog.defaultProfile, {}).profile;
        return *std::ranges::find_if(out.parameters,
                                     [&](const Parameter& p) { return p.name == name && p.stack == stack; });
    }
    /// Memory of training, memory and time of fine-tuning, in thousandths; time of training, which follows
    /// from what is left out of a fit.
    QString bands(const ValidationReport& report) const {
        QString out;
        for (const auto& [name, stack] : {std::pair("memory_log_sd", "*"),
                                          {"memory_log_sd", "finetune"},
                                          {"time_log_sd", "finetune"},
                                          {"time_log_sd", "*"}}) {
            const Parameter found = band(report, name, stack);
            const bool isFitted = found.kind == SourceKind::fitted;
            out += QString::number(std::round(1000 * found.value)) + QLatin1String(isFitted ? " " : "- ");
        }
        return out;
    }
};

} // namespace

class TestPredictedBands : public QObject {
    Q_OBJECT

    Rig rig_;

private slots:
    /// 0.4 / 1.28 and 0.64 / 1.28.
    void widths() {
        QCOMPARE(rig_.bands({}), QStringLiteral("50- 50- 50- 50- "));
        QCOMPARE(rig_.bands(fiveRows(RowKind::training, "peak_memory_bytes", 0.5)),
                 QStringLiteral("312 50- 50- 50- "));
        QCOMPARE(rig_.bands(fiveRows(RowKind::finetune, "peak_memory_bytes", 0.8)),
                 QStringLiteral("50- 499 50- 50- "));
        QCOMPARE(rig_.bands(fiveRows(RowKind::finetune, "step_time_s", 0.5)),
                 QStringLiteral("50- 50- 312 50- "));
        QCOMPARE(rig_.bands(fiveRows(RowKind::run, "restore_s", 0.5)), QStringLiteral("50- 50- 50- 50- "));
        ValidationReport heavy = fiveRows(RowKind::training, "peak_memory_bytes", 0.5);
        heavy.rows[2].weight = 1.1; // the largest error is more than a fifth of 5.1
        QVERIFY(std::abs(rig_.band(heavy, "memory_log_sd", "*").value - 0.5 / quantile) < 1e-12);
    }

    void whichRowsCount_data() {
        QTest::addColumn<ValidationRow>("other");
        const auto add = [](const char* name, RowKind kind, const char* quantity, auto change) {
            ValidationRow other = rowOf(kind, quantity, 3, 100);
            change(other);
            QTest::newRow(name) << other;
        };
        const char* memory = "peak_memory_bytes";
        add("of low quality", RowKind::training, memory, [](ValidationRow& r) { r.quality = "low"; });
        add("incomplete", RowKind::training, memory, [](ValidationRow& r) { r.complete = false; });
        add("without a prediction", RowKind::training, memory, [](ValidationRow& r) { r.predicted = 0; });
        add("recomputation not known", RowKind::training, memory,
            [](ValidationRow& r) { r.assumed = {"plan.sharding", "plan.recompute"}; });
        add("micro-batch not known", RowKind::training, memory,
            [](ValidationRow& r) { r.assumed = {"plan.micro_batch"}; });
        add("experts that are fine-tuned", RowKind::finetune, "step_time_s",
            [](ValidationRow& r) { r.family = "moe"; });
        add("fine-tuning of low quality", RowKind::finetune, memory,
            [](ValidationRow& r) { r.quality = "low"; });
    }
    void whichRowsCount() {
        QFETCH(ValidationRow, other);
        ValidationReport report;
        for (const auto& [kind, quantity] : {std::pair(RowKind::training, "peak_memory_bytes"),
                                             {RowKind::finetune, "peak_memory_bytes"},
                                             {RowKind::finetune, "step_time_s"}}) {
            const ValidationReport part = fiveRows(kind, quantity, 0.5);
            report.rows.insert(report.rows.end(), part.rows.begin(), part.rows.end());
        }
        const QString before = QStringLiteral("312 312 312 50- ");
        QCOMPARE(rig_.bands(report), before);
        report.rows.push_back(other);
        QCOMPARE(rig_.bands(report), before);
    }

    /// Of time it does not matter what is assumed; of experts memory counts as that of others.
    void whatCountsAllTheSame() {
        ValidationRow row = rowOf(RowKind::finetune, "step_time_s", 0.5);
        row.assumed = {"plan.recompute"};
        QCOMPARE(rig_.bands({.rows = {row}}), QStringLiteral("50- 50- 390 50- "));
        row = rowOf(RowKind::training, "peak_memory_bytes", 0.5);
        row.family = "moe";
        row.assumed = {"plan.sharding"};
        QCOMPARE(rig_.bands({.rows = {row}}), QStringLiteral("390 50- 50- 50- "));
    }

    /// A band without a prior is given, not fitted.
    void bandsThatAreGiven() {
        Rig rig;
        constantIn(rig.catalog.defaultProfile, "memory_log_sd").prior.reset();
        QCOMPARE(rig.bands(fiveRows(RowKind::training, "peak_memory_bytes", 0.5)),
                 QStringLiteral("50- 50- 50- 50- "));
    }
};

QTEST_APPLESS_MAIN(TestPredictedBands)

} // namespace tst_predicted_bands

#include "tst_predicted_bands.moc"
