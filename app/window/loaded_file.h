// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QByteArray>
#include <QString>

#include <optional>
#include <stop_token>

namespace alidade::app {

/// What a file that a person wants to open turned out to be.
struct LoadedFile {
    QByteArray content;       ///< not of a workspace
    bool isWorkspace = false; ///< which is opened elsewhere
    bool isFleet = false;     ///< which is opened on a separate page
    bool isMissing = false;   ///< there is no such file
    std::optional<ScenarioSpec> spec;
    std::optional<Architecture> model; ///< it was a Hugging Face config.json
    QString fault; ///< "FILE:/place: what is wrong; how to fix it" where it is none of these
};

/// Waits for the disk: for worker threads.
LoadedFile loadFile(const QString& fileName, const std::stop_token& stop = {});

/// No scenario that a person wrote comes near; the reader has its own limits besides.
constexpr std::size_t largestScenarioFile = 16u << 20;

} // namespace alidade::app
