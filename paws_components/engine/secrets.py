"""What is told of addresses, but for the passwords in them."""

import re

HIDDEN = "***"
USER = re.compile(r"(\w://[^/:@\s]*):[^/@\s]*@")
SIGNED = re.compile(r"([?&][\w.-]*(?:sig|token|key|secret|password|credential)[\w.-]*=)[^&\s]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """A text with stars for the passwords, keys and signatures of the URLs in it."""
    return SIGNED.sub(rf"\1{HIDDEN}", USER.sub(rf"\1:{HIDDEN}@", text)) if "://" in text else text
