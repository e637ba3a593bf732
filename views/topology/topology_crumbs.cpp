// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_crumbs.h"

#include "views/kit/keep_font.h"
#include "views/kit/text_label.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace alidade::views {

TopologyCrumbs::TopologyCrumbs(QWidget* parent)
    : QWidget(parent)
    , row_(new QHBoxLayout(this)) {
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(2);
    setAccessibleName(tr("Where you are"));
}

void TopologyCrumbs::setPath(const QStringList& path) {
    if (path == path_)
        return;
    path_ = path;
    while (QLayoutItem* item = row_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const auto add = [this](QWidget* part) {
        part->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
        row_->addWidget(part);
        part->show(); // at once, in a window that is shown already
    };
    for (int i = 0; i < path.size(); ++i) {
        const bool last = i == path.size() - 1;
        if (i > 0)
            add(new TextLabel(FontRole::body, Role::text3, QStringLiteral("›")));
        if (last) {
            add(new TextLabel(FontRole::strong, Role::text, path[i]));
            continue;
        }
        auto* button = new QToolButton;
        button->setText(path[i]);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(tr("Go to %1").arg(path[i]));
        connect(button, &QToolButton::clicked, this, [this, i] { emit clicked(i); });
        add(button);
    }
    row_->addStretch(1);
}

} // namespace alidade::views
