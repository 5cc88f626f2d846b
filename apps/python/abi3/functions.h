// Functions of Python's stable ABI that nanobind's headers name.
#pragma once

extern "C" {

// any object
PyObject* PyObject_CallFunctionObjArgs(PyObject*, ...);
PyObject* PyObject_CallMethod(PyObject*, const char* name, const char* format, ...);
PyObject* PyObject_CallNoArgs(PyObject*);
PyObject* PyObject_GetAttr(PyObject*, PyObject* name);
PyObject* PyObject_GetAttrString(PyObject*, const char* name);
PyObject* PyObject_GetItem(PyObject*, PyObject* key);
PyObject* PyObject_GetIter(PyObject*);
PyObject* PyObject_Repr(PyObject*);
PyObject* PyObject_Str(PyObject*);
Py_hash_t PyObject_Hash(PyObject*);
Py_ssize_t PyObject_Size(PyObject*);
int PyObject_DelItem(PyObject*, PyObject* key);
int PyObject_HasAttr(PyObject*, PyObject* name);
int PyObject_IsInstance(PyObject*, PyObject* type);
int PyObject_IsSubclass(PyObject*, PyObject* type);
int PyObject_IsTrue(PyObject*);
int PyObject_RichCompareBool(PyObject*, PyObject*, int relation);
int PyObject_SetAttr(PyObject*, PyObject* name, PyObject* value);
int PyObject_SetItem(PyObject*, PyObject* key, PyObject* value);
int PyCallable_Check(PyObject*);
int PyIter_Check(PyObject*);
PyObject* PyIter_Next(PyObject*);
PyObject* PyWeakref_NewRef(PyObject*, PyObject* callback);
void* PyType_GetSlot(PyTypeObject*, int slot);

// numbers
PyObject* PyNumber_Add(PyObject*, PyObject*);
PyObject* PyNumber_And(PyObject*, PyObject*);
PyObject* PyNumber_Float(PyObject*);
PyObject* PyNumber_FloorDivide(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceAdd(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceAnd(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceLshift(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceMultiply(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceOr(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceRemainder(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceRshift(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceSubtract(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceTrueDivide(PyObject*, PyObject*);
PyObject* PyNumber_InPlaceXor(PyObject*, PyObject*);
PyObject* PyNumber_Invert(PyObject*);
PyObject* PyNumber_Long(PyObject*);
PyObject* PyNumber_Lshift(PyObject*, PyObject*);
PyObject* PyNumber_Multiply(PyObject*, PyObject*);
PyObject* PyNumber_Negative(PyObject*);
PyObject* PyNumber_Or(PyObject*, PyObject*);
PyObject* PyNumber_Remainder(PyObject*, PyObject*);
PyObject* PyNumber_Rshift(PyObject*, PyObject*);
PyObject* PyNumber_Subtract(PyObject*, PyObject*);
PyObject* PyNumber_TrueDivide(PyObject*, PyObject*);
PyObject* PyNumber_Xor(PyObject*, PyObject*);
double PyFloat_AsDouble(PyObject*);
PyObject* PyFloat_FromDouble(double);
PyObject* PyLong_FromDouble(double);
PyObject* PyLong_FromLong(long);
PyObject* PyLong_FromLongLong(long long);
PyObject* PyLong_FromUnsignedLong(unsigned long);
PyObject* PyLong_FromUnsignedLongLong(unsigned long long);

// texts and bytes
const char* PyUnicode_AsUTF8AndSize(PyObject*, Py_ssize_t* size);
PyObject* PyUnicode_FromString(const char*);
PyObject* PyUnicode_FromStringAndSize(const char*, Py_ssize_t);
char* PyByteArray_AsString(PyObject*);
PyObject* PyByteArray_FromObject(PyObject*);
PyObject* PyByteArray_FromStringAndSize(const char*, Py_ssize_t);
int PyByteArray_Resize(PyObject*, Py_ssize_t);
Py_ssize_t PyByteArray_Size(PyObject*);
char* PyBytes_AsString(PyObject*);
PyObject* PyBytes_FromObject(PyObject*);
PyObject* PyBytes_FromString(const char*);
PyObject* PyBytes_FromStringAndSize(const char*, Py_ssize_t);
Py_ssize_t PyBytes_Size(PyObject*);
PyObject* PyMemoryView_FromObject(PyObject*);

// containers
int PySequence_Check(PyObject*);
int PySequence_DelItem(PyObject*, Py_ssize_t);
PyObject* PySequence_GetItem(PyObject*, Py_ssize_t);
PyObject* PySequence_List(PyObject*);
int PySequence_SetItem(PyObject*, Py_ssize_t, PyObject*);
PyObject* PySequence_Tuple(PyObject*);
PyObject* PyTuple_GetItem(PyObject*, Py_ssize_t);
PyObject* PyTuple_New(Py_ssize_t);
int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
int PyList_Append(PyObject*, PyObject*);
PyObject* PyList_GetItem(PyObject*, Py_ssize_t);
int PyList_Insert(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyList_New(Py_ssize_t);
int PyList_Reverse(PyObject*);
int PyList_SetItem(PyObject*, Py_ssize_t, PyObject*);
int PyList_SetSlice(PyObject*, Py_ssize_t begin, Py_ssize_t end, PyObject*);
int PyList_Sort(PyObject*);
int PyMapping_Check(PyObject*);
int PyMapping_HasKey(PyObject*, PyObject*);
PyObject* PyMapping_Items(PyObject*);
PyObject* PyMapping_Keys(PyObject*);
PyObject* PyMapping_Values(PyObject*);
void PyDict_Clear(PyObject*);
int PyDict_Contains(PyObject*, PyObject* key);
int PyDict_DelItem(PyObject*, PyObject* key);
PyObject* PyDict_GetItemWithError(PyObject*, PyObject* key);
PyObject* PyDict_Items(PyObject*);
PyObject* PyDict_Keys(PyObject*);
PyObject* PyDict_New();
int PyDict_Next(PyObject*, Py_ssize_t* position, PyObject** key, PyObject** value);
int PyDict_SetItem(PyObject*, PyObject* key, PyObject* value);
Py_ssize_t PyDict_Size(PyObject*);
int PyDict_Update(PyObject*, PyObject*);
PyObject* PyDict_Values(PyObject*);
PyObject* PyFrozenSet_New(PyObject*);
int PySet_Add(PyObject*, PyObject*);
int PySet_Clear(PyObject*);
int PySet_Contains(PyObject*, PyObject*);
int PySet_Discard(PyObject*, PyObject*);
PyObject* PySet_New(PyObject*);
Py_ssize_t PySet_Size(PyObject*);
Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* begin, Py_ssize_t* end, Py_ssize_t step);
PyObject* PySlice_New(PyObject* begin, PyObject* end, PyObject* step);
int PySlice_Unpack(PyObject*, Py_ssize_t* begin, Py_ssize_t* end, Py_ssize_t* step);
void* PyCapsule_GetContext(PyObject*);
const char* PyCapsule_GetName(PyObject*);
void* PyCapsule_GetPointer(PyObject*, const char* name);
PyObject* PyCapsule_New(void*, const char* name, PyCapsule_Destructor);
int PyCapsule_SetContext(PyObject*, void*);

// errors
int PyErr_CheckSignals();
void PyErr_Clear();
int PyErr_ExceptionMatches(PyObject*);
void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback);
PyObject* PyErr_Format(PyObject* type, const char* format, ...);
PyObject* PyErr_FormatV(PyObject* type, const char* format, va_list);
int PyErr_GivenExceptionMatches(PyObject*, PyObject*);
PyObject* PyErr_NoMemory();
PyObject* PyErr_Occurred();
void PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback);
void PyErr_SetNone(PyObject* type);
void PyErr_SetObject(PyObject* type, PyObject* value);
void PyErr_SetString(PyObject* type, const char*);
void PyErr_WriteUnraisable(PyObject*);
PyObject* PyException_GetTraceback(PyObject*);

// the interpreter
PyObject* PyEval_GetBuiltins();
PyObject* PyEval_GetGlobals();
void PyEval_RestoreThread(PyThreadState*);
PyThreadState* PyEval_SaveThread();
int PyFile_WriteObject(PyObject*, PyObject* file, int flags);
int PyFile_WriteString(const char*, PyObject* file);
PyObject* PyImport_Import(PyObject* name);
PyObject* PyImport_ImportModule(const char* name);
void PyMem_Free(void*);
void* PyMem_Malloc(size_t);
const char* PyModule_GetName(PyObject*);

}  // extern "C"
