fn main() {
    // `cfg(Py_GIL_DISABLED)`: the interpreter that this is built for has no lock.
    pyo3_build_config::use_pyo3_cfgs();
}
