"""People at work: raters, writers and translators, their items and answers (`paws annotate`)."""
