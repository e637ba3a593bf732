// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "views/kit/tag.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alidade {
struct Catalog;
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

class BatchEstimator;
class Document;

/// What a row of the library says of a scenario besides its name.
struct ItemFigure {
    BadgeKind kind = BadgeKind::neutral; ///< ok, warn, err; neutral: not estimated yet
    QString answer;                      ///< "6.13 s a step, 42.6 % MFU", "does not fit"
    double value = 0;                    ///< what the answer begins with, for sorting; 0: none
    QString cost;                        ///< "$1.2 M", of serving "$0.41 per 1 M tokens"; empty: not known
    double dollars = 0;                  ///< of the cost, for sorting; 0: not known
};

/// The answer of an estimate in one line. Null: `error` says why there is none.
ItemFigure figureOf(const Estimate* estimate, const QString& error);

/// Estimates the scenarios of the library on a separate thread, one after the other, and remembers the
/// answers. A scenario that has not changed is not estimated again under the same catalog.
class ItemFigures : public QObject {
    Q_OBJECT

public:
    explicit ItemFigures(Document* document, QObject* parent = nullptr);
    ~ItemFigures() override;

    /// The answer if it is there; else it is worked out and `renewed` follows.
    /// \param key of the row, for good
    /// \param json the scenario's file
    const ItemFigure& figure(const QString& key, const std::string& json);
    bool isBusy() const { return !asked_.isEmpty(); }

signals:
    void renewed(const QString& key);

private:
    struct Answer {
        std::optional<std::string> json; ///< that the figure is of
        ItemFigure figure;
    };

    void start();
    void take(const QString& key, const std::string& json, const ItemFigure& figure);
    void forget();

    Document* document_;
    BatchEstimator* batch_;
    QHash<QString, Answer> answers_;
    QHash<QString, std::string> asked_;                    ///< not answered yet
    std::vector<std::pair<QString, std::string>> running_; ///< a part of them, on its way
    QTimer collect_;                                       ///< many rows ask at once, and become one list
};

} // namespace alidade::views
