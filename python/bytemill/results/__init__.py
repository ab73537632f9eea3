"""What calls give back: ragged rows, explanations, segmentations, reports; and their HTML for notebooks."""
