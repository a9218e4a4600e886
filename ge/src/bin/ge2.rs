//! `ge2 SIZE [MEASURE]`
ge::program!("ge2");
