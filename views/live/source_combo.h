// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_state.h"

#include <QComboBox>

namespace alidade::views {

/// Chooser of a source that also says how the chosen one is: a mark, its name, and the age of its answer.
class SourceCombo : public QComboBox {
    Q_OBJECT
public:
    explicit SourceCombo(QWidget* parent = nullptr);
    /// \param words "4 s ago"
    void setCondition(LivePhase phase, const QString& words);
    QString condition() const { return words_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    LivePhase phase_ = LivePhase::none;
    QString words_;
};

} // namespace alidade::views
