// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"

#include <QWidget>

#include <vector>

class QPushButton;
class QToolButton;

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {
class CatalogEditor;
class CellTable;
class TextLabel;
class ValidationSource;
} // namespace alidade::views

namespace alidade::app {

/// Says above a page which custom catalog values its figures rest on, lists them, and switches to the shipped
/// ones and back. Hidden where there are none.
class CustomValuesBar : public QWidget {
    Q_OBJECT

public:
    /// What the figures of a page are.
    enum class Figures {
        answer,     ///< of the open scenario: the values that it uses
        several,    ///< of several scenarios, or the catalog itself: all of them
        validation, ///< of the published runs, which are predicted with the shipped catalog unless asked
    };

    /// Both must outlive this.
    CustomValuesBar(views::CatalogEditor& editor, views::ValidationSource& validation,
                    QWidget* parent = nullptr);

    void setFigures(Figures figures);
    QString sentence() const;
    /// What is shown next to a cost that rests on a custom price: "yours, list $55.04"; empty: it does not.
    QString ownRateText(const Estimate& estimate) const;

    QToolButton* listButton() const { return listButton_; }
    QPushButton* switchButton() const { return switch_; }
    views::CellTable* list() const { return list_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void renew();
    void renewList(const std::vector<data::CustomValue>& values);
    void switchOver();
    bool shipped() const; ///< whether the figures of the page are those of the shipped catalog
    std::vector<data::CustomValue> valuesOf(const Estimate& estimate) const;
    std::vector<data::CustomValue> shownValues() const;

    views::CatalogEditor& editor_;
    views::ValidationSource& validation_;
    Figures figures_ = Figures::several;
    views::TextLabel* sentence_;
    QToolButton* listButton_;
    QPushButton* switch_;
    views::CellTable* list_;
};

} // namespace alidade::app
