// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "model/validation/validation_report.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

class Document;

/// The functions that a validation is computed with. Called on worker threads; a test puts its own here.
struct ValidationEngine {
    /// All published rows with their predictions; may end early, with anything, when it is asked to stop.
    std::function<ValidationReport(const Catalog&, std::stop_token)> report;
    /// The rows of the report that are nearest to a scenario, nearest first; empty: none is near.
    std::function<std::vector<const ValidationRow*>(const ValidationReport&, const ScenarioSpec&,
                                                    const Catalog&)>
        nearest;
};

/// The published runs nearest to the scenario on screen.
struct NearestRuns {
    std::shared_ptr<const ValidationReport> report; ///< that `rows` points into
    std::vector<const ValidationRow*> rows;
};

/// Predictions beside published measurements, for all who show them: computed on threads of its own, once for
/// each catalog and its constants, and only after somebody has asked. From then on the runs nearest to the
/// document's scenario follow each of its estimates.
class ValidationSource : public QObject {
    Q_OBJECT

public:
    /// The document must outlive this.
    ValidationSource(Document* document, ValidationEngine engine, QObject* parent = nullptr);
    ~ValidationSource() override;

    /// Starts the computation unless it runs, is done, or was cancelled or failed before.
    void request();
    void tryAgain(); ///< also after cancel() and after an error
    void cancel();

    std::shared_ptr<const ValidationReport> report() const; ///< null: not there (yet)
    QString error() const;                                  ///< why there is none; else empty
    bool busy() const;
    const NearestRuns& nearest() const;

signals:
    void reportChanged(); ///< report(), error() or busy()
    void nearestChanged();

private:
    struct Private;
    void start();
    void accept(std::uint64_t generation, std::shared_ptr<const ValidationReport> report,
                const QString& error);
    void findNearest();
    void setNearest(NearestRuns nearest);

    std::unique_ptr<Private> d;
};

} // namespace alidade::views
