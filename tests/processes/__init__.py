"""What happens around the work: kills, full disks, other processes, other threads, the end of the interpreter."""
