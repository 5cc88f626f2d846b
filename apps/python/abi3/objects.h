// Objects of Python's stable ABI: their head, which all versions from 3.10 on share, how references are counted, and
// tests of types by the flags and type objects that the interpreter has.
#pragma once

typedef ssize_t Py_ssize_t;
typedef Py_ssize_t Py_hash_t;

extern "C" {

typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;
typedef struct _ts PyThreadState;

struct _object {
  Py_ssize_t ob_refcnt;
  PyTypeObject* ob_type;
};

struct PyVarObject {
  PyObject ob_base;
  Py_ssize_t ob_size;
};

struct PyType_Slot {
  int slot;
  void* pfunc;
};

typedef void (*PyCapsule_Destructor)(PyObject*);

void _Py_Dealloc(PyObject*);
unsigned long PyType_GetFlags(PyTypeObject*);
int PyType_IsSubtype(PyTypeObject*, PyTypeObject*);

extern PyObject _Py_NoneStruct, _Py_NotImplementedStruct, _Py_EllipsisObject;
extern struct _longobject _Py_FalseStruct, _Py_TrueStruct;
extern PyTypeObject PyBool_Type, PyByteArray_Type, PyBytes_Type, PyCFunction_Type, PyCapsule_Type, PyDict_Type,
    PyFloat_Type, PyFrozenSet_Type, PyList_Type, PyLong_Type, PyMemoryView_Type, PyModule_Type, PySet_Type,
    PySlice_Type, PyTuple_Type, PyType_Type, PyUnicode_Type, _PyWeakref_CallableProxyType, _PyWeakref_ProxyType,
    _PyWeakref_RefType;
extern PyObject *PyExc_AttributeError, *PyExc_BufferError, *PyExc_Exception, *PyExc_ImportError, *PyExc_IndexError,
    *PyExc_KeyError, *PyExc_MemoryError, *PyExc_ModuleNotFoundError, *PyExc_OverflowError, *PyExc_RuntimeError,
    *PyExc_StopIteration, *PyExc_TypeError, *PyExc_ValueError;

}  // extern "C"

#define Py_None (&_Py_NoneStruct)
#define Py_NotImplemented (&_Py_NotImplementedStruct)
#define Py_Ellipsis (&_Py_EllipsisObject)
#define Py_False ((PyObject*)&_Py_FalseStruct)
#define Py_True ((PyObject*)&_Py_TrueStruct)

#include "constants.h"

inline PyTypeObject* Py_TYPE(const PyObject* o) { return o->ob_type; }
inline Py_ssize_t Py_SIZE(const PyObject* o) { return reinterpret_cast<const PyVarObject*>(o)->ob_size; }
inline int Py_IS_TYPE(const PyObject* o, const PyTypeObject* type) { return Py_TYPE(o) == type; }

// Immortal objects of 3.12 and later bear to be counted by code for 3.10: theirs is far from 0.
inline void Py_INCREF(PyObject* o) { ++o->ob_refcnt; }
inline void Py_DECREF(PyObject* o) {
  if (--o->ob_refcnt == 0) _Py_Dealloc(o);
}
inline void Py_XINCREF(PyObject* o) {
  if (o) Py_INCREF(o);
}
inline void Py_XDECREF(PyObject* o) {
  if (o) Py_DECREF(o);
}
inline PyObject* Py_NewRef(PyObject* o) { return Py_INCREF(o), o; }
inline PyObject* Py_XNewRef(PyObject* o) { return Py_XINCREF(o), o; }

inline int PyType_HasFeature(PyTypeObject* type, unsigned long flag) { return (PyType_GetFlags(type) & flag) != 0; }
inline int PyObject_TypeCheck(PyObject* o, PyTypeObject* type) {
  return Py_IS_TYPE(o, type) || PyType_IsSubtype(Py_TYPE(o), type);
}

inline int PyLong_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_LONG_SUBCLASS); }
inline int PyList_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_LIST_SUBCLASS); }
inline int PyTuple_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_TUPLE_SUBCLASS); }
inline int PyBytes_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_BYTES_SUBCLASS); }
inline int PyUnicode_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_UNICODE_SUBCLASS); }
inline int PyDict_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_DICT_SUBCLASS); }
inline int PyType_Check(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_TYPE_SUBCLASS); }
inline int PyExceptionClass_Check(PyObject* o) {
  return PyType_Check(o) && PyType_HasFeature((PyTypeObject*)o, Py_TPFLAGS_BASE_EXC_SUBCLASS);
}

inline int PyBool_Check(PyObject* o) { return Py_IS_TYPE(o, &PyBool_Type); }
inline int PyByteArray_Check(PyObject* o) { return PyObject_TypeCheck(o, &PyByteArray_Type); }
inline int PyCFunction_Check(PyObject* o) { return PyObject_TypeCheck(o, &PyCFunction_Type); }
inline int PyCapsule_CheckExact(PyObject* o) { return Py_IS_TYPE(o, &PyCapsule_Type); }
inline int PyFloat_Check(PyObject* o) { return PyObject_TypeCheck(o, &PyFloat_Type); }
inline int PyFrozenSet_Check(PyObject* o) { return PyObject_TypeCheck(o, &PyFrozenSet_Type); }
inline int PyMemoryView_Check(PyObject* o) { return Py_IS_TYPE(o, &PyMemoryView_Type); }
inline int PyModule_CheckExact(PyObject* o) { return Py_IS_TYPE(o, &PyModule_Type); }
inline int PySet_Check(PyObject* o) { return PyObject_TypeCheck(o, &PySet_Type); }
inline int PySlice_Check(PyObject* o) { return Py_IS_TYPE(o, &PySlice_Type); }
inline int PyWeakref_Check(PyObject* o) {
  return PyObject_TypeCheck(o, &_PyWeakref_RefType) || Py_IS_TYPE(o, &_PyWeakref_ProxyType) ||
         Py_IS_TYPE(o, &_PyWeakref_CallableProxyType);
}
