// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/mapping_model.h"

#include <QDialog>
#include <QTimer>

#include <functional>
#include <stop_token>

class QLineEdit;
class QPushButton;

namespace alidade::views {

class DataTableView;
class TextLabel;

/// How the signals of one server are read: what was detected, what is missing and why, and a person's own
/// rules, with the newest values of each as they are changed.
class MappingEditor : public QDialog {
    Q_OBJECT
public:
    /// Reads rules one after the other on another thread; calls `done` for each from the event loop, unless a
    /// stop was asked for.
    using Previewer = std::function<void(const std::vector<MetricRule>& rules, const LabelNames& labels,
                                         const std::stop_token& stop,
                                         std::function<void(Signal, const MappingPreview&)> done)>;

    explicit MappingEditor(Previewer previewer, QWidget* parent = nullptr);
    ~MappingEditor() override;

    /// \param server for the title: "prometheus-a"
    void setMapping(const QString& server, const MetricMapping& mapping, const MetricMapping& detected);
    MetricMapping mapping() const;
    MappingModel* model() const { return model_; }
    DataTableView* table() const { return table_; }
    void setMessage(const QString& words);

signals:
    void applied(const alidade::MetricMapping& mapping);
    void importRequested();
    void exportRequested(const alidade::MetricMapping& mapping);

private:
    QWidget* makeLabels();
    void read();
    void renewButtons();

    Previewer previewer_;
    MappingModel* model_;
    DataTableView* table_;
    TextLabel *about_, *message_;
    QList<QLineEdit*> labels_;
    QPushButton *resetRow_, *resetAll_;
    MetricMapping detected_;
    QTimer rest_; ///< since the last key
    std::stop_source reading_;
};

} // namespace alidade::views
