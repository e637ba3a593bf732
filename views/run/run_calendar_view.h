// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"
#include "views/run/run_words.h"

#include <QFontMetricsF>
#include <QWidget>

#include <array>
#include <utility>
#include <vector>

class QPainter;

namespace alidade::views {

/// From start to finish: where the time of the run goes in all, what each day loses, the interruptions of
/// each day, the end with its band and the deadline; below them the blocks for which machines are paid and
/// how full the file system gets; and a loupe on two hours around an interruption of a drawn outcome. Left
/// and Right go to the neighboring interruption, a click on a day to its longest one, or the nearest.
class RunCalendarView : public QWidget {
    Q_OBJECT
public:
    explicit RunCalendarView(QWidget* parent = nullptr);

    /// \param story played; null: nothing is drawn
    void setStory(const RunStoryPtr& story);
    /// A drawn outcome in place of what is expected.
    void setOneOutcome(bool on);
    bool oneOutcome() const { return oneOutcome_; }
    int failure() const { return failure_; } ///< that the loupe shows; -1: none
    void setFailure(int failure);
    /// What the picture shows in words, for a screen reader and for tests.
    QString description() const;
    /// A label that was cut off when the picture was last drawn; empty: none.
    QString cutOff() const { return cut_; }
    /// What the colors of the file system's lane mean, as it was last drawn.
    QStringList storageLegend() const { return storageLegend_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void failureChanged(int failure);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Lanes {
        QRectF dates, whole, lost, interruptions, machines, storage, loupe, hours;
        double left = 0, right = 0;
    };
    Lanes lanes() const;
    double lastDay() const;
    double x(const Lanes& lanes, double day) const;
    double outcomeDays() const;
    const RunShares& totals() const;
    RunShares meanDay() const;
    double meanInterruptions() const;          ///< a day
    std::pair<double, double> highest() const; ///< seconds lost in a day, interruptions of a day

    void paintNames(QPainter& painter, const Lanes& lanes);
    void paintDates(QPainter& painter, const Lanes& lanes);
    void paintWhole(QPainter& painter, const Lanes& lanes);
    std::pair<double, double> barOf(const Lanes& lanes, int day) const;
    void paintDays(QPainter& painter, const Lanes& lanes, const QRectF& part);
    QRectF deadlineBox(const Lanes& lanes, const QFontMetricsF& metrics) const;
    void paintEnd(QPainter& painter, const Lanes& lanes);
    void paintMachines(QPainter& painter, const Lanes& lanes);
    void paintStorage(QPainter& painter, const Lanes& lanes);
    void paintStorageLegend(QPainter& painter, const QRectF& room);
    void nameLane(QPainter& painter, const QRectF& lane, const QString& first, const QString& second = {});
    QString phaseWords(const RunPhase& phase) const;
    QString storageWords() const; ///< of its fullest; empty: nothing limits it
    void paintLoupe(QPainter& painter, const Lanes& lanes);
    void say(QPainter& painter, const QRectF& box, Qt::Alignment alignment, const QString& words, QColor ink);
    double startOfLoupe() const; ///< s of the drawn run without stops between its pieces
    double pace() const;         ///< of those seconds, for each second of the calendar
    QString loupeTitle() const;
    QString failureWords() const;
    void renewSpans();
    void setHovered(int day);
    int dayAt(const QPointF& position) const;
    CardContent dayCard(int day) const;

    RunStoryPtr story_;
    std::optional<RunDates> dates_;
    std::pair<double, double> highest_; ///< highest() of the story
    std::vector<RunSpan> spans_;        ///< that the loupe shows
    bool oneOutcome_ = false;
    int failure_ = -1;
    int hovered_ = -1;
    QString cut_;
    QStringList storageLegend_;
};

/// Fill of a piece of the time.
/// What is lost to failures, in the order in which it is drawn.
inline constexpr std::array lostPieces{RunPiece::redone, RunPiece::stopped, RunPiece::starting};
void paintPiece(QPainter& painter, const QRectF& rect, RunPiece piece);
QString pieceTitle(RunPiece piece);

} // namespace alidade::views
