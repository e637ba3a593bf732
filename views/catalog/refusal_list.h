// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"

#include <QWidget>

class QVBoxLayout;

namespace alidade::views {

/// The foot of the catalog's table: what the marks mean, what was refused and why with the proposed text as a
/// link, what has no effect, and what the last paste did.
class RefusalList : public QWidget {
    Q_OBJECT

public:
    explicit RefusalList(CatalogEditor* editor, QWidget* parent = nullptr);

    /// Refusals of this kind come first.
    void setKind(data::CatalogKind kind);
    /// A sentence about the last command; empty takes it away.
    void say(const QString& sentence);
    QString said() const { return said_; }

signals:
    void cellClicked(const alidade::views::CatalogCell& cell);

private:
    struct Line {
        CatalogCell cell;
        QString words, proposal;
        bool error = true;
    };
    void renew();
    QList<Line> lines() const;
    QWidget* makeLine(const Line& line);
    QWidget* makeSaid();

    CatalogEditor* editor_;
    data::CatalogKind kind_ = data::CatalogKind::gpus;
    QString said_;
    QVBoxLayout* column_;
};

/// The little signs of the catalog's cells with their words.
class MarkLegend : public QWidget {
    Q_OBJECT

public:
    explicit MarkLegend(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace alidade::views
