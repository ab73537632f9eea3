"""The tests that other libraries publish, run with them and with bytemill in their place (`make test-originals`)."""
