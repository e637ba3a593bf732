// SPDX-License-Identifier: GPL-3.0-or-later
#include "faulty_disk.h"

#include "sample_workspace.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sqlite3.h>

namespace alidade::tests {

namespace {

FaultyDisk* theDisk = nullptr;
sqlite3_vfs* theSystem = nullptr;

constexpr std::size_t sector = 512;

struct FaultyFile {
    sqlite3_file base;
    FaultyDisk::Shadow* shadow;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultyFile& of(sqlite3_file* file) { return *reinterpret_cast<FaultyFile*>(file); }

const sqlite3_io_methods& system(sqlite3_file* file) { return *of(file).real()->pMethods; }

void overwrite(std::string& content, std::size_t at, std::string_view bytes) {
    content.resize(std::max(content.size(), at + bytes.size()));
    std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
}

int readFile(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
    return theDisk->failing ? SQLITE_IOERR_READ : system(file).xRead(of(file).real(), to, size, at);
}

int writeFile(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
    FaultyDisk::Shadow& shadow = *of(file).shadow;
    const std::string bytes(static_cast<const char*>(from), static_cast<std::size_t>(size));
    if (theDisk->full && static_cast<std::size_t>(at) + bytes.size() > shadow.current.size())
        return SQLITE_FULL;
    const bool lost = theDisk->isCut();
    const int error = theDisk->step();
    if (!lost) // the one at which the power fails is on its way
        shadow.unsynced.push_back({false, at, bytes});
    if (error != SQLITE_OK)
        return error;
    overwrite(shadow.current, static_cast<std::size_t>(at), bytes);
    return system(file).xWrite(of(file).real(), from, size, at);
}

int truncateFile(sqlite3_file* file, sqlite3_int64 size) {
    FaultyDisk::Shadow& shadow = *of(file).shadow;
    if (const int error = theDisk->step(); error != SQLITE_OK)
        return error;
    shadow.unsynced.push_back({true, size, {}});
    shadow.current.resize(static_cast<std::size_t>(size));
    return system(file).xTruncate(of(file).real(), size);
}

int syncFile(sqlite3_file* file, int) {
    if (const int error = theDisk->step(); error != SQLITE_OK)
        return error;
    FaultyDisk::Shadow& shadow = *of(file).shadow;
    shadow.isDurable = true;
    shadow.deletedUnsynced = false;
    shadow.durable = shadow.current;
    shadow.unsynced.clear();
    return SQLITE_OK; // the real disk need not spin
}

int closeFile(sqlite3_file* file) { return system(file).xClose(of(file).real()); }
int sizeOfFile(sqlite3_file* file, sqlite3_int64* size) {
    return theDisk->failing ? SQLITE_IOERR_FSTAT : system(file).xFileSize(of(file).real(), size);
}
int lockFile(sqlite3_file* file, int level) { return system(file).xLock(of(file).real(), level); }
int unlockFile(sqlite3_file* file, int level) { return system(file).xUnlock(of(file).real(), level); }
int checkLock(sqlite3_file* file, int* out) { return system(file).xCheckReservedLock(of(file).real(), out); }
int controlFile(sqlite3_file* file, int what, void* argument) {
    return system(file).xFileControl(of(file).real(), what, argument);
}
int sectorSize(sqlite3_file*) { return static_cast<int>(sector); }
int characteristics(sqlite3_file* file) { return system(file).xDeviceCharacteristics(of(file).real()); }

int openFile(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* outFlags) {
    static const sqlite3_io_methods methods{.iVersion = 1,
                                            .xClose = closeFile,
                                            .xRead = readFile,
                                            .xWrite = writeFile,
                                            .xTruncate = truncateFile,
                                            .xSync = syncFile,
                                            .xFileSize = sizeOfFile,
                                            .xLock = lockFile,
                                            .xUnlock = unlockFile,
                                            .xCheckReservedLock = checkLock,
                                            .xFileControl = controlFile,
                                            .xSectorSize = sectorSize,
                                            .xDeviceCharacteristics = characteristics,
                                            .xShmMap = nullptr,
                                            .xShmLock = nullptr,
                                            .xShmBarrier = nullptr,
                                            .xShmUnmap = nullptr,
                                            .xFetch = nullptr,
                                            .xUnfetch = nullptr};
    file->pMethods = nullptr;
    int exists = 0;
    theSystem->xAccess(theSystem, path, SQLITE_ACCESS_EXISTS, &exists);
    if (theDisk->failing || theDisk->isCut() || (exists == 0 && theDisk->noNewFiles))
        return SQLITE_CANTOPEN;
    auto* faulty = new (file) FaultyFile{};
    const int result = theSystem->xOpen(theSystem, path, faulty->real(), flags, outFlags);
    if (result != SQLITE_OK)
        return result;
    faulty->shadow = &theDisk->opened(path, exists != 0);
    faulty->base.pMethods = &methods;
    return SQLITE_OK;
}

int deleteFile(sqlite3_vfs*, const char* path, int syncFolder) {
    const bool lost = theDisk->isCut();
    if (const int error = theDisk->step(); error != SQLITE_OK) {
        if (!lost && theDisk->isCut())
            theDisk->deleted(path, false); // on its way when the power fails
        return error;
    }
    theDisk->deleted(path, syncFolder != 0);
    return theSystem->xDelete(theSystem, path, 0);
}

} // namespace

FaultyDisk::FaultyDisk() {
    static sqlite3_vfs layer;
    theDisk = this;
    theSystem = sqlite3_vfs_find(nullptr);
    layer = *theSystem;
    layer.iVersion = 1;
    layer.pNext = nullptr;
    layer.zName = name;
    layer.szOsFile = static_cast<int>(sizeof(FaultyFile)) + theSystem->szOsFile;
    layer.xOpen = openFile;
    layer.xDelete = deleteFile;
    sqlite3_vfs_register(&layer, 0);
}

FaultyDisk::~FaultyDisk() {
    sqlite3_vfs_unregister(sqlite3_vfs_find(name));
    theDisk = nullptr;
}

FaultyDisk::Shadow& FaultyDisk::opened(const std::string& path, bool existed) {
    const auto known = files_.find(path);
    if (known == files_.end() && existed) {
        const std::string bytes = readBytes(path);
        return files_.emplace(path, Shadow{true, false, bytes, bytes, {}}).first->second;
    }
    Shadow& shadow = files_[path];
    if (!existed) {
        shadow.current.clear();
        shadow.unsynced.clear();
    }
    return shadow;
}

int FaultyDisk::step() {
    if (failing)
        return SQLITE_IOERR;
    if (isCut())
        return SQLITE_IOERR;
    ++operations;
    return isCut() ? SQLITE_IOERR : SQLITE_OK;
}

void FaultyDisk::deleted(const std::string& path, bool synced) {
    Shadow& shadow = files_[path];
    shadow.current.clear();
    shadow.unsynced.clear();
    shadow.deletedUnsynced = !synced;
    if (synced) {
        shadow.isDurable = false;
        shadow.durable.clear();
    }
}

std::map<std::string, std::string> FaultyDisk::afterPowerLoss(std::mt19937_64& random) const {
    std::map<std::string, std::string> out;
    for (const auto& [path, shadow] : files_) {
        const bool gone = !shadow.isDurable || shadow.deletedUnsynced;
        if (gone && random() % 2 == 0)
            continue; // the folder was not synced: either may be found
        if (!shadow.isDurable && shadow.unsynced.empty())
            continue;
        std::string content = shadow.durable;
        for (const Step& step : shadow.unsynced) {
            const auto fate = random() % 3; // all of it, nothing, or some sectors
            if (fate == 1)
                continue;
            const auto at = static_cast<std::size_t>(step.at);
            if (step.truncates) {
                content.resize(at);
                continue;
            }
            for (std::size_t start = 0; start < step.bytes.size();) {
                const std::size_t size = std::min(sector - (at + start) % sector, step.bytes.size() - start);
                if (fate == 0 || random() % 2 == 0)
                    overwrite(content, at + start, std::string_view(step.bytes).substr(start, size));
                start += size;
            }
        }
        out[path] = content;
    }
    return out;
}

} // namespace alidade::tests
