// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"

NLOHMANN_JSON_NAMESPACE_BEGIN
ALIDADE_JSON_TEMPLATES(template)
NLOHMANN_JSON_NAMESPACE_END
