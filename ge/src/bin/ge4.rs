//! `ge4 SIZE [MEASURE]`
ge::program!("ge4");
