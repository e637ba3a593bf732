// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/shortcuts_window.h"

#include "app/window/shortcut_list.h"
#include "views/kit/cell_table.h"
#include "views/theme/theme_controller.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMainWindow>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::app {

using views::theme;

ShortcutsWindow::ShortcutsWindow(QMainWindow& window)
    : QDialog(&window)
    , window_(window)
    , words_(new QLineEdit(this))
    , table_(new views::CellTable(this)) {
    setObjectName(QStringLiteral("shortcuts"));
    setWindowTitle(tr("Keyboard shortcuts"));
    resize(theme().px(720), theme().px(640));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().px(16), theme().px(14), theme().px(16), theme().px(12));
    column->setSpacing(theme().px(10));
    words_->setPlaceholderText(tr("Filter by key, command or view"));
    words_->setAccessibleName(words_->placeholderText());
    words_->setClearButtonEnabled(true);
    column->addWidget(words_);
    table_->setAccessibleName(windowTitle());
    column->addWidget(table_, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(words_, &QLineEdit::textChanged, this, &ShortcutsWindow::fill);
}

void ShortcutsWindow::open() {
    words_->clear();
    fill({});
    table_->setColumnWidth(0, theme().px(210));
    table_->setColumnWidth(1, theme().px(300));
    words_->setFocus(Qt::OtherFocusReason);
    show();
    raise();
    activateWindow();
}

void ShortcutsWindow::fill(const QString& words) {
    const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto cell = [](const QString& text) { return views::Cell{text, {}, {}}; };
    QList<views::CellRow> rows;
    int number = 0;
    for (const ShortcutLine& line : shortcutsOf(window_) + keysOfViews()) {
        const QString all = line.keys + QLatin1Char(' ') + line.does + QLatin1Char(' ') + line.where;
        if (std::ranges::all_of(parts,
                                [&](const QString& part) { return all.contains(part, Qt::CaseInsensitive); }))
            rows.append({QString::number(number), {cell(line.keys), cell(line.does), cell(line.where)}});
        ++number;
    }
    const auto column = [](const QString& title) { return views::CellColumn{title, false, {}}; };
    table_->setTable({column(tr("Keys")), column(tr("What it does")), column(tr("Where"))}, rows);
}

} // namespace alidade::app
