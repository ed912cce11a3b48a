# SPDX-License-Identifier: MIT
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get

required_conan_version = ">=2.0"


class RankmapConan(ConanFile):
    name = "rankmap"
    version = "0.1.0"
    description = "Who a process of a distributed job is, where it is and what is its own"
    license = "MIT"
    homepage = "https://example.org/rankmap"  # where you keep it
    topics = ("mpi", "slurm", "distributed", "sampler", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def validate(self):
        check_min_cppstd(self, 20)

    def source(self):
        get(
            self,
            f"https://example.org/rankmap-{self.version}.tar.gz",
            sha256="0000000000000000000000000000000000000000000000000000000000000000",
            strip_root=True,
        )

    def package(self):
        source, package = Path(self.source_folder), Path(self.package_folder)
        copy(self, "*.hpp", source / "include", package / "include")
        copy(self, "*.h", source / "include", package / "include")
        copy(self, "LICENSE", source, package / "licenses")

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # As rankmap's own package: find_package(rankmap) and rankmap::rankmap, and rankmap.pc.
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
