// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/run_panel.h"

#include "views/document/text.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"
#include "views/validation/run_filter.h"
#include "views/validation/run_text.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

/// The page of a source, where its locator is one: an address, or owner/repository and a path in it.
QString addressOf(const std::string& locator) {
    const QString words = text(locator);
    return words.startsWith(QLatin1String("https://")) || words.startsWith(QLatin1String("http://"))
               ? words.section(QLatin1Char(' '), 0, 0)
               : QString();
}

} // namespace

RunPanel::RunPanel(QWidget* parent)
    : QWidget(parent)
    , body_(new QWidget)
    , column_(new QVBoxLayout(body_))
    , open_(new QPushButton(tr("Open as scenario"))) {
    setObjectName(QStringLiteral("runPanel"));
    setAccessibleName(tr("The chosen run"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    body_->setAutoFillBackground(true);
    body_->setBackgroundRole(QPalette::Base);
    const int side = theme().px(14);
    column_->setContentsMargins(side, theme().px(10), side, theme().px(10));
    column_->setSpacing(theme().px(4));
    scroll->setWidget(body_);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(scroll, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(side, theme().px(6), side, theme().px(10));
    foot->addWidget(open_);
    foot->addStretch(1);
    outer->addLayout(foot);
    connect(open_, &QPushButton::clicked, this, &RunPanel::openRequested);
    showNothing();
}

QSize RunPanel::sizeHint() const { return {theme().px(400), theme().px(300)}; }

void RunPanel::clear() {
    while (QLayoutItem* item = column_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

void RunPanel::showNothing() {
    clear();
    open_->hide();
    column_->addWidget(new EmptyState(QStringLiteral("explain"), tr("No run is chosen"),
                                      tr("A click on a point or a row shows its source and configuration."),
                                      {}, body_));
}

void RunPanel::showRun(const ValidationRow& row, const Catalog& catalog) {
    clear();
    auto* name = new TextLabel(FontRole::title, Role::text, runTitle(row, catalog), body_);
    name->setWordWrap(true);
    column_->addWidget(name);
    const QString layout = layoutText(row);
    if (!layout.isEmpty())
        addText(layout);
    column_->addSpacing(theme().px(4));

    const QString quantity = quantityName(text(row.quantity));
    addFact(tr("%1, measured").arg(quantity), amountText(row, row.measured));
    addFact(tr("predicted"), amountText(row, row.predicted));
    addFact(tr("error"), errorText(row.error));
    if (isSpeed(row) && dimensionOf(row) != Dimension::seconds)
        addFact(tr("error of the step time"), errorText(errorAsTime(row)));
    if (row.high > row.low)
        addFact(tr("low – high"), bandText(row));
    addRule();

    auto* source = new TextLabel(FontRole::body, Role::text, {}, body_);
    const QString address = addressOf(row.sourceLocator);
    const QString title = text(row.sourceTitle).toHtmlEscaped();
    source->setTextFormat(Qt::RichText);
    source->setText(address.isEmpty()
                        ? title
                        : QStringLiteral("<a href=\"%1\">%2</a>").arg(address.toHtmlEscaped(), title));
    source->setWordWrap(true);
    source->setOpenExternalLinks(true);
    source->setToolTip(text(row.sourceLocator));
    column_->addWidget(source);
    addText(placeText(row));
    if (address.isEmpty())
        addText(text(row.sourceLocator));
    addRule();

    if (!row.framework.empty())
        addFact(runFieldName(RunField::framework),
                runFieldLabel(RunField::framework, text(row.framework), catalog));
    if (row.kind == RowKind::serving)
        addFact(tr("Load"), text(row.rowKind));
    if (!row.quality.empty())
        addFact(tr("Quality of the source"), text(row.quality));
    if (!row.group.empty())
        addFact(tr("Sweep"), text(row.group));
    addFact(tr("Id"), text(row.id));
    if (!row.assumed.empty())
        addText(tr("Assumed, because the source does not say: %1.").arg(assumedText(row)));
    if (!row.notes.empty())
        addText(text(row.notes));
    column_->addStretch(1);
    open_->setVisible(row.scenario != nullptr);
}

void RunPanel::addText(const QString& words) {
    if (words.isEmpty())
        return;
    auto* label = new TextLabel(FontRole::small, Role::text2, words, body_);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column_->addWidget(label);
}

void RunPanel::addFact(const QString& label, const QString& value) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(new TextLabel(FontRole::small, Role::text2, label, row));
    auto* words = new TextLabel(FontRole::strong, Role::text, value, row);
    words->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    words->setElided(true);
    line->addWidget(words, 1);
    column_->addWidget(row);
}

void RunPanel::addRule() {
    auto* line = new QFrame(body_);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    column_->addSpacing(theme().px(3));
    column_->addWidget(line);
    column_->addSpacing(theme().px(3));
}

} // namespace alidade::views
