// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_foot.h"

#include "views/kit/hover_card.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>

namespace alidade::views {

TimelineFoot::TimelineFoot(QWidget* parent)
    : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 7, 14, 8);
    row->setSpacing(32);
    for (Group& group : groups_) {
        group.box = new QWidget;
        auto* grid = new QGridLayout(group.box);
        grid->setContentsMargins(0, 0, 0, 0);
        grid->setHorizontalSpacing(12);
        grid->setVerticalSpacing(1);
        grid->setColumnStretch(1, 1);
        group.title = new TextLabel(FontRole::strong, Role::text);
        group.title->setElided(true);
        grid->addWidget(group.title, 0, 0, 1, 2);
        int line = 1;
        for (auto& [label, value] : group.lines) {
            label = new TextLabel(FontRole::small, Role::text2);
            value = new TextLabel(FontRole::small, Role::text);
            value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            value->setElided(true);
            grid->addWidget(label, line, 0);
            grid->addWidget(value, line, 1);
            ++line;
        }
        grid->setRowStretch(line, 1);
        row->addWidget(group.box, 1);
        QSizePolicy keepsPlace = group.box->sizePolicy();
        keepsPlace.setRetainSizeWhenHidden(true);
        group.box->setSizePolicy(keepsPlace);
        group.box->hide();
    }
}

void TimelineFoot::setGroup(int group, const CardContent& content) {
    Group& place = groups_[static_cast<std::size_t>(group)];
    place.box->setVisible(!content.title.isEmpty());
    place.title->setText(content.title);
    for (qsizetype i = 0; i < rows; ++i) {
        const bool there = i < content.rows.size();
        const auto& [label, value] = place.lines[static_cast<std::size_t>(i)];
        label->setText(there ? content.rows[i].first : QString());
        value->setText(there ? content.rows[i].second : QString());
    }
}

QString TimelineFoot::text(int group) const {
    const Group& place = groups_[static_cast<std::size_t>(group)];
    QStringList words{place.title->text()};
    for (const auto& [label, value] : place.lines)
        if (!label->text().isEmpty())
            words.append(label->text() + QLatin1Char(' ') + value->text());
    return place.title->text().isEmpty() ? QString() : words.join(QStringLiteral("; "));
}

void TimelineFoot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::base));
    painter.fillRect(QRect(0, 0, width(), 1), theme().color(Role::line));
}

} // namespace alidade::views
