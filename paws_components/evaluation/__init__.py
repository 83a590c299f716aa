"""What judges models: their answers beside the labels, measures with intervals, comparisons."""
