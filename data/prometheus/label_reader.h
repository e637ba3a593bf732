// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"

namespace alidade::data {

/// Gathers the labels of one series; what is too long is cut off, at a whole character.
class LabelReader {
public:
    explicit LabelReader(std::size_t longest)
        : longest_(longest) {}

    void clear() { labels_.clear(); }
    void name(std::string& text);
    void value(std::string& text);
    /// Sorts them. False: a name is there twice.
    bool finish();

    const Labels& labels() const { return labels_; }
    Labels take() { return std::move(labels_); }
    std::size_t cut() const { return cut_; } ///< how many texts were cut off

private:
    void shorten(std::string& text);

    std::size_t longest_;
    Labels labels_;
    std::size_t cut_ = 0;
};

/// The text without what goes beyond `longest` bytes, cut before a character. True: something was cut off.
bool cutOff(std::string& text, std::size_t longest);

} // namespace alidade::data
