// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/number_text.h"

namespace alidade::views {

QString grouped(QString number) {
    qsizetype first = 0;
    while (first < number.size() && QStringLiteral("-$").contains(number[first]))
        ++first;
    qsizetype end = first;
    while (end < number.size() && number[end].isDigit())
        ++end;
    for (qsizetype place = end - 3; place > first; place -= 3)
        number.insert(place, QLatin1Char(','));
    return number;
}

} // namespace alidade::views
