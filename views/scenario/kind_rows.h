// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/scenario/field_row.h"

#include <optional>

namespace alidade::views {

class SegmentedButtons;

/// What the cluster is for. Going to the other kind fills in what that kind cannot do without; the values of
/// the kind that was left stay in the scenario for the way back, out of sight.
class KindRow : public FieldRow {
    Q_OBJECT

public:
    KindRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;

private:
    void choose(const QString& kind);

    SegmentedButtons* buttons_;
};

/// Closed loop (a number of users who wait for their answers) or open loop (a rate of requests). Each keeps
/// its value while the other holds; the first time the load stays what it was.
class LoopRow : public QWidget {
    Q_OBJECT

public:
    LoopRow(Document& document, QWidget* parent);
    void refresh();
    SegmentedButtons* buttons() const { return buttons_; }

private:
    void choose(bool open);

    Document& document_;
    SegmentedButtons* buttons_;
    std::optional<double> concurrency_, requestRate_; ///< last values
};

} // namespace alidade::views
