// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/node_detail.h"

#include <QDialog>
#include <QStringList>

class QComboBox;

namespace alidade::views {

class CellTable;
class TextLabel;

/// One node of the running cluster: its GPUs, its EFA devices, its exporters and its faults. Follows the
/// answers while it is open.
class NodeDialog : public QDialog {
    Q_OBJECT
public:
    explicit NodeDialog(QWidget* parent = nullptr);

    /// Nodes that can be looked at.
    void setHosts(const QStringList& hosts, const QString& now);
    /// \param rangeLength s, of the observed time
    void setDetail(const NodeDetail& detail, double rangeLength);
    const NodeDetail& detail() const { return detail_; }
    CellTable* gpus() const { return gpus_; }
    CellTable* devices() const { return devices_; }
    /// Role, exporters and boot time, as they stand over the tables.
    QString words() const;

signals:
    void hostChosen(const QString& host);

private:
    void fillGpus(double rangeLength);
    void fillDevices();

    NodeDetail detail_;
    TextLabel *head_, *faults_, *devicesTitle_;
    CellTable *gpus_, *devices_;
    QComboBox* hosts_;
};

} // namespace alidade::views
