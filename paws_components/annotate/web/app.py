"""The application: what can be asked for, who may ask, and what is done."""

import logging
from typing import Any, Callable, Dict, Optional
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ...errors import PawsError
from .. import queue, writing
from ..checking import Checkers
from ..kinds import KINDS, Answer, Refused
from ..raters import SESSION, Rater, close_session, find_rater, form_key, is_form_key, open_session
from ..sampling import is_checked
from ..study import Study
from ..tasks import find_task
from . import views
from .guard import Address, Guard, Guesses, Refusal
from .rendering import STATIC, render

log = logging.getLogger("paws_components.annotate")
# How many models work at once, and how many writers may wait for them: judging goes on meanwhile.
CHECKS_AT_ONCE = 2
CHECKS_WAITING = 40


class Site:
    """The pages of a study.

    study (Study): The study.
    address (Address): Where browsers find it.
    checkers (Optional[Checkers]): What the Check button asks.
    """

    def __init__(self, study: Study, address: Address, checkers: Optional[Checkers] = None) -> None:
        self.study = study
        self.address = address
        self.checkers = checkers or Checkers()
        self.guesses = Guesses()
        self.totals = views.Totals()
        # A cookie of this name goes to this very host alone, over https alone.
        self.cookie = "__Host-paws" if address.secure else "paws"
        self.waiting = 0

    def app(self) -> Any:
        """The ASGI application."""
        get, post = ["GET"], ["POST"]
        routes = [
            Route("/", self.front, methods=get),
            Route("/in", self.come_in, methods=get),
            Route("/in", self.enter, methods=post),
            Route("/out", self.leave, methods=post),
            Route("/t/{task}", self.item, methods=get),
            Route("/t/{task}/answer", self.answer, methods=post),
            Route("/t/{task}/check", self.check, methods=post),
            Route("/t/{task}/skip", self.skip, methods=post),
            Route("/t/{task}/undo", self.undo, methods=post),
            Route("/admin", self.admin_front, methods=get),
            Route("/admin/payments.csv", self.payments, methods=get),
            Route("/admin/t/{task}", self.admin_task, methods=get),
            Route("/static/{name}", self.static, methods=get),
            Route("/health", self.health, methods=get),
        ]
        handlers: Dict[Any, Any] = {
            HTTPException: self.on_http_error,
            Refusal: self.on_refusal,
            PawsError: self.on_error,
            Exception: self.on_failure,
        }
        inner = Starlette(routes=routes, exception_handlers=handlers)
        return Guard(inner, self.address, self.refusal_page)

    # Who is there

    def rater(self, request: Request) -> Optional[Rater]:
        session = request.cookies.get(self.cookie, "")
        if not session:
            return None
        with self.study.reading() as connection:
            return find_rater(connection, session)

    def need_rater(self, request: Request) -> Rater:
        """Who asks; a form must also carry what only a page of their session can have."""
        found = self.rater(request)
        if found is None:
            raise Refusal(401, "You are not logged in. Open your personal link once more.")
        if request.method == "POST" and not is_form_key(self.session(request), self.form(request).get("form", "")):
            raise Refusal(403, "The form is not from this session. Go back, reload the page and send it again.")
        return found

    def session(self, request: Request) -> str:
        return request.cookies.get(self.cookie, "")

    def form(self, request: Request) -> Dict[str, str]:
        return request.scope["form"]

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        session = self.session(request)
        form = form_key(session) if session else ""
        return HTMLResponse(render(template, form=form, **values), status)

    # Coming and going

    def front(self, request: Request) -> Response:
        rater = self.rater(request)
        if rater is None:
            return self.page(request, "welcome.html")
        with self.study.reading() as connection:
            return self.page(
                request, "tasks.html", rater=rater, tasks=views.task_list(connection, rater.id, self.totals)
            )

    def come_in(self, request: Request) -> Response:
        """The page of personal links. The key stands behind the #, which browsers send to nobody."""
        return self.page(request, "in.html")

    def enter(self, request: Request) -> Response:
        who = request.client.host if request.client else ""
        if self.guesses.too_many(who):
            return self.page(request, "in.html", 429, problem="Too many wrong keys. Wait a minute.")
        session = open_session(self.study, self.form(request).get("key", "").strip())
        if session is None:
            self.guesses.add(who)
            problem = "This key does not fit. It may have been taken back: ask whoever gave it to you."
            return self.page(request, "in.html", 403, problem=problem)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            self.cookie,
            session,
            max_age=int(SESSION),
            path="/",
            secure=self.address.secure,
            httponly=True,
            samesite="lax",
        )
        return response

    def leave(self, request: Request) -> Response:
        self.need_rater(request)
        close_session(self.study, self.session(request))
        response = RedirectResponse("/", 303)
        response.delete_cookie(self.cookie, path="/", secure=self.address.secure, httponly=True, samesite="lax")
        return response

    # Work

    def item(self, request: Request) -> Response:
        return self.item_page(request)

    def item_page(
        self, request: Request, status: int = 200, problem: str = "", typed: Optional[Dict[str, str]] = None
    ) -> Response:
        """The item before a rater, or the page that says that there is none."""
        rater = self.need_rater(request)

        def work(connection: Connection) -> Any:
            task = self.task(connection, request)
            over = writing.is_over(connection, task, rater.id)
            return task, over, None if over else queue.lend(connection, task, rater.id)

        task, over, turn = self.study.write(work)
        with self.study.reading() as connection:
            if turn is not None:
                values = views.item_page(connection, task, turn, rater.id, self.totals)
            else:
                values = views.nothing_page(connection, task, rater.id)
        template = "nothing.html" if turn is None else f"{task.kind}.html"
        if not problem and request.query_params.get("note") == "late":
            problem = "Somebody else had the item meanwhile: your last answer came too late and was not counted."
        return self.page(
            request,
            template,
            status,
            rater=rater,
            problem=problem,
            over=over,
            typed={"text": "", **(typed or {})},
            **values,
        )

    def task(self, connection: Connection, request: Request) -> Any:
        try:
            return find_task(connection, request.path_params["task"])
        except PawsError:
            raise Refusal(404, "There is no such task.") from None

    def back(self, request: Request, note: str = "") -> Response:
        path = f"/t/{quote(request.path_params['task'], safe='')}"
        return RedirectResponse(path + (f"?note={note}" if note else ""), 303)

    def turn(self, connection: Connection, task: Any, rater: Rater, request: Request) -> Any:
        """The item that a form answers. Another rater's ticket is like one that there is not."""
        found = queue.find_turn(connection, task.id, rater.id, self.form(request).get("ticket", ""))
        if found is None:
            raise Refusal(404, "This item is not yours.")
        return found

    def answer(self, request: Request) -> Response:
        rater = self.need_rater(request)
        form = self.form(request)

        def work(connection: Connection) -> None:
            task = self.task(connection, request)
            found = self.turn(connection, task, rater, request)
            if task.kind == "write":
                raise Refusal(404, "A paraphrase is checked and submitted.")
            turn = queue.turn_of(connection, found.ticket)
            given = self.read(task, turn, form)
            if queue.settle(connection, found, given) and given.get("action") == "translated":
                if is_checked(turn.item_id, task.settings):
                    queue.add_check(connection, task, found, given["text"])

        return self.take(request, work)

    def read(self, task: Any, turn: Any, form: Dict[str, str]) -> Answer:
        """An answer from a form, in the pair's own order."""
        shown = views.shown_text(turn, turn.stage, turn.content)
        return views.as_given(KINDS[task.kind].read({**form, "shown": shown}, turn.stage), turn.flipped)

    def take(self, request: Request, work: Callable[[Connection], None]) -> Response:
        """Do what a form asks; if it can't be done, say why, and keep what was typed."""
        try:
            self.study.write(work)
        except Refused as problem:
            return self.item_page(request, 422, str(problem), self.form(request))
        except queue.Lost:
            return self.back(request, "late")
        return self.back(request)

    def skip(self, request: Request) -> Response:
        rater = self.need_rater(request)

        def work(connection: Connection) -> None:
            task = self.task(connection, request)
            queue.skip(connection, self.turn(connection, task, rater, request))

        return self.take(request, work)

    def undo(self, request: Request) -> Response:
        rater = self.need_rater(request)

        def work(connection: Connection) -> None:
            queue.lock_rater(connection, rater.id)
            queue.undo(connection, self.task(connection, request), rater.id)

        return self.take(request, work)

    async def check(self, request: Request) -> Response:
        """Check a paraphrase, and submit it if that is what was asked. Models have threads of their own."""
        if self.waiting >= CHECKS_WAITING:
            raise Refusal(503, "Many people are checking just now. Go back and try again in a moment.")
        self.waiting += 1
        try:
            return await to_thread.run_sync(self.check_now, request, limiter=self.limiter())
        finally:
            self.waiting -= 1

    def limiter(self) -> CapacityLimiter:
        if not hasattr(self, "_limiter"):
            self._limiter = CapacityLimiter(CHECKS_AT_ONCE)
        return self._limiter

    def check_now(self, request: Request) -> Response:
        rater = self.need_rater(request)
        form = self.form(request)
        try:
            with self.study.reading() as connection:
                task = self.task(connection, request)
                if task.kind != "write":
                    raise Refusal(404, "Nothing is checked in this task.")
                found = self.turn(connection, task, rater, request)
                turn = queue.turn_of(connection, found.ticket)
                text = self.read(task, turn, form)["text"]
                known = writing.known_check(connection, found.id, text)
                if known is None:
                    writing.may_check(connection, task, found.id)
            if found.state == queue.OPEN and (known is None or form.get("action") != "submit"):
                check = self.checkers(task.settings)(turn.content["sentence"], text)
                self.study.write(
                    lambda connection: writing.keep_check(connection, task, rater.id, found.ticket, text, check)
                )
            if form.get("action") == "submit":
                self.study.write(lambda connection: writing.submit(connection, task, rater.id, found.ticket, text))
        except Refused as problem:
            return self.item_page(request, 422, str(problem), form)
        except writing.TooMany:
            return self.item_page(
                request, 422, "You have checked this sentence as often as you may. Submit, or skip.", form
            )
        except queue.Lost:
            return self.back(request, "late")
        return self.back(request)

    # Admin. What measures agreement brings spaCy: the server starts without it.

    def need_admin(self, request: Request) -> Rater:
        found = self.need_rater(request)
        if not found.admin:
            raise Refusal(404, "There is no such page.")
        return found

    def admin_front(self, request: Request) -> Response:
        from . import admin

        rater = self.need_admin(request)
        with self.study.reading() as connection:
            return self.page(request, "admin.html", rater=rater, **admin.overview(connection))

    def admin_task(self, request: Request) -> Response:
        from . import admin

        rater = self.need_admin(request)
        asked = request.query_params.get("page", "1")
        number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else 1
        with self.study.reading() as connection:
            values = admin.task_page(connection, self.task(connection, request), max(1, number))
        return self.page(request, "admin_task.html", rater=rater, **values)

    def payments(self, request: Request) -> Response:
        from . import admin

        self.need_admin(request)
        with self.study.reading() as connection:
            text = admin.payments_csv(connection)
        headers = {"content-disposition": 'attachment; filename="payments.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    # The rest

    def static(self, request: Request) -> Response:
        """One of a few files that are in memory: no path is ever looked up."""
        found = STATIC.get(request.path_params["name"])
        if found is None:
            raise Refusal(404, "There is no such file.")
        kind, text = found
        return Response(text, media_type=kind, headers={"cache-control": "public, max-age=31536000, immutable"})

    def health(self, request: Request) -> Response:
        return PlainTextResponse("ok\n")

    def refusal_page(self, status: int, reason: str) -> Response:
        return HTMLResponse(render("refused.html", reason=reason, form=""), status)

    async def on_refusal(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return self.refusal_page(error.status, error.reason)

    async def on_http_error(self, request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        told = {404: "There is no such page.", 405: "This is not done here."}
        return self.refusal_page(status, told.get(status, "This can't be done."))

    async def on_error(self, request: Request, error: Exception) -> Response:
        """What whoever runs the study can put right, such as a model that is not there: it is told to them."""
        log.error("%s", error)
        return await run_in_threadpool(
            self.refusal_page, 503, "This does not work just now. Whoever runs this site can see why."
        )

    async def on_failure(self, request: Request, error: Exception) -> Response:
        # Starlette raises it again, and the server logs it.
        return self.refusal_page(
            500, "Something went wrong. What you sent may not be saved: go back and send it again."
        )
