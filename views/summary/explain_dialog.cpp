// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/explain_dialog.h"

#include "model/estimate/estimate.h"
#include "model/explain/explain_step.h"
#include "views/document/document.h"
#include "views/document/explainer.h"
#include "views/document/text.h"
#include "views/summary/explain_text.h"
#include "views/theme/theme_controller.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

struct ExplainTexts {
    Q_DECLARE_TR_FUNCTIONS(ExplainDialog)
};

const QString stepScheme = QStringLiteral("step");

QString linked(const QString& words, const QUrl& to) {
    return to.isValid() ? QStringLiteral("<a href=\"%1\">%2</a>")
                              .arg(QString::fromLatin1(to.toEncoded()), words.toHtmlEscaped())
                        : words.toHtmlEscaped();
}

/// \param place where a term leads
QString table(const QString& title, const std::vector<ExplainedTerm>& terms, bool withKind,
              const std::function<QUrl(const ExplainedTerm&)>& place) {
    if (terms.empty())
        return {};
    QString html = QStringLiteral("<h3>%1</h3><table cellpadding=3 width=100%>").arg(title.toHtmlEscaped());
    for (const ExplainedTerm& term : terms) {
        html += QStringLiteral("<tr><td>%1</td><td align=right>%2</td>")
                    .arg(linked(termWords(term.name), place(term)), termValue(term).toHtmlEscaped());
        if (withKind)
            html += QStringLiteral("<td>%1</td>").arg(kindWords(term.kind).toHtmlEscaped());
        html += QStringLiteral("<td>%1</td></tr>").arg(text(term.source).toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

} // namespace

QString explanationHtml(const QString& label, const Explanation& explanation,
                        const std::function<QUrl(const ExplainedTerm&)>& place) {
    const QString value = quantity(explanation.value, explanation.dimension, {.significant = 4});
    QString html = QStringLiteral("<h2>%1: %2</h2>").arg(label.toHtmlEscaped(), value.toHtmlEscaped());
    if (!explanation.source.empty())
        html += QStringLiteral("<p class=note>%1</p>").arg(text(explanation.source).toHtmlEscaped());
    if (!explanation.terms.empty())
        html += QStringLiteral("<p>= %1</p><p>= %2</p>")
                    .arg(formulaInWords(explanation).toHtmlEscaped(),
                         formulaInFigures(explanation).toHtmlEscaped());
    html += table(ExplainTexts::tr("Terms"), explanation.terms, false, place);
    html += table(ExplainTexts::tr("Inputs"), explanation.inputs, true, place);
    return html;
}

ExplainDialog::ExplainDialog(Document& document, QWidget* parent)
    : QDialog(parent)
    , document_(document)
    , explainer_(new Explainer(document.engine(), this))
    , text_(new QTextBrowser(this)) {
    setObjectName(QStringLiteral("explain"));
    setWindowTitle(tr("How this figure is computed"));
    resize(theme().px(760), theme().px(560));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, theme().px(8), 0, theme().px(10));
    way_ = new QLabel(this);
    way_->setObjectName(QStringLiteral("way"));
    way_->setAccessibleName(tr("Path to this step"));
    way_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    way_->setWordWrap(true);
    way_->setContentsMargins(theme().px(20), 0, theme().px(20), 0);
    column->addWidget(way_);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setAccessibleName(tr("Explanation"));
    text_->setOpenLinks(false);
    text_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // everything wraps
    text_->document()->setDocumentMargin(theme().px(20));
    column->addWidget(text_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->setContentsMargins(theme().px(20), 0, theme().px(20), 0);
    back_ = buttons->addButton(tr("Back"), QDialogButtonBox::ActionRole);
    back_->setToolTip(tr("Back to the figure that uses this step (Alt+Left)"));
    back_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(back_, &QPushButton::clicked, this, [this] { backTo(steps_.size() - 2); });
    connect(way_, &QLabel::linkActivated, this, [this](const QString& link) { backTo(link.toInt()); });
    connect(text_, &QTextBrowser::anchorClicked, this, &ExplainDialog::follow);
    connect(explainer_, &Explainer::explained, this,
            [this](const std::shared_ptr<const Explanation>& explanation, const QString& error) {
                explanation_ = explanation;
                error_ = error;
                renew();
            });
    connect(&ThemeController::instance(), &ThemeController::changed, this, &ExplainDialog::renew);
    // The dialog stays during the work: what it shows follows the scenario.
    connect(&document, &Document::estimateChanged, this, [this] {
        if (isVisible() && !steps_.isEmpty())
            ask();
    });
}

void ExplainDialog::explain(const QString& label, const QString& path) {
    steps_ = {{label, path}};
    explanation_ = nullptr;
    error_.clear();
    ask();
    renew();
    show();
    raise();
    activateWindow();
    text_->setFocus(Qt::OtherFocusReason);
}

void ExplainDialog::ask() { explainer_->ask(document_.shownSpec(), document_.catalog(), steps_.last().path); }

void ExplainDialog::backTo(qsizetype step) {
    if (step < 0 || step >= steps_.size() - 1)
        return;
    steps_.resize(step + 1);
    ask();
}

void ExplainDialog::follow(const QUrl& link) {
    if (link.scheme() == stepScheme) {
        const QString name = link.path();
        steps_.append({termWords(name.toStdString()), steps_.last().path + QLatin1Char('>') + name});
        ask();
    } else {
        emit placeRequested(link);
    }
}

QUrl ExplainDialog::placeOf(const ExplainedTerm& term) const {
    if (hasStep(term)) {
        QUrl url;
        url.setScheme(stepScheme);
        url.setPath(text(term.name));
        return url;
    }
    const auto estimate = document_.estimate();
    return estimate ? placeOfTerm(term, estimate->scenario, *document_.catalog()) : QUrl();
}

void ExplainDialog::renew() {
    if (steps_.isEmpty())
        return;
    text_->document()->setDefaultStyleSheet(
        QStringLiteral(
            "h2{font-weight:500} h3{font-weight:500;margin-top:14px} a{color:%2;text-decoration:none}"
            ".note{color:%1}")
            .arg(theme().color(Role::text2).name(), theme().color(Role::accent).name()));
    const QString label = steps_.last().label;
    if (explanation_)
        text_->setHtml(explanationHtml(label, *explanation_,
                                       [this](const ExplainedTerm& term) { return placeOf(term); }));
    else
        text_->setHtml(
            QStringLiteral("<h2>%1</h2><p>%2</p>")
                .arg(label.toHtmlEscaped(), error_.isEmpty() ? tr("Computing") : error_.toHtmlEscaped()));
    QStringList way;
    for (qsizetype i = 0; i + 1 < steps_.size(); ++i)
        way.append(QStringLiteral("<a style=\"color:%3;text-decoration:none\" href=\"%1\">%2</a>")
                       .arg(i)
                       .arg(steps_[i].label.toHtmlEscaped(), theme().color(Role::accent).name()));
    way_->setText(way.join(QStringLiteral(" › ")));
    way_->setVisible(!way.isEmpty());
    back_->setEnabled(steps_.size() > 1);
}

QString ExplainDialog::shownText() const { return text_->toPlainText(); }

} // namespace alidade::views
