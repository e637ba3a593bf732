// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "tests/views/drive.h"
#include "views/run/run_view.h"

#include <QTest>

#include <string>
#include <utility>
#include <vector>

namespace alidade::test {

/// Paths of fields and their texts.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// The page on a whole run, shown on a sample scenario with some fields set.
struct RunPage {
    CountedModel model;
    std::unique_ptr<views::Document> document;
    std::unique_ptr<views::RunView> view;

    RunPage(const Fields& set, const char* sample, QSize size) {
        document = std::make_unique<views::Document>(shippedCatalog(), model.engine());
        view = std::make_unique<views::RunView>(document.get());
        present(*view, size);
        open(set, sample);
    }
    void open(const Fields& set, const char* sample) {
        ScenarioSpec spec = sampleSpec(sample);
        for (const auto& [path, value] : set)
            spec = *withField(spec, path, value);
        document->open(spec, QStringLiteral("run.json"));
        answered();
    }
    void answered() const {
        QTRY_VERIFY_WITH_TIMEOUT(!document->busy() && !view->isBusy(), 60'000);
        settle();
    }
    void set(const char* path, const char* value) const {
        QCOMPARE(document->setField(*findField(path), QString::fromUtf8(value)), QString());
        answered();
    }
};

} // namespace alidade::test
