# SPDX-License-Identifier: Apache-2.0
"""Recipe for spack: copy this folder to PACKAGES/ulpine of a repository of your own (`spack repo create`), then `spack install ulpine`."""
from spack.package import *


class Ulpine(CMakePackage, CudaPackage):
    """Tells whether answers of geophysical models on GPUs and in lower precision may be trusted: ensembles, metrics, verdicts of known
    error rates, traces to the first differing bit, and four model cores written once for CPU and GPU."""

    homepage = "https://example.org/ulpine"
    git = "https://example.org/ulpine.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Runs on several ranks")
    variant("petsc", default=False, description="PETSc's solvers in the finite-element core")
    variant("report", default=True, description="Python that draws the report")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("netcdf-c")
    depends_on("netcdf-cxx4")
    depends_on("tomlplusplus")
    depends_on("cli11@2.1:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("random123")
    depends_on("xxhash")
    depends_on("boost+math")
    depends_on("zlib-api")
    depends_on("fftw@3 precision=float,double")
    depends_on("mpi", when="+mpi")
    depends_on("petsc+mpi", when="+petsc")
    depends_on("cuda@13:", when="+cuda")
    with when("+report"):
        depends_on("python@3.11:", type="run")
        for package in ("py-numpy", "py-xarray", "py-netcdf4", "py-matplotlib", "py-jinja2"):
            depends_on(package, type="run")

    conflicts("%gcc@:11", msg="C++20 of g++ 12 or later")
    conflicts("cuda_arch=none", when="+cuda", msg="name the compute capability: cuda_arch=90")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("ULPINE_TESTS", False),
            self.define("ULPINE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("ULPINE_MPI", "ON" if self.spec.satisfies("+mpi") else "OFF"),
            self.define("ULPINE_PETSC", "ON" if self.spec.satisfies("+petsc") else "OFF"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
