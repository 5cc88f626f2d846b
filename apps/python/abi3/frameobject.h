// Frames, of which nanobind takes what Python.h says.
#pragma once
