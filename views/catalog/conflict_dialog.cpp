// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/conflict_dialog.h"

#include "data/catalog/catalog_keys.h"
#include "model/catalog/catalog.h"
#include "views/catalog/catalog_sheet.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

QString conflictValue(const data::MergeConflict& conflict, const std::string& value, const QString& none) {
    if (value.empty())
        return none;
    if (conflict.key.empty())
        return ConflictDialog::tr("an entry");
    if (value == "null")
        return QStringLiteral("–");
    const data::CatalogKey* key = data::catalogKey(conflict.kind, conflict.key);
    const QString shown =
        shownCell(data::shownValue(conflict.kind, conflict.key, value), data::numberOf(value));
    return key == nullptr || key->unit.empty() ? shown : shown + QLatin1Char(' ') + text(key->unit);
}

QString conflictTitle(const data::MergeConflict& conflict) {
    const QString entry = text(conflict.entry);
    switch (conflict.conflict) {
    case data::ConflictKind::valueMoved: {
        const data::CatalogKey* key = data::catalogKey(conflict.kind, conflict.key);
        return entry + QStringLiteral(", ") + (key != nullptr ? text(key->label) : text(conflict.key));
    }
    case data::ConflictKind::entryGone:
        return ConflictDialog::tr("%1 is not shipped any more").arg(entry);
    case data::ConflictKind::entryArrived:
        return ConflictDialog::tr("%1, which you added, is shipped now").arg(entry);
    case data::ConflictKind::entryMoved:
        return ConflictDialog::tr("%1, which you deleted, has new values").arg(entry);
    }
    return entry;
}

} // namespace

ConflictBar::ConflictBar(CatalogEditor* editor, QWidget* parent)
    : QWidget(parent)
    , editor_(editor)
    , words_(new TextLabel(FontRole::body, Role::text)) {
    setObjectName(QStringLiteral("conflictBar"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme().px(12), theme().px(4), theme().px(10), theme().px(4));
    words_->setElided(true);
    row->addWidget(words_, 1);
    auto* settle = new QPushButton(tr("Resolve…"));
    settle->setObjectName(QStringLiteral("settleConflicts"));
    connect(settle, &QPushButton::clicked, this, &ConflictBar::settleRequested);
    row->addWidget(settle);
    connect(editor, &CatalogEditor::changed, this, &ConflictBar::renew);
    renew();
}

void ConflictBar::renew() {
    const auto count = editor_->conflicts().size();
    setVisible(count > 0);
    words_->setText(tr("The catalog of %1 has other values than the one before: %2. Until you resolve this, "
                       "your values are used.")
                        .arg(text(editor_->shipped()->version),
                             count == 1 ? tr("1 touches yours") : tr("%1 touch yours").arg(count)));
}

void ConflictBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::warnBg));
}

ConflictDialog::ConflictDialog(CatalogEditor* editor, QWidget* parent)
    : QDialog(parent)
    , editor_(editor)
    , words_(new TextLabel(FontRole::body, Role::text))
    , body_(new QWidget)
    , grid_(new QGridLayout(body_)) {
    setObjectName(QStringLiteral("conflictDialog"));
    setWindowTitle(tr("Newer catalog"));
    auto* column = new QVBoxLayout(this);
    words_->setWordWrap(true);
    column->addWidget(words_);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    grid_->setHorizontalSpacing(theme().px(18));
    grid_->setVerticalSpacing(theme().px(6));
    scroll->setWidget(body_);
    column->addWidget(scroll, 1);
    auto* foot = new QHBoxLayout;
    for (const bool yours : {true, false}) {
        auto* all = new QPushButton(yours ? tr("Keep all of mine") : tr("Take all shipped"));
        all->setObjectName(yours ? QStringLiteral("keepAll") : QStringLiteral("takeAll"));
        connect(all, &QPushButton::clicked, this,
                [this, yours] { settleAll(yours ? data::Settlement::yours : data::Settlement::shipped); });
        foot->addWidget(all);
    }
    foot->addStretch(1);
    auto* later = new QPushButton(tr("Later"));
    connect(later, &QPushButton::clicked, this, &QDialog::reject);
    foot->addWidget(later);
    column->addLayout(foot);
    connect(editor, &CatalogEditor::changed, this, &ConflictDialog::renew);
    renew();
    resize(theme().px(860), theme().px(420));
}

void ConflictDialog::renew() {
    while (QLayoutItem* item = grid_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const auto& conflicts = editor_->conflicts();
    if (conflicts.empty()) {
        accept();
        return;
    }
    words_->setText(tr("Your values were made over an older catalog. For each one: keep yours, or use the "
                       "new shipped value? Each answer can be undone."));
    const QStringList heads = {tr("Value"), tr("Was shipped"), tr("Shipped now"), tr("Yours")};
    for (int i = 0; i < heads.size(); ++i)
        grid_->addWidget(new TextLabel(FontRole::small, Role::text2, heads[i], body_), 0, i);
    int row = 1;
    for (const data::MergeConflict& conflict : conflicts)
        addRow(row++, conflict);
    grid_->setRowStretch(row, 1);
    grid_->setColumnStretch(0, 1);
}

void ConflictDialog::addRow(int row, const data::MergeConflict& conflict) {
    auto* title = new TextLabel(FontRole::strong, Role::text, conflictTitle(conflict), body_);
    title->setWordWrap(true);
    grid_->addWidget(title, row, 0);
    const QString dash = QStringLiteral("–");
    grid_->addWidget(
        new TextLabel(FontRole::body, Role::text2, conflictValue(conflict, conflict.oldShipped, dash), body_),
        row, 1);
    grid_->addWidget(new TextLabel(FontRole::body, Role::text,
                                   conflictValue(conflict, conflict.newShipped, tr("gone")), body_),
                     row, 2);
    grid_->addWidget(new TextLabel(FontRole::strong, Role::accent,
                                   conflictValue(conflict, conflict.yours, tr("deleted")), body_),
                     row, 3);
    int place = 4;
    for (const bool yours : {true, false}) {
        auto* answer = new QPushButton(yours ? tr("Keep mine") : tr("Take shipped"), body_);
        answer->setObjectName(yours ? QStringLiteral("keepMine") : QStringLiteral("takeShipped"));
        answer->setAccessibleDescription(conflictTitle(conflict));
        connect(answer, &QPushButton::clicked, this, [this, conflict, yours] {
            editor_->settle(conflict, yours ? data::Settlement::yours : data::Settlement::shipped);
        });
        grid_->addWidget(answer, row, place++);
    }
}

void ConflictDialog::settleAll(data::Settlement settlement) {
    // Each answer renews the list, so the first one is taken until it is empty or no answer helps.
    for (std::size_t left = editor_->conflicts().size(); left > 0;) {
        const data::MergeConflict first = editor_->conflicts().front();
        editor_->settle(first, settlement);
        const std::size_t now = editor_->conflicts().size();
        if (now >= left)
            return;
        left = now;
    }
}

} // namespace alidade::views
