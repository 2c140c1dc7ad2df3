#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Solvers of CuPy, JAX and PyTorch on the matrices that `bench_systems CASE WIDTH --write FOLDER` leaves:
beside_python.py FOLDER [TOLERANCE (1e-9)]. Each from 0 with the diagonal as preconditioner where the solver takes one,
until the residual b - A x that numpy finds is below the tolerance times b; median of seven in ms, the card waited for.
A package that is not there is told."""
import pathlib
import statistics
import sys
import time

import numpy


def read(folder, name):
    start = numpy.fromfile(folder / f"{name}.start", numpy.int32)
    column = numpy.fromfile(folder / f"{name}.column", numpy.int32)
    value = numpy.fromfile(folder / f"{name}.value", numpy.float64)
    right = numpy.fromfile(folder / f"{name}.right", numpy.float64)
    return start, column, value, right


def product(system, x):
    start, column, value, _ = system
    return numpy.add.reduceat(value * x[column], start[:-1])


def diagonal(system):
    start, column, value, right = system
    rows = numpy.repeat(numpy.arange(len(right)), numpy.diff(start))
    result = numpy.ones(len(right))
    result[rows[column == rows]] = value[column == rows]
    return result


def report(name, method, system, tolerance, solve):
    """solve() returns x as numpy and how many iterations it took, or None."""
    x, iterations = solve()
    residual = numpy.linalg.norm(system[3] - product(system, x)) / numpy.linalg.norm(system[3])
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        solve()
        times.append(1e3 * (time.perf_counter() - begin))
    count = "" if iterations is None else f"{iterations} iterations, "
    verdict = "" if residual <= 2 * tolerance else " (not solved)"
    print(f"{name:8} {method:28} {statistics.median(times):9.3f} ms, {count}residual {residual:.1e}{verdict}", flush=True)


def by_cupy(name, system, tolerance):
    import cupy
    from cupyx.scipy.sparse import csr_matrix, diags
    from cupyx.scipy.sparse.linalg import LinearOperator, cg, cgs, gmres

    start, column, value, right = system
    matrix = csr_matrix((cupy.asarray(value), cupy.asarray(column), cupy.asarray(start)), shape=(len(right),) * 2)
    inverse = cupy.asarray(1 / diagonal(system))
    jacobi = LinearOperator(matrix.shape, matvec=lambda x: inverse * x, dtype=numpy.float64)
    b = cupy.asarray(right)
    name_of_tolerance = "rtol" if int(cupy.__version__.split(".")[0]) >= 14 else "tol"
    for method, options in ((cg, {}), (cgs, {}), (gmres, {"restart": 30})):
        def solve(method=method, options=options):
            count = [0]
            x, _ = method(matrix, b, **{name_of_tolerance: tolerance}, maxiter=2000, M=jacobi, callback=lambda _: count.__setitem__(0, count[0] + 1), **options)
            return cupy.asnumpy(x), count[0]
        report(name, f"CuPy {cupy.__version__} {method.__name__}", system, tolerance, solve)


def by_jax(name, system, tolerance):
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from jax.experimental import sparse

    start, column, value, right = system
    rows = numpy.repeat(numpy.arange(len(right), dtype=numpy.int32), numpy.diff(start))
    matrix = sparse.BCSR((jnp.asarray(value), jnp.asarray(column), jnp.asarray(start)), shape=(len(right),) * 2)
    coordinates = sparse.BCOO((jnp.asarray(value), jnp.asarray(numpy.stack([rows, column], 1))), shape=(len(right),) * 2,
                              indices_sorted=True, unique_indices=True)
    inverse = jnp.asarray(1 / diagonal(system))
    b = jnp.asarray(right)
    try:
        numpy.asarray(matrix @ b)
    except Exception:  # no kernel for this format: the other one
        matrix = coordinates
    for method in (jax.scipy.sparse.linalg.bicgstab, jax.scipy.sparse.linalg.cg):
        # The matrix is an argument: a constant would be folded for minutes.
        run = jax.jit(lambda matrix, b, method=method: method(lambda x: matrix @ x, b, tol=tolerance, maxiter=2000, M=lambda x: inverse * x)[0])
        report(name, f"JAX {jax.__version__} {method.__name__}", system, tolerance, lambda run=run: (numpy.asarray(run(matrix, b)), None))


def by_torch(name, system, tolerance):
    import torch

    start, column, value, right = system
    matrix = torch.sparse_csr_tensor(torch.tensor(start), torch.tensor(column), torch.tensor(value), (len(right),) * 2, device="cuda")
    b = torch.tensor(right, device="cuda")

    def solve():
        return torch.sparse.spsolve(matrix, b).cpu().numpy(), None

    report(name, f"PyTorch {torch.__version__} spsolve", system, tolerance, solve)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    tolerance = float(sys.argv[2]) if len(sys.argv) > 2 else 1e-9
    for name in ("scalar", "near"):
        system = read(folder, name)
        print(f"{name}: {len(system[3])} rows, {len(system[2])} entries")
        for solvers in (by_cupy, by_jax, by_torch):
            try:
                solvers(name, system, tolerance)
            except Exception as error:  # told, and the others go on
                print(f"{name:8} {solvers.__name__[3:]}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")


if __name__ == "__main__":
    main()
