// SPDX-License-Identifier: Apache-2.0
// The box of the mountain wave, 60 x 60 x 16 km around a peak at (0, 0): fine at the peak and in the waves behind it, coarse far away.
//   gmsh cases/fem/mountain.geo -3 -algo hxt -setnumber scale 0.985 -o mountain.msh
// In a copy of mountain_wave.toml all of [mesh] is then
//   kind = "gmsh"
//   file = "mountain.msh"
// and the step shorter: edges at the peak are some 100 m.
// The ground is flat here; the case's [mountain] lifts it. Lengths in m; `scale` is of all edges.
DefineConstant[ scale = {1, Name "scale of all edges"} ];
half = 30000;
top = 16000;
SetFactory("OpenCASCADE");
Box(1) = {-half, -half, 0, 2 * half, 2 * half, top};

Physical Volume("air", 1) = {1};
Physical Surface("ground", 1) = {5};
Physical Surface("lid", 2) = {6};
Physical Surface("inflow", 3) = {1};
Physical Surface("outflow", 4) = {2};
Physical Surface("south", 5) = {3};
Physical Surface("north", 6) = {4};

// Edges of 125 m at the peak, a tenth longer a metre away.
Field[1] = MathEval;
Field[1].F = Sprintf("%g * (125 + 0.1 * sqrt(x^2 + y^2 + z^2))", scale);
// In an ellipsoid from the peak downwind, where the waves are, 300 m.
Field[2] = MathEval;
Field[2].F = Sprintf("%g * (300 + 2000 * max(0, sqrt(((x - 6000) / 14000)^2 + (y / 9000)^2 + (z / 11000)^2) - 1))", scale);
// Nowhere longer than 4 km.
Field[3] = MathEval;
Field[3].F = Sprintf("%g * 4000", scale);
Field[4] = Min;
Field[4].FieldsList = {1, 2, 3};
Background Field = 4;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 1;
