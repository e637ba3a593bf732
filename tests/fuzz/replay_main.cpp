// SPDX-License-Identifier: GPL-3.0-or-later
// Gives every file of the corpus folders to a fuzz target, as it is and broken in ways that are the same on
// each run: cut off, single bytes changed, a piece repeated. A target that crashes, hangs or throws fails the
// test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) __attribute__((weak)); // not in all

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t cutsPerFile = 32;
constexpr std::size_t changesPerFile = 64;
constexpr std::size_t mutatedAtMost = 64 * 1024; ///< bytes; a longer file is only replayed and cut

std::size_t runs = 0;

void feed(const Input& input) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++runs;
}

Input read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return Input(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

void feedCuts(const Input& input) {
    const std::size_t step = std::max<std::size_t>(1, input.size() / cutsPerFile);
    for (std::size_t length = 0; length < input.size(); length += step)
        feed(Input(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(length)));
}

void feedChanges(const Input& input) {
    const std::string telling = "{}[]\",:-+.eE0\\ \n\x7f\xff";
    std::mt19937 random(static_cast<std::uint32_t>(input.size()));
    for (std::size_t i = 0; i < changesPerFile; ++i) {
        Input changed = input;
        const std::size_t at = random() % changed.size();
        switch (i % 3) {
        case 0:
            changed[at] = static_cast<std::uint8_t>(telling[random() % telling.size()]);
            break;
        case 1:
            changed[at] = static_cast<std::uint8_t>(changed[at] ^ (1u << (random() % 8)));
            break;
        default: {
            const std::size_t length = std::min<std::size_t>(changed.size() - at, 1 + random() % 64);
            const Input piece(input.begin() + static_cast<std::ptrdiff_t>(at),
                              input.begin() + static_cast<std::ptrdiff_t>(at + length));
            changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
        }
        }
        feed(changed);
    }
}

std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS_FOLDER...\n", argv[0]);
        return 2;
    }
    if (LLVMFuzzerInitialize != nullptr)
        LLVMFuzzerInitialize(&argc, &argv);
    std::string current = argv[1];
    try {
        std::vector<std::filesystem::path> files;
        for (int i = 1; i < argc; ++i) {
            const auto more = filesOf(argv[i]);
            files.insert(files.end(), more.begin(), more.end());
        }
        feed({});
        feed(Input(100'000, '['));
        for (const auto& path : files) {
            current = path.string();
            const Input input = read(path);
            feed(input);
            feedCuts(input);
            if (!input.empty() && input.size() <= mutatedAtMost)
                feedChanges(input);
        }
        std::printf("%zu files, %zu inputs\n", files.size(), runs);
        return files.empty() ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", current.c_str(), error.what());
        return 1;
    }
}
