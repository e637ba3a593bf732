// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"

#include <QHash>
#include <QObject>
#include <QPointer>

namespace alidade::views {

class Document;
class Explainer;

/// The cards of the figures: formula, inputs and source of the one that the pointer or the keyboard rests on.
/// An explanation is worked out when first asked for, on a separate thread, and kept until the estimate
/// changes.
class FigureCards : public QObject {
    Q_OBJECT

public:
    FigureCards(Document& document, QObject* parent);

    /// \param label "Step time"; \param path of the figure; \param meaning may be empty
    void enter(QWidget* figure, const QString& label, const QString& path, const QString& meaning);
    void leave(QWidget* figure);

private:
    void show();

    Document& document_;
    Explainer* explainer_;
    QPointer<QWidget> figure_; ///< waited for
    QString label_, path_, meaning_;
    QHash<QString, CardContent> cards_; ///< by path
};

} // namespace alidade::views
