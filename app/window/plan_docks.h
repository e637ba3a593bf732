// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <Qt>

#include <array>
#include <cstddef>
#include <span>

namespace alidade::views {
class Document;
class History;
class View;
} // namespace alidade::views

namespace alidade::app {

/// What the default layout of the plan is made for.
enum class PlanKind : quint8 { training, serving, reinforcement };
inline constexpr std::size_t planKinds = 3;

/// Where the default layout puts a dock. Docks of one place follow each other in the order of the table.
enum class DockPlace : quint8 {
    left,        ///< a tab of the column on the left
    upper,       ///< a column of the upper row
    upperBehind, ///< a tab behind the first column of the upper row
    upperHidden, ///< there when it is opened: closed at first, as it says nothing about this kind of workload
    lower,       ///< a column of the lower row
    lowerOnDemand ///< there when it is opened, behind the last column of the lower row, for every kind
};

/// A dock of the plan: everything that the window knows about it.
struct PlanDock {
    const char* name; ///< the layout is saved by it; unique
    Qt::Key letter;   ///< with Alt and Shift: opens it; unique
    views::View* (*make)(views::Document*, views::History*);
    std::array<DockPlace, planKinds> places; ///< by PlanKind

    DockPlace place(PlanKind kind) const { return places[static_cast<std::size_t>(kind)]; }
    bool isOpen(PlanKind kind) const; ///< in the default layout
};

/// All of them, in the order of the menu. Raise `layoutVersion` whenever one is added, renamed or removed.
std::span<const PlanDock> planDocks();

/// \pre there is a dock of that name
const PlanDock& planDock(const QString& name);

/// An older saved layout gives way to the default one.
inline constexpr int layoutVersion = 7;

inline const QString scenarioDock = QStringLiteral("scenario");
inline const QString problemsDock = QStringLiteral("problems");

} // namespace alidade::app
