// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/engine/engine.h"

#include <QObject>

#include <functional>
#include <memory>

namespace alidade::views {

struct Engine;

/// Estimates with the parts that few views need (a played schedule, a curve of loads, a simulation), on a
/// separate thread. A newer question supersedes an older one.
class DetailSource : public QObject {
    Q_OBJECT

public:
    /// Runs on the worker; what it returns runs on the GUI thread, unless a newer question has come.
    using Digest = std::function<std::function<void()>(const Result<Estimate>&)>;

    explicit DetailSource(const Engine& engine, QObject* parent = nullptr);
    ~DetailSource() override;

    void ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog, const EstimateOptions& parts,
             Digest digest);
    /// No answer is wanted any more.
    void cancel();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alidade::views
