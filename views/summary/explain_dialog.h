// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

class QTextBrowser;

namespace alidade {
struct Explanation;
}

namespace alidade::views {

class Document;
class Explainer;

/// How a figure comes about: its formula, the formula with figures, its terms, and all inputs with their
/// sources. Not modal.
class ExplainDialog : public QDialog {
    Q_OBJECT

public:
    explicit ExplainDialog(Document& document, QWidget* parent = nullptr);

    /// \param label what the figure is called: "Step time"
    void explain(const QString& label, const QString& path);
    QString shownText() const;

private:
    Document& document_;
    Explainer* explainer_;
    QTextBrowser* text_;
    QString label_;
};

/// The explanation as HTML for the present theme.
QString explanationHtml(const QString& label, const Explanation& explanation);

} // namespace alidade::views
