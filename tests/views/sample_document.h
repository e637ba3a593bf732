// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/data/sample_estimate.h"
#include "tests/views/drive.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/estimate_view.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <memory>
#include <mutex>
#include <semaphore>

/// A document whose engine answers with the estimate that a test gives it.
class SampleDocument {
public:
    explicit SampleDocument(
        alidade::Estimate estimate = alidade::sample::estimate(),
        std::shared_ptr<const alidade::Catalog> catalog = std::make_shared<const alidade::Catalog>())
        : estimate_(std::move(estimate))
        , document_(std::move(catalog), engine()) {}
    ~SampleDocument() { release(); }

    alidade::views::Document& operator*() { return document_; }
    alidade::views::Document* operator->() { return &document_; }
    alidade::views::Document* get() { return &document_; }

    /// Asks for the estimate and waits until it is there and drawn.
    void estimateNow() {
        QSignalSpy changed(&document_, &alidade::views::Document::estimateChanged);
        if (document_.fileName().isEmpty())
            document_.open(alidade::sample::scenario(), QStringLiteral("sample.json"));
        else
            document_.recompute();
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() > 0 && !document_.busy(), 20'000);
        settle();
    }
    void answer(alidade::Estimate estimate) {
        {
            const std::lock_guard lock(mutex_);
            estimate_ = std::move(estimate);
            error_.clear();
        }
        estimateNow();
    }
    void fail(std::string error) {
        {
            const std::lock_guard lock(mutex_);
            error_ = std::move(error);
        }
        estimateNow();
    }
    /// The next estimate does not end before release().
    void hold() { held_ = true; }
    void release() {
        if (held_.exchange(false))
            gate_.release();
    }

private:
    alidade::views::Engine engine() {
        const auto answer = [this](const alidade::ScenarioSpec&,
                                   const alidade::Catalog&) -> alidade::Result<alidade::Estimate> {
            if (held_)
                gate_.acquire();
            const std::lock_guard lock(mutex_);
            if (!error_.empty())
                return alidade::Error{error_};
            return estimate_;
        };
        return {.estimate = answer,
                .suggest = {},
                .explain = {},
                .detail = [answer](const alidade::ScenarioSpec& spec, const alidade::Catalog& catalog,
                                   const alidade::EstimateOptions&) { return answer(spec, catalog); }};
    }

    std::mutex mutex_;
    alidade::Estimate estimate_;
    std::string error_;
    std::atomic<bool> held_ = false;
    std::binary_semaphore gate_{0};
    alidade::views::Document document_; ///< last: its thread ends before what the engine uses
};
