// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_document.h"

#include "views/document/text.h"

#include <QFileInfo>
#include <QUndoCommand>

#include <utility>

namespace alidade::views {

class FleetEdit : public QUndoCommand {
public:
    FleetEdit(FleetDocument& document, const data::FleetFile& edited, const QString& what)
        : QUndoCommand(what)
        , document_(document)
        , before_(document.file())
        , after_(edited) {}

    void undo() override { document_.take(before_); }
    void redo() override { document_.take(after_); }

private:
    FleetDocument& document_;
    data::FleetFile before_, after_;
};

FleetDocument::FleetDocument(QObject* parent)
    : QObject(parent) {}

QString FleetDocument::displayName() const {
    return fileName_.isEmpty() ? text(present_.fleet.name) : QFileInfo(fileName_).fileName();
}

void FleetDocument::open(const data::FleetFile& file, const QString& fileName, bool modified) {
    undo_.clear();
    ++opening_;
    read_ = present_ = file;
    fileName_ = fileName;
    saved_ = modified ? std::string() : document();
    modified_ = modified;
    emit opened();
    emit changed();
    emit stateChanged();
}

void FleetDocument::close() {
    undo_.clear();
    ++opening_;
    read_ = present_ = {};
    fileName_.clear();
    saved_.clear();
    modified_ = false;
    emit opened();
    emit changed();
    emit stateChanged();
}

void FleetDocument::edit(const data::FleetFile& edited, const QString& what) {
    if (isOpen() && data::writeFleet(read_, edited, read_.path) != document())
        undo_.push(new FleetEdit(*this, edited, what));
}

std::string FleetDocument::document() const { return data::writeFleet(read_, present_, read_.path); }

void FleetDocument::setSaved(const QString& fileName, const std::string& document) {
    fileName_ = fileName;
    saved_ = document;
    modified_ = this->document() != saved_;
    emit stateChanged();
}

void FleetDocument::take(const data::FleetFile& file) {
    present_ = file;
    const bool was = std::exchange(modified_, document() != saved_);
    emit changed();
    if (was != modified_)
        emit stateChanged();
}

} // namespace alidade::views
