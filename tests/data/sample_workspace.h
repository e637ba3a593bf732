// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/library.h"
#include "data/workspace/workspace.h"

#include <string>

namespace alidade::tests {

/// A spec that differs from number to number.
ScenarioSpec numberedSpec(int number);

/// Opens a workspace for writing, made if it is not there; a fault fails the test.
data::Workspace::Opening opened(const std::string& file, const data::WorkspaceOptions& options = {});

/// Commits an edit to the file and to the content; a fault fails the test.
void commit(data::Workspace::Opening& opening, const data::WorkspaceEdit& edit);

/// Folders, scenarios with histories, one document of each kind (two of them with bodies), settings.
void fillSample(data::Workspace::Opening& opening);

/// Everything that a workspace holds, as one text: equal content, equal text. Empty where something could not
/// be read; `fault` then says why.
std::string everything(data::Workspace& workspace, std::string* fault = nullptr);

void writeBytes(const std::string& file, const std::string& bytes);
std::string readBytes(const std::string& file);

} // namespace alidade::tests
