//! `ge1 SIZE [MEASURE]`
ge::program!("ge1");
