"""`python -m bytemill` is the `bytemill` command."""

from .cli import main

raise SystemExit(main())
