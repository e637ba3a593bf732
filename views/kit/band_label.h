// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/paint.h"

#include <QWidget>

#include <optional>

namespace alidade::views {

/// A headline figure as a person reads it. All texts come ready; nothing is computed here.
struct Figure {
    enum class Trend { uncertain, better, doubtful, worse };

    QString label; ///< "Step time"
    QString value; ///< "6.13"; empty: not known, drawn as an en dash
    QString unit;  ///< "s"
    std::optional<BandRange> band;
    QString note;       ///< next to the band: "5.6 – 6.9"; without a band the reason: "not published"
    QString difference; ///< to the baseline, in place of the note: "−0.83 to baseline"; empty: none
    Trend trend = Trend::uncertain; ///< colors the difference only where it is certain
    bool assumed = false;           ///< dotted underline, and the word if there is no note
    bool dimmed = false;            ///< what no longer holds: in faint ink, which can still be read
    std::optional<double> number{}; ///< the value in its base unit, where differences are judged
};

/// Label, large value with its unit, and below the low-high line. Reachable by Tab; Enter or double click
/// asks for the derivation; the context menu has this widget's actions() and "Copy value".
class BandLabel : public QWidget {
    Q_OBJECT
public:
    explicit BandLabel(QWidget* parent = nullptr);

    void setFigure(const Figure& figure);
    const Figure& figure() const { return figure_; }
    /// A hairline at the left, between neighbors of a strip.
    void setSeparator(bool on);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void explainRequested();
    void hovered(bool inside); ///< the pointer, or the keyboard focus

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void paintNote(QPainter& painter, QRectF line) const;
    QString noteText() const;
    double leftMargin() const;
    Figure figure_;
    bool separator_ = false;
};

} // namespace alidade::views
