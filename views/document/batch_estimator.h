// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace alidade {
struct Catalog;
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

struct Engine;

/// Estimates a list of scenarios one after the other on a separate thread, for comparisons. A newer list
/// supersedes an older one.
class BatchEstimator : public QObject {
    Q_OBJECT

public:
    explicit BatchEstimator(const Engine& engine, QObject* parent = nullptr);
    ~BatchEstimator() override;

    void run(std::vector<ScenarioSpec> specs, std::shared_ptr<const Catalog> catalog);

signals:
    /// On the thread of this object, in the order of the list.
    /// \param estimate null: `error` says why there is none
    void estimated(int index, std::shared_ptr<const alidade::Estimate> estimate, const QString& error);
    void finished();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alidade::views
