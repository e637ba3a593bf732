// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/data/sample_serving.h"
#include "tests/views/sample_document.h"
#include "views/document/document.h"
#include "views/document/engine.h"

#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>

namespace alidade::test {

/// Times at equally spaced probabilities around a mean.
inline std::vector<double> spread(double mean, double width) {
    std::vector<double> times;
    constexpr int count = 100;
    for (int i = 0; i < count; ++i) {
        const double share = (i + 0.5) / count;
        times.push_back(mean * std::exp(width * std::log(share / (1 - share)) / 1.7));
    }
    return times;
}

inline Distribution distribution(const Serving& serving) {
    return {.ttft = spread(serving.ttft, 0.6),
            .itl = spread(serving.itl, 0.15),
            .tpot = spread(serving.tpot, 0.1),
            .e2e = spread(serving.e2e, 0.5),
            .requests = 20'000,
            .seed = 7};
}

/// A document that serves: its engine answers with the given estimate for the load and the targets that the
/// scenario has, and counts what it is asked for.
class ServingDocument {
public:
    explicit ServingDocument(Estimate estimate = sample::servingEstimate(),
                             std::shared_ptr<const Catalog> catalog = std::make_shared<const Catalog>())
        : estimate_(std::move(estimate))
        , document_(std::move(catalog), engine()) {}

    views::Document& operator*() { return document_; }
    views::Document* operator->() { return &document_; }
    views::Document* get() { return &document_; }

    void open() {
        document_.open(estimate_.scenario, QStringLiteral("serving.json"));
        settle();
    }
    void answer(Estimate estimate) {
        {
            const std::lock_guard lock(mutex_);
            estimate_ = std::move(estimate);
        }
        open();
    }
    void settle() {
        QTRY_VERIFY_WITH_TIMEOUT(!document_.busy(), 20'000);
        ::settle();
    }

    std::atomic<int> curves = 0, distributions = 0;

private:
    Estimate answerFor(const ScenarioSpec& spec, const EstimateOptions& parts = {}) {
        const std::lock_guard lock(mutex_);
        Estimate told = estimate_;
        told.scenario = spec;
        if (!told.serving)
            return told;
        if (!parts.loadCurve)
            told.serving->loadCurve.clear();
        told.serving->ttftTarget = spec.workload.ttftSloS;
        told.serving->itlTarget = spec.workload.itlSloS;
        return told;
    }
    views::Engine engine() {
        return {.estimate = [this](const ScenarioSpec& spec, const Catalog&) -> Result<Estimate> {
                    return answerFor(spec);
                },
                .suggest = {},
                .explain = {},
                .detail = [this](const ScenarioSpec& spec, const Catalog&,
                                 const EstimateOptions& parts) -> Result<Estimate> {
                    Estimate told = answerFor(spec, parts);
                    curves += parts.loadCurve ? 1 : 0;
                    distributions += parts.distribution ? 1 : 0;
                    if (told.serving && parts.distribution && std::isfinite(told.serving->ttft))
                        told.serving->distribution = distribution(*told.serving);
                    return told;
                }};
    }

    std::mutex mutex_;
    Estimate estimate_;
    views::Document document_; ///< last: its thread ends before what the engine uses
};

} // namespace alidade::test
