// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/sheet_tabs.h"

#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/theme/theme_controller.h"

#include <QAbstractTableModel>
#include <QFont>
#include <QHeaderView>
#include <QTabBar>

#include <algorithm>

namespace alidade::views {
namespace {

class SheetModel : public QAbstractTableModel {
public:
    SheetModel(data::Sheet sheet, QObject* parent)
        : QAbstractTableModel(parent)
        , sheet_(std::move(sheet)) {
        for (const auto& row : sheet_.rows)
            columns_ = std::max(columns_, static_cast<int>(row.size()));
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(sheet_.rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : columns_; }

    QVariant data(const QModelIndex& index, int role) const override {
        const auto row = static_cast<std::size_t>(index.row()),
                   column = static_cast<std::size_t>(index.column());
        if (!index.isValid() || column >= sheet_.rows[row].size())
            return {};
        const data::SheetCell& cell = sheet_.rows[row][column];
        switch (role) {
        case Qt::DisplayRole:
            return text(cell.text);
        case Qt::ToolTipRole:
            return text(cell.formula.empty() ? cell.text : cell.formula);
        case Qt::TextAlignmentRole:
            return QVariant((cell.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole: {
            QFont font;
            font.setBold(true);
            return cell.bold ? QVariant(font) : QVariant();
        }
        default:
            return {};
        }
    }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (role != Qt::DisplayRole)
            return {};
        return orientation == Qt::Vertical ? QString::number(section + 1) : letters(section);
    }

private:
    /// "A", "Z", "AA"
    static QString letters(int column) {
        QString out;
        for (int left = column + 1; left > 0; left = (left - 1) / 26)
            out.prepend(QChar(u'A' + (left - 1) % 26));
        return out;
    }

    data::Sheet sheet_;
    int columns_ = 0;
};

QWidget* tableOf(data::Sheet sheet) {
    auto* table = new DataTableView;
    table->setModel(new SheetModel(std::move(sheet), table));
    table->setSortingEnabled(false);
    table->verticalHeader()->show();
    table->horizontalHeader()->setStretchLastSection(false);
    table->resizeColumnsToContents();
    // A sentence in a cell runs on over those next to it in a spreadsheet; here it is cut.
    for (int column = 0; column < table->model()->columnCount(); ++column)
        table->setColumnWidth(column, std::min(table->columnWidth(column), theme().px(280)));
    return table;
}

} // namespace

SheetTabs::SheetTabs(QWidget* parent)
    : QTabWidget(parent) {
    setObjectName(QStringLiteral("previewSheets"));
    setAccessibleName(tr("Sheets of the workbook"));
    setTabPosition(QTabWidget::South);
    setUsesScrollButtons(true);
    tabBar()->setExpanding(false);
}

void SheetTabs::setSheets(std::vector<data::Sheet> sheets) {
    const QString before = count() > 0 ? tabText(currentIndex()) : QString();
    while (count() > 0) {
        QWidget* old = widget(0);
        removeTab(0);
        old->deleteLater();
    }
    for (data::Sheet& sheet : sheets) {
        const QString name = text(sheet.name);
        QWidget* table = tableOf(std::move(sheet));
        table->setAccessibleName(name);
        addTab(table, QString(name).replace(QLatin1Char('&'), QLatin1String("&&")));
        if (name == before)
            setCurrentWidget(table);
    }
}

} // namespace alidade::views
