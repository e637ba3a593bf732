// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data {

/// What precedes the body of an HTTP/1 reply.
struct HttpHead {
    int status = 0; ///< 0: not read yet
    std::string reason;
    std::vector<std::pair<std::string, std::string>> fields; ///< names in lower case, in their order

    /// The first of the name; empty if there is none.
    std::string_view field(std::string_view name) const;
    bool has(std::string_view name) const;
};

/// Reads one HTTP/1 reply (RFC 9112) from pieces as they come, in any size. Knows where the reply ends, so
/// that one that broke off is told from a whole one; refuses what two readers could take differently.
class HttpResponseReader {
public:
    enum class State : std::uint8_t { head, body, complete, broken };
    static constexpr std::size_t headBytes = std::size_t{64} << 10;

    /// \param head called once it is read; \param body called with the body's pieces, without their framing
    HttpResponseReader(std::function<void(const HttpHead&)> head, std::function<void(std::string_view)> body);

    State feed(std::string_view piece);
    /// The other side has closed: the end of a body that has no other.
    State closed();

    State state() const { return state_; }
    const HttpHead& head() const { return head_; }
    /// The connection can carry another request.
    bool keepsAlive() const { return state_ == State::complete && keepAlive_; }

private:
    enum class Framing : std::uint8_t { length, chunked, untilClosed };
    enum class Chunk : std::uint8_t { size, data, end, trailer };

    void readHead(std::string_view& piece);
    void parseHead(std::string_view text);
    void chooseFraming(bool http11);
    void readBody(std::string_view& piece);
    void readChunked(std::string_view& piece);
    /// Moves bytes to line_ up to a line feed; true: the line is whole (without its end).
    bool takeLine(std::string_view& piece, std::size_t limit);
    void give(std::string_view& piece);

    std::function<void(const HttpHead&)> onHead_;
    std::function<void(std::string_view)> onBody_;
    HttpHead head_;
    std::string line_; ///< of a head, or of a chunk's framing, so far
    std::uint64_t left_ = 0;
    State state_ = State::head;
    Framing framing_ = Framing::untilClosed;
    Chunk chunk_ = Chunk::size;
    bool keepAlive_ = false;
};

} // namespace alidade::data
