// SPDX-License-Identifier: Apache-2.0
SetFactory("Built-in");
Point(1)={0,0,0,0.5};Point(2)={1,0,0,0.5};Point(3)={1,1,0,0.5};Point(4)={0,1,0,0.5};
Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};
out[]=Extrude {0,0,1} { Surface{1}; };
Physical Volume("air",7)={out[1]};
Physical Surface("ground",1)={1};Physical Surface("lid",2)={out[0]};Physical Surface("sides",3)={out[2],out[3],out[4],out[5]};
