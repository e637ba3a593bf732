// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>

namespace alidade {
struct Catalog;
struct Explanation;
} // namespace alidade

namespace alidade::views {

struct Engine;

/// Asks the engine how a figure comes about, on a separate thread. A newer question supersedes an older
/// one.
class Explainer : public QObject {
    Q_OBJECT

public:
    explicit Explainer(const Engine& engine, QObject* parent = nullptr);
    ~Explainer() override;

    /// \param path of the documented estimate: "training.step_time_s"
    void ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog, const QString& path);

signals:
    /// \param explanation null: `error` says why there is none
    void explained(std::shared_ptr<const alidade::Explanation> explanation, const QString& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alidade::views
