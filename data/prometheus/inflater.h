// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace alidade::data {

/// Unpacks a gzip body piece by piece as it comes, so that what it holds is never larger than what may be
/// kept. Only the size is judged: a reply of flat series shrinks 200 times and more, as a bomb does.
class Inflater {
public:
    Inflater();
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    enum class Outcome : std::uint8_t { good, tooLarge, broken };
    /// Appends what the piece holds; nothing that would make `out` longer than `limit`.
    Outcome feed(std::string_view piece, std::string& out, std::size_t limit);
    /// The body ended where its own format says.
    bool complete() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace alidade::data
