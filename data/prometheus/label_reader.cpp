// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/label_reader.h"

#include <algorithm>

namespace alidade::data {

bool cutOff(std::string& text, std::size_t longest) {
    if (text.size() <= longest)
        return false;
    std::size_t length = longest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
        --length;
    text = text.substr(0, length); // a new string: the long one's memory is given back
    return true;
}

void LabelReader::shorten(std::string& text) { cut_ += cutOff(text, longest_) ? 1 : 0; }

void LabelReader::name(std::string& text) {
    shorten(text);
    labels_.emplace_back(text, std::string());
}

void LabelReader::value(std::string& text) {
    shorten(text);
    labels_.back().second = text;
}

bool LabelReader::finish() {
    std::ranges::sort(labels_);
    return std::ranges::adjacent_find(labels_, {}, &Labels::value_type::first) == labels_.end();
}

} // namespace alidade::data
