// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/inflater.h"

#include <array>
#include <new>
#include <zlib.h>

namespace alidade::data {

struct Inflater::State {
    z_stream stream{};
    bool complete = false;
    std::array<char, std::size_t{64} << 10> buffer{};
};

Inflater::Inflater()
    : state_(std::make_unique<State>()) {
    constexpr int gzipOrZlib = 15 + 32; // the largest window; the format is recognized
    if (inflateInit2(&state_->stream, gzipOrZlib) != Z_OK)
        throw std::bad_alloc();
}

Inflater::~Inflater() { inflateEnd(&state_->stream); }

bool Inflater::complete() const { return state_->complete; }

Inflater::Outcome Inflater::feed(std::string_view piece, std::string& out, std::size_t limit) {
    z_stream& stream = state_->stream;
    // zlib does not write to its input; its interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
        if (state_->complete) { // a further member follows (RFC 1952, 2.2)
            if (stream.avail_in == 0)
                return Outcome::good;
            if (inflateReset(&stream) != Z_OK)
                return Outcome::broken;
            state_->complete = false;
        }
        stream.next_out = reinterpret_cast<Bytef*>(state_->buffer.data());
        stream.avail_out = static_cast<uInt>(state_->buffer.size());
        const int result = inflate(&stream, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return Outcome::broken;
        const std::size_t got = state_->buffer.size() - stream.avail_out;
        if (got > limit - out.size()) {
            out.append(state_->buffer.data(), limit - out.size());
            return Outcome::tooLarge;
        }
        out.append(state_->buffer.data(), got);
        state_->complete = result == Z_STREAM_END;
        if (result == Z_BUF_ERROR)
            break; // no more can be made of what is there
    } while (stream.avail_in > 0 || stream.avail_out == 0);
    return Outcome::good;
}

} // namespace alidade::data
