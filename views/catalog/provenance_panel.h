// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"

#include <QWidget>

class QVBoxLayout;

namespace alidade::views {

/// Where one value of the catalog comes from: the value, its sources, other published values, notes.
class ProvenancePanel : public QWidget {
    Q_OBJECT

public:
    explicit ProvenancePanel(QWidget* parent = nullptr);

    /// \param key of the value; sources that stand for it come first
    void showValue(const QString& id, const QString& key, const QString& title, const QString& value,
                   const Provenance& provenance);
    void showNothing();

    QSize sizeHint() const override;

private:
    void clear();
    void addHeading(const QString& words, const QString& note = {});
    void addSource(const Source& source, bool stands);
    void addText(const std::string& words);
    void addRule();

    QWidget* body_;
    QVBoxLayout* column_;
};

} // namespace alidade::views
