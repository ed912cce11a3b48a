// SPDX-License-Identifier: MIT
// The known launchers and their names. What each of them sets is in launcher_table.hpp.
#ifndef RANKMAP_LAUNCHER_LAUNCHER_HPP
#define RANKMAP_LAUNCHER_LAUNCHER_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/version.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// Who started this process. The order is that of the launcher table, and says nothing about who
/// starts whom.
enum class Launcher : std::uint8_t {
  none,          ///< no launcher: a single process
  config,        ///< no launcher: the caller's Config has the numbers
  torchrun,      ///< torchrun and TorchElastic
  horovod,       ///< horovodrun, Gloo controller
  deepspeed,     ///< DeepSpeed's launcher
  ray_train,     ///< Ray Train worker
  verl,          ///< a worker of verl on Ray
  spur,          ///< node level: a batch script of Spur
  composer,      ///< MosaicML composer
  lightning,     ///< Lightning's own subprocess launcher
  torch_env,     ///< RANK, WORLD_SIZE, LOCAL_RANK, from any source such as accelerate
  paddle,        ///< PaddlePaddle's paddle.distributed.launch
  mindspore,     ///< MindSpore's msrun and dynamic cluster
  ascend,        ///< Ascend RANK_ID
  byteps,        ///< BytePS's launcher
  mlx,           ///< MLX's mlx.launch
  neuron,        ///< AWS Neuron under PJRT
  tpu_chip,      ///< one process per TPU chip, or per few of them
  dmlc,          ///< dmlc's tracker
  ray,           ///< a task or an actor of Ray
  task_pool,     ///< a single task of HyperQueue, GNU parallel, Parsl, or the like
  spur_step,     ///< a step of Spur: its srun
  jsrun,         ///< IBM jsrun, Spectrum MPI
  open_mpi,      ///< Open MPI 2 to 5, PRRTE with the Open MPI personality
  mvapich2,      ///< MVAPICH2
  mvapich,       ///< MVAPICH 3 and later
  platform_mpi,  ///< IBM Platform MPI
  hydra,         ///< MPICH's Hydra, Intel MPI
  flux,          ///< Flux
  pals,          ///< Cray PALS
  alps,          ///< Cray ALPS: aprun
  slurm,         ///< a Slurm step: srun
  srun = slurm,
  submitit,    ///< submitit's executor for one machine
  fujitsu,     ///< Fujitsu's mpiexec
  ms_mpi,      ///< Microsoft MPI
  pmi,         ///< a process manager that sets only PMI variables
  pmix,        ///< a PMIx server that sets only a rank
  lsf,         ///< LSF's blaunch
  pbs,         ///< pbsdsh of Torque and OpenPBS
  sge,         ///< Grid Engine's qrsh
  modal,       ///< a container of Modal
  elastic,     ///< an elastic PyTorchJob's pod
  kubeflow,    ///< node level: torchrun's PET_* settings in a pod
  tf_config,   ///< node level: TensorFlow's TF_CONFIG
  vertex,      ///< node level: Google Vertex AI's CLUSTER_SPEC
  sagemaker,   ///< node level: Amazon SageMaker
  tpu,         ///< node level: Google TPU workers
  jax_job,     ///< node level: Kubeflow JAXJob
  azure,       ///< node level: Azure Machine Learning
  aws_batch,   ///< node level: AWS Batch multi-node parallel jobs
  condor,      ///< slot level: HTCondor's parallel universe
  skypilot,    ///< node level: SkyPilot
  xgboost,     ///< node level: Kubeflow Trainer's XGBoost runtime
  jax,         ///< node level: Kubeflow Trainer's JAX runtime
  lws,         ///< node level: LeaderWorkerSet
  modelarts,   ///< node level: Huawei ModelArts
  volcano,     ///< node level: Volcano
  dstack,      ///< node level: dstack
  lepton,      ///< node level: NVIDIA DGX Cloud Lepton
  beaker,      ///< node level: Beaker
  ngc,         ///< node level: NVIDIA Base Command
  metaflow,    ///< node level: Metaflow's @parallel
  mlp,         ///< node level: Volcengine's machine learning platform
  oci,         ///< node level: Oracle's Data Science jobs
  snowflake,   ///< node level: Snowflake's ML jobs
  taiji,       ///< node level: Tencent's Taiji
  rlaunch,     ///< node level: rlaunch and rjob of Megvii's Brain++
  arnold,      ///< node level: ByteDance's Arnold
  hope,        ///< node level: Meituan's Hope
  gcp_batch,   ///< a task of Google Batch: an array's index
  cloud_run,   ///< a task of a Cloud Run job: an array's index
  jobset,      ///< node level: a job of a Kubernetes JobSet
  kubernetes,  ///< node level: Kubernetes Indexed Job
};

namespace detail {

/// The enumerators as they are spelt, in their order; in place, since a view of each would be an
/// address to relocate.
inline constexpr char launcher_names[][13] = {
    "none",      "config",    "torchrun",  "horovod",   "deepspeed", "ray_train",    "verl",
    "spur",      "composer",  "lightning", "torch_env", "paddle",    "mindspore",    "ascend",
    "byteps",    "mlx",       "neuron",    "tpu_chip",  "dmlc",      "ray",          "task_pool",
    "spur_step", "jsrun",     "open_mpi",  "mvapich2",  "mvapich",   "platform_mpi", "hydra",
    "flux",      "pals",      "alps",      "slurm",     "submitit",  "fujitsu",      "ms_mpi",
    "pmi",       "pmix",      "lsf",       "pbs",       "sge",       "modal",        "elastic",
    "kubeflow",  "tf_config", "vertex",    "sagemaker", "tpu",       "jax_job",      "azure",
    "aws_batch", "condor",    "skypilot",  "xgboost",   "jax",       "lws",          "modelarts",
    "volcano",   "dstack",    "lepton",    "beaker",    "ngc",       "metaflow",     "mlp",
    "oci",       "snowflake", "taiji",     "rlaunch",   "arnold",    "hope",         "gcp_batch",
    "cloud_run", "jobset",    "kubernetes"};

/// Whether two words are the same but for case, where '_', '-' and ' ' are one character.
RANKMAP_RARE constexpr bool spells_the_same(std::string_view a, std::string_view b) {
  const auto folded = [](char c) { return c == '_' || c == '-' ? ' ' : to_lower(c); };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i != a.size(); ++i) {
    if (folded(a[i]) != folded(b[i])) return false;
  }
  return true;
}

}  // namespace detail

/// How many launchers of one's own may be declared, beside those of the library.
inline constexpr std::size_t max_declared_launchers = 16;

/// The launcher that was declared at this place: those of Config::launchers first, from 0 on, then
/// those of RANKMAP_LAUNCHERS; one that replaces a launcher of the library is not counted, since it
/// is Launcher::NAME. Precondition: index < max_declared_launchers. O(1).
constexpr Launcher declared_launcher(std::size_t index) {
  return static_cast<Launcher>(std::size(detail::launcher_names) + index);
}

/// The launcher's name: the enumerator as C++ spells it, which is also what messages, explain() and
/// JSON print, and what RANKMAP_LAUNCHER and RANKMAP_IGNORE take. "declared" for one that is not of
/// the library, whose name KnownLaunchers, Identity and Topology know. O(1).
constexpr std::string_view name(Launcher launcher) {
  const auto index = static_cast<std::size_t>(launcher);
  if (index >= std::size(detail::launcher_names)) return "declared";
  return detail::launcher_names[index];
}

/// The launcher of a name, or of its command: "slurm", "srun", "Open-MPI". Case does not matter,
/// and '_', '-' and ' ' are the same. Nothing for any other text. O(launchers).
RANKMAP_RARE constexpr std::optional<Launcher> parse_launcher(std::string_view text) {
  for (std::size_t i = 0; i != std::size(detail::launcher_names); ++i) {
    if (detail::spells_the_same(text, detail::launcher_names[i])) return static_cast<Launcher>(i);
  }
  // Two commands that are better known than their launchers.
  if (detail::spells_the_same(text, "srun")) return Launcher::slurm;
  if (detail::spells_the_same(text, "horovodrun")) return Launcher::horovod;
  return std::nullopt;
}

/// Some launchers, held in place: from a list in braces, an array, a std::vector or a std::span.
/// Each member is O(1).
class LauncherSet {
 public:
  constexpr LauncherSet() = default;
  constexpr LauncherSet(std::initializer_list<Launcher> launchers) {
    for (const Launcher launcher : launchers) add(launcher);
  }
  template <class Launchers>
  requires requires(const Launchers& launchers) {
    { std::data(launchers) } -> std::convertible_to<const Launcher*>;
    std::size(launchers);
  }
  constexpr LauncherSet(const Launchers& launchers) {  // NOLINT: a list is a set
    for (const Launcher& launcher : launchers) add(launcher);
  }

  constexpr void add(Launcher launcher) { has_[static_cast<std::size_t>(launcher)] = true; }
  constexpr bool has(Launcher launcher) const { return has_[static_cast<std::size_t>(launcher)]; }

  friend constexpr bool operator==(const LauncherSet&, const LauncherSet&) = default;

 private:
  bool has_[std::size(detail::launcher_names) + max_declared_launchers] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAUNCHER_LAUNCHER_HPP
