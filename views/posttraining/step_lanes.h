// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/reinforcement.h"

#include <QWidget>

#include <memory>
#include <string>

class QPainter;

namespace alidade::views {

/// One step of reinforcement learning: a lane for each pool, a block for each phase on one axis of seconds.
/// The block of the rollout is as high as the share of its places at work, so that its tail is to be seen;
/// what waits is dotted.
class StepLanes : public QWidget {
    Q_OBJECT
public:
    explicit StepLanes(QWidget* parent = nullptr);
    void setStep(std::shared_ptr<const Reinforcement> step);
    /// What the picture shows in words, for a screen reader and for tests.
    QString description() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Scale {
        double left = 0, width = 0, seconds = 1;
        double x(double at) const { return left + width * at / seconds; }
    };
    void paintLane(QPainter& painter, const Scale& scale, const QString& pool, const QRectF& lane) const;
    void paintRollout(QPainter& painter, const Scale& scale, const RlPhaseT<double>& phase,
                      const QRectF& lane) const;
    void paintAxis(QPainter& painter, const Scale& scale, double y) const;
    Scale scale() const;
    QRectF laneRect(int index) const;

    std::shared_ptr<const Reinforcement> step_;
};

/// Memory of a GPU of each pool in each of its phases, as stacked bars against what is usable.
class PhaseMemory : public QWidget {
    Q_OBJECT
public:
    explicit PhaseMemory(QWidget* parent = nullptr);
    void setStep(std::shared_ptr<const Reinforcement> step);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::shared_ptr<const Reinforcement> step_;
};

/// What a person calls a phase.
QString phaseTitle(const std::string& name);
QString poolTitle(const std::string& name);

} // namespace alidade::views
