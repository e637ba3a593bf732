// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace alidade {

/// An immutable text that is copied far more often than created: copies share it and allocate nothing.
class SharedText {
public:
    SharedText() = default;
    /// From a string literal, which is not copied.
    template <std::size_t N>
    SharedText(const char (&literal)[N])
        : view_(literal, N - 1) {}
    SharedText(const std::string& text)
        : SharedText(joined({text})) {}
    /// The concatenated parts, in one allocation.
    static SharedText joined(std::initializer_list<std::string_view> parts) {
        std::size_t size = 0;
        for (const std::string_view part : parts)
            size += part.size();
        SharedText out;
        const std::shared_ptr<char[]> block = std::make_shared_for_overwrite<char[]>(size);
        std::size_t at = 0;
        for (const std::string_view part : parts)
            at += part.copy(block.get() + at, part.size());
        out.view_ = {block.get(), size};
        out.owner_ = block;
        return out;
    }

    operator std::string_view() const { return view_; }
    std::string_view view() const { return view_; }
    std::string str() const { return std::string(view_); }
    bool empty() const { return view_.empty(); }
    bool starts_with(std::string_view prefix) const { return view_.starts_with(prefix); }

    friend bool operator==(const SharedText& a, const SharedText& b) { return a.view_ == b.view_; }
    friend bool operator==(const SharedText& a, std::string_view b) { return a.view_ == b; }
    friend std::ostream& operator<<(std::ostream& out, const SharedText& text) { return out << text.view_; }

private:
    std::shared_ptr<const char[]> owner_; ///< null: a literal, or empty
    std::string_view view_;
};

} // namespace alidade
