//! `ge7 SIZE [MEASURE]`
ge::program!("ge7");
