// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=107
#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/calibration/validation_fit.h"
#include "model/validation/summaries.h"
#include "model/validation/validate.h"

#include <QTest>

#include <cmath>
#include <map>

namespace tst_shipped_constants {

using namespace alidade;

/// The shipped constants are what `alidade validate --fit` makes of their priors and the shipped
/// measurements.
class TestShippedConstants : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        PublishedRows rows = data::shippedPublished();
        rows.collectives.clear();
        report_ = validate(rows, *catalog_, catalog_->defaultProfile);
        fit_ = calibrate(report_, *catalog_, catalog_->defaultProfile, StepFitOptions{.threads = 2});
    }

    void areTheResultOfTheFit() {
        QVERIFY(fit_.converged);
        QVERIFY(fit_.rejected.empty());
        const ParameterList& shipped = catalog_->defaultProfile.parameters;
        QCOMPARE(fit_.profile.parameters.size(), shipped.size());
        int compared = 0;
        for (std::size_t i = 0; i < shipped.size(); ++i) {
            const Parameter &is = shipped[i], &fitted = fit_.profile.parameters[i];
            if (!is.prior)
                continue;
            ++compared;
            const double apart = std::abs(std::log(is.value / fitted.value));
            QVERIFY2(apart < 1e-3,
                     (is.name + " " + is.gpu + " " + is.precision + " " + is.stack + ": shipped " +
                      std::to_string(is.value) + ", fitted " + std::to_string(fitted.value) +
                      "; run alidade validate --fit -o catalogs/calibration.json")
                         .c_str());
        }
        QVERIFY(compared > 100);
    }

    /// The bands hold what a fit without the source, release and model of a row makes of it, dense and with
    /// experts.
    void bandsCoverWhatWasLeftOut() {
        std::map<std::string, double> inside, all;
        for (const ValidationRow& row : leftOutRows(report_, *catalog_, catalog_->defaultProfile,
                                                    LeftOut::together, StepFitOptions{.threads = 2})) {
            const std::string kind = row.kind == RowKind::training ? row.family : "serving";
            all[kind] += row.weight;
            inside[kind] += row.low <= row.measured && row.measured <= row.high ? row.weight : 0;
        }
        for (const ValidationRow& row : report_.rows) { // nothing is fitted to these
            if (row.quantity == "peak_memory_bytes" && isJudged(row) && knowsConfiguration(row)) {
                const std::string kind = row.kind == RowKind::finetune ? "memory of fine-tuning" : "memory";
                all[kind] += row.weight;
                inside[kind] += row.low <= row.measured && row.measured <= row.high ? row.weight : 0;
            }
        }
        QCOMPARE(all.size(), std::size_t(5)); // dense, MoE, memory, that of fine-tuning, serving
        for (const auto& [kind, weight] : all) {
            const double share = inside[kind] / weight;
            QVERIFY2(share > 0.75 && share < 0.86, (kind + " " + std::to_string(share)).c_str());
        }
    }

private:
    std::shared_ptr<const Catalog> catalog_;
    ValidationReport report_;
    Calibration fit_;
};

QTEST_APPLESS_MAIN(TestShippedConstants)

} // namespace tst_shipped_constants

#include "tst_shipped_constants.moc"
