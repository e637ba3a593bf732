// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/catalog/catalog.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace tst_serving_energy {

using namespace alidade;

/// Power and energy of a service.
class TestServingEnergy : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { catalog_ = data::loadShippedCatalog().catalog; }

    /// One number follows from the others: power of the GPUs, of their hosts and of the building; joules,
    /// kilowatt-hours and carbon.
    void figuresAgree() {
        const Serving s = *estimated({}).serving;
        QVERIFY(s.energy);
        const ServingEnergyT<double>& e = *s.energy;
        QVERIFY(e.gpuWatts > 70 && e.gpuWatts <= 700); // between idle and the TDP of an H200
        QVERIFY(e.watts > 8 * e.gpuWatts);
        QVERIFY(std::abs(e.joulesPerOutputToken * s.outputTokensPerSecond / e.watts - 1) < 1e-9);
        const double tokens = s.outputTokensPerSecond + s.inputTokensPerSecond;
        QVERIFY(std::abs(e.kilowattHoursPerMillionTokens * 3.6 * tokens / e.watts - 1) < 1e-9);
        QVERIFY(std::abs(e.kilowattHoursPerMonth * 1000 / (e.watts * 730) - 1) < 1e-9);
        QVERIFY(e.carbonKgPerMonth > 0);
    }

    /// More users draw more power and take less energy per token.
    void loadRaisesPowerAndLowersEnergyPerToken() {
        double power = 0, energy = HUGE_VAL;
        for (const char* users : {"1", "8", "64", "256"}) {
            const Serving s = *estimated({{"workload.concurrency", users}}).serving;
            QVERIFY2(s.energy->watts >= power, users);
            QVERIFY2(s.energy->joulesPerOutputToken < energy, users);
            power = s.energy->watts;
            energy = s.energy->joulesPerOutputToken;
        }
    }

    /// A slower tier of the KV cache makes steps longer where caches spill, and is refused where it cannot
    /// be.
    void tiersOfTheCache() {
        const auto itl = [this](const char* tier) {
            return estimated({{"workload.concurrency", "2000"},
                              {"plan.kv_offload_bytes", "200e9"},
                              {"plan.kv_offload_tier", tier}})
                .serving->itl;
        };
        QVERIFY(itl("host") < itl("file_system"));
        QVERIFY(itl("host") < itl("nvme"));
        const Estimate tooMuch =
            estimated({{"plan.kv_offload_bytes", "20e12"}, {"plan.kv_offload_tier", "nvme"}});
        QVERIFY(!tooMuch.runs && !tooMuch.problems.empty());
        QVERIFY(std::ranges::any_of(tooMuch.problems, [](const Problem& each) {
            return each.message.find("per GPU") != std::string::npos;
        }));
    }

private:
    Estimate estimated(std::vector<std::pair<std::string, std::string>> set) const {
        const char* id = "serve-llama-3.1-70b-1xp5en.48xlarge";
        ScenarioSpec spec = *data::readScenario(*data::shippedScenario(id), id);
        if (std::ranges::any_of(set, [](const auto& each) { return each.first == "workload.concurrency"; }))
            spec.workload.requestRatePerS.reset();
        for (const auto& [path, value] : set)
            spec = *withField(spec, path, value);
        return *estimate(spec, *catalog_, catalog_->defaultProfile, {.fixes = false});
    }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestServingEnergy)

} // namespace tst_serving_energy

#include "tst_serving_energy.moc"
