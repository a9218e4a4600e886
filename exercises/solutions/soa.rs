pub fn place(particle: usize, field: usize, particles: usize) -> usize {
    field * particles + particle
}
