//! `ge5 SIZE [MEASURE]`
ge::program!("ge5");
