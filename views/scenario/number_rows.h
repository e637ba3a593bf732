// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/scenario/field_row.h"

class QStackedWidget;

namespace alidade::views {

class DegreeField;
class TextLabel;
class UnitField;

/// An integer or a quantity: any unit of its dimension may be typed.
class NumberRow : public FieldRow {
    Q_OBJECT

public:
    NumberRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;
    bool isTyping() const override;
    void dropTyping() override;

private:
    QString whole(double value) const;

    UnitField* editor_;
};

/// A parallel degree: steps along the values that are legal next to the rest. A degree that follows from the
/// others is plain text until it is set.
class DegreeRow : public FieldRow {
    Q_OBJECT

public:
    DegreeRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;

private:
    QStackedWidget* pages_;
    DegreeField* degree_;
    TextLabel* derived_;
    bool follows_; ///< absent, it follows from the other degrees
};

} // namespace alidade::views
