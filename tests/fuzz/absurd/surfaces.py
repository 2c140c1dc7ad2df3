# SPDX-License-Identifier: Apache-2.0
"""The surfaces on which inputs are made: a name, and a function of a generator of random numbers and a folder that gives a Trial.

Without a generator (None) the function writes the plain input alone, whose answer others are held against.
"""
from absurd import cases, meshes, rasters, samples, soundings, steps, studies, winds

SURFACES = {**{f"case-{core}": cases.maker(core) for core in cases.SMALL}, "meshes": meshes.make, "rasters": rasters.make, "soundings": soundings.make, "winds": winds.make, "stages": studies.stages, "search": studies.search,
            "digits": samples.digits, "consistency": samples.consistency, "against": studies.against, "replay": steps.replay, "checkpoints": steps.checkpoints, "ranks": steps.ranks}
