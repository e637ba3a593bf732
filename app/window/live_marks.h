// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding_marks.h"
#include "views/library/library.h"

#include <QObject>

namespace alidade::app {

/// What a person has said of findings, kept in the open workspace; without one, as long as the program runs.
class LiveMarks : public QObject {
    Q_OBJECT

public:
    /// `library` must outlive this.
    explicit LiveMarks(views::Library& library, QObject* parent = nullptr);

    const FindingMarks& all() const { return marks_; }
    /// An empty mark takes the present one away.
    void set(const std::string& key, const FindingMark& mark);

signals:
    void changed();
    /// \param sentence what could not be done
    void failed(const QString& sentence, const QString& reason);

private:
    void load();

    views::Library& library_;
    FindingMarks marks_;
    std::string stored_; ///< as the workspace has it
};

} // namespace alidade::app
