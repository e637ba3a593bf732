// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/live_server.h"
#include "views/live/mapping_editor.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace alidade::app {

/// A person's own metric mappings, one a connection, kept in a folder of the settings; and the dialog that
/// edits one of them.
class LiveMappings : public QObject {
    Q_OBJECT

public:
    /// \param folder empty: the usual one
    explicit LiveMappings(QWidget& window, const QString& folder = {});
    ~LiveMappings() override;

    /// Reads the one of a connection; changed() if there is one.
    void load(const std::string& connection);
    /// nullopt: what is detected counts.
    std::optional<MetricMapping> of(const std::string& connection) const;
    void rename(const std::string& before, const std::string& after);
    /// \param server that is asked for what it has; must not be null
    void edit(const std::string& connection, const std::shared_ptr<LiveServer>& server);
    views::MappingEditor* editor() const { return editor_; } ///< null while it is not open

signals:
    void changed(const QString& connection);
    void failed(const QString& reason);

private:
    QString fileOf(const std::string& connection) const;
    void keep(const std::string& connection, const MetricMapping& mapping);
    void show(const std::string& connection, const std::shared_ptr<LiveServer>& server,
              const MetricMapping& detected);
    void askImport();
    void askExport(const MetricMapping& mapping);

    QWidget& window_;
    QString folder_;
    std::map<std::string, MetricMapping> own_;
    std::map<std::string, bool> loaded_;
    QPointer<views::MappingEditor> editor_;
    MetricMapping detected_;
    std::stop_source closing_;
};

} // namespace alidade::app
