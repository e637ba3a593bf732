// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <array>

namespace alidade::views {

class TextLabel;
struct CardContent;

/// Up to three groups of figures side by side under the timeline: the chosen block, what is to be seen, the
/// chosen stage. Each has a title and up to four rows.
class TimelineFoot : public QWidget {
    Q_OBJECT
public:
    explicit TimelineFoot(QWidget* parent = nullptr);
    /// A group without a title is not to be seen.
    void setGroup(int group, const CardContent& content);
    QString text(int group) const; ///< title and rows in one text

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    static constexpr int rows = 4;
    struct Group {
        QWidget* box = nullptr;
        TextLabel* title = nullptr;
        std::array<std::pair<TextLabel*, TextLabel*>, rows> lines;
    };
    std::array<Group, 3> groups_;
};

} // namespace alidade::views
