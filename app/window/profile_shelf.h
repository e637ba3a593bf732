// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace alidade::views {
class Library;
}

namespace alidade::app {

/// Where calibration profiles are kept: the workspace, whose profiles the document's catalog carries.
class ProfileShelf {
public:
    /// Must outlive this.
    explicit ProfileShelf(views::Library& library);

    /// Keeps a profile in the workspace, in one undo step; one of that name is kept next to it with a number.
    /// \returns the name that it got; empty: it was refused
    QString add(const QString& name, const std::string& json);

private:
    views::Library& library_;
};

} // namespace alidade::app
