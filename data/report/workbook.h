// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <string>
#include <vector>

namespace alidade::data {

/// One cell of a sheet as a spreadsheet shows it.
struct SheetCell {
    std::string text;    ///< a number in the format of its cell; of a formula its value
    std::string formula; ///< "=C3*D3"; empty: the cell has none
    bool number = false, bold = false;
};

struct Sheet {
    std::string name;
    std::vector<std::vector<SheetCell>> rows; ///< of different lengths
};

/// Reads the sheets of a workbook that reportXlsx() wrote.
/// \param xlsx the bytes of the file, at most 256 MiB unpacked
/// \returns the sheets in their order, or why the bytes are not a workbook
Result<std::vector<Sheet>> readWorkbook(const std::string& xlsx);

} // namespace alidade::data
