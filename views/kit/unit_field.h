// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/scrubbed.h"

#include <QLineEdit>

#include <functional>
#include <optional>

namespace alidade::views {

/// A value as a field shows it: number and unit apart, so that the unit can be at the right.
struct UnitText {
    QString text; ///< "3.35"
    QString unit; ///< "TB/s"; may be empty
};

/// What a person's text meant: a value in the owner's base unit, or the reason why it was refused.
struct UnitParse {
    std::optional<double> value;
    QString error;
};

/// Line edit for a number with a unit. The owner says how to read and write it, so that any unit may be
/// typed. Enter or leaving the field commits; Esc brings the old text back; Up, Down and the wheel (with
/// focus, or with Alt) step, Shift by ten. A refused text stays as it is, in the colors of an error, until
/// it is edited; the old value stays in force.
class UnitField : public QLineEdit, public Scrubbed {
    Q_OBJECT
public:
    using Format = std::function<UnitText(double)>;
    using Parse = std::function<UnitParse(const QString&)>;
    using Step = std::function<double(double value, int steps)>;

    explicit UnitField(QWidget* parent = nullptr);

    void setFormat(Format format);
    void setParse(Parse parse);
    /// Default: one in the second significant digit. The result goes through no further check.
    void setStep(Step step);
    /// Emits nothing. Without a value the placeholder shows what holds instead ("follows from the rest").
    void setValue(std::optional<double> value);
    std::optional<double> value() const { return value_; }
    /// What holds while there is no value of one's own: steps and drags begin there.
    void setFallback(std::optional<double> value) { fallback_ = value; }
    /// Marks a value that is well formed but wrong where it stands; empty clears the mark.
    void setRefusal(const QString& reason);
    /// Why the present text is not in force; empty if it is.
    const QString& refusal() const { return refusal_; }

    bool isScrubbed() const { return scrubStart_.has_value(); } ///< a drag is under way
    bool canScrub() const override;
    void scrubTo(int steps) override;
    void endScrub() override;
    void nudge(int steps) override { stepBy(steps); }

signals:
    void valueEdited(double value);
    void valuePreviewed(double value);
    void scrubStarted(); ///< what follows until scrubEnded() is one change
    void scrubEnded();
    void cleared(); ///< the person emptied the field: the default shall hold
    void refused(const QString& reason);
    void refusalDropped(); ///< the person edits the refused text, or went back to the old value

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void commit();
    void revert();
    void dropRefusal();
    void stepBy(int steps);
    void showValue(double value);
    void renewMargins();
    double stepped(double value, int steps) const;

    Format format_;
    Parse parse_;
    Step step_;
    std::optional<double> value_, fallback_;
    std::optional<double> scrubStart_;
    double scrubbed_ = 0;
    QString unit_;
    QString refusal_;
    QString toolTip_;
};

} // namespace alidade::views
