// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/workload/architecture.h"

#include <string>
#include <string_view>

namespace alidade::data {

/// Reads the config.json of a Hugging Face model of one of the families of huggingface_family.cpp; absent
/// keys take the defaults of the family's configuration class. Of a multimodal model, the language model is
/// read (its "text_config"). Other families are refused, and so is what the architecture cannot express; what
/// it expresses only nearly is named in Architecture::notModeled. The error has one line per fault:
/// "FILE:/json/pointer: what is wrong; how to fix it".
/// \param fileName for messages and for the source of the result; its folder or stem becomes the id if the
///        document does not name the model
Result<Architecture> importHuggingFaceConfig(std::string_view text, const std::string& fileName);

} // namespace alidade::data
