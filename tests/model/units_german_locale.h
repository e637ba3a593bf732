// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <clocale>
#include <locale>
#include <string>

/// Runs a scope under the number signs of German: a C++ locale that needs no installed data, and the C locale
/// of Germany where it is installed.
class GermanLocale {
public:
    GermanLocale()
        : before_(std::locale::global(std::locale(std::locale::classic(), new Digits))) {
        std::setlocale(LC_ALL, "de_DE.UTF-8"); // null, and no change, where it is not installed
    }
    ~GermanLocale() {
        std::locale::global(before_);
        std::setlocale(LC_ALL, "C.UTF-8");
    }
    GermanLocale(const GermanLocale&) = delete;
    GermanLocale& operator=(const GermanLocale&) = delete;

private:
    class Digits : public std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::locale before_;
};
