// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_mappings.h"

#include "app/window/small_file.h"
#include "data/catalog/mapping_json.h"
#include "model/units/constants.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/live/mapping_editor.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QUrl>

namespace alidade::app {

using views::MappingEditor;
using views::text;

namespace {

/// Of that time the server's metrics are looked at, s.
constexpr double detectedTime = secondsPerHour;

double unixNow() { return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1e3; }

} // namespace

LiveMappings::LiveMappings(QWidget& window, const QString& folder)
    : QObject(&window)
    , window_(window)
    , folder_(folder.isEmpty() ? settingsFile(QStringLiteral("metric-mappings")) : folder) {}

LiveMappings::~LiveMappings() { closing_.request_stop(); }

QString LiveMappings::fileOf(const std::string& connection) const {
    return QDir(folder_).filePath(QString::fromUtf8(QUrl::toPercentEncoding(text(connection))) +
                                  QStringLiteral(".json"));
}

void LiveMappings::load(const std::string& connection) {
    if (std::exchange(loaded_[connection], true))
        return;
    const QString file = fileOf(connection);
    readSmallFile(this, file, [this, connection, file](const SmallFile& read) {
        if (!read.error.isEmpty())
            emit failed(read.error);
        if (!read.exists || !read.error.isEmpty())
            return;
        auto mapping = data::readMapping(read.content.toStdString(), file.toStdString());
        if (!mapping) {
            emit failed(text(mapping.error()));
            return;
        }
        own_[connection] = *std::move(mapping);
        emit changed(text(connection));
    });
}

std::optional<MetricMapping> LiveMappings::of(const std::string& connection) const {
    const auto found = own_.find(connection);
    return found == own_.end() ? std::nullopt : std::optional(found->second);
}

void LiveMappings::rename(const std::string& before, const std::string& after) {
    const auto mine = of(before);
    if (!mine)
        return;
    own_.erase(before);
    writeSmallFile(this, fileOf(before), {}, [](const QString&) {});
    keep(after, *mine);
}

void LiveMappings::keep(const std::string& connection, const MetricMapping& mapping) {
    own_[connection] = mapping;
    loaded_[connection] = true;
    writeSmallFile(this, fileOf(connection), QByteArray::fromStdString(data::writeMapping(mapping)),
                   [this](const QString& error) {
                       if (!error.isEmpty())
                           emit failed(error);
                   });
    emit changed(text(connection));
}

void LiveMappings::edit(const std::string& connection, const std::shared_ptr<LiveServer>& server) {
    using Found = Result<MetricMapping>;
    auto* watcher = new QFutureWatcher<std::shared_ptr<const Found>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, connection, server] {
        watcher->deleteLater();
        const std::shared_ptr<const Found> found = watcher->result();
        if (*found)
            show(connection, server, **found);
        else
            emit failed(text(found->error()));
    });
    const double now = unixNow();
    watcher->setFuture(views::runOn(views::Work::waiting, [server, now, stop = closing_.get_token()] {
        return std::make_shared<const Found>(server->detected(now - detectedTime, now, stop));
    }));
}

void LiveMappings::show(const std::string& connection, const std::shared_ptr<LiveServer>& server,
                        const MetricMapping& detected) {
    detected_ = detected;
    if (editor_)
        editor_->close();
    // The rules one after the other, so that the server is not asked for sixty things at once.
    editor_ = new MappingEditor(
        [server](const std::vector<MetricRule>& rules, const LabelNames& labels, const std::stop_token& stop,
                 std::function<void(Signal, const views::MappingPreview&)> done) {
            auto ignored = views::runOn(views::Work::waiting, [server, rules, labels, stop, done] {
                for (const MetricRule& rule : rules) {
                    if (stop.stop_requested())
                        return;
                    const views::MappingPreview read = server->preview(rule, labels, unixNow(), stop);
                    QMetaObject::invokeMethod(
                        qApp, [done, signal = rule.signal, read] { done(signal, read); },
                        Qt::QueuedConnection);
                }
            });
            Q_UNUSED(ignored)
        },
        &window_);
    editor_->setAttribute(Qt::WA_DeleteOnClose);
    connect(editor_, &MappingEditor::applied, this,
            [this, connection](const MetricMapping& mapping) { keep(connection, mapping); });
    connect(editor_, &MappingEditor::importRequested, this, &LiveMappings::askImport);
    connect(editor_, &MappingEditor::exportRequested, this, &LiveMappings::askExport);
    editor_->setMapping(tr("Metrics of %1").arg(text(connection)), of(connection).value_or(detected),
                        detected);
    editor_->open();
}

void LiveMappings::askImport() {
    auto* dialog = new QFileDialog(editor_, tr("Import a mapping"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Mappings (*.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        readSmallFile(this, file, [this, file](const SmallFile& read) {
            if (!editor_)
                return;
            const auto mapping = data::readMapping(read.content.toStdString(), file.toStdString());
            if (!read.error.isEmpty() || !mapping)
                editor_->setMessage(read.error.isEmpty() ? text(mapping.error()) : read.error);
            else
                editor_->setMapping(editor_->windowTitle(), *mapping, detected_);
        });
    });
    dialog->open();
}

void LiveMappings::askExport(const MetricMapping& mapping) {
    auto* dialog = new QFileDialog(editor_, tr("Export the mapping"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(QStringLiteral("metric-mapping.json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, mapping](const QString& file) {
        writeSmallFile(this, file, QByteArray::fromStdString(data::writeMapping(mapping)),
                       [this](const QString& error) {
                           if (editor_ && !error.isEmpty())
                               editor_->setMessage(error);
                       });
    });
    dialog->open();
}

} // namespace alidade::app
