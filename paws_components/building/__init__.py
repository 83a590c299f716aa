"""From texts to a data set in one command: the plan of a project, its stages, and what they leave on disk."""
