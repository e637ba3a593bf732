// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/entities.h"

#include <QObject>
#include <QString>

#include <string>
#include <utility>
#include <vector>

namespace alidade {
struct Profile;
}

namespace alidade::views {
class Document;
class Library;
} // namespace alidade::views

namespace alidade::app {

/// Gives the document's engine the calibration profiles of the workspace, under their names. They are read on
/// a worker thread.
class ProfileShelf : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this.
    ProfileShelf(views::Document& document, views::Library& library, QObject* parent = nullptr);

    /// Keeps a profile in the workspace, in one undo step; one of that name is kept beside it with a number.
    /// \returns the name that it got; empty: it was refused
    QString add(const QString& name, const std::string& json);
    /// Whether scenarios can be estimated with profiles at all.
    bool isUsable() const;

signals:
    void refused(const QString& reason); ///< a profile of the workspace cannot be read
    void renewed();                      ///< the engine has them

private:
    void renew();

    views::Document& document_;
    views::Library& library_;
    std::vector<std::pair<data::WorkspaceId, data::UtcMs>> shown_;
    int generation_ = 0;
};

} // namespace alidade::app
