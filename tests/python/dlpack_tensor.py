"""Arrays by DLPack alone, made field by field, so that a test can say anything about them."""
import ctypes

INT, UINT, FLOAT, OPAQUE, BFLOAT, COMPLEX, BOOL = range(7)


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def _integers(numbers):
    return None if numbers is None else (ctypes.c_int64 * max(len(numbers), 1))(*numbers)


class Foreign:
    """Elements of a NumPy array's memory; deleted counts the calls of the deleter, where it has one.

    version: of DLPack. device: what __dlpack_device__ tells; device_type: what the tensor does."""

    def __init__(self, array, shape=None, strides=None, code=FLOAT, bits=32, lanes=1, byte_offset=0, version=0, flags=0,
                 device=(1, 0), device_type=1, has_deleter=True):
        self.array, self.deleted, self.version, self.device = array, 0, version, device
        self._deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._delete)
        deleter = ctypes.cast(self._deleter, ctypes.c_void_p) if has_deleter else None
        self._shape, self._strides = _integers(array.shape if shape is None else shape), _integers(strides)
        tensor = Tensor(array.ctypes.data, device_type, 0, len(array.shape if shape is None else shape), code, bits,
                        lanes, self._shape, self._strides, byte_offset)
        self._managed = Versioned(1, 0, None, deleter, flags, tensor) if version else Managed(tensor, None, deleter)
        self._name = b"dltensor_versioned" if version else b"dltensor"

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if options and not self.version:
            raise TypeError("an old library knows no options")
        return _new_capsule(ctypes.addressof(self._managed), self._name, None)
