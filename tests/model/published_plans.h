// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/published_scenario.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/published_rows.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <functional>

// Published rows of training whose words are changed one at a time.
namespace alidade::tests {

using Change = std::function<void(PublishedTraining&)>;

/// 64 GPUs as 2 x 4 x 8 (tensor, pipeline, data), everything said.
inline PublishedTraining denseRow() {
    PublishedTraining row = rowOf8Ranks(64, 2, 4);
    row.model.sequenceLength = 8192;
    row.hardware.network = "400 Gb/s per GPU";
    row.parallelism.sequence = true;
    row.parallelism.virtualPipeline = 1;
    row.parallelism.schedule = "1F1B";
    row.globalBatch = 128;
    row.microBatch = 2;
    row.software = "Megatron-Core 0.9";
    row.measured.tokensPerSPerGpu = 1000;
    return row;
}

/// Experts over 8 of 16 data-parallel ranks, balanced.
inline PublishedTraining expertsRow() {
    PublishedTraining row = denseRow();
    row.model.name = "Qwen3 30B-A3B";
    row.model.moe = PublishedExperts();
    row.model.moe->experts = 128;
    row.model.moe->perToken = 8;
    row.model.moe->expertFfn = 768;
    row.parallelism.pipeline = 2;
    row.parallelism.data = 16;
    row.parallelism.expert = 8;
    row.parallelism.expertTensor = 1;
    row.notes = "force-balanced routing with DeepEP";
    return row;
}

struct ReadPlan {
    ScenarioSpec spec;
    std::string lacks;
    std::vector<std::string> assumed;
};

inline ReadPlan readPlan(const PublishedTraining& row) {
    const Catalog catalog = fittedCatalog();
    ReadPlan out;
    Architecture model;
    std::string id;
    std::vector<std::string> ofModel;
    publishedArchitecture(row.model, catalog, model, id, ofModel);
    out.lacks = publishedPlan(row, catalog, out.spec, model, out.assumed);
    return out;
}

inline QString changes(const PublishedTraining& row, const Change& change) {
    PublishedTraining other = row;
    change(other);
    return changedFields(readPlan(row).spec, readPlan(other).spec, "");
}
inline QString assumes(const PublishedTraining& row, const Change& change) {
    PublishedTraining other = row;
    change(other);
    return joined(readPlan(other).assumed);
}

inline void planColumns() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("changed");
    QTest::addColumn<QString>("assumed");
}
inline void addPlan(const char* name, const Change& change, const char* changed, const char* assumed = "") {
    QTest::newRow(name) << change << changed << assumed;
}
inline void verifyPlan(const PublishedTraining& row) {
    QFETCH(Change, change);
    QTEST(changes(row, change), "changed");
    QTEST(assumes(row, change), "assumed");
}

} // namespace alidade::tests
