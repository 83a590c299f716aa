"""The server: uvicorn, with logs that hold no secret."""

import socket
from typing import Any, Callable, Optional

from ..errors import Errors, PawsError
from .needed import need_packages
from .study import Study


def make_app(study: Study, host: str = "127.0.0.1", public_url: Optional[str] = None) -> Any:
    """The ASGI application of a study, for a server of your own.

    study (Study): The study.
    host (str): What the server listens on.
    public_url (Optional[str]): Where browsers find it; needed where others than this machine can reach it.
    RETURNS (Callable): The application.
    """
    from .web.app import Site
    from .web.guard import make_address

    return Site(study, make_address(host, public_url)).app()


def link(base: str, secret: str) -> str:
    """A personal link. Browsers send what stands behind the # to nobody: no log and no proxy sees the key."""
    return f"{base.rstrip('/')}/in#{secret}"


def server_config(app: Any, trusted_proxy: Optional[str] = None) -> Any:
    """How uvicorn serves the pages.

    app (Callable): The application.
    trusted_proxy (Optional[str]): The address of a proxy whose `X-Forwarded-For` is believed; None believes nobody's.
    RETURNS (uvicorn.Config): The settings. Limits on forms are those of the guard. There is no access log: whoever
        wants one has a proxy that writes it.
    """
    need_packages()
    import uvicorn

    return uvicorn.Config(
        app,
        port=0,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=trusted_proxy is not None,
        forwarded_allow_ips=trusted_proxy or "",
        h11_max_incomplete_event_size=64 * 1024,
        limit_concurrency=1000,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=10,
    )


def serve(
    study: Study,
    *,
    host: str = "127.0.0.1",
    port: int = 8020,
    public_url: Optional[str] = None,
    trusted_proxy: Optional[str] = None,
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve a study until it is stopped.

    study (Study): The study.
    host (str), port (int): What to listen on; port 0 for any that is free.
    public_url (Optional[str]): Where browsers find it, if that is another address.
    trusted_proxy (Optional[str]): The address of a proxy whose `X-Forwarded-For` is believed; None believes nobody's.
    started (Callable): Is told the address when connections are taken.
    """
    import uvicorn

    app = make_app(study, host, public_url)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise PawsError(Errors.P822.format(host=host, port=port, reason=error.strerror or error)) from error
    config = server_config(app, trusted_proxy)
    listener.listen(512)
    shown = f"[{host}]" if ":" in host else host
    started(public_url or f"http://{shown}:{listener.getsockname()[1]}")
    with listener:
        uvicorn.Server(config).run(sockets=[listener])
