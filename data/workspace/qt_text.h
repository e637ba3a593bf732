// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace alidade::data {

inline QString qt(const std::string& text) { return QString::fromStdString(text); }

} // namespace alidade::data
