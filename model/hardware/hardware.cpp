// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hardware/hardware.h"

namespace alidade {

std::optional<FlopPerSecond> Gpu::peak(Precision precision) const {
    switch (precision) {
    case Precision::fp16:
        return fp16;
    case Precision::bf16:
        return bf16;
    case Precision::fp8:
    case Precision::mxfp8:
        return fp8;
    case Precision::nvfp4:
        return fp4;
    }
    return std::nullopt;
}

} // namespace alidade
