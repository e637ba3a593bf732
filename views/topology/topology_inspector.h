// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_facts.h"

#include <QWidget>

class QGridLayout;
class QVBoxLayout;

namespace alidade::views {

class TextLabel;
class TopologyLines;

/// The chosen thing at the right of the cluster: what it is, its groups with bytes and load, the path to a
/// peer hop by hop, and what owners add below.
class TopologyInspector : public QWidget {
    Q_OBJECT
public:
    explicit TopologyInspector(QWidget* parent = nullptr);

    void setFacts(const TopologyFacts& facts, const std::optional<GroupKind>& group);
    const TopologyFacts& facts() const { return facts_; }
    TopologyLines* groups() const { return groups_; }
    TopologyLines* path() const { return path_; }
    /// Above the rest.
    void setMap(QWidget* map);
    /// Below the rest, under its own title.
    void addSection(const QString& title, QWidget* section);

    QSize sizeHint() const override;

signals:
    void groupChosen(alidade::GroupKind kind);

private:
    QWidget* heading(const QString& title, TextLabel** titleLabel, TextLabel** aside);

    TopologyFacts facts_;
    TextLabel* title_;
    TextLabel* subtitle_;
    QGridLayout* grid_;
    QVBoxLayout* column_;
    QList<TextLabel*> labels_, values_;
    QWidget* groupsHead_;
    TextLabel* groupsTitle_ = nullptr;
    TextLabel* groupsAside_ = nullptr;
    TopologyLines* groups_;
    TextLabel* groupsNote_;
    QWidget* pathHead_;
    TextLabel* pathTitle_ = nullptr;
    TextLabel* pathAside_ = nullptr;
    TopologyLines* path_;
    TextLabel* pathNote_;
};

} // namespace alidade::views
