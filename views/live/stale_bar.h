// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_session.h"

#include <QWidget>

class QPushButton;

namespace alidade::views {

class TextLabel;

/// Says under the bar that what is shown is old, why, and when it is asked again. Hidden otherwise.
class StaleBar : public QWidget {
    Q_OBJECT
public:
    explicit StaleBar(LiveSession* session, QWidget* parent = nullptr);
    void renew();
    QString words() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    LiveSession* session_;
    TextLabel* words_;
    QPushButton* retry_;
};

} // namespace alidade::views
