// SPDX-License-Identifier: GPL-3.0-or-later
// A newer shipped catalog under a user's changes.
#include "data/catalog/catalog_merge.h"
#include "user_edits.h"

#include <algorithm>

namespace tst_catalog_merge {

using namespace alidade;
using namespace alidade::data;
using alidade::test::shippedCatalog;
using alidade::tests::ada;
using alidade::tests::UserEdits;

using enum alidade::data::CatalogKind;

namespace {

const Signature bob{"Bob", "2027-01-05T09:00:00Z", {}, {}};

/// The shipped catalog as it may be in a later release.
template <class Change>
std::shared_ptr<const Catalog> newer(Change change) {
    Catalog catalog = *shippedCatalog();
    catalog.version = "2027-01-01";
    change(catalog);
    return std::make_shared<const Catalog>(std::move(catalog));
}

Gpu& gpuIn(Catalog& catalog, std::string_view id) { return *std::ranges::find(catalog.gpus, id, &Gpu::id); }

} // namespace

class TestCatalogMerge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNotChangedFollows();
    void aValueThatMoved();
    void anEntryThatIsGone();
    void anEntryThatArrived();
    void aRemovedEntryThatMoved();
};

void TestCatalogMerge::whatIsNotChangedFollows() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "tdp_w", "650");
    edits.set(gpus, "h100-sxm", "sm_count", "130");
    const auto next = newer([](Catalog& catalog) {
        gpuIn(catalog, "h100-sxm").memoryBandwidth = BytesPerSecond::si(3.36e12);
        gpuIn(catalog, "h100-sxm").streamingMultiprocessors = 130; // what the user has said before
    });
    const AppliedCatalog applied = applyChanges(next, edits.user);
    QVERIFY(applied.setAside.empty());
    QCOMPARE(applied.catalog->gpu("h100-sxm")->memoryBandwidth.si(), 3.36e12);
    QCOMPARE(applied.catalog->gpu("h100-sxm")->power->si(), 650.);
    QVERIFY(conflicts(*next, edits.user).empty());
    QVERIFY(conflicts(*shippedCatalog(), edits.user).empty());
}

void TestCatalogMerge::aValueThatMoved() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "tdp_w", "650");
    const auto next = newer([](Catalog& catalog) { gpuIn(catalog, "h100-sxm").power = Watts::si(720); });
    const auto found = conflicts(*next, edits.user);
    QCOMPARE(found.size(), 1u);
    const MergeConflict& conflict = found.front();
    QVERIFY(conflict.conflict == ConflictKind::valueMoved);
    QCOMPARE(conflict.oldShipped, std::string("700"));
    QCOMPARE(conflict.newShipped, std::string("720"));
    QCOMPARE(conflict.yours, std::string("650"));
    QCOMPARE(conflict.oldVersion, shippedCatalog()->version);
    QCOMPARE(conflict.newVersion, std::string("2027-01-01"));
    QCOMPARE(applyChanges(next, edits.user).catalog->gpu("h100-sxm")->power->si(), 650.);
    const UserCatalog mine = settled(*next, nullptr, edits.user, conflict, Settlement::yours, bob);
    QVERIFY(conflicts(*next, mine).empty());
    QCOMPARE(applyChanges(next, mine).catalog->gpu("h100-sxm")->power->si(), 650.);
    QCOMPARE(mine.changes.back().note, ada().note); // why it is so has not changed
    QCOMPARE(mine.changes.back().who, bob.who);
    const UserCatalog theirs = settled(*next, nullptr, edits.user, conflict, Settlement::shipped, bob);
    QVERIFY(conflicts(*next, theirs).empty());
    QCOMPARE(applyChanges(next, theirs).catalog->gpu("h100-sxm")->power->si(), 720.);
    QCOMPARE(historyOf(theirs, gpus, "h100-sxm", "tdp_w").size(), 2u);
}

void TestCatalogMerge::anEntryThatIsGone() {
    UserEdits edits;
    edits.set(gpus, "l4", "tdp_w", "75");
    edits.set(gpus, "l4", "sm_count", "57");
    const auto next = newer([](Catalog& catalog) {
        std::erase_if(catalog.gpus, [](const Gpu& gpu) { return gpu.id == "l4"; });
        std::erase_if(catalog.instances, [](const Instance& instance) { return instance.gpu == "l4"; });
    });
    const AppliedCatalog applied = applyChanges(next, edits.user);
    QCOMPARE(applied.setAside.size(), 2u);
    const auto found = conflicts(*next, edits.user);
    QCOMPARE(found.size(), 1u);
    QVERIFY(found.front().conflict == ConflictKind::entryGone);
    const UserCatalog kept =
        settled(*next, shippedCatalog().get(), edits.user, found.front(), Settlement::yours, bob);
    const AppliedCatalog again = applyChanges(next, kept);
    QVERIFY(again.setAside.empty() && conflicts(*next, kept).empty());
    QCOMPARE(again.catalog->gpu("l4")->power->si(), 75.);
    QCOMPARE(again.catalog->gpu("l4")->memory, shippedCatalog()->gpu("l4")->memory);
    const UserCatalog gone = settled(*next, nullptr, edits.user, found.front(), Settlement::shipped, bob);
    QVERIFY(applyChanges(next, gone).setAside.empty() && conflicts(*next, gone).empty());
    QVERIFY(settled(*next, nullptr, edits.user, found.front(), Settlement::yours, bob) == edits.user);
}

void TestCatalogMerge::anEntryThatArrived() {
    UserEdits edits;
    edits.copy(gpus, "h100-sxm", "rubin");
    edits.set(gpus, "rubin", "tdp_w", "1000");
    const auto next = newer([](Catalog& catalog) {
        Gpu gpu = gpuIn(catalog, "h100-sxm");
        gpu.id = "rubin";
        gpu.power = Watts::si(1800);
        catalog.gpus.push_back(gpu);
    });
    QCOMPARE(applyChanges(next, edits.user).catalog->gpu("rubin")->power->si(), 1000.);
    const auto found = conflicts(*next, edits.user);
    QCOMPARE(found.size(), 1u);
    QVERIFY(found.front().conflict == ConflictKind::entryArrived);
    const UserCatalog mine = settled(*next, nullptr, edits.user, found.front(), Settlement::yours, bob);
    QVERIFY(conflicts(*next, mine).empty());
    const AppliedCatalog kept = applyChanges(next, mine);
    QCOMPARE(kept.catalog->gpu("rubin")->power->si(), 1000.);
    QCOMPARE(kept.catalog->gpus.size(), next->gpus.size());
    const UserCatalog theirs = settled(*next, nullptr, edits.user, found.front(), Settlement::shipped, bob);
    QVERIFY(conflicts(*next, theirs).empty());
    QCOMPARE(applyChanges(next, theirs).catalog->gpu("rubin")->power->si(), 1800.);
}

void TestCatalogMerge::aRemovedEntryThatMoved() {
    UserEdits edits;
    const std::string price = "p5.48xlarge/us-east-2/on_demand";
    edits.remove(prices, price);
    QVERIFY(conflicts(*shippedCatalog(), edits.user).empty());
    const auto next = newer([&](Catalog& catalog) {
        std::ranges::find(catalog.prices, price, &Price::id)->rate = DollarsPerHour::si(50);
    });
    const auto found = conflicts(*next, edits.user);
    QCOMPARE(found.size(), 1u);
    QVERIFY(found.front().conflict == ConflictKind::entryMoved);
    const UserCatalog mine = settled(*next, nullptr, edits.user, found.front(), Settlement::yours, bob);
    QVERIFY(conflicts(*next, mine).empty());
    QVERIFY(applyChanges(next, mine).catalog->price("p5.48xlarge", "us-east-2", Purchase::onDemand) ==
            nullptr);
    const UserCatalog theirs = settled(*next, nullptr, edits.user, found.front(), Settlement::shipped, bob);
    QVERIFY(conflicts(*next, theirs).empty());
    QCOMPARE(
        applyChanges(next, theirs).catalog->price("p5.48xlarge", "us-east-2", Purchase::onDemand)->rate.si(),
        50.);
}

QTEST_APPLESS_MAIN(TestCatalogMerge)

} // namespace tst_catalog_merge

#include "tst_catalog_merge.moc"
