// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_words.h"

#include <QComboBox>

namespace alidade::views {

/// A long list of named paths that can be typed into: what is typed is looked for anywhere in the names, and
/// what is not a name goes back to the choice that holds.
class PickCombo : public QComboBox {
    Q_OBJECT

public:
    explicit PickCombo(const QString& name, QWidget* parent = nullptr);

    /// Keeps the choice where the new list has it; without a signal.
    void setChoices(const QList<NamedPath>& choices);
    /// Without a signal; an unknown path changes nothing.
    void setPath(const QString& path);
    /// The same, but for a list that comes later.
    void keepPath(const QString& path);
    QString path() const;

signals:
    void picked(const QString& path);

private:
    void settle();
    QString path_;
};

} // namespace alidade::views
