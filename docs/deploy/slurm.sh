#!/bin/bash
#SBATCH --job-name=smelt
#SBATCH --array=1-64
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --output=smelt-%A-%a.log
# One shard of a campaign for each task of the array:
#
#   sbatch slurm.sh -S z3 -S cvc5
#   sbatch --dependency=afterany:JOB --wrap 'smelt merge campaign/shard-* --out campaign/all'
#
# Arguments go to `smelt fuzz`; they must be the same for all tasks. A task that is requeued, or submitted again with
# `--array=3,7`, goes on where it was stopped. SHARDS is the size of the whole array, not of what is submitted again.
set -euo pipefail

smelt=${SMELT:-smelt}
shards=${SHARDS:-64}
tests=${TESTS:-100000}
seed=${SEED:-1}
folder=${CAMPAIGN:-campaign}

index=${SLURM_ARRAY_TASK_ID:?submit this with sbatch, or set SLURM_ARRAY_TASK_ID}
out=$folder/shard-$index
code=0
if [ -e "$out/campaign.sqlite" ]; then
    "$smelt" fuzz --resume --out "$out" || code=$?
else
    mkdir -p "$folder"
    "$smelt" fuzz "$@" --shard "$index/$shards" --tests "$tests" --seed "$seed" \
        -j "${SLURM_CPUS_PER_TASK:-1}" --out "$out" || code=$?
fi
# 10 says that something was found, which is no failure of the job.
[ "$code" -eq 10 ] || exit "$code"
