// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_table.h"

#include "views/icons/icon.h"
#include "views/kit/delegates.h"
#include "views/kit/scenario_pen.h"
#include "views/theme/theme_controller.h"

#include <QHeaderView>
#include <QPainter>
#include <QScopedValueRollback>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int labelWidth = 250; // logical pixels at 10 pt, as the others
constexpr int leastWidth = 138; // of a scenario
constexpr int besideTitle = 66; // of the line of a scenario and the padding around its title
constexpr int changeWidth = 62; // of the room for a change
constexpr int markSide = 13;    // of the mark of the best one
constexpr int cellPadding = 8;

/// What the delegate asks for besides the roles of the kit.
enum Roles {
    changeRole = Qt::UserRole + 4200, ///< QString
    changeInkRole,                    ///< QVariant::fromValue(Role)
    bestRole,                         ///< bool
    noteRole,                         ///< QString, of a group
    strongRole                        ///< bool
};

/// A value with the change from the baseline behind it, in a separate column.
class CompareDelegate : public TagDelegate {
public:
    using TagDelegate::TagDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QSize size = TagDelegate::sizeHint(option, index);
        if (!index.data(changeRole).toString().isEmpty())
            size.rwidth() += theme().px(changeWidth);
        if (index.data(bestRole).toBool())
            size.rwidth() += theme().px(markSide + 5);
        return size;
    }

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override {
        const Theme& look = theme();
        const int padding = look.px(cellPadding);
        if (index.data(groupRowRole).toBool()) {
            TagDelegate::paintContent(painter, option, index);
            const QString note = index.data(noteRole).toString();
            if (note.isEmpty())
                return;
            const int left = QFontMetrics(option.font).horizontalAdvance(option.text) + 2 * padding;
            const QFont small = look.font(FontRole::small);
            const QRect room = option.rect.adjusted(left + padding, 0, -padding, -1);
            painter->setFont(small);
            painter->setPen(look.color(Role::text2));
            painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                              QFontMetrics(small).elidedText(note, Qt::ElideRight, room.width()));
            return;
        }
        if (!index.data(strongRole).isValid())
            return TagDelegate::paintContent(painter, option, index);
        paintValue(painter, option, index);
    }

private:
    static void paintValue(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
        const Theme& look = theme();
        QRect area = option.rect.adjusted(look.px(cellPadding), 0, -look.px(cellPadding), -1);
        const QFont small = look.font(FontRole::small);
        const QString change = index.data(changeRole).toString();
        const int room = std::min(look.px(changeWidth), area.width() / 2);
        if (!change.isEmpty()) {
            painter->setFont(small);
            painter->setPen(look.color(index.data(changeInkRole).value<Role>()));
            painter->drawText(QRect(area.right() - room, area.top(), room, area.height()),
                              Qt::AlignRight | Qt::AlignVCenter,
                              QFontMetrics(small).elidedText(change, Qt::ElideRight, room));
        }
        area.setRight(area.right() - room - look.px(4));
        const QFont font = look.font(index.data(strongRole).toBool() ? FontRole::strong : FontRole::body);
        const bool best = index.data(bestRole).toBool();
        const int mark = best ? look.px(markSide + 5) : 0;
        const QString words = QFontMetrics(font).elidedText(option.text, Qt::ElideRight, area.width() - mark);
        painter->setFont(font);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter, words);
        if (best) {
            const double side = look.px(markSide);
            const QRectF place(area.right() - QFontMetrics(font).horizontalAdvance(words) - mark,
                               area.center().y() - side / 2, side, side);
            paintIcon(*painter, place, QLatin1StringView("check"), look.color(Role::ok));
        }
    }
};

QString accessibleText(const ComparisonCell& cell) {
    QStringList parts{cell.text};
    if (!cell.change.isEmpty())
        parts.append(cell.change);
    if (cell.best)
        parts.append(CompareText::tr("the best one"));
    if (!cell.toolTip.isEmpty())
        parts.append(cell.toolTip);
    return parts.join(QStringLiteral(", "));
}

} // namespace

void ComparisonModel::setGrid(const CompareGrid& grid, bool transposed) {
    const auto keysOf = [](const CompareGrid& g) {
        QStringList keys;
        for (const ComparisonRow& row : g.rows)
            keys.append(row.kind == ComparisonRow::Kind::group ? row.label : row.key);
        return keys;
    };
    const bool same = transposed == transposed_ && grid.titles.size() == grid_.titles.size() &&
                      keysOf(grid) == keysOf(grid_);
    if (!same)
        beginResetModel();
    grid_ = grid;
    transposed_ = transposed;
    lines_.clear();
    for (qsizetype i = 0; i < grid_.rows.size(); ++i)
        if (!transposed || grid_.rows[i].kind != ComparisonRow::Kind::group)
            lines_.append(i);
    if (!same)
        return endResetModel();
    if (rowCount() == 0)
        return;
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(transposed_ ? grid_.titles.size() : lines_.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 1 + static_cast<int>(transposed_ ? lines_.size() : grid_.titles.size());
}

int ComparisonModel::scenarioOf(const QModelIndex& index) const {
    if (!index.isValid())
        return -1;
    return transposed_ ? index.row() : index.column() - 1;
}

const ComparisonRow* ComparisonModel::rowOf(const QModelIndex& index) const {
    if (!index.isValid() || (transposed_ && index.column() == 0))
        return nullptr;
    return &grid_.rows[lines_[transposed_ ? index.column() - 1 : index.row()]];
}

QModelIndex ComparisonModel::find(const QString& key, int scenario) const {
    for (qsizetype i = 0; i < lines_.size(); ++i)
        if (grid_.rows[lines_[i]].key == key)
            return transposed_ ? index(scenario, static_cast<int>(i) + 1)
                               : index(static_cast<int>(i), scenario + 1);
    return {};
}

const ComparisonCell* ComparisonModel::cellOf(const QModelIndex& index) const {
    const ComparisonRow* row = rowOf(index);
    const int scenario = scenarioOf(index);
    return row != nullptr && scenario >= 0 && scenario < row->cells.size() ? &row->cells[scenario] : nullptr;
}

QVariant ComparisonModel::labelData(const QModelIndex& index, int role) const {
    if (transposed_) {
        if (role == Qt::DisplayRole)
            return grid_.titles[index.row()];
        if (role == Qt::DecorationRole)
            return scenarioLine(index.row(), index.row() == grid_.baseline, theme());
        return {};
    }
    const ComparisonRow& row = grid_.rows[lines_[index.row()]];
    switch (role) {
    case Qt::DisplayRole:
        return row.label;
    case noteRole:
        return row.note;
    case boundRole:
        return row.bound ? QVariant::fromValue(*row.bound) : QVariant();
    case inkRole:
        return row.kind == ComparisonRow::Kind::group || row.kind == ComparisonRow::Kind::total
                   ? QVariant()
                   : QVariant::fromValue(Role::text2);
    default:
        return {};
    }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    if (role == groupRowRole)
        return !transposed_ && rowOf(index)->kind == ComparisonRow::Kind::group;
    if (index.column() == 0)
        return labelData(index, role);
    const ComparisonCell* cell = cellOf(index);
    if (cell == nullptr)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return cell->text;
    case Qt::EditRole:
        return cell->value ? QVariant(*cell->value) : QVariant(cell->text);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return cell->toolTip.isEmpty() ? QVariant() : QVariant(cell->toolTip);
    case Qt::AccessibleTextRole:
        return accessibleText(*cell);
    case copyRole:
        return cell->change.isEmpty() ? cell->text : cell->text + QStringLiteral(" (") + cell->change + u')';
    case inkRole:
        return QVariant::fromValue(cell->ink);
    case changeRole:
        return cell->change;
    case changeInkRole:
        return QVariant::fromValue(cell->changeInk);
    case bestRole:
        return cell->best;
    case strongRole:
        return cell->strong;
    default:
        return {};
    }
}

void ComparisonModel::setTitleRoom(int pixels) {
    titleRoom_ = pixels;
    if (columnCount() > 1)
        emit headerDataChanged(Qt::Horizontal, 1, columnCount() - 1);
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (section == 0)
        return role == Qt::DisplayRole && transposed_ ? QVariant(CompareText::tr("Scenario")) : QVariant();
    if (transposed_)
        return role == Qt::DisplayRole ? QVariant(grid_.rows[lines_[section - 1]].label) : QVariant();
    const bool isBaseline = section - 1 == grid_.baseline;
    if (role == Qt::DisplayRole) {
        const QString mark = isBaseline ? CompareText::tr(" (baseline)") : QString();
        const QFontMetrics metrics(theme().font(FontRole::strong));
        return QString(metrics.elidedText(grid_.titles[section - 1], Qt::ElideRight,
                                          titleRoom_ - metrics.horizontalAdvance(mark)) +
                       mark);
    }
    if (role == Qt::DecorationRole)
        return scenarioLine(section - 1, isBaseline, theme());
    if (role == Qt::FontRole)
        return theme().font(FontRole::strong);
    return role == Qt::ToolTipRole ? QVariant(grid_.titles[section - 1]) : QVariant();
}

CompareTable::CompareTable(QWidget* parent)
    : DataTableView(parent)
    , model_(new ComparisonModel(this)) {
    setItemDelegate(new CompareDelegate(this));
    setModel(model_);
    setAccessibleName(tr("Comparison"));
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setFirstSectionMovable(false);
    horizontalHeader()->setStretchLastSection(false);
    horizontalHeader()->setTextElideMode(Qt::ElideRight);
    horizontalHeader()->setSectionsClickable(true);
    horizontalHeader()->setSortIndicatorShown(false);
    connect(horizontalHeader(), &QHeaderView::sectionMoved, this, [this](int, int from, int to) {
        if (arranging_)
            return;
        const QScopedValueRollback guard(arranging_, true);
        horizontalHeader()->moveSection(to, from); // the list tells the order
        if (!model_->isTransposed())
            emit moved(from - 1, to - 1);
    });
    connect(horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int section) {
        if (model_->isTransposed() && section > 0)
            emit sortRequested(model_->rowOf(model_->index(0, section))->key);
    });
    connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (const int scenario = model_->scenarioOf(index); scenario >= 0)
            emit opened(scenario);
    });
}

void CompareTable::setGrid(const CompareGrid& grid, bool transposed) {
    const QString key = currentKey();
    const int scenario = currentScenario();
    model_->setGrid(grid, transposed);
    horizontalHeader()->setSectionsMovable(!transposed);
    clearSpans();
    if (!transposed && model_->columnCount() > 1)
        for (int i = 0; i < model_->rowCount(); ++i)
            if (model_->rowOf(model_->index(i, 0))->kind == ComparisonRow::Kind::group)
                setSpan(i, 0, 1, model_->columnCount());
    fitColumns();
    if (!key.isEmpty())
        setCurrent(key, scenario);
}

/// All scenarios have the same width: what there is, or what they need at least.
void CompareTable::fitColumns() {
    const int count = model_->columnCount();
    if (count < 2)
        return;
    if (model_->isTransposed()) {
        resizeColumnsToContents();
        return;
    }
    const int label = theme().px(labelWidth);
    const int each = std::clamp((viewport()->width() - label) / (count - 1), theme().px(leastWidth),
                                theme().px(3 * leastWidth));
    setColumnWidth(0, label);
    for (int i = 1; i < count; ++i)
        setColumnWidth(i, each);
    model_->setTitleRoom(each - theme().px(besideTitle));
}

void CompareTable::resizeEvent(QResizeEvent* event) {
    DataTableView::resizeEvent(event);
    fitColumns();
}

int CompareTable::currentScenario() const {
    const int scenario = model_->scenarioOf(currentIndex());
    return scenario < model_->grid().titles.size() ? scenario : -1;
}

QString CompareTable::currentKey() const {
    const ComparisonRow* row = model_->rowOf(currentIndex());
    return row != nullptr ? row->key : QString();
}

void CompareTable::setCurrent(const QString& key, int scenario) {
    const int last = static_cast<int>(model_->grid().titles.size()) - 1;
    if (const QModelIndex found = model_->find(key, std::clamp(scenario, 0, std::max(0, last)));
        found.isValid())
        setCurrentIndex(found);
}

} // namespace alidade::views
