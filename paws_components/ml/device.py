from thinc.api import get_current_ops


def spacy_device() -> str:
    """The device that spaCy works on, as torch names it. What is computed beside a pipeline follows its `--gpu-id`."""
    ops = get_current_ops()
    if ops.name == "cupy":
        return f"cuda:{ops.device_id}"
    return "mps" if ops.name == "mps" else "cpu"
