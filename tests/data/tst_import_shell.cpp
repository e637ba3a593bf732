// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// Branches of scripts, and templates: what is known is followed, what only a running shell or a person knows
// is said.
#include "data/jobs/import_job.h"
#include "tests/data/handed_over.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tst_import_shell {

using namespace alidade;
using namespace tests;
using data::JobReading;

namespace {

JobReading read(const std::string& text) { return data::readJob(text, "job", catalog()); }

/// A job of Megatron-LM that begins with lines of a script.
JobReading after(const std::string& lines, const std::string& arguments = "") {
    return read(lines +
                "\ntorchrun --nnodes=2 --nproc_per_node=8 pretrain_gpt.py --seq-length 4096 "
                "--tensor-model-parallel-size $TP \"${ARGS[@]}\" " +
                arguments + "\n");
}

std::optional<std::int64_t> tensorAfter(const std::string& lines) {
    return after(lines).spec.plan.tensorParallel;
}

bool notes(const JobReading& reading, const std::string& words) {
    return std::ranges::any_of(reading.warnings, [&words](const std::string& each) {
        return each.find(words) != std::string::npos;
    });
}

} // namespace

class TestImportShell : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsKnownConditions_data() {
        QTest::addColumn<std::string>("script");
        const auto row = [](const char* name, const char* script) {
            QTest::newRow(name) << std::string(script);
        };
        row("if", "M=big\nTP=4\nif [ \"$M\" = big ]; then TP=8; else TP=2; fi");
        row("else", "M=big\nTP=4\nif [[ $M == small ]]; then\nTP=2\nelse\nTP=8\nfi");
        row("elif", "N=6\nif [ $N -le 4 ]; then TP=2; elif [ $N -le 8 ]; then TP=8; else TP=1; fi");
        row("not", "M=big\nTP=8\nif [ ! -z \"$M\" ] && [ 1 -gt 2 ]; then TP=2; fi");
        row("both", "N=6\nTP=2\nif [[ $N -gt 4 && -n $N ]]; then TP=8; fi");
        row("either", "N=6\nTP=2\nif [[ $N -gt 9 || $N == 6 ]]; then TP=8; fi");
        row("and", "M=big\nTP=2\n[[ $M == big ]] && TP=8\n[ \"$M\" = small ] && TP=4");
        row("or", "M=big\nTP=8\n[ \"$M\" = big ] || TP=4");
        row("default", "M=${M:-big}\nTP=2\nif [ \"$M\" = big ]; then TP=8; fi");
        row("default in a branch", "M=a\nif [ $M = b ]; then : \"${TP:=2}\"; else : \"${TP:=8}\"; fi");
        row("case", "M=70b\ncase \"$M\" in\n  8b|8B)\n    TP=1 ;;\n  70b|70B) TP=8\n ;;\n  *) TP=4 ;;\nesac");
        row("last of case", "M=405b\ncase $M in 8b) TP=1 ;; *) TP=8 ;; esac");
        row("pattern of case", "M=llama-70b\ncase $M in *-8b) TP=1 ;; *-70b) TP=8 ;; esac");
        row("nested", "A=1\nB=2\nif [ $A = 1 ]; then if [ $B = 1 ]; then TP=2; else TP=8; fi; else TP=4; fi");
    }
    void followsKnownConditions() {
        QFETCH(std::string, script);
        const JobReading reading = after(script);
        QCOMPARE(reading.spec.plan.tensorParallel, std::optional<std::int64_t>(8));
        QVERIFY(!notes(reading, "TP may be"));
    }

    /// As Megatron's own examples switch FP8 on.
    void arraysGrowInKnownBranches() {
        const std::string script =
            "DTYPE=${1:-fp8}\nTP=1\nARGS=()\nif [[ \"$DTYPE\" == \"fp8\" ]]; then\n"
            "  ARGS+=(\n    \"--fp8-format hybrid\"\n    --fp8-recipe delayed\n  )\nfi\n";
        const JobReading reading = read(script + "torchrun --nproc_per_node=8 pretrain_gpt.py --bf16 "
                                                 "${ARGS[@]} --tensor-model-parallel-size $TP\n");
        QCOMPARE(reading.spec.plan.precision, std::optional<std::string>("fp8"));
        const auto at = std::ranges::find(reading.understood, "plan.precision", &data::ReadField::path);
        QCOMPARE(at->line, 6);
    }

    void saysWhatOnlyARunningShellKnows() {
        const JobReading two = after("if [ $NODES -le 4 ]; then\n: \"${TP:=4}\"\nelse\n: \"${TP:=8}\"\nfi");
        QCOMPARE(two.spec.plan.tensorParallel, std::optional<std::int64_t>(4));
        QVERIFY(notes(two, "line 4: TP may be '8' instead of '4'"));
        QCOMPARE(tensorAfter("TP=4\nif [ -n \"$FAST\" ]; then TP=8; fi"), std::optional<std::int64_t>(4));
        QVERIFY(notes(after("TP=4\nif [ -n \"$FAST\" ]; then TP=8; fi"), "line 2: TP may be '8'"));
        QVERIFY(notes(after("TP=4\n[ -n \"$FAST\" ] && TP=8"), "line 2: TP may be '8'"));
        QVERIFY(notes(after("TP=4\ncase $HOST in a*) TP=8 ;; esac"), "line 2: TP may be '8'"));
        QVERIFY(notes(after("if [ -n \"$FAST\" ]; then TP=8; fi"), "line 1: TP is '8' where a condition"));
        QVERIFY(notes(after("TP=1\nARGS=(--bf16)\nif [ -d /x ]; then ARGS+=(--sequence-parallel); fi"),
                      "line 3: ARGS may also hold '--sequence-parallel'"));
        // Neither what no command uses, nor the same in both branches.
        QVERIFY(!notes(after("TP=4\nif [ -n \"$FAST\" ]; then X=8; fi"), "condition"));
        QVERIFY(!notes(after("if [ -n \"$FAST\" ]; then TP=8; else TP=8; fi"), "may be"));
    }

    void leavesOutCommandsThatDoNotRun() {
        const JobReading reading = read(
            "M=train\nif [ $M = serve ]; then\n  vllm serve meta-llama/Llama-3.1-8B\nelse\n"
            "  torchrun --nnodes=4 --nproc_per_node=8 pretrain_gpt.py --tensor-model-parallel-size 2\nfi\n");
        QCOMPARE(reading.spec.workload.kind, WorkloadKind::training);
        QCOMPARE(reading.gpus, std::optional<std::int64_t>(32));
    }

    void manyBranchesTakeNoTime() {
        std::string script;
        for (int i = 0; i < 50'000; ++i)
            script += "if\nx\n";
        QElapsedTimer time;
        time.start();
        read(script + "esac\nfi\n");
        QVERIFY2(time.elapsed() < 5'000, std::to_string(time.elapsed()).c_str());
    }

    void templatesAreFilledInByAPerson() {
        const JobReading reading = read("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n"
                                        "  pytorchReplicaSpecs:\n    Worker:\n      replicas: $NUM_NODES\n"
                                        "      template:\n        spec:\n          containers:\n"
                                        "            - name: pytorch\n              command:\n"
                                        "                - torchrun\n                - --nnodes=$NUM_NODES\n"
                                        "                - --nproc_per_node=${GPUS}\n"
                                        "                - pretrain_gpt.py\n"
                                        "                - --tensor-model-parallel-size=${TP}\n"
                                        "                - --num-layers=${LAYERS}\n");
        QVERIFY(!reading.spec.cluster.instances);
        QVERIFY(!reading.spec.plan.tensorParallel);
        QVERIFY2(reading.contradictions.empty(),
                 reading.contradictions.empty() ? "" : reading.contradictions.front().c_str());
        QVERIFY(notes(reading, "line 6: $NUM_NODES is for a template to fill in"));
        QVERIFY(notes(reading, "line 16: --tensor-model-parallel-size is known to a running shell only"));
    }

    void containersRunWhatTheirImagesDo_data() {
        QTest::addColumn<std::string>("text");
        const auto row = [](const char* name, const char* text) { QTest::newRow(name) << std::string(text); };
        row("image of vLLM", "docker run --runtime nvidia --gpus all -v models:/models \\\n"
                             "  --env \"HF_TOKEN=$HF_TOKEN\" -p 8000:8000 --ipc=host --rm -it \\\n"
                             "  vllm/vllm-openai:v0.11.0 --model meta-llama/Llama-3.1-8B -tp 2\n");
        row("image of SGLang",
            "docker run --gpus all --shm-size 32g -d -p 30000:30000 lmsysorg/sglang:latest \\\n"
            "  python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --tp 2\n");
        row("entry point", "sudo podman run --entrypoint vllm vllm/vllm-openai serve meta-llama/Llama-3.1-8B "
                           "--tensor-parallel-size 2\n");
        row("arguments in a manifest",
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n"
            "      containers:\n        - name: vllm\n"
            "          image: vllm/vllm-openai:latest\n          args:\n"
            "            - --model\n            - meta-llama/Llama-3.1-8B\n"
            "            - --tensor-parallel-size=2\n");
    }
    void containersRunWhatTheirImagesDo() {
        QFETCH(std::string, text);
        const JobReading reading = read(text);
        QVERIFY2(reading.faults.empty(), text.c_str());
        QCOMPARE(reading.spec.workload.kind, WorkloadKind::serving);
        QCOMPARE(reading.spec.workload.model, std::optional<std::string>("llama-3.1-8b"));
        QCOMPARE(reading.spec.plan.tensorParallel, std::optional<std::int64_t>(2));
    }

    void theTokenizerNamesTheFamily_data() {
        QTest::addColumn<std::string>("words");
        QTest::addColumn<std::string>("model");
        const auto row = [](const char* words, const char* model) {
            QTest::newRow(words) << std::string(words) << std::string(model);
        };
        row("--tokenizer-type Llama2Tokenizer --tokenizer-model /fsx/tokenizer.model", "llama-2-70b");
        row("--tokenizer-type HuggingFaceTokenizer --tokenizer-model /fsx/Llama-3.1-70B", "llama-3.1-70b");
        row("--add-qkv-bias --tokenizer-model /fsx/tokenizer", "qwen2.5-72b");
    }
    void theTokenizerNamesTheFamily() {
        QFETCH(std::string, words);
        QFETCH(std::string, model);
        const JobReading reading = after(
            "TP=4", "--num-layers 80 --hidden-size 8192 --num-attention-heads 64 --group-query-attention "
                    "--num-query-groups 8 " +
                        words);
        QCOMPARE(reading.spec.workload.model, std::optional(model));
        if (!words.starts_with("--add"))
            QVERIFY(reading.models.empty());
    }
};

QTEST_GUILESS_MAIN(TestImportShell)

} // namespace tst_import_shell

#include "tst_import_shell.moc"
