#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""nested_check.py: holds the answers of processes below several launchers against what their innermost launcher says.

    tests/launchers/nested_check.py RUN

RUN is a folder that `nested` filled:
  begun     CHAIN COUNT: launchers, the outermost first, joined by +, and how many processes the last one was to start
  failed    what ended with an error, one line each
  answers   a line for each process, separated by tabs: CHAIN; what hides /proc from it; HOST-PID; the truth; MPI's answer;
            the library's, as numbers or "error: ..."; the launcher it believed; the names of the processes above
Numbers are rank:size:local rank:local size.

A right answer is always right, a wrong one never. A refusal is right where REFUSED has a reason for it. A chain starts one job, and
of its processes that answer all have to know as much, but where UNEVEN has a reason.
"""

import collections
import pathlib
import re
import sys

# Where nothing can tell who a process is: the whole chain, what hides /proc, what is said, why.
REFUSED = (
    (r".+\+.+", r"pid_namespace|other_user|hidepid|hidepid_of_root", r".*", "who is above is hidden"),
    (r"(.+\+)?prterun(\+(export|renumber|(.+\+)?(sbatch|salloc)))?", r".*", r".*",
     "prterun does not tell how many processes it starts"),
    (r".+\+renumber", r".*", r".*",
     "what a shell exports that becomes the program looks like what was exported above its starter"),
    (r"(.+\+)?(loop|export)\+((srun|sbatch|salloc|mpirun|prterun|hydra)\+)?(srun|sbatch|salloc|hydra)", r".*", r".*",
     "what was exported above a starter looks like what a shell exports that becomes the program"),
    (r"loop\+(srun|sbatch|hydra)\+loop", r".*", r".*",
     "what a shell exports looks like what was exported above its starter, where both are the same"),
    (r"(.+\+)?srun\+salloc(\+salloc)*", r".*", r"error: SLURM_STEP_NODELIST=.*",
     "salloc names its own job, which may have other hosts than the step above it"),
)
# Where some processes of a job cannot know what others do: the whole chain, why.
UNEVEN = (
    (r"(.+\+)?torchrun\+renumber", "on one rank, what a shell exports that becomes the program is what torchrun said"),
    (r"loop\+(srun|hydra)\+(export|renumber)", "on some ranks, the local size that a shell exports is what was exported above its starter"),
)
FIELDS = ("chain", "hiding", "process", "truth", "mpi", "said", "launcher", "above")


def reason_of(answer):
    for chain, hiding, said, reason in REFUSED:
        if all(re.fullmatch(pattern, answer[field]) for pattern, field in ((chain, "chain"), (hiding, "hiding"), (said, "said"))):
            return reason
    return None


def agrees(said, truth):
    """What was not told, as `-` or as nothing, is not held against what was."""
    return all(mine == theirs or mine in ("", "-") or theirs == ""
               for mine, theirs in zip(said.split(":"), truth.split(":")))


def judge(answer):
    if answer["said"].startswith("error:"):
        return "refused" if reason_of(answer) else "refused without a reason"
    return "right" if agrees(answer["said"], answer["truth"]) else "wrong"


def compare(answers):
    """The jobs of which some processes know more than others, and of how many that is for a reason, or only some answer."""
    jobs = collections.defaultdict(list)
    for answer in answers:
        jobs[answer["chain"], answer["hiding"]].append(answer["said"])
    uneven, counts = [], collections.Counter()
    for job, said in jobs.items():
        told = sorted(text for text in said if not text.startswith("error:"))
        counts["some were refused"] += 0 < len(told) < len(said)
        if len({tuple(part in ("", "-") for part in text.split(":")) for text in told}) < 2:
            continue
        for chain, reason in UNEVEN:
            if re.fullmatch(chain, job[0]):
                counts[reason] += 1
                break
        else:
            uneven.append(f"{', '.join(job)}: processes of one job say {' '.join(told)}")
    return uneven, counts


def lost(folder, answers):
    """Processes that were to answer and did not, and the other way round."""
    begun = collections.Counter()
    for line in (folder / "begun").read_text().splitlines():
        chain, count = line.split()
        begun[chain] += int(count)
    ran = collections.Counter((answer["chain"], answer["hiding"]) for answer in answers)
    for hiding in sorted({answer["hiding"] for answer in answers}):
        for chain, count in begun.items():
            if ran[chain, hiding] != count:
                yield f"{chain}, {hiding}: {count} processes were to answer, {ran[chain, hiding]} did"


def main(folder):
    folder = pathlib.Path(folder)
    answers = [dict(zip(FIELDS, line.split("\t"))) for line in (folder / "answers").read_text().splitlines()]
    problems = (folder / "failed").read_text().splitlines()
    problems += lost(folder, answers)
    problems += [f"{answer['chain']}: its variables say {answer['truth']}, MPI says {answer['mpi']}"
                 for answer in answers if answer["mpi"] not in ("-", answer["truth"])]
    uneven, jobs = compare(answers)
    problems += uneven
    counts = collections.Counter()
    reasons = collections.Counter()
    for answer in answers:
        verdict = judge(answer)
        counts[verdict] += 1
        if verdict == "refused":
            reasons[reason_of(answer)] += 1
        elif verdict != "right":
            problems.append(f"{verdict}: {answer['chain']}, {answer['hiding']}: is {answer['truth']}, said {answer['said']} "
                            f"by {answer['launcher']}, below {answer['above']}")
    for problem in problems:
        print(problem)
    for reason, count in reasons.most_common():
        print(f"{count} refused: {reason}")
    for reason, count in jobs.items():
        print(f"{count} jobs whose processes differ: {reason}")
    print(f"{len(answers)} processes of {len({answer['chain'] for answer in answers})} chains: " +
          ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("right", "refused", "refused without a reason", "wrong")))
    return 1 if problems or not answers else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
