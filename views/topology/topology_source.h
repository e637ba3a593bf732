// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_data.h"

#include <QObject>

#include <memory>

namespace alidade::views {

/// Lays out the cluster of an estimate on a separate thread. A newer question supersedes an older one.
class TopologySource : public QObject {
    Q_OBJECT
public:
    explicit TopologySource(QObject* parent = nullptr);
    ~TopologySource() override;

    void ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
             std::shared_ptr<const Estimate> estimate);
    void cancel();
    bool busy() const;

signals:
    /// \param data null: `error` says why there is none
    void laidOut(std::shared_ptr<const alidade::views::TopologyData> data, const QString& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alidade::views
