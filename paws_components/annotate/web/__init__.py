"""The pages: server-rendered, with a little script for keys."""
