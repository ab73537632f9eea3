"""The namespace of plugins of `tiktoken`: each module has `ENCODING_CONSTRUCTORS`."""

import pkgutil


def plugin_path() -> list[str]:
    """Where plugins are: here, and in every folder `tiktoken_ext` on the path of imports."""
    global __path__
    __path__ = pkgutil.extend_path(__path__, "tiktoken_ext")
    return list(__path__)
