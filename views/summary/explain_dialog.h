// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <QDialog>
#include <QList>
#include <QString>
#include <QUrl>

#include <functional>
#include <memory>

class QLabel;
class QPushButton;
class QTextBrowser;

namespace alidade::views {

class Document;
class Explainer;

/// How a figure comes about: its formula, the formula with figures, its terms, and all inputs with their
/// sources. A term is a link to its own formula, and so on down to values of the catalog, fields of the
/// scenario and fitted constants, which are links to where they stand. Follows the document; not modal.
class ExplainDialog : public QDialog {
    Q_OBJECT

public:
    explicit ExplainDialog(Document& document, QWidget* parent = nullptr);

    /// \param label what the figure is called: "Step time"
    void explain(const QString& label, const QString& path);
    QString shownText() const;

signals:
    /// A person wants to see where an input comes from: see placeOfTerm().
    void placeRequested(const QUrl& place);

private:
    struct Step {
        QString label, path;
    };

    void ask();
    void renew();
    void backTo(qsizetype step);
    void follow(const QUrl& link);
    QUrl placeOf(const ExplainedTerm& term) const;

    Document& document_;
    Explainer* explainer_;
    QTextBrowser* text_;
    QLabel* way_;
    QPushButton* back_;
    QList<Step> steps_; ///< from the figure down to what is shown
    std::shared_ptr<const Explanation> explanation_;
    QString error_;
};

/// The explanation as HTML.
/// \param place where a term leads; invalid: nowhere
QString explanationHtml(const QString& label, const Explanation& explanation,
                        const std::function<QUrl(const ExplainedTerm&)>& place);

} // namespace alidade::views
