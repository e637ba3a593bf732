// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_what_if.h"

#include <QWidget>

#include <optional>

class QPushButton;
class QVBoxLayout;

namespace alidade::views {

class Document;
class TextLabel;

/// The changes that concern the chosen thing, each with its price. Try shows what it would bring in all
/// views; Adopt makes it one undo step.
class TopologyWhatIfList : public QWidget {
    Q_OBJECT
public:
    explicit TopologyWhatIfList(Document* document, QWidget* parent = nullptr);

    /// What they are about. While one is tried, the list stays as it is.
    void setAbout(std::shared_ptr<const TopologyData> data, const TopologyFocus& focus);
    bool isPricing() const { return pricer_->busy(); }
    int count() const { return static_cast<int>(rows_.size()); }
    QPushButton* button(int row) const { return rows_[row].button; }
    QString words(int row) const; ///< name and price

private:
    struct Row {
        QWidget* widget = nullptr;
        QPushButton* button = nullptr;
        QPushButton* back = nullptr;
        TextLabel* price = nullptr;
        TopologyChange change;
        std::optional<PricedChange> found;
    };
    void rebuild(const QList<TopologyChange>& changes);
    void take(int index, const PricedChange& price);
    void renewButtons();

    Document* document_;
    TopologyPricer* pricer_;
    QVBoxLayout* column_;
    QList<Row> rows_;
    std::shared_ptr<const Estimate> base_;
};

} // namespace alidade::views
