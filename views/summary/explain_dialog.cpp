// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/explain_dialog.h"

#include "model/explain/traced.h"
#include "views/document/document.h"
#include "views/document/explainer.h"
#include "views/document/text.h"
#include "views/theme/theme_controller.h"

#include <QDialogButtonBox>
#include <QHash>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

struct ExplainTexts {
    Q_DECLARE_TR_FUNCTIONS(ExplainDialog)
};

/// "gemm_time" -> "gemm time"; latencies as everybody writes them.
QString readable(const std::string& name) {
    static const QHash<QString, QString> written{
        {QStringLiteral("ttft"), ExplainTexts::tr("TTFT")},
        {QStringLiteral("itl"), ExplainTexts::tr("mean ITL")},
        {QStringLiteral("tpot"), ExplainTexts::tr("TPOT")},
        {QStringLiteral("e2e"), ExplainTexts::tr("E2E")},
        {QStringLiteral("tpot_against_itl"), ExplainTexts::tr("mean over requests in place of gaps")}};
    const QString word = text(name);
    return written.value(word, QString(word).replace(QLatin1Char('_'), QLatin1Char(' ')));
}

QString valueText(const ExplainedTerm& term) {
    return quantity(term.value, term.dimension, {.significant = 4});
}

QString kindText(SourceKind kind) {
    switch (kind) {
    case SourceKind::catalog:
        return ExplainTexts::tr("catalog");
    case SourceKind::fitted:
        return ExplainTexts::tr("fitted");
    case SourceKind::assumed:
        return ExplainTexts::tr("assumed");
    case SourceKind::user:
        return ExplainTexts::tr("yours");
    case SourceKind::derived:
        return ExplainTexts::tr("computed");
    }
    return {};
}

/// The formula with each name replaced. Names are letters, digits and underscores.
template <class Replacement>
QString withNames(const Explanation& explanation, Replacement&& replacement) {
    QString result;
    QString word;
    const QString formula = text(explanation.formula) + QLatin1Char(' ');
    for (const QChar c : formula) {
        if (c.isLetterOrNumber() || c == QLatin1Char('_')) {
            word += c;
            continue;
        }
        result += replacement(word);
        word.clear();
        result += c;
    }
    return result.trimmed();
}

QString withFigures(const Explanation& explanation) {
    return withNames(explanation, [&](const QString& word) {
        const auto term = std::ranges::find(explanation.terms, word.toStdString(), &ExplainedTerm::name);
        return term == explanation.terms.end() ? word : valueText(*term);
    });
}

QString inWords(const Explanation& explanation) {
    return withNames(explanation, [](const QString& word) { return readable(word.toStdString()); });
}

QString cells(const QStringList& texts) {
    QString row = QStringLiteral("<tr>");
    for (qsizetype i = 0; i < texts.size(); ++i)
        row += (i == 1 ? QStringLiteral("<td align=right>") : QStringLiteral("<td>")) +
               texts[i].toHtmlEscaped() + QStringLiteral("</td>");
    return row + QStringLiteral("</tr>");
}

QString table(const QString& title, const std::vector<ExplainedTerm>& terms, bool withKind) {
    if (terms.empty())
        return {};
    QString html = QStringLiteral("<h3>%1</h3><table cellpadding=3 width=100%>").arg(title.toHtmlEscaped());
    for (const ExplainedTerm& term : terms) {
        QStringList row = {readable(term.name), valueText(term)};
        if (withKind)
            row.append(kindText(term.kind));
        row.append(text(term.source));
        html += cells(row);
    }
    return html + QStringLiteral("</table>");
}

} // namespace

QString explanationHtml(const QString& label, const Explanation& explanation) {
    const QString value = quantity(explanation.value, explanation.dimension, {.significant = 4});
    QString html = QStringLiteral("<h2>%1: %2</h2>").arg(label.toHtmlEscaped(), value.toHtmlEscaped());
    if (!explanation.source.empty())
        html += QStringLiteral("<p class=note>%1</p>").arg(text(explanation.source).toHtmlEscaped());
    if (!explanation.formula.empty() && !explanation.terms.empty())
        html += QStringLiteral("<p>= %1</p><p>= %2</p>")
                    .arg(inWords(explanation).toHtmlEscaped(), withFigures(explanation).toHtmlEscaped());
    html += table(ExplainTexts::tr("Terms"), explanation.terms, false);
    html += table(ExplainTexts::tr("Inputs"), explanation.inputs, true);
    return html;
}

ExplainDialog::ExplainDialog(Document& document, QWidget* parent)
    : QDialog(parent)
    , document_(document)
    , explainer_(new Explainer(document.engine(), this))
    , text_(new QTextBrowser(this)) {
    setObjectName(QStringLiteral("explain"));
    setWindowTitle(tr("How this figure comes about"));
    resize(theme().px(760), theme().px(560));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, theme().px(10));
    text_->setFrameShape(QFrame::NoFrame);
    text_->setAccessibleName(tr("Explanation"));
    text_->document()->setDocumentMargin(theme().px(20));
    text_->document()->setDefaultStyleSheet(
        QStringLiteral("h2{font-weight:500} h3{font-weight:500;margin-top:14px}"
                       ".note{color:%1}")
            .arg(theme().colour(Role::text2).name()));
    column->addWidget(text_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->setContentsMargins(theme().px(20), 0, theme().px(20), 0);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(explainer_, &Explainer::explained, this,
            [this](const std::shared_ptr<const Explanation>& explanation, const QString& error) {
                text_->setHtml(explanation ? explanationHtml(label_, *explanation)
                                           : QStringLiteral("<h2>%1</h2><p>%2</p>")
                                                 .arg(label_.toHtmlEscaped(), error.toHtmlEscaped()));
            });
}

void ExplainDialog::explain(const QString& label, const QString& path) {
    label_ = label;
    text_->setHtml(QStringLiteral("<h2>%1</h2><p>%2</p>").arg(label.toHtmlEscaped(), tr("Working it out")));
    explainer_->ask(document_.shownSpec(), document_.catalog(), path);
    show();
    raise();
}

QString ExplainDialog::shownText() const { return text_->toPlainText(); }

} // namespace alidade::views
