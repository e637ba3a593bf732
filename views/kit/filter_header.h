// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QHeaderView>

class QLineEdit;

namespace alidade::views {

/// Header whose titles stand like the cells below them (numbers right), with a row of filter fields if
/// wanted.
class FilterHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit FilterHeader(QWidget* parent);

    void setFiltersVisible(bool visible);
    bool filtersVisible() const { return visible_; }
    QLineEdit* editor(int logicalIndex) const { return editors_.value(logicalIndex); }
    QSize sizeHint() const override;

signals:
    void filterChanged(int logicalIndex, const QString& text);
    void left(); ///< Esc in a field: back to the table

protected:
    void updateGeometries() override;
    void initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const override;
    void paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void renewEditors();
    void placeEditors();
    int titleHeight() const;
    QHash<int, QLineEdit*> editors_;
    bool visible_ = false;
};

} // namespace alidade::views
