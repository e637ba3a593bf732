// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/validation/validation_engine.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

class Document;

/// The published runs nearest to the scenario on screen.
struct NearestRuns {
    std::shared_ptr<const ValidationReport> report; ///< that `rows` points into
    std::vector<const ValidationRow*> rows;
};

/// Predictions next to published measurements, for all who show them: computed on separate threads, once for
/// each catalog and its constants, and only after a request. From then on the runs nearest to the
/// document's scenario follow each of its estimates.
class ValidationSource : public QObject {
    Q_OBJECT

public:
    /// The document must outlive this.
    ValidationSource(Document* document, ValidationEngine engine, QObject* parent = nullptr);
    ~ValidationSource() override;

    /// Starts the computation unless it runs, is done, or was canceled or failed before.
    void request();
    void tryAgain(); ///< also after cancel() and after an error
    void cancel();

    /// What the predictions are made with unless the user's own values are asked for; until it is given, the
    /// document's catalog.
    void setShipped(std::shared_ptr<const Catalog> shipped);
    void useCustomValues(bool use);
    bool usesCustomValues() const;
    std::shared_ptr<const Catalog> catalog() const; ///< that the predictions are made with

    std::shared_ptr<const ValidationReport> report() const; ///< null: not there (yet)
    QString error() const;                                  ///< why there is none; else empty
    bool busy() const;
    const NearestRuns& nearest() const;
    const ValidationEngine& engine() const; ///< what computes; safe on any thread

signals:
    void reportChanged(); ///< report(), error() or busy()
    void nearestChanged();

private:
    struct Private;
    void start();
    void renewCatalog();
    void accept(std::uint64_t generation, std::shared_ptr<const ValidationReport> report,
                const QString& error);
    void findNearest();
    void setNearest(NearestRuns nearest);

    std::unique_ptr<Private> d;
};

} // namespace alidade::views
