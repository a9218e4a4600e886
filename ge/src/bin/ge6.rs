//! `ge6 SIZE [MEASURE]`
ge::program!("ge6");
