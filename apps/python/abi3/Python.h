// Python's stable ABI of version 3.10, as far as nanobind's headers ask for it: what the extension is compiled against
// where a machine has a Python without its headers (Debian's python3-venv without python3-dev). Python's manual has the
// meaning of all names, https://docs.python.org/3.10/c-api/stable.html; test_abi3.py compares them with Python's own.
#pragma once

#if !defined(Py_LIMITED_API) || Py_LIMITED_API + 0 != 0x030A0000
#error "these are the declarations of Python 3.10's stable ABI, and of no other"
#endif

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/types.h>

#define PY_MAJOR_VERSION 3
#define PY_MINOR_VERSION 10
#define PY_VERSION_HEX 0x030A0000
#define PyMODINIT_FUNC extern "C" __attribute__((visibility("default"))) PyObject*
#define PY_SSIZE_T_MAX SSIZE_MAX

#include "objects.h"

#include "functions.h"
