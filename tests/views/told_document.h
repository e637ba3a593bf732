// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/data/sample_estimate.h"
#include "tests/views/drive.h"
#include "views/document/document.h"
#include "views/document/engine.h"

#include <QTest>

#include <memory>

/// A document whose engine answers at once with what it is told to: an estimate, a failure, suggestions.
struct ToldDocument {
    alidade::Result<alidade::Estimate> answer = alidade::sample::estimate();
    std::vector<alidade::Suggestion> suggestions = alidade::sample::suggestions();
    std::unique_ptr<alidade::views::Document> document;

    explicit ToldDocument(std::shared_ptr<const alidade::Catalog> catalog) {
        const alidade::views::Engine engine = {
            .estimate =
                [this](const alidade::ScenarioSpec& spec, const alidade::Catalog&) {
                    if (!answer)
                        return answer;
                    alidade::Estimate told = *answer;
                    told.scenario = spec;
                    return alidade::Result<alidade::Estimate>(std::move(told));
                },
            .suggest = [this](const alidade::ScenarioSpec&, const alidade::Catalog&) { return suggestions; },
            .explain = {}};
        document = std::make_unique<alidade::views::Document>(std::move(catalog), engine);
    }
    void open() {
        document->open(alidade::sample::scenario(), {});
        QTRY_VERIFY_WITH_TIMEOUT(!document->busy() && !document->suggestionsPending(), 20'000);
        settle();
    }
};
