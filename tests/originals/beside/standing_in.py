"""A plugin of pytest that puts bytemill in the place of the libraries which BYTEMILL_FOR names."""

import os

if names := os.environ.get("BYTEMILL_FOR"):
    import bytemill.compat

    bytemill.compat.install(*names.split(","))
