"""A stand-in of an S3 store on 127.0.0.1: keeps objects in memory, and fails in the ways that a store can.

What it knows is what s3fs asks: HEAD, GET (pieces, and only if the object is the same), PUT, DELETE of one and of many,
lists in pages, uploads in parts.
"""

import functools
import hashlib
import itertools
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from s3fs import S3FileSystem

KEY = "paws-test-key"
# How many objects a page of a list has.
PAGE = 5


class ObjectStore(ThreadingHTTPServer):
    """The store.

    objects: by (bucket, key). buckets: their names. requests: (method, path) of each that came.
    fault: called with method and path before a request is answered; gives the code of an error, "cut" for half an
        answer and a connection that is closed, or None.
    """

    daemon_threads = True

    def __init__(self, *buckets):
        super().__init__(("127.0.0.1", 0), Handler)
        self.buckets, self.objects, self.uploads, self.requests = set(buckets), {}, {}, []
        self.numbers, self.lock = itertools.count(1), threading.Lock()
        self.fault = lambda method, path: None
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def environment(self):
        """What a process has to know to reach it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": "not-a-secret",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def fail(self, times, code=503, method=None, part=""):
        """Fail the next requests of a method whose path has a part."""
        left = itertools.count(1)

        def fault(asked, path):
            fits = (method in (None, asked)) and part in path
            return code if fits and next(left) <= times else None

        self.fault = fault

    def keys(self, bucket="bucket"):
        return sorted(key for where, key in self.objects if where == bucket)

    def close(self):
        self.shutdown()
        self.server_close()
        # fsspec keeps who has asked us; a later store is elsewhere.
        S3FileSystem.clear_instance_cache()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body go in one packet: otherwise each answer waits for the client's acknowledgement.
    wbufsize = -1

    def log_message(self, *args):
        pass

    def handle_expect_100(self):
        super().handle_expect_100()
        self.wfile.flush()
        return True

    def answer(self, code=200, body=b"", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, code, name, message=""):
        text = f"<Error><Code>{name}</Code><Message>{message or name}</Message></Error>"
        self.answer(code, text.encode(), Content_Type="application/xml")

    def xml(self, text):
        self.answer(200, f'<?xml version="1.0"?>{text}'.encode(), Content_Type="application/xml")

    def body(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return data
        whole = b""
        while data:
            size, _, data = data.partition(b"\r\n")
            count = int(size.partition(b";")[0], 16)
            if not count:
                break
            whole, data = whole + data[:count], data[count + 2 :]
        return whole

    def serve(self):
        store, body = self.server, self.body()
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        store.requests.append((self.command, self.path))
        fault = store.fault(self.command, self.path)
        if isinstance(fault, int):
            name = {503: "SlowDown", 500: "InternalError", 403: "AccessDenied"}.get(fault, "Error")
            return self.refuse(fault, name, "Please reduce your request rate." if fault == 503 else "")
        if f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
            return self.refuse(403, "AccessDenied", "Access Denied.")
        if bucket not in store.buckets:
            return self.refuse(404, "NoSuchBucket", "The specified bucket does not exist")
        with store.lock:
            if not key:
                return self.ask_bucket(bucket, query, body)
            return self.ask_object(bucket, key, query, body, fault)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve

    def ask_bucket(self, bucket, query, body):
        if "delete" in query:
            for found in ElementTree.fromstring(body).iter():
                if found.tag.endswith("Key"):
                    self.server.objects.pop((bucket, found.text), None)
            self.xml("<DeleteResult></DeleteResult>")
        elif self.command == "GET":
            self.list(bucket, query)
        else:
            self.answer()

    def list(self, bucket, query):
        prefix, cut = query.get("prefix", ""), query.get("delimiter", "")
        names = {}
        for key in self.server.keys(bucket):
            if key.startswith(prefix):
                head, found, _ = key.removeprefix(prefix).partition(cut) if cut else ("", "", "")
                names.setdefault(prefix + head + cut if found else key, bool(found))
        after = query.get("continuation-token", query.get("start-after", ""))
        left = [name for name in sorted(names) if name > after]
        page = left[: min(PAGE, int(query.get("max-keys", PAGE)))]
        more = len(left) > len(page)
        text = f"<ListBucketResult><Name>{bucket}</Name><KeyCount>{len(page)}</KeyCount>"
        text += f"<IsTruncated>{str(more).lower()}</IsTruncated>"
        text += f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        for name in page:
            if names[name]:
                text += f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
            else:
                data = self.server.objects[bucket, name]
                text += f"<Contents><Key>{escape(name)}</Key><Size>{len(data)}</Size><ETag>{tag(data)}</ETag>"
                text += "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        self.xml(text + "</ListBucketResult>")

    def ask_object(self, bucket, key, query, body, fault):
        store, place = self.server, (bucket, key)
        if self.command == "PUT" and "partNumber" in query:
            store.uploads[query["uploadId"]][int(query["partNumber"])] = body
            self.answer(ETag=tag(body))
        elif self.command == "PUT":
            store.objects[place] = body
            self.answer(ETag=tag(body))
        elif self.command == "POST" and "uploads" in query:
            upload = f"upload-{next(store.numbers)}"
            store.uploads[upload] = {}
            self.xml(f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>")
        elif self.command == "POST":
            parts = store.uploads.pop(query["uploadId"])
            store.objects[place] = b"".join(data for _, data in sorted(parts.items()))
            self.xml(f"<CompleteMultipartUploadResult><Key>{escape(key)}</Key></CompleteMultipartUploadResult>")
        elif self.command == "DELETE":
            store.uploads.pop(query.get("uploadId"), None) if "uploadId" in query else store.objects.pop(place, None)
            self.answer(204)
        elif place not in store.objects:
            self.refuse(404, "NoSuchKey", "The specified key does not exist.")
        else:
            self.get(store.objects[place], fault)

    def get(self, data, fault):
        wanted = self.headers.get("If-Match")
        if wanted and wanted != tag(data):
            message = "At least one of the pre-conditions you specified did not hold"
            return self.refuse(412, "PreconditionFailed", message)
        first, last, code = 0, len(data), 200
        if asked := self.headers.get("Range"):
            start, _, end = asked.removeprefix("bytes=").partition("-")
            first = int(start) if start else max(0, len(data) - int(end))
            last = min(int(end) + 1, len(data)) if start and end else len(data)
            code = 206
            if first >= len(data):
                return self.refuse(416, "InvalidRange", "The requested range is not satisfiable")
        headers = {"ETag": tag(data), "Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "Content_Length": last - first}
        if fault == "cut":
            self.close_connection = True
            last = (first + last) // 2
        self.answer(code, data[first:last], Content_Type="application/octet-stream", **headers)


@functools.lru_cache(1000)
def tag(data):
    return f'"{hashlib.md5(data).hexdigest()}"'
