// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>

#include <cstddef>

namespace alidade::views {

/// Translates what the functions of the topology say.
struct TopologyText {
    Q_DECLARE_TR_FUNCTIONS(TopologyText)
};

/// GPUs, hosts and nodes are numbered by int, containers by size_t.
constexpr std::size_t ix(int index) { return static_cast<std::size_t>(index); }

} // namespace alidade::views
