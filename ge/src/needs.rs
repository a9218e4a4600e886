//! What a rung asks of the processor, and what to say where it is missing.

/// Instructions that a rung cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// None beyond the target's own.
    Nothing,
    /// Registers of two doubles: SSE2, or NEON on Arm.
    Pairs,
    /// Registers of four doubles: AVX, or pairs of NEON's on Arm.
    Quads,
    /// Four doubles, multiplied and added at once: AVX2 with FMA, or NEON.
    FusedQuads,
    /// Eight doubles: AVX-512F.
    Octets,
}

impl Needs {
    /// The instruction set that is missing here, if one is.
    pub fn missing(self) -> Option<&'static str> {
        if self.there() { None } else { Some(self.name()) }
    }

    /// The instruction set's name on this target.
    pub fn name(self) -> &'static str {
        let arm = cfg!(target_arch = "aarch64");
        match self {
            Needs::Nothing => "scalar",
            Needs::Octets => "AVX-512F",
            _ if arm => "NEON",
            Needs::Pairs => "SSE2",
            Needs::Quads => "AVX",
            Needs::FusedQuads => "AVX2 and FMA",
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn there(self) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Pairs => is_x86_feature_detected!("sse2"),
            Needs::Quads => is_x86_feature_detected!("avx"),
            Needs::FusedQuads => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Needs::Octets => is_x86_feature_detected!("avx512f"),
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn there(self) -> bool {
        self == Needs::Nothing || self != Needs::Octets && std::arch::is_aarch64_feature_detected!("neon")
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn there(self) -> bool {
        self == Needs::Nothing
    }
}
