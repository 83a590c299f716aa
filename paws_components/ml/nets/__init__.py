"""The parts of the architectures that run in torch. Only the architectures import from here, when they are built."""
