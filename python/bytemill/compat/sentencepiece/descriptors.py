"""Classes of messages from a short description of their fields, by the package `protobuf`."""

from __future__ import annotations

import importlib
from typing import Any

#: Message → fields; a field is its name, its number, its type, and its default if it has one. A type is a scalar, an
#: enum or a message; `*` before it means any number of them.
Fields = dict[str, list[tuple[Any, ...]]]
Enums = dict[str, dict[str, int]]

SCALARS = {"string", "bytes", "bool", "float", "int32", "uint32", "uint64"}


def message_classes(file: str, messages: Fields, enums: Enums) -> dict[str, Any]:
    """The classes of messages, by name; `A.B` is B inside of A."""
    descriptors: Any = importlib.import_module("google.protobuf.descriptor_pb2")
    pools: Any = importlib.import_module("google.protobuf.descriptor_pool")
    factory: Any = importlib.import_module("google.protobuf.message_factory")
    written = descriptors.FileDescriptorProto(name=file, package="sentencepiece", syntax="proto2")
    made: dict[str, Any] = {}
    for path, fields in messages.items():
        outer, _, name = path.rpartition(".")
        message = made[outer].nested_type.add(name=name) if outer else written.message_type.add(name=name)
        made[path] = message
        # What other programs may add.
        message.extension_range.add(start=200, end=536870912)
        for given in fields:
            _add_field(descriptors, message.field, given, enums)
    for path, values in enums.items():
        outer, _, name = path.rpartition(".")
        enum = made[outer].enum_type.add(name=name)
        for value, number in values.items():
            enum.value.add(name=value, number=number)
    pool = pools.DescriptorPool()
    pool.Add(written)
    found = {path: pool.FindMessageTypeByName(f"sentencepiece.{path}") for path in messages}
    return {path: factory.GetMessageClass(descriptor) for path, descriptor in found.items()}


def _add_field(descriptors: Any, to: Any, given: tuple[Any, ...], enums: Enums) -> None:
    kinds = descriptors.FieldDescriptorProto
    name, number, kind, *default = given
    field = to.add(name=name, number=number, label=kinds.LABEL_OPTIONAL)
    if kind.startswith("*"):
        field.label, kind = kinds.LABEL_REPEATED, kind[1:]
    if kind in SCALARS:
        field.type = getattr(kinds, f"TYPE_{kind.upper()}")
    else:
        field.type = kinds.TYPE_ENUM if kind in enums else kinds.TYPE_MESSAGE
        field.type_name = f".sentencepiece.{kind}"
    if default:
        value = default[0]
        field.default_value = str(value).lower() if isinstance(value, bool) else str(value)
