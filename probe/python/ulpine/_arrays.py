# SPDX-License-Identifier: Apache-2.0
"""Arrays of Python as struct ulpine_array: address, type, extents and strides; the elements stay where they are."""
import ctypes

from ._library import Array, MOST_AXES

REPLICATED, DEVICE = 4, 2
# Kind and bytes of an element, as typestr and DLPack have them, and its type in ulpine.h.
TYPES = {("f", 4): 1, ("f", 8): 2, ("i", 4): 3, ("i", 8): 4, ("b", 1): 5, ("c", 8): 8, ("c", 16): 9, ("i", 1): 10, ("i", 2): 11}
DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 4: "bfloat", 5: "c", 6: "b"}
DLPACK_HOSTS = (1, 3, 11)  # memory of the processor, CUDA's pinned and ROCm's pinned
DLPACK_CUDA = (2, 13)  # memory of a GPU, and managed


class Refused(Exception):
    """What an array or its places are, why that is no good, and what to do: one line."""


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _type(kind, size):
    code = TYPES.get((kind, size))
    if code is None:
        raise Refused(f"elements of kind '{kind}' and {size} bytes (the probe takes float32, float64, int8 to int64, bool, complex64 and complex128): tell a field of one of these")
    return code


def _interface(interface, may_write):
    """Address, type, shape, strides in bytes (or None) of an __array_interface__ or __cuda_array_interface__."""
    order, kind, size = interface["typestr"][0], interface["typestr"][1], int(interface["typestr"][2:])
    if order == ">" and size > 1:
        raise Refused("elements in big-endian order (the probe reads those of this machine): tell array.astype(array.dtype.newbyteorder('='))")
    code = _type(kind, size)
    if interface.get("data") is None:
        raise Refused("an object whose __array_interface__ has no address: tell numpy.asarray(object)")
    address, read_only = interface["data"]
    if may_write and read_only:
        raise Refused("a read-only array as state (the settings may change it): tell it with ulpine.field")
    return address, code, tuple(interface["shape"]), interface.get("strides")


def _dlpack(array):
    """The same of an object with __dlpack__, whether it is on a GPU, and the capsule that holds it."""
    device = array.__dlpack_device__()[0]
    if int(device) not in (*DLPACK_HOSTS, *DLPACK_CUDA):
        raise Refused(f"an array on a device of DLPack's kind {int(device)} (the probe reads the processor's memory and CUDA's): copy it to the host first")
    # -1: no wait between streams; the order is that of `stream`.
    capsule = array.__dlpack__(stream=-1) if int(device) in DLPACK_CUDA else array.__dlpack__()
    tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    kind = DLPACK_KINDS.get(tensor.code, "?")
    if tensor.lanes != 1:
        raise Refused(f"elements of {tensor.lanes} numbers each: tell a view of its numbers")
    code = _type(kind, tensor.bits // 8)
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    size = tensor.bits // 8
    strides = tuple(tensor.strides[axis] * size for axis in range(tensor.ndim)) if tensor.strides else None
    return (tensor.data or 0) + tensor.byte_offset, code, shape, strides, int(device) in DLPACK_CUDA, capsule


def _scalar(value):
    kinds = {bool: (ctypes.c_bool, 5), int: (ctypes.c_int64, 4), float: (ctypes.c_double, 2), complex: (ctypes.c_double * 2, 9)}
    held, code = kinds[type(value)]
    if code == 4 and not -2**63 <= value < 2**63:
        raise Refused("an integer beyond 64 bits: tell it as a float")
    stored = held(value.real, value.imag) if code == 9 else held(value)
    return ctypes.addressof(stored), code, (), None, stored


def _put(values, to, axes, what):
    if values is None:
        return
    values = tuple(values)
    if len(values) != axes:
        raise Refused(f"{what} has {len(values)} values (the array has {axes} axes): give one for each")
    to[:axes] = [int(value) for value in values]


def _places(numbers):
    """Numbers as 64-bit integers one after the other, their address, and how many."""
    if hasattr(numbers, "__array_interface__"):
        held = numbers.astype("int64", order="C")
        return held, held.__array_interface__["data"][0], len(held)
    held = (ctypes.c_int64 * max(1, len(numbers)))(*(int(number) for number in numbers))
    return held, ctypes.addressof(held), len(numbers)


def describe(array, may_write, first, whole, numbers, axis, replicated, stream):
    """The array as the library takes it, and what has to live as long as the library looks at it. Throws Refused."""
    on_device = False
    if hasattr(array, "__array__") and getattr(array, "shape", None) == () and not hasattr(array, "__setitem__"):
        # A scalar of numpy, whose __array_interface__ is of memory that is free again: an array of it.
        if may_write:
            raise Refused("a number as state (it cannot be changed): tell an array, or the number with ulpine.field")
        array = array.__array__()
    kept = [array]
    if hasattr(array, "mask") and hasattr(array, "filled"):
        raise Refused("a masked array (the probe does not know which elements count): tell array.filled(value)")
    if type(array) in (bool, int, float, complex):
        if may_write:
            raise Refused("a number as state (it cannot be changed): tell an array, or the number with ulpine.field")
        address, code, shape, strides, stored = _scalar(array)
        kept.append(stored)
    elif hasattr(array, "__cuda_array_interface__"):
        interface = array.__cuda_array_interface__
        address, code, shape, strides = _interface(interface, may_write)
        on_device = True
        stream = interface.get("stream") if stream is None else stream
    elif hasattr(array, "__array_interface__"):
        address, code, shape, strides = _interface(array.__array_interface__, may_write)
    elif hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        address, code, shape, strides, on_device, capsule = _dlpack(array)
        kept.append(capsule)
    else:
        raise Refused(f"a {type(array).__name__} (neither an array of numpy, CUDA or DLPack nor a number): tell numpy.asarray(...) of it, kept in a variable")
    axes = len(shape)
    if strides and not any(strides) and any(extent > 1 for extent in shape):
        # To the library strides that are all zero mean elements one after the other.
        raise Refused("elements that share memory (an array that was broadcast): tell what it was made of")
    if axes > MOST_AXES:
        raise Refused(f"{axes} axes (the probe takes up to {MOST_AXES}): tell a reshaped view")
    told = Array(data=address, type=code, rank=axes, flags=(REPLICATED if replicated else 0) | (DEVICE if on_device else 0), stream=stream or None)
    told.extent[:axes] = shape
    if strides is not None:
        told.stride[:axes] = strides
    _put(first, told.first, axes, "first")
    _put(whole, told.whole, axes, "whole")
    if numbers is not None:
        if not 0 <= axis < axes:
            raise Refused(f"axis = {axis} (the array has {axes}, counted from 0): give the axis that numbers is about")
        held, address, count = _places(numbers)
        if count != shape[axis]:
            raise Refused(f"{count} numbers for the {shape[axis]} elements along axis {axis}: give each its place")
        kept.append(held)
        told.numbers, told.numbered = address, axis
    return told, kept
