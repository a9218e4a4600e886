//! `ge2 SIZE [MEASURE]`

fn main() -> std::process::ExitCode {
    ge::measuring::program::main("ge2")
}
