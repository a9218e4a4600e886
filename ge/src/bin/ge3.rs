//! `ge3 SIZE [MEASURE]`
ge::program!("ge3");
