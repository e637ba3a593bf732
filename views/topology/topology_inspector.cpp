// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_inspector.h"

#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_lines.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

namespace alidade::views {
namespace {

constexpr int inspectorWidth = 316; // logical pixels at 10 pt
constexpr int mostRows = 9;

} // namespace

TopologyInspector::TopologyInspector(QWidget* parent)
    : QWidget(parent)
    , title_(new TextLabel(FontRole::title, Role::text))
    , subtitle_(new TextLabel(FontRole::small, Role::text2))
    , groups_(new TopologyLines)
    , groupsNote_(new TextLabel(FontRole::small, Role::text2))
    , path_(new TopologyLines)
    , pathNote_(new TextLabel(FontRole::small, Role::text2)) {
    setAccessibleName(tr("The selected part of the cluster"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* body = new QWidget;
    body->setAutoFillBackground(true);
    body->setBackgroundRole(QPalette::Base);
    column_ = new QVBoxLayout(body);
    const int side = theme().px(12);
    column_->setContentsMargins(side, theme().px(10), side, theme().px(12));
    column_->setSpacing(theme().px(2));
    auto* head = new QHBoxLayout;
    head->setSpacing(theme().px(8));
    subtitle_->setElided(true);
    subtitle_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    head->addWidget(title_);
    head->addWidget(subtitle_, 1);
    column_->addLayout(head);
    grid_ = new QGridLayout;
    grid_->setHorizontalSpacing(theme().px(10));
    grid_->setVerticalSpacing(0);
    grid_->setColumnStretch(1, 1);
    for (int i = 0; i < mostRows; ++i) {
        labels_.append(new TextLabel(FontRole::small, Role::text2));
        values_.append(new TextLabel(FontRole::small, Role::text));
        values_.last()->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        values_.last()->setElided(true);
        labels_.last()->setContentsMargins(0, 1, 0, 2);
        grid_->addWidget(labels_.last(), i, 0);
        grid_->addWidget(values_.last(), i, 1);
    }
    column_->addLayout(grid_);
    groupsHead_ = heading(tr("Groups"), &groupsTitle_, &groupsAside_);
    pathHead_ = heading(QString(), &pathTitle_, &pathAside_);
    groups_->setAccessibleName(tr("Groups"));
    path_->setAccessibleName(tr("Links"));
    path_->setFocusPolicy(Qt::NoFocus);
    for (TextLabel* note : {groupsNote_, pathNote_})
        note->setWordWrap(true);
    for (QWidget* part : {groupsHead_, static_cast<QWidget*>(groups_), static_cast<QWidget*>(groupsNote_),
                          pathHead_, static_cast<QWidget*>(path_), static_cast<QWidget*>(pathNote_)})
        column_->addWidget(part);
    column_->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(body);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    connect(groups_, &TopologyLines::chosen, this, [this](int line) {
        if (const auto& group = groups_->lines()[line].group)
            emit groupChosen(*group);
    });
    setFacts({}, std::nullopt);
}

QSize TopologyInspector::sizeHint() const { return {theme().px(inspectorWidth), theme().px(400)}; }

QWidget* TopologyInspector::heading(const QString& title, TextLabel** titleLabel, TextLabel** aside) {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, theme().px(10), 0, theme().px(2));
    *titleLabel = new TextLabel(FontRole::title, Role::text, title);
    *aside = new TextLabel(FontRole::small, Role::text2);
    (*titleLabel)->setElided(true);
    row->addWidget(*titleLabel, 1);
    row->addWidget(*aside);
    return head;
}

void TopologyInspector::setMap(QWidget* map) {
    column_->insertWidget(0, map);
    column_->insertSpacing(1, theme().px(8));
    map->show();
}

void TopologyInspector::addSection(const QString& title, QWidget* section) {
    TextLabel* name = nullptr;
    TextLabel* aside = nullptr;
    const int end = column_->count() - 1; // before the stretch
    column_->insertWidget(end, heading(title, &name, &aside));
    column_->insertWidget(end + 1, section);
}

void TopologyInspector::setFacts(const TopologyFacts& facts, const std::optional<GroupKind>& group) {
    facts_ = facts;
    title_->setText(facts.title);
    subtitle_->setText(facts.subtitle);
    for (int i = 0; i < mostRows; ++i) {
        const bool there = i < facts.rows.size();
        labels_[i]->setText(there ? facts.rows[i].first : QString());
        values_[i]->setText(there ? facts.rows[i].second : QString());
        labels_[i]->setVisible(there);
        values_[i]->setVisible(there);
    }
    groupsAside_->setText(facts.groupsAside);
    groups_->setLines(facts.groups);
    for (int i = 0; i < facts.groups.size(); ++i)
        if (group && facts.groups[i].group == group)
            groups_->setCurrent(i);
    groupsNote_->setText(facts.groupsNote);
    groupsNote_->setVisible(!facts.groupsNote.isEmpty());
    groupsHead_->setVisible(!facts.groups.isEmpty() || !facts.groupsNote.isEmpty());
    pathHead_->setVisible(!facts.pathTitle.isEmpty());
    pathTitle_->setText(facts.pathTitle);
    pathAside_->setText(facts.pathAside);
    path_->setLines(facts.path);
    pathNote_->setText(facts.pathNote);
    pathNote_->setVisible(!facts.pathNote.isEmpty());
}

} // namespace alidade::views
