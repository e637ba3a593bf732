// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/scrubbed.h"

#include <QAbstractSpinBox>
#include <QList>

#include <optional>

namespace alidade::views {

/// Spin box that knows a list of legal values and steps along it.
class LegalSpinBox : public QAbstractSpinBox {
    Q_OBJECT
public:
    explicit LegalSpinBox(QWidget* parent = nullptr);
    void setLegalValues(QList<int> ascending);
    const QList<int>& legalValues() const { return legal_; }
    void setValue(int value);
    int value() const { return value_; }
    void setReason(const QString& reason);

    void stepBy(int steps) override;
    QValidator::State validate(QString& input, int& pos) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void valueEdited(int value);

protected:
    StepEnabled stepEnabled() const override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void commit();
    void renew();
    QList<int> legal_;
    QString reason_;
    int value_ = 1;
};

/// A degree of parallelism: spin box, and a track with a tick for each legal value. Values that are not legal
/// are not offered; the reason is in the tooltip. A value that is not legal may still be set (it came from a
/// file): it is shown as an error until another one is chosen. Arrows, wheel (with focus, or with Alt),
/// clicks and drags on the track step.
class DegreeField : public QWidget, public Scrubbed {
    Q_OBJECT
public:
    explicit DegreeField(QWidget* parent = nullptr);

    /// Ascending, without repetition.
    void setLegalValues(const QList<int>& ascending);
    /// Emits nothing.
    void setValue(int value);
    int value() const { return spin_->value(); }
    /// What makes the other values illegal: "must divide 128 heads".
    void setReason(const QString& reason);
    LegalSpinBox* spinBox() const { return spin_; }

    bool canScrub() const override;
    /// Along the legal values.
    void scrubTo(int steps) override;
    void endScrub() override;
    void nudge(int steps) override { spin_->stepBy(steps); }

signals:
    void valueEdited(int value);
    void scrubStarted(); ///< what follows until scrubEnded() is one change
    void scrubEnded();

protected:
    void changeEvent(QEvent* event) override;

private:
    void describe();
    std::optional<qsizetype> scrubStart_; ///< place among the legal values
    LegalSpinBox* spin_;
    class DegreeTrack* track_;
    QString reason_;
};

} // namespace alidade::views
