// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/slow_work.h"
#include "data/file/open_input.h"
#include "data/workspace/entities.h"

#include <QObject>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace alidade {
struct Catalog;
}

namespace alidade::views {
class Document;
class Library;
} // namespace alidade::views

namespace alidade::app {

/// Gives the document's catalog the topologies that were imported into the workspace and the calibrations
/// that it keeps, under their names, and the topology that an open file names. They are read on a worker
/// thread.
class TopologyShelf : public QObject {
    Q_OBJECT

public:
    /// All must outlive this.
    TopologyShelf(views::Document& document, views::Library& library, QObject* parent = nullptr);
    ~TopologyShelf() override;

    /// The document is a file that may name a topology next to it.
    void attachToFile();
    SlowWork& reading() { return reading_; } ///< of the topology that a file names

signals:
    /// The topology that the open file names cannot be read.
    void refused(const QString& reason);

private:
    using Named = std::pair<std::string, std::string>; ///< name and document
    void renew();
    void nameInput();
    void read(std::vector<Named> documents, std::vector<Named> profiles);

    views::Document& document_;
    views::Library& library_;
    std::shared_ptr<const Catalog> base_; ///< without what is put here
    std::vector<std::pair<data::WorkspaceId, data::UtcMs>> shown_;
    int generation_ = 0;
    SlowWork reading_;
    std::stop_source stopReading_;
    data::OpenInput input_; ///< the file of the topology
};

} // namespace alidade::app
