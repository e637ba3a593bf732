// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

namespace alidade {

/// Prompt blocks that an engine keeps, least recently used first out; of one prompt its end before its start,
/// as vLLM frees them.
class PrefixCache {
public:
    /// \param blocks room; 0: nothing is kept
    explicit PrefixCache(std::size_t blocks)
        : room_(blocks) {}
    PrefixCache(PrefixCache&&) = default;
    PrefixCache& operator=(PrefixCache&&) = default;
    PrefixCache(const PrefixCache&) = delete; // places_ point into order_
    PrefixCache& operator=(const PrefixCache&) = delete;
    ~PrefixCache() = default;

    /// Leading blocks of a prompt that are in the cache.
    std::size_t held(std::span<const std::uint32_t> prompt) const {
        std::size_t out = 0;
        while (out < prompt.size() && places_.contains(prompt[out]))
            ++out;
        return out;
    }

    /// Takes a prompt in, as used now. \returns the leading blocks that were there
    std::size_t use(std::span<const std::uint32_t> prompt) {
        const std::size_t out = held(prompt);
        const std::size_t kept = prompt.size() < room_ ? prompt.size() : room_;
        for (std::size_t i = kept; i-- > 0;) // the start is used last
            touch(prompt[i]);
        return out;
    }

private:
    void touch(std::uint32_t block) {
        if (const auto found = places_.find(block); found != places_.end()) {
            order_.splice(order_.end(), order_, found->second);
            return;
        }
        if (places_.size() >= room_) {
            places_.erase(order_.front());
            order_.pop_front();
        }
        places_.emplace(block, order_.insert(order_.end(), block));
    }

    std::size_t room_;
    std::list<std::uint32_t> order_; // the next one out first
    std::unordered_map<std::uint32_t, std::list<std::uint32_t>::iterator> places_;
};

/// Tokens of a prompt that so many leading blocks of it spare: at least its last token is computed.
inline int cachedTokens(std::size_t blocks, int blockTokens, int input) {
    const auto tokens = static_cast<std::int64_t>(blocks) * blockTokens;
    return static_cast<int>(tokens < input ? tokens : input - 1);
}

} // namespace alidade
