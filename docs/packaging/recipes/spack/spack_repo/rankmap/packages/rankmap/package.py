# SPDX-License-Identifier: MIT
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Rankmap(CMakePackage):
    """Who a process of a distributed job is, where it is and what is its own: a header-only C++20
    library, and a program that compares what all processes of a job say."""

    homepage = "https://example.org/rankmap"  # where you keep it
    url = "https://example.org/rankmap-0.1.0.tar.gz"

    license("MIT")

    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("program", default=True, description="Build the program rankmap")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    conflicts("%gcc@:10", msg="rankmap needs C++20")
    conflicts("%clang@:13", msg="rankmap needs C++20")

    def cmake_args(self):
        return [
            self.define("RANKMAP_BUILD_TESTS", False),
            self.define_from_variant("RANKMAP_BUILD_EXAMPLES", "program"),
            self.define_from_variant("RANKMAP_INSTALL_PROGRAM", "program"),
            # The program is one of the examples; the others are not built.
            self.define("CMAKE_SKIP_INSTALL_ALL_DEPENDENCY", True),
        ]

    @property
    def build_targets(self):
        return ["rankmap_program"] if self.spec.satisfies("+program") else []
