// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory/weights_and_kv.h"

namespace alidade {

double pagedTokens(double context, double block) { return std::ceil(context / block) * block; }

} // namespace alidade
