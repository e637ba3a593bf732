// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/fleet/fleet_file.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <string>

namespace alidade::views {

/// The fleet that its page shows and edits: a separate file next to the scenario, with its undo stack.
class FleetDocument : public QObject {
    Q_OBJECT

public:
    explicit FleetDocument(QObject* parent = nullptr);

    bool isOpen() const { return !present_.fleet.services.empty(); }
    const data::FleetFile& file() const { return present_; }
    QString fileName() const { return fileName_; } ///< empty: it has none, as the sample
    QString displayName() const;
    bool isModified() const { return modified_; }
    int opening() const { return opening_; } ///< counts what was opened, to know it again
    QUndoStack* undoStack() { return &undo_; }

    /// \param fileName that Save writes to; empty: none yet \param modified it differs from what the file has
    void open(const data::FleetFile& file, const QString& fileName, bool modified = false);
    void close();
    /// One step to undo; none if nothing is different.
    void edit(const data::FleetFile& edited, const QString& what);

    /// As a document for the folder that the fleet was read from.
    std::string document() const;
    const data::FleetFile& asRead() const { return read_; }
    /// \param document what was written: later edits stay unsaved
    void setSaved(const QString& fileName, const std::string& document);

signals:
    void opened();       ///< or closed
    void changed();      ///< what it holds, by edits and by opened()
    void stateChanged(); ///< file name, or whether it is modified

private:
    friend class FleetEdit;
    void take(const data::FleetFile& file);

    data::FleetFile read_, present_;
    QString fileName_;
    std::string saved_; ///< the document that the file has; empty: not known
    bool modified_ = false;
    int opening_ = 0;
    QUndoStack undo_;
};

} // namespace alidade::views
