// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QHBoxLayout;

namespace alidade::views {

/// Where a person is, from the whole inwards: "UltraCluster › leaf › host". A click on a part goes there.
class TopologyCrumbs : public QWidget {
    Q_OBJECT
public:
    explicit TopologyCrumbs(QWidget* parent = nullptr);
    void setPath(const QStringList& path);
    const QStringList& path() const { return path_; }

signals:
    void clicked(int part);

private:
    QStringList path_;
    QHBoxLayout* row_;
};

} // namespace alidade::views
