"""The client of the Tickwright API for Python 3.9 and later, on the standard library alone.

It signs requests, sends again what is safe to send again, reads lists by cursors, and checks notifications::

    client = Client("https://trading.example.com", api_key, api_secret)
    for signal in client.each("/api/v2/signal"):
        print(signal["action"])
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import math
import random
import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["ApiError", "Client", "NoAnswerError", "NotificationError", "Record", "verify_notification"]
__version__ = "2.1.0"

# The first wait before a request is sent again is at most this long, and each further one at most twice as long.
_FIRST_WAIT_SECONDS = 0.25
# If the service asks for a longer wait, the caller gets the refusal instead.
_LONGEST_WAIT_SECONDS = 10.0
# The most items of a page.
_PAGE_SIZE = 200
# What RFC 3986 allows in a path and a query. The service refuses everything else.
_TARGET = re.compile(r"/(?:[A-Za-z0-9_\-.~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*")


class ApiError(Exception):
    """The service refused. The text is its sentence for a person, which may change.

    ``code`` does not change; it is ``unknown`` if a proxy or another server answered, and ``request_id`` is then
    ``None``. ``details`` has one entry for each problem, if the service names several.
    """

    def __init__(
        self, status: int, code: str, message: str, details: list[Any], request_id: str | None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.details = details
        self.request_id = request_id


class NoAnswerError(ConnectionError):
    """No complete answer came, so nobody knows whether the service carried the request out. ``__cause__`` says why."""


class NotificationError(ValueError):
    """What arrived is no notification that the service has signed with this secret, and sent just now."""


class Record(dict[str, Any]):
    """An object of an answer. ``etag`` is its version, for ``if_match``, if the service keeps versions of it."""

    etag: str | None = None


class _Answer(NamedTuple):
    status: int
    text: str
    headers: Mapping[str, str]


class Client:
    """Sends signed requests. It keeps no state between them, so that many threads can share it.

    ``base_url`` is the origin of the service, such as ``https://trading.example.com``. ``sign`` replaces
    ``api_secret``: it gets the text to sign and returns the signature, as for a key of the kind ML-DSA, which the
    standard library cannot sign with. ``retries`` says how often a request is sent again; 0 for never. ``timeout`` is
    the time limit for the answer to one attempt, in seconds.

    Raises a ``ValueError`` that names the argument that is wrong.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_secret: str | None = None,
        *,
        sign: Callable[[str], str] | None = None,
        retries: int = 2,
        timeout: float = 30.0,
    ) -> None:
        origin = re.fullmatch(r"(https?://[^\s/?#@\\]+)/?", base_url, re.IGNORECASE)
        _need(origin is not None, "base_url must be an origin such as https://trading.example.com")
        _need(re.fullmatch(r"[\x21-\x7e]+", api_key) is not None, "api_key must be visible ASCII characters")
        _need((sign is None) != (api_secret is None), "give either api_secret or sign")
        _need(api_secret is None or api_secret != "", "api_secret must not be empty")
        _need(isinstance(retries, int) and retries >= 0, "retries must be a whole number, 0 or greater")
        _need(timeout > 0, "timeout must be a number of seconds, greater than 0")
        self._origin = origin.group(1) if origin else ""
        self._api_key = api_key
        self._sign = sign or _hmac_signer(api_secret or "")
        self._retries = retries
        self._timeout = timeout

    def get(self, path: str, *ids: int | str, query: Mapping[str, Any] | None = None) -> Any:
        """Reads something: ``client.get("/api/v2/run/{id}", 12)``."""
        return self.request("GET", path, *ids, query=query)

    def post(self, path: str, *ids: int | str, **options: Any) -> Any:
        """Creates or does something: ``client.post("/api/v2/webhook/data", body={"name": "Alerts"})``."""
        return self.request("POST", path, *ids, **options)

    def put(self, path: str, *ids: int | str, **options: Any) -> Any:
        """Changes the fields that ``body`` has, and leaves the others."""
        return self.request("PUT", path, *ids, **options)

    def delete(self, path: str, *ids: int | str, **options: Any) -> Any:
        """Deletes something. If an attempt whose answer was lost has deleted it, this is a success, too."""
        return self.request("DELETE", path, *ids, **options)

    def request(
        self,
        method: str,
        path: str,
        *ids: int | str,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> Any:
        """Sends any request of the API, and returns the value of its answer: that of its JSON, or the text of a CSV file.

        ``path`` begins with ``/api/v2/``; each ``{…}`` in it stands for one of ``ids``. Fields of ``query`` that are
        ``None`` are left out. ``body`` is sent as it is given, so an operation that takes a body needs at least ``{}``.
        Each changing request gets an ``Idempotency-Key`` of its own, so that it takes effect once although it may be
        sent again. ``idempotency_key`` replaces it. ``if_match`` is the ``etag`` of a record: the service then changes
        only that version.

        Raises an ``ApiError`` if the service refuses, a ``NoAnswerError`` if no complete answer comes, and a
        ``ValueError`` if an argument cannot be sent.
        """
        _need(method in ("GET", "POST", "PUT", "DELETE"), "method must be GET, POST, PUT or DELETE")
        target = _target(path, ids, query)
        content = None if body is None else _json(body)
        headers = {} if content is None else {"content-type": "application/json"}
        if if_match is not None:
            headers["if-match"] = _header("if_match", if_match)
        if idempotency_key is not None:
            headers["idempotency-key"] = _header("idempotency_key", idempotency_key)
        elif method != "GET" and self._retries > 0:
            headers["idempotency-key"] = secrets.token_hex(16)
        answer = self._send_safely(method, target, content, headers)
        return _value(answer, path.endswith(".csv"))

    def each(
        self,
        path: str,
        *ids: int | str,
        query: Mapping[str, Any] | None = None,
        page_size: int = _PAGE_SIZE,
    ) -> Iterator[Any]:
        """Yields all items of a list, and requests each page when it needs it.

        Lists of events are read by cursors: whatever happens meanwhile, no item comes twice, and none is skipped. In
        other lists, some may be skipped if items are deleted meanwhile.
        """
        given = set()
        page = 1
        part: dict[str, int] = {"page": page}
        while True:
            answer = self.get(path, *ids, query={**(query or {}), **part, "limit": page_size})
            items = answer if isinstance(answer, list) else answer["items"]
            for item in items:
                identity = item.get("id") if isinstance(item, dict) else None
                if identity is not None and identity in given:
                    continue
                given.add(identity)
                yield item
            if isinstance(answer, list):
                return
            # A search says where it ended, even if it has found few items or none so far.
            cursor = answer.get("next")
            if cursor is None and ("next" in answer or len(items) < page_size):
                return
            page += 1
            before = _cursor_after(items) if cursor is None else cursor
            part = {"page": page} if before is None else {"before": before}

    def _send_safely(
        self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]
    ) -> _Answer:
        may_be_done = False
        for sent in range(1, self._retries + 2):
            failure: NoAnswerError | None = None
            answer: _Answer | None = None
            try:
                answer = self._send(method, target, content, headers)
            except NoAnswerError as error:
                failure = error
            if may_be_done and method == "DELETE" and answer and _is_code(answer, 404, "resource_not_found"):
                return _Answer(200, '{"message":"Success"}', {})
            wait = _wait_before(sent, answer) if sent <= self._retries else None
            if wait is None:
                if answer is None:
                    raise failure or AssertionError()
                return answer
            # A 429 means that the service has done nothing.
            may_be_done = may_be_done or answer is None or answer.status != 429
            time.sleep(wait)
        raise AssertionError("The last attempt ends the loop.")

    def _send(
        self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]
    ) -> _Answer:
        """One attempt, with a signature of its own, because a signature expires."""
        timestamp = str(int(time.time()))
        signature = self._sign(method + target + (content or b"").decode() + timestamp)
        signed = {**headers, "api-key": self._api_key, "timestamp": timestamp, "signature": signature}
        url = self._origin + target
        request = urllib.request.Request(url, data=content, headers=signed, method=method)
        try:
            with _opener.open(request, timeout=self._timeout) as response:
                text = _read(response, time.monotonic() + self._timeout).decode(errors="replace")
                names = {name.lower(): value for name, value in response.headers.items()}
                return _Answer(response.status, text, names)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise NoAnswerError(f"No answer from {self._origin}: {reason}") from error


def verify_notification(
    secret: str,
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Any:
    """Checks that the service has sent this notification, and returns the value of its JSON.

    ``secret`` begins with ``whsec_``; ``headers`` are those of the request, in any case; ``body`` is what arrived, byte
    for byte. A notification may be ``tolerance`` seconds older or newer than ``now``, which is the present time. The same
    notification can come twice, with the same ``webhook-id``.

    Raises a ``NotificationError`` if anything differs.
    """
    key = _notification_key(secret)
    fields = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    missing = [name for name in names if not fields.get(name)]
    if missing:
        raise NotificationError(f"The notification has no {missing[0]}.")
    message_id, timestamp, signatures = (fields[name] for name in names)
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        raise NotificationError("The time of the notification is no number of seconds.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise NotificationError("The notification is too old, or the clock of this machine is wrong.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # While a new secret replaces an old one, both sign.
    if not any([hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")]):
        raise NotificationError("No signature of the notification is right.")
    try:
        return json.loads(content)
    except ValueError as error:
        raise NotificationError("The body of the notification is no JSON.") from error


def _notification_key(secret: str) -> bytes:
    prefix = "whsec_"
    _need(secret.startswith(prefix), f"secret must begin with {prefix}")
    try:
        return base64.b64decode(secret[len(prefix) :], validate=True)
    except binascii.Error as error:
        raise ValueError(f"secret must have Base64 after {prefix}") from error


def _hmac_signer(secret: str) -> Callable[[str], str]:
    return lambda text: hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def _target(path: str, ids: tuple[int | str, ...], query: Mapping[str, Any] | None) -> str:
    """Path and query, exactly as they are signed and sent."""
    places = len(re.findall(r"\{\w*\}", path))
    _need(places == len(ids), f"the path has {places} places for ids, and {len(ids)} ids were given")
    segments = iter(ids)
    filled = re.sub(r"\{\w*\}", lambda _: _segment(next(segments)), path)
    target = filled + _query(query)
    _need(_TARGET.fullmatch(target) is not None, "path must begin with / and be percent-encoded")
    return target


def _segment(value: int | str) -> str:
    is_id = isinstance(value, int) and not isinstance(value, bool)
    _need(is_id or (isinstance(value, str) and value != ""), "an id must be a whole number or a text")
    # URL parsers resolve both, even percent-encoded.
    _need(value not in (".", ".."), 'an id must be something other than "." and ".."')
    return _encode(str(value))


def _query(fields: Mapping[str, Any] | None) -> str:
    parts = [
        f"{_encode(name)}={_encode(_scalar(name, value))}"
        for name, value in (fields or {}).items()
        if value is not None
    ]
    return f"?{'&'.join(parts)}" if parts else ""


def _scalar(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    _need(is_number or isinstance(value, str), f"query.{name} must be a text, a finite number or a boolean")
    return str(value)


def _encode(text: str) -> str:
    """Percent-encodes everything except the unreserved characters of RFC 3986."""
    try:
        return urllib.parse.quote(text, safe="")
    except UnicodeEncodeError as error:
        raise ValueError("texts must be Unicode that UTF-8 can encode") from error


def _json(body: Mapping[str, Any]) -> bytes:
    _need(isinstance(body, Mapping), "body must be a mapping")
    try:
        return json.dumps(dict(body), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"body must be a mapping that can be written as JSON: {error}") from error


def _header(name: str, value: str) -> str:
    # HTTP drops spaces at the ends.
    _need(re.fullmatch(r"(?! )[ -~]{1,255}(?<! )", value) is not None, f"{name} must be 1 to 255 ASCII characters")
    return value


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    """Every status is an answer. It follows no redirects, which would send the signature to another place."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


_opener = urllib.request.build_opener(_AnyStatus)


def _read(response: http.client.HTTPResponse, until: float) -> bytes:
    """The whole body. ``read`` alone would wait for as long as a slow server goes on."""
    declared = response.headers.get("content-length")
    wanted = int(declared) if declared is not None and declared.isdigit() else None
    body = bytearray()
    while wanted is None or len(body) < wanted:
        part = response.read1(65536)
        if not part:
            break
        body += part
        if time.monotonic() > until:
            raise TimeoutError("timed out")
    if wanted is not None and len(body) < wanted:
        raise http.client.IncompleteRead(bytes(body), wanted - len(body))
    return bytes(body)


def _wait_before(sending: int, answer: _Answer | None) -> float | None:
    """How long to wait before a request is sent again, in seconds; ``None`` if it is not.

    Every request can be: reading does no harm, and what changes something has an idempotency key. Without an answer, and
    after 502, 503 and 504, which may come from a proxy, nobody knows whether it took effect. While the first attempt is
    under way, a later one gets its answer.
    """
    backoff = min(_FIRST_WAIT_SECONDS * 2 ** (sending - 1), _LONGEST_WAIT_SECONDS) * random.random()
    if answer is None:
        return backoff
    asked = _retry_after(answer)
    if answer.status == 429 or _is_code(answer, 409, "idempotency_under_way"):
        wait = None if asked is None else asked + _FIRST_WAIT_SECONDS * random.random()
    elif 502 <= answer.status <= 504:
        wait = (asked or 0) + backoff
    else:
        return None
    return wait if wait is not None and wait <= _LONGEST_WAIT_SECONDS else None


def _retry_after(answer: _Answer) -> int | None:
    value = answer.headers.get("retry-after", "")
    return int(value) if re.fullmatch(r"[0-9]{1,9}", value) else None


def _is_code(answer: _Answer, status: int, code: str) -> bool:
    return answer.status == status and _error(answer).code == code


def _value(answer: _Answer, is_file: bool) -> Any:
    if not 200 <= answer.status <= 299:
        raise _error(answer)
    if is_file:
        return answer.text
    try:
        value = json.loads(answer.text)
    except ValueError:
        raise _error(answer) from None
    if not isinstance(value, dict):
        return value
    record = Record(value)
    record.etag = answer.headers.get("etag")
    return record


def _error(answer: _Answer) -> ApiError:
    """The error in an answer, even if a proxy gave it in its own form."""
    try:
        body = json.loads(answer.text)
    except ValueError:
        body = None
    if isinstance(body, dict) and isinstance(body.get("error"), str) and isinstance(body.get("code"), str):
        details = body.get("details")
        return ApiError(
            answer.status,
            body["code"],
            body["error"],
            details if isinstance(details, list) else [],
            body.get("request_id") if isinstance(body.get("request_id"), str) else None,
        )
    return ApiError(answer.status, "unknown", _sentence(answer), [], None)


def _sentence(answer: _Answer) -> str:
    if 300 <= answer.status <= 399:
        return f"HTTP status {answer.status}: a redirect. Signed requests follow none. Is base_url right?"
    if answer.status < 300:
        return f"HTTP status {answer.status}, but the answer is not JSON. Is base_url right?"
    # A single line that is not HTML says why.
    reason = f": {answer.text}" if re.fullmatch(r"[^<\r\n]{1,300}", answer.text) else "."
    return f"HTTP status {answer.status}{reason}"


def _cursor_after(items: list[Any]) -> int | None:
    """The cursor of what comes after these items, if they are events: only those have the newest first."""
    first, last = (item.get("id") if isinstance(item, dict) else None for item in (items[0], items[-1]))
    return last if isinstance(first, int) and isinstance(last, int) and first > last else None
