// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/entry_dialog.h"

#include "data/catalog/catalog_keys.h"
#include "model/catalog/catalog.h"
#include "views/catalog/sheet_columns.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QDate>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// What is most likely meant: of a price the machine, region and purchase of the scenario, and today.
QString presetOf(const ScenarioSpec& spec, data::CatalogKind kind, const std::string& key) {
    if (kind != data::CatalogKind::prices)
        return {};
    const ClusterSpec& cluster = spec.cluster;
    if (key == "item")
        return text(cluster.instance.value_or(cluster.ultraserver.value_or("")));
    if (key == "region")
        return text(cluster.region.value_or(""));
    if (key == "purchase")
        return QStringLiteral("custom");
    if (key == "date")
        return QDate::currentDate().toString(Qt::ISODate);
    return {};
}

} // namespace

EntryDialog::EntryDialog(CatalogEditor* editor, data::CatalogKind kind, QWidget* parent)
    : QDialog(parent)
    , editor_(editor)
    , kind_(kind)
    , id_(new QLineEdit)
    , fault_(new TextLabel(FontRole::small, Role::err))
    , add_(new QPushButton(tr("Add"))) {
    setObjectName(QStringLiteral("entryDialog"));
    const SheetInfo info = sheetInfo(kind);
    setWindowTitle(tr("Add %1").arg(info.noun));
    auto* column = new QVBoxLayout(this);
    column->setSpacing(theme().px(10));
    auto* words = new TextLabel(FontRole::small, Role::text2,
                                tr("You can fill in the rest in the table. To start from a similar entry, "
                                   "duplicate it with Ctrl+D."));
    words->setWordWrap(true);
    column->addWidget(words);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(theme().px(12));
    grid->setColumnStretch(1, 1);
    id_->setObjectName(QStringLiteral("entryId"));
    id_->setAccessibleName(tr("Id"));
    grid->addWidget(new TextLabel(FontRole::body, Role::text, tr("Id")), 0, 0);
    grid->addWidget(id_, 0, 1);
    connect(id_, &QLineEdit::textChanged, this, &EntryDialog::check);
    for (const data::CatalogKey& key : data::catalogKeys(kind))
        if (key.required && key.object.empty())
            addValue(grid, text(key.key),
                     key.unit.empty() ? text(key.label)
                                      : text(key.label) + QStringLiteral(", ") + text(key.unit),
                     presetOf(editor->document().spec(), kind, key.key));
    column->addLayout(grid);
    fault_->setWordWrap(true);
    column->addWidget(fault_);
    column->addStretch(1);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    auto* cancel = new QPushButton(tr("Cancel"));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    add_->setDefault(true);
    add_->setProperty(primaryProperty, true);
    connect(add_, &QPushButton::clicked, this, &EntryDialog::accept);
    foot->addWidget(cancel);
    foot->addWidget(add_);
    column->addLayout(foot);
    resize(theme().px(440), sizeHint().height());
    check();
}

QString EntryDialog::entry() const { return id_->text().trimmed(); }

void EntryDialog::addValue(QGridLayout* grid, const QString& key, const QString& label,
                           const QString& preset) {
    auto* field = new QLineEdit(preset);
    field->setObjectName(key);
    field->setAccessibleName(label);
    auto* reason = new TextLabel(FontRole::small, Role::err);
    reason->setWordWrap(true);
    reason->hide();
    const int row = grid->rowCount();
    grid->addWidget(new TextLabel(FontRole::body, Role::text, label), row, 0);
    grid->addWidget(field, row, 1);
    grid->addWidget(reason, row + 1, 1);
    values_.append({key, field, reason});
    connect(field, &QLineEdit::textChanged, this, &EntryDialog::check);
}

void EntryDialog::check() {
    bool good = !entry().isEmpty();
    for (const Value& value : values_) {
        const QString typed = value.field->text();
        const data::CellReading reading = editor_->read({kind_, entry(), value.key}, typed);
        good = good && reading && !typed.trimmed().isEmpty();
        const bool wrong = !typed.trimmed().isEmpty() && !reading; // an empty field is not yet wrong
        value.field->setProperty(refusedProperty, wrong);
        value.field->update();
        value.reason->setText(wrong ? text(reading.reason) : QString());
        value.reason->setVisible(wrong);
    }
    fault_->setText({});
    add_->setEnabled(good);
    // A reason that came up needs its lines.
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void EntryDialog::accept() {
    QList<std::pair<QString, QString>> texts;
    for (const Value& value : values_)
        texts.append({value.key, value.field->text()});
    const QString reason = editor_->add(kind_, entry(), texts);
    if (reason.isEmpty())
        return QDialog::accept();
    fault_->setText(reason);
}

} // namespace alidade::views
