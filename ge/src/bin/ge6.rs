//! `ge6 SIZE [MEASURE]`

fn main() -> std::process::ExitCode {
    ge::measuring::program::main("ge6")
}
