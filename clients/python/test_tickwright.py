"""Tests of the client: against the vectors of all clients, a server on this machine, and a service.

    TICKWRIGHT_URL=… TICKWRIGHT_API_KEY=… TICKWRIGHT_API_SECRET=… python3 -m unittest
"""

import json
import os
import pathlib
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from tickwright import ApiError, Client, NoAnswerError, NotificationError, verify_notification

VECTORS = json.loads((pathlib.Path(__file__).parent.parent / "signing-vectors.json").read_text(encoding="utf-8"))
SECRET = "a secret of the tests"
UNAVAILABLE = {"error": "Starting.", "code": "service_unavailable", "request_id": "r-1"}
GONE = {"error": "Nothing.", "code": "resource_not_found", "request_id": "r-2"}
UNDER_WAY = {"error": "Not yet.", "code": "idempotency_under_way", "request_id": "r-3"}


class Vectors(unittest.TestCase):
    def test_every_request_is_signed_as_in_the_vectors(self):
        checked = 0
        for vector in VECTORS["requests"]:
            if vector["algorithm"] != "HMAC":
                continue
            with self.subTest(vector["about"]), Loopback(answer({})) as server:
                client = Client(server.url, "key-1", vector["secret"])
                content = vector["body"].encode() or None
                with mock.patch("time.time", return_value=int(vector["timestamp"]) + 0.999):
                    client._send(vector["method"], vector["path"], content, {})
                [request] = server.received
                self.assertEqual(request["path"], vector["path"])
                self.assertEqual(request["body"], vector["body"])
                self.assertEqual(request["headers"]["timestamp"], vector["timestamp"])
                self.assertEqual(request["headers"]["signature"], vector["signature"])
                checked += 1
        self.assertGreater(checked, 10)

    def test_every_notification_is_accepted_or_refused_as_in_the_vectors(self):
        for vector in VECTORS["notifications"]:
            headers = {
                "Webhook-Id": vector["id"],
                "Webhook-Timestamp": vector["timestamp"],
                "Webhook-Signature": vector["signature"],
            }
            with self.subTest(vector["about"]):
                check = lambda body: verify_notification(vector["secret"], headers, body, now=vector["now"])
                if vector["valid"]:
                    self.assertEqual(check(vector["body"].encode()), json.loads(vector["body"]))
                    self.assertEqual(check(vector["body"]), json.loads(vector["body"]))
                else:
                    self.assertRaises(NotificationError, check, vector["body"].encode())

    def test_a_notification_without_headers_or_json_and_a_wrong_secret_say_what_is_wrong(self):
        with self.assertRaisesRegex(NotificationError, "has no webhook-id"):
            verify_notification("whsec_AAAA", {}, b"{}")
        for secret in ("AAAA", "whsec_?"):
            with self.assertRaisesRegex(ValueError, "secret must"):
                verify_notification(secret, {}, b"{}")


class Arguments(unittest.TestCase):
    def test_what_cannot_be_sent_is_named_and_not_sent(self):
        client = Client("http://127.0.0.1:1", "key-1", SECRET, retries=0)
        for call, message in [
            (lambda: Client("trading.example.com", "key-1", SECRET), "base_url"),
            (lambda: Client("https://trading.example.com/api", "key-1", SECRET), "base_url"),
            (lambda: Client("https://trading.example.com", "a b", SECRET), "api_key"),
            (lambda: Client("https://trading.example.com", "key-1"), "api_secret"),
            (lambda: Client("https://trading.example.com", "key-1", SECRET, sign=str), "api_secret"),
            (lambda: Client("https://trading.example.com", "key-1", SECRET, retries=-1), "retries"),
            (lambda: Client("https://trading.example.com", "key-1", SECRET, timeout=0), "timeout"),
            (lambda: client.request("PATCH", "/api/v2/run"), "method"),
            (lambda: client.get("api/v2/run"), "path"),
            (lambda: client.get("/api/v2/run?a=é"), "path"),
            (lambda: client.get("/api/v2/run/{id}"), "1 places"),
            (lambda: client.get("/api/v2/run", 7), "0 places"),
            (lambda: client.get("/api/v2/run/{id}", ".."), "id"),
            (lambda: client.get("/api/v2/run/{id}", ""), "id"),
            (lambda: client.get("/api/v2/run/{id}", True), "id"),
            (lambda: client.get("/api/v2/run", query={"a": float("nan")}), "query.a"),
            (lambda: client.get("/api/v2/run", query={"a": [1]}), "query.a"),
            (lambda: client.get("/api/v2/run", query={"a": "\ud800"}), "Unicode"),
            (lambda: client.post("/api/v2/env", body=[]), "body"),
            (lambda: client.post("/api/v2/env", body={"a": float("inf")}), "body"),
            (lambda: client.post("/api/v2/env", body={"a": "\ud800"}), "body"),
            (lambda: client.post("/api/v2/env", body={}, idempotency_key=" a"), "idempotency_key"),
            (lambda: client.put("/api/v2/env", body={}, if_match="a\nb"), "if_match"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                call()


class Searches(unittest.TestCase):
    def test_a_search_goes_on_from_where_each_part_of_it_ended(self):
        part = lambda ids, end: answer({"items": [{"id": id} for id in ids], "total": 3, "limit": 200, "next": end})
        with Loopback(part([900, 898], 700), part([], 500), part([400], None)) as server:
            found = list(Client(server.url, "key-1", SECRET).each("/api/v2/run", query={"q": "x"}))
            paths = [request["path"] for request in server.received]
        self.assertEqual([item["id"] for item in found], [900, 898, 400])
        self.assertEqual([path.split("&")[1] for path in paths], ["page=1", "before=700", "before=500"])


class SendingAgain(unittest.TestCase):
    def setUp(self):
        self.waits = []
        for name, replacement in {"time.sleep": self.waits.append, "random.random": lambda: 0.5}.items():
            patch = mock.patch(name, replacement)
            patch.start()
            self.addCleanup(patch.stop)

    def send(self, *turns, method="POST", retries=2, timeout=30, **options):
        """The value or error of one request, and the requests that arrived."""
        with Loopback(*turns) as server:
            client = Client(server.url, "key-1", SECRET, retries=retries, timeout=timeout)
            try:
                outcome = client.request(method, "/api/v2/thing/{id}", 1, **options)
            except (ApiError, NoAnswerError) as error:
                outcome = error
            return outcome, server.received

    def test_a_request_is_sent_again_with_the_same_key_and_growing_waits(self):
        for turn in (drop, cut_short, answer(UNAVAILABLE, 502), answer(UNAVAILABLE, 503), answer({}, 504)):
            for method in ("GET", "POST", "PUT", "DELETE"):
                self.waits.clear()
                outcome, received = self.send(turn, turn, answer({"id": 1}), method=method)
                self.assertEqual(outcome, {"id": 1})
                self.assertEqual(self.waits, [0.125, 0.25])
                keys = {request["headers"].get("idempotency-key") for request in received}
                self.assertEqual(len(keys), 1)
                self.assertEqual(keys == {None}, method == "GET")

    def test_each_attempt_is_signed_again(self):
        now = lambda: 1_780_000_000 + 61 * len(self.waits)
        with mock.patch("time.time", now):
            _, received = self.send(answer({}, 502), answer({}))
        stamps = [request["headers"]["timestamp"] for request in received]
        self.assertEqual(stamps, ["1780000000", "1780000061"])
        self.assertNotEqual(*(request["headers"]["signature"] for request in received))

    def test_after_the_last_attempt_the_caller_gets_its_outcome(self):
        outcome, received = self.send(drop)
        self.assertIsInstance(outcome, NoAnswerError)
        self.assertRegex(str(outcome), r"^No answer from http://127\.0\.0\.1:\d+: ")
        self.assertEqual(len(received), 3)
        outcome, received = self.send(answer(UNAVAILABLE, 503))
        self.assertEqual((outcome.status, outcome.code, outcome.request_id), (503, "service_unavailable", "r-1"))
        self.assertEqual(len(received), 3)

    def test_a_refusal_that_says_how_long_to_wait_is_waited_for(self):
        for turn in (answer({}, 429, {"retry-after": "3"}), answer(UNDER_WAY, 409, {"retry-after": "3"})):
            self.waits.clear()
            outcome, _ = self.send(turn, answer({"id": 1}))
            self.assertEqual((outcome, self.waits), ({"id": 1}, [3.125]))

    def test_what_says_no_time_or_a_long_one_is_final(self):
        for headers in ({}, {"retry-after": "3600"}, {"retry-after": "soon"}):
            outcome, received = self.send(answer(UNAVAILABLE, 429, headers))
            self.assertEqual((outcome.status, len(received), self.waits), (429, 1, []))

    def test_every_other_refusal_is_final(self):
        for status in (302, 400, 401, 403, 404, 409, 500, 501):
            outcome, received = self.send(answer(UNAVAILABLE, status, {"location": "/elsewhere"}))
            self.assertEqual((outcome.status, len(received), self.waits), (status, 1, []))

    def test_a_deletion_whose_answer_was_lost_is_done(self):
        outcome, _ = self.send(drop, answer(GONE, 404), method="DELETE")
        self.assertEqual(outcome, {"message": "Success"})
        for turns in (
            [answer(GONE, 404)],
            [answer({}, 429, {"retry-after": "1"}), answer(GONE, 404)],
            [drop, answer({}, 404)],
        ):
            outcome, received = self.send(*turns, method="DELETE")
            self.assertEqual((outcome.status, len(received)), (404, len(turns)))

    def test_without_retries_each_request_is_sent_once_and_has_no_key(self):
        outcome, received = self.send(answer(UNAVAILABLE, 503), retries=0)
        self.assertEqual((outcome.status, len(received)), (503, 1))
        self.assertNotIn("idempotency-key", received[0]["headers"])

    def test_a_key_of_the_caller_and_a_version_are_sent_as_they_are(self):
        _, received = self.send(answer({}), idempotency_key="order-17", if_match='"5"', body={"a": "ü"})
        headers = received[0]["headers"]
        self.assertEqual((headers["idempotency-key"], headers["if-match"]), ("order-17", '"5"'))
        self.assertEqual(received[0]["body"], '{"a":"ü"}')

    def test_a_slow_answer_counts_as_none(self):
        for turn in (say_nothing, drip):
            outcome, _ = self.send(turn, retries=0, timeout=0.2)
            self.assertRegex(str(outcome), "timed out")

    def test_an_answer_of_something_else_says_what_it_was(self):
        for turn, message in [
            (answer(b"<html>", 200), "the answer is not JSON. Is base_url right"),
            (answer(b"<html>\xff", 500), r"^HTTP status 500\.$"),
            (answer(b"No such host", 500), "HTTP status 500: No such host"),
            (answer(b"", 301, {"location": "https://trading.example.com"}), "follow none"),
        ]:
            outcome, _ = self.send(turn)
            self.assertEqual((outcome.code, outcome.request_id, outcome.details), ("unknown", None, []))
            self.assertRegex(str(outcome), message)


@unittest.skipUnless(os.environ.get("TICKWRIGHT_URL"), "TICKWRIGHT_URL names no service")
class Service(unittest.TestCase):
    def setUp(self):
        self.settings = [os.environ[f"TICKWRIGHT_{name}"] for name in ("URL", "API_KEY", "API_SECRET")]
        self.client = Client(*self.settings)

    def test_records_are_made_read_changed_listed_and_deleted(self):
        client, path = self.client, "/api/v2/webhook/data"
        made = client.post(path, body={"name": "München – € 😀"})
        self.assertEqual(client.get(path + "/{id}", made["id"])["name"], "München – € 😀")
        self.assertEqual(client.put(path + "/{id}", made["id"], body={"name": "Alerts"})["name"], "Alerts")
        self.assertIn(made["id"], [webhook["id"] for webhook in client.each(path)])
        self.assertEqual(client.delete(path + "/{id}", made["id"])["message"], "Success")
        with self.assertRaises(ApiError) as caught:
            client.get(path + "/{id}", made["id"])
        self.assertEqual((caught.exception.status, caught.exception.code), (404, "resource_not_found"))

    def test_a_request_with_the_same_key_takes_effect_once(self):
        make = lambda: self.client.post("/api/v2/webhook/data", body={"name": "Once"}, idempotency_key="python-once")
        self.assertEqual(make(), make())

    def test_a_change_of_another_version_is_refused(self):
        path = "/api/v2/strategy/code"
        made = self.client.post(path, body={"code": "$.log(1)"})
        saved = self.client.put(path + "/{id}", made["id"], body={"code": "$.log(2)"}, if_match=made.etag)
        self.assertNotEqual(saved.etag, made.etag)
        with self.assertRaises(ApiError) as caught:
            self.client.put(path + "/{id}", made["id"], body={"code": "$.log(3)"}, if_match=made.etag)
        self.assertEqual(caught.exception.status, 409)

    def test_events_are_read_by_cursors_while_others_arrive(self):
        webhook = self.client.post("/api/v2/webhook/data", body={"name": "Events"})
        post = lambda: urllib.request.urlopen(
            urllib.request.Request(webhook["url"], b'{"price":1}', {"content-type": "application/json"})
        ).close()
        for _ in range(7):
            post()
        path, seen = "/api/v2/webhook/data/{id}/deliveries", []
        before = [delivery["id"] for delivery in self.client.get(path, webhook["id"])]
        for delivery in self.client.each(path, webhook["id"], page_size=3):
            seen.append(delivery["id"])
            post()
        self.assertEqual((len(before), seen), (7, before))

    def test_any_argument_arrives_as_it_was_given(self):
        for chain in ("'", "1 2", "a/b", "?", "#", "%2e", "é", "😀", "*()!~", "\\", ";+&="):
            self.assertEqual(self.client.get("/api/v2/exchange/dex/{chain}", chain), [])
            self.assertEqual(self.client.get("/api/v2/exchange", query={"chainId": chain, "enabled": True}), [])

    def test_a_table_is_its_text(self):
        self.assertRegex(self.client.get("/api/v2/fill.csv"), r"^id,order_id,.*\r\n")

    def test_a_wrong_secret_and_a_wrong_field_are_refused(self):
        with self.assertRaises(ApiError) as caught:
            Client(*self.settings[:2], "another secret").get("/api/v2/run")
        self.assertEqual((caught.exception.status, caught.exception.code), (401, "auth_invalid"))
        with self.assertRaises(ApiError) as caught:
            self.client.post("/api/v2/api/key", body={"name": "Reports", "algorithm": "MD5"})
        self.assertEqual(caught.exception.details[0]["field"], "body.algorithm")


class Loopback:
    """A server on this machine. Each request gets the next of ``turns``, and after them the last one."""

    def __init__(self, *turns):
        self.received = received = []

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(length).decode()
                received.append({"path": self.path, "headers": headers, "body": body})
                turns[min(len(received), len(turns)) - 1](self)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def answer(body, status=200, headers={}):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def turn(handler):
        handler.send_response(status)
        for name, value in {**headers, "content-length": str(len(content))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return turn


def drop(handler):
    handler.close_connection = True


def cut_short(handler):
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b"[]")


# Ends with the process, or when the client has left.
said_nothing = threading.Event()


def say_nothing(handler):
    said_nothing.wait(5)


def drip(handler):
    handler.send_response(200)
    handler.end_headers()
    try:
        while not said_nothing.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        pass


if __name__ == "__main__":
    unittest.main()
