"""What the guest book must do, seen from its page and from its API."""

import csv
import io
import re
from typing import Any

from playwright.sync_api import APIResponse, Locator, Page, expect

from benchmark.webdev.checks import check, require

JSON_TYPE = {"Content-Type": "application/json"}
ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
POST_MANY = """count => Promise.all(Array.from({ length: count }, async (_, index) => {
  const answer = await fetch("/api/entries", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: `Guest ${index + 1}`, message: `Hello number ${index + 1}` }),
  });
  return { status: answer.status, entry: await answer.json().catch(() => ({})) };
}))"""


def text_of(answer: APIResponse) -> str:
    return answer.body().decode("utf-8", errors="replace")


def status(answer: APIResponse, wanted: int, what: str) -> None:
    require(answer.status == wanted, f"{what}: status {wanted}", f"status {answer.status}")


def body(answer: APIResponse, what: str) -> dict[str, Any]:
    try:
        data = answer.json()
    except ValueError:
        data = None
    require(isinstance(data, dict), f"{what}: a JSON object as the answer", text_of(answer)[:300])
    return data


def header(answer: APIResponse, name: str) -> str:
    return answer.headers.get(name.lower(), "")


def refused(answer: APIResponse, code: int, error: str, what: str) -> dict[str, Any]:
    status(answer, code, what)
    kind = header(answer, "Content-Type")
    require(kind.startswith("application/json"), f"{what}: Content-Type application/json", kind or "none")
    data = body(answer, what)
    require(data.get("error") == error, f"{what}: the error {error!r}", data.get("error"))
    return data


def listed(answer: APIResponse, what: str = "GET /api/entries") -> list[dict[str, Any]]:
    status(answer, 200, what)
    entries = body(answer, what).get("entries")
    fits = isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)
    require(fits, f'{what}: "entries" is a list of entries', entries)
    return entries  # type: ignore[return-value]


def names(entries: list[dict[str, Any]]) -> list[Any]:
    return [entry.get("name") for entry in entries]


def post(page: Page, name: str, message: str, base: str = "") -> dict[str, Any]:
    answer = page.request.post(f"{base}/api/entries", data={"name": name, "message": message})
    status(answer, 201, "POST /api/entries with a right entry")
    entry = body(answer, "POST /api/entries")
    require(isinstance(entry.get("id"), str) and entry["id"], "a new entry has an id, a text", entry)
    return entry


def post_with_token(page: Page, name: str, message: str) -> tuple[str, str]:
    """The new entry's address and token."""
    entry = post(page, name, message)
    token = entry.get("token")
    require(isinstance(token, str) and len(token) > 0, "the answer to POST has a token, a text", token)
    return f"/api/entries/{entry['id']}", token  # type: ignore[return-value]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def items(page: Page) -> Locator:
    return page.get_by_role("list", name="Entries", exact=True).get_by_role("listitem")


def sign(page: Page, name: str, message: str) -> None:
    page.get_by_label("Your name", exact=True).fill(name)
    page.get_by_label("Your message", exact=True).fill(message)
    page.get_by_role("button", name="Sign the book", exact=True).click()


def fill_book(page: Page, count: int) -> None:
    for number in range(1, count + 1):
        post(page, f"Visitor {number}", f"Greeting {number}")


@check(1, "The API lists the entries, the newest first")
def api_lists(page: Page) -> None:
    answer = page.request.get("/api/entries")
    entries = listed(answer)
    kind = header(answer, "Content-Type")
    require(kind.startswith("application/json"), "the list's Content-Type is application/json", kind or "none")
    wanted = ["Tomás Okafor", "Mei Lindqvist", "Ada Brandt"]
    require(names(entries) == wanted, f"the guests in the order {', '.join(wanted)}", names(entries))
    ada = {
        "id": "1",
        "name": "Ada Brandt",
        "message": "We <3 the garden & the <b>fresh</b> bread.",
        "createdAt": "2024-05-03T09:15:00.000Z",
    }
    seen = {key: entries[2].get(key) for key in ada}
    require(seen == ada, "Ada Brandt's entry with id, name, message and createdAt as in the file", seen)


@check(1, "The page shows the entries, the newest first")
def page_lists(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Guest book", exact=True), "the page has the heading Guest book").to_be_visible()
    expect(items(page), "the list called Entries has three items").to_have_count(3)
    wanted = (
        ("Tomás Okafor", "Room 7 has the best view.", "21 June 2024"),
        ("Mei Lindqvist", "Thank you for the late breakfast!", "30 May 2024"),
        ("Ada Brandt", "We <3 the garden & the <b>fresh</b> bread.", "3 May 2024"),
    )
    for index, parts in enumerate(wanted):
        for part in parts:
            expect(items(page).nth(index), f"item {index + 1} shows {part}").to_contain_text(part)


@check(2, "A new entry can be posted and read at its own address")
def api_posts(page: Page) -> None:
    answer = page.request.post("/api/entries", data={"name": "Mia", "message": "Lovely stay"})
    status(answer, 201, "POST /api/entries")
    first = body(answer, "POST /api/entries")
    require(isinstance(first.get("id"), str), "the new entry's id is a text", first.get("id"))
    got = (first.get("name"), first.get("message"))
    require(got == ("Mia", "Lovely stay"), "the answer holds the name Mia and the message Lovely stay", got)
    created = str(first.get("createdAt"))
    require(ISO_TIME.fullmatch(created) is not None, "createdAt is the time in ISO form", created)
    place = header(answer, "Location")
    right = place.endswith(f"/api/entries/{first['id']}")
    require(right, f"Location is /api/entries/{first['id']}", place or "no Location header")
    second = post(page, "Noor", "We come back")
    ids = [first["id"], second["id"], "1", "2", "3"]
    require(len(set(ids)) == 5, "no two entries share an id", ids)
    for entry in (first, second):
        single = page.request.get(f"/api/entries/{entry['id']}")
        status(single, 200, "GET of a new entry's address")
        seen = body(single, "GET of a new entry's address")
        fits = all(seen.get(key) == entry[key] for key in ("id", "name", "message", "createdAt"))
        require(fits, f"the entry of {entry['name']} at its own address", seen)
    old = body(page.request.get("/api/entries/3"), "GET /api/entries/3")
    require(old.get("name") == "Mei Lindqvist", "GET /api/entries/3 gives the entry of Mei Lindqvist", old)
    order = names(listed(page.request.get("/api/entries")))[:3]
    require(order == ["Noor", "Mia", "Tomás Okafor"], "the list begins with Noor, Mia, Tomás Okafor", order)


@check(2, "Signing on the page puts the entry at the top, as it was written")
def page_signs(page: Page) -> None:
    page.goto("/")
    expect(items(page), "three entries before anybody signs").to_have_count(3)
    page.evaluate("() => { window.stayed = true; }")
    sign(page, "Noor", "We come back")
    expect(items(page), "four entries after signing").to_have_count(4)
    expect(items(page).first, "Noor's entry is at the top").to_contain_text("We come back")
    expect(page.get_by_text("Thank you, Noor!", exact=True), "the page thanks Noor").to_be_visible()
    expect(page.get_by_label("Your name", exact=True), "the name field is empty again").to_have_value("")
    expect(page.get_by_label("Your message", exact=True), "the message field is empty again").to_have_value("")
    message = '<img src="/x" onerror="hacked = 1"> & <script>window.hacked = 1</script> &amp;'
    sign(page, "<b>Mia</b>", message)
    expect(items(page), "five entries after the second signing").to_have_count(5)
    expect(items(page).first, "the name with markup is shown as it was written").to_contain_text("<b>Mia</b>")
    expect(items(page).first, "the message with markup is shown as it was written").to_contain_text(message)
    expect(page.get_by_text("Thank you, <b>Mia</b>!", exact=True), "the thanks show the name").to_be_visible()
    stayed = page.evaluate("() => window.stayed === true")
    require(stayed, "the page is not loaded again when an entry is sent", "the page was loaded again")
    page.goto("/")
    expect(items(page).first, "the message is shown as it was written after a reload too").to_contain_text(message)
    expect(items(page).nth(1), "Noor's entry is second after a reload").to_contain_text("We come back")
    harmless = page.evaluate("() => window.hacked === undefined")
    require(harmless, "markup in an entry never takes effect", "a script in an entry was run")


@check(3, "Wrong entries are refused field by field and right ones are trimmed")
def api_validates(page: Page) -> None:
    no_name, long_name = "Please enter your name.", "Your name may have at most 40 characters."
    no_message, long_message = "Please write a message.", "Your message may have at most 280 characters."
    cases: tuple[tuple[str, dict[str, Any], dict[str, str]], ...] = (
        ("an empty object", {}, {"name": no_name, "message": no_message}),
        ("white space as name", {"name": " \t ", "message": "Hello"}, {"name": no_name}),
        ("white space as message", {"name": "Mia", "message": "\n  "}, {"message": no_message}),
        ("a number as name", {"name": 7, "message": "Hello"}, {"name": no_name}),
        ("nothing as message", {"name": "Mia", "message": None}, {"message": no_message}),
        ("a name of 41 characters", {"name": "n" * 41, "message": "Hello"}, {"name": long_name}),
        ("a message of 281 characters", {"name": "Mia", "message": "m" * 281}, {"message": long_message}),
        ("a name of 41 emoji", {"name": "😀" * 41, "message": "Hello"}, {"name": long_name}),
    )
    for what, entry, fields in cases:
        data = refused(page.request.post("/api/entries", data=entry), 422, "Please check your entry.", what)
        require(data.get("fields") == fields, f"{what}: the fields {fields}", data.get("fields"))
    count = len(listed(page.request.get("/api/entries")))
    require(count == 3, "nothing wrong is stored: three entries", f"{count} entries")
    fitting = post(page, f"  {'😀' * 40}\n", f" {'m' * 280}  ")
    kept = fitting.get("name") == "😀" * 40 and fitting.get("message") == "m" * 280
    require(kept, "40 emoji and 280 letters are accepted, white space at both ends taken away", fitting)


@check(3, "A body that is no JSON object or of another type is refused")
def api_refuses_bodies(page: Page) -> None:
    for what, raw in (
        ("broken JSON", b'{"name": "Mia",'),
        ("a list", b"[]"),
        ("null", b"null"),
        ("a text", b'"Mia"'),
        ("no body at all", b""),
    ):
        answer = page.request.post("/api/entries", data=raw, headers=JSON_TYPE)
        refused(answer, 400, "The body must be a JSON object.", what)
    entry = b'{"name": "Mia", "message": "Hello"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp"):
        answer = page.request.post("/api/entries", data=entry, headers={"Content-Type": kind})
        refused(answer, 415, "Please send application/json.", f"Content-Type {kind}")
    answer = page.request.post("/api/entries", data=entry, headers={"Content-Type": "application/json; charset=utf-8"})
    status(answer, 201, "Content-Type application/json; charset=utf-8")
    found = names(listed(page.request.get("/api/entries")))
    require(len(found) == 4 and found[0] == "Mia", "only the right entry is stored", found)


@check(3, "The form says what is wrong with which field")
def page_validates(page: Page) -> None:
    page.goto("/")
    name, message = page.get_by_label("Your name", exact=True), page.get_by_label("Your message", exact=True)
    no_name, long_message = "Please enter your name.", "Your message may have at most 280 characters."
    sign(page, "", "")
    expect(name, "the name field's description says that the name is missing").to_have_accessible_description(
        re.compile(re.escape(no_name))
    )
    expect(message, "the message field's description says that the message is missing").to_have_accessible_description(
        re.compile(r"Please write a message\.")
    )
    expect(page.get_by_text(no_name).first, "the words about the name can be seen").to_be_visible()
    expect(name, "the name field, the first wrong one, has the focus").to_be_focused()
    sign(page, "Mia", "m" * 281)
    expect(message, "the message field's description says that it is too long").to_have_accessible_description(
        re.compile(re.escape(long_message))
    )
    expect(message, "the message field is marked as invalid").to_have_attribute("aria-invalid", "true")
    expect(message, "the message field has the focus").to_be_focused()
    expect(message, "what was typed stays in the form").to_have_value("m" * 281)
    expect(name, "the name is still in the form").to_have_value("Mia")
    expect(name, "the name field, now right, is not marked any more").not_to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text(no_name).first, "the words about the name are gone").to_be_hidden()
    expect(items(page), "nothing wrong is stored").to_have_count(3)
    sign(page, "Mia", "m" * 280)
    expect(items(page), "the right entry is in the list").to_have_count(4)
    expect(page.get_by_text(long_message).first, "the words about the message are gone").to_be_hidden()
    expect(message, "the message field is not marked any more").not_to_have_attribute("aria-invalid", "true")


@check(4, "Unknown addresses and methods are answered as agreed")
def errors(page: Page) -> None:
    for method, path in (
        ("GET", "/api/nothing"),
        ("POST", "/api/nothing"),
        ("GET", "/api/entries/none-such"),
        ("GET", "/api/entries/1/more"),
        ("DELETE", "/api/other/thing"),
    ):
        refused(page.request.fetch(path, method=method), 404, "Not found.", f"{method} {path}")
    for method, path, has in (
        ("DELETE", "/api/entries", {"GET", "POST"}),
        ("PATCH", "/api/entries", {"GET", "POST"}),
        ("PATCH", "/api/entries/1", {"GET"}),
        ("POST", "/api/entries/1", {"GET"}),
    ):
        answer = page.request.fetch(path, method=method)
        refused(answer, 405, "Method not allowed.", f"{method} {path}")
        allow = {part.strip().upper() for part in header(answer, "Allow").split(",")}
        fits = has <= allow and method not in allow
        require(fits, f"{method} {path}: Allow names {', '.join(sorted(has))} and not {method}", ", ".join(sorted(allow)))
    for path in ("/api/entries", "/api/entries/1", "/"):
        whole, head = page.request.get(path), page.request.head(path)
        status(head, 200, f"HEAD {path}")
        kinds = [header(head, "Content-Type"), header(whole, "Content-Type")]
        require(kinds[0] == kinds[1], f"HEAD {path}: the Content-Type that GET has, {kinds[1]}", kinds[0] or "none")
        require(head.body() == b"", f"HEAD {path}: no body", f"{len(head.body())} bytes")
    status(page.request.head("/api/entries/none-such"), 404, "HEAD of an entry that does not exist")
    page.goto("/no/such/page")
    expect(
        page.get_by_role("heading", name="Page not found", exact=True), "an unknown page says Page not found"
    ).to_be_visible()
    status(page.request.get("/no/such/page"), 404, "GET of an unknown page")
    page.get_by_role("link", name="Back to the guest book", exact=True).click()
    expect(items(page), "the link leads back to the guest book with its entries").to_have_count(3)


@check(4, "Bodies of more than 10,240 bytes are refused")
def too_large(page: Page) -> None:
    def padded(size: int, text: str) -> bytes:
        entry = f'{{"name": "Mia", "message": "{text}"'.encode()
        return entry + b" " * (size - len(entry) - 1) + b"}"

    for what, raw in (
        ("a body of 10,241 bytes", padded(10_241, "Hello")),
        ("a body of 10,241 bytes in fewer characters", padded(10_241, "é" * 200)),
        ("a body of 200,000 bytes", padded(200_000, "Hello")),
    ):
        answer = page.request.post("/api/entries", data=raw, headers=JSON_TYPE)
        refused(answer, 413, "The entry is too large.", what)
    count = len(listed(page.request.get("/api/entries")))
    require(count == 3, "nothing of that is stored: three entries", f"{count} entries")
    answer = page.request.post("/api/entries", data=padded(10_240, "é" * 200), headers=JSON_TYPE)
    status(answer, 201, "a body of exactly 10,240 bytes")


@check(5, "Files of the public folder are served with their type")
def static_files(page: Page) -> None:
    for path, kind, part in (
        ("/img/house.svg", "image/svg+xml", "<svg"),
        ("/house%20rules.txt", "text/plain", "Breakfast is from 7 to 11."),
        ("/img/house.svg?v=2", "image/svg+xml", "<svg"),
        ("/", "text/html", "<"),
    ):
        answer = page.request.get(path)
        status(answer, 200, f"GET {path}")
        seen = header(answer, "Content-Type")
        require(seen.split(";")[0].strip() == kind, f"GET {path}: Content-Type {kind}", seen or "none")
        require(part in text_of(answer), f"GET {path}: the content of the file", text_of(answer)[:100])
        sniff = header(answer, "X-Content-Type-Options")
        require(sniff == "nosniff", f"GET {path}: the header X-Content-Type-Options: nosniff", sniff or "none")
    head = page.request.head("/house%20rules.txt")
    status(head, 200, "HEAD /house%20rules.txt")
    answer = page.request.post("/img/house.svg", data={})
    status(answer, 405, "POST /img/house.svg")
    allow = {part.strip().upper() for part in header(answer, "Allow").split(",")}
    require({"GET", "HEAD"} <= allow, "POST /img/house.svg: Allow names GET and HEAD", header(answer, "Allow") or "none")
    page.goto("/")
    picture = page.get_by_role("img", name="Harbour House", exact=True)
    expect(picture, "the page shows the picture of the house").to_be_visible()
    expect(picture, "the picture is loaded, 240 pixels wide by nature").to_have_js_property("naturalWidth", 240)


@check(5, "Nothing outside of the public folder is served")
def nothing_else(page: Page) -> None:
    for path in (
        "/server.js",
        "/data/entries.json",
        "/public/index.html",
        "/..%2fserver.js",
        "/..%2Fdata%2Fentries.json",
        "/img%2f..%2f..%2fdata%2fentries.json",
        "/%2e%2e%2fpackage.json",
        "/..%2fpublic-drafts%2foffer.txt",
        "/..%5cserver.js",
        "/img",
    ):
        answer = page.request.get(path)
        status(answer, 404, f"GET {path}")
        require("Page not found" in text_of(answer), f"GET {path}: the page Page not found", text_of(answer)[:200])
    refusal = page.request.get("/none%00.txt").status
    require(refusal in (400, 404), "GET /none%00.txt: status 404", f"status {refusal}")
    status(page.request.get("/%zz"), 400, "GET /%zz")
    status(page.request.get("/house%20rules.txt"), 200, "a file of the public folder, after all of this")
    count = len(listed(page.request.get("/api/entries")))
    require(count == 3, "the server keeps running, with three entries", f"{count} entries")


@check(6, "Entries survive a restart")
def survives(page: Page, site: Any) -> None:
    page.goto("/")
    sign(page, "Mia", "Kept for ever — 😀")
    expect(items(page).first, "Mia's entry is at the top").to_contain_text("Kept for ever — 😀")
    post(page, "Noor", "Me too")
    before = listed(page.request.get("/api/entries"))
    site.restart()
    after = listed(page.request.get(f"{site.url}/api/entries"), "GET /api/entries after a restart")
    keys = ("id", "name", "message", "createdAt")
    wanted, seen = ([[entry.get(key) for key in keys] for entry in entries] for entries in (before, after))
    require(len(wanted) == 5, "five entries before the restart", wanted)
    require(seen == wanted, f"after the restart the same entries in the same order: {names(before)}", seen)
    third = post(page, "Olga", "After the restart", site.url)
    fresh = third["id"] not in [entry.get("id") for entry in before]
    require(fresh, "an entry posted after the restart has an id of its own", third["id"])
    site.restart()
    order = names(listed(page.request.get(f"{site.url}/api/entries")))[:3]
    require(order == ["Olga", "Noor", "Mia"], "after a second restart the list begins with Olga, Noor, Mia", order)


@check(6, "Guests who sign at the same moment are all kept")
def many_at_once(page: Page, site: Any) -> None:
    page.goto("/")
    answers = page.evaluate(POST_MANY, 25)
    codes = sorted({answer["status"] for answer in answers})
    require(codes == [201], "25 entries sent at once are all answered with 201", codes)
    ids = [answer["entry"].get("id") for answer in answers]
    require(len(set(ids)) == 25, "25 entries sent at once get 25 ids", f"{len(set(ids))} different ids")
    site.restart()
    lost = []
    for number, entry_id in enumerate(ids, 1):
        answer = page.request.get(f"{site.url}/api/entries/{entry_id}")
        message = body(answer, "GET of an entry's address").get("message") if answer.status == 200 else None
        if message != f"Hello number {number}":
            lost.append(number)
    require(not lost, "after a restart each of the 25 entries is at its address", f"lost or mixed up: {lost}")


@check(7, "The owner of an entry can change and delete it")
def owner_changes(page: Page, site: Any) -> None:
    mia, token = post_with_token(page, "Mia", "Lovely stay")
    _, other = post_with_token(page, "Noor", "We come back")
    require(token != other, "two entries have two different tokens", "the same token twice")
    before = body(page.request.get(mia), "GET of the entry")
    bad = page.request.put(mia, data={"name": " ", "message": "Changed"}, headers=bearer(token))
    fields = refused(bad, 422, "Please check your entry.", "PUT with an empty name").get("fields")
    require(fields == {"name": "Please enter your name."}, "PUT with an empty name: the name's message", fields)
    answer = page.request.put(mia, data={"name": " Mia B. ", "message": "Changed"}, headers=bearer(token))
    status(answer, 200, "PUT with the token")
    changed = body(answer, "PUT with the token")
    got = [changed.get(key) for key in ("id", "name", "message", "createdAt")]
    wanted = [before.get("id"), "Mia B.", "Changed", before.get("createdAt")]
    require(got == wanted, f"PUT answers with the changed entry: {wanted}", got)
    time = str(changed.get("updatedAt"))
    require(ISO_TIME.fullmatch(time) is not None, "updatedAt is the time of the change in ISO form", time)
    order = names(listed(page.request.get("/api/entries")))[:3]
    require(order == ["Noor", "Mia B.", "Tomás Okafor"], "the changed entry keeps its place in the list", order)
    site.restart()
    again = body(page.request.get(f"{site.url}{mia}"), "GET of the entry after a restart")
    require(again.get("message") == "Changed", "the change survives a restart", again.get("message"))
    gone = page.request.delete(f"{site.url}{mia}", headers=bearer(token))
    status(gone, 204, "DELETE with the token, after a restart")
    refused(page.request.get(f"{site.url}{mia}"), 404, "Not found.", "GET of a deleted entry")
    refused(page.request.delete(f"{site.url}{mia}", headers=bearer(token)), 404, "Not found.", "DELETE a second time")
    site.restart()
    order = names(listed(page.request.get(f"{site.url}/api/entries")))
    left = ["Noor", "Tomás Okafor", "Mei Lindqvist", "Ada Brandt"]
    require(order == left, f"after another restart {', '.join(left)} are left", order)


@check(7, "Without the right token nothing changes, and tokens stay secret")
def strangers(page: Page) -> None:
    mia, token = post_with_token(page, "Mia", "Lovely stay")
    _, other = post_with_token(page, "Noor", "We come back")
    entry = {"name": "Eve", "message": "Overwritten"}
    for method in ("PUT", "DELETE"):
        data = entry if method == "PUT" else None
        answer = page.request.fetch(mia, method=method, data=data)
        refused(answer, 401, "A token is needed.", f"{method} without a token")
        challenge = header(answer, "WWW-Authenticate")
        fits = challenge.startswith("Bearer")
        require(fits, f"{method} without a token: WWW-Authenticate begins with Bearer", challenge or "none")
        for what, path, secret in (
            ("the token of another entry", mia, other),
            ("a made-up token", mia, "wrong"),
            ("the token and something after it", mia, f"{token}x"),
            ("any token on an old entry", "/api/entries/1", token),
            ("the word undefined on an old entry", "/api/entries/1", "undefined"),
        ):
            answer = page.request.fetch(path, method=method, data=data, headers=bearer(secret))
            refused(answer, 403, "This token does not fit.", f"{method} with {what}")
        answer = page.request.fetch("/api/entries/none-such", method=method, data=data)
        refused(answer, 404, "Not found.", f"{method} of an entry that does not exist")
    found = names(listed(page.request.get("/api/entries")))
    wanted = ["Noor", "Mia", "Tomás Okafor", "Mei Lindqvist", "Ada Brandt"]
    require(found == wanted, "all five entries are as they were", found)
    answers = {
        "the list": page.request.get("/api/entries"),
        "the single entry": page.request.get(mia),
        "the answer to PUT": page.request.put(mia, data=entry, headers=bearer(token)),
        "the page": page.request.get("/"),
    }
    for what, answer in answers.items():
        text = text_of(answer)
        require(token not in text and other not in text, f"{what} contains no token", "a token stands in it")


@check(7, "On the page guests can delete what they signed, and only that")
def page_deletes(page: Page) -> None:
    page.goto("/")
    any_delete = page.get_by_role("button", name=re.compile("^Delete the entry by "))
    sign(page, "Mia", "Lovely stay")
    expect(items(page), "Mia's entry is in the list").to_have_count(4)
    sign(page, "Noor", "We come back")
    expect(items(page), "Noor's entry is in the list").to_have_count(5)
    expect(any_delete, "two entries can be deleted, the two signed here").to_have_count(2)
    page.reload()
    expect(any_delete, "two entries can be deleted after a reload").to_have_count(2)
    page.evaluate("() => { window.stayed = true; }")
    page.get_by_role("button", name="Delete the entry by Mia", exact=True).click()
    expect(items(page), "one entry less").to_have_count(4)
    expect(page.get_by_text("Your entry has been deleted.", exact=True), "the page says it is deleted").to_be_visible()
    expect(items(page).first, "Noor's entry is still there").to_contain_text("We come back")
    expect(any_delete, "one entry is left that can be deleted").to_have_count(1)
    require(page.evaluate("() => window.stayed === true"), "the page is not loaded again", "the page was loaded again")
    page.reload()
    expect(items(page), "the entry is still gone after a reload").to_have_count(4)
    found = names(listed(page.request.get("/api/entries")))
    wanted = ["Noor", "Tomás Okafor", "Mei Lindqvist", "Ada Brandt"]
    require(found == wanted, "Mia's entry is gone from the list of the API", found)


@check(8, "The API gives the list page by page")
def api_pages(page: Page) -> None:
    fill_book(page, 9)
    for query, numbers, first, length in (
        ("", (1, 10, 2, 12), "Visitor 9", 10),
        ("?page=2", (2, 10, 2, 12), "Mei Lindqvist", 2),
        ("?page=3", (3, 10, 2, 12), None, 0),
        ("?page=2&size=5", (2, 5, 3, 12), "Visitor 4", 5),
        ("?size=6", (1, 6, 2, 12), "Visitor 9", 6),
        ("?size=50", (1, 50, 1, 12), "Visitor 9", 12),
    ):
        what = f"GET /api/entries{query}"
        answer = page.request.get(f"/api/entries{query}")
        entries, data = listed(answer, what), body(answer, what)
        seen = {key: data.get(key) for key in ("page", "size", "pages", "total")}
        wanted = dict(zip(seen, numbers, strict=True))
        require(seen == wanted, f"{what}: {wanted}", seen)
        require(len(entries) == length, f"{what}: {length} entries", f"{len(entries)} entries")
        if first:
            require(entries[0].get("name") == first, f"{what}: begins with {first}", entries[0].get("name"))


@check(8, "Page numbers and sizes that make no sense are refused")
def bad_pages(page: Page) -> None:
    for value in ("0", "-1", "1.5", "2x", "", "x"):
        answer = page.request.get(f"/api/entries?page={value}")
        refused(answer, 400, "page must be a whole number from 1.", f"?page={value}")
    for value in ("0", "51", "-5", "2.5", "", "ten"):
        answer = page.request.get(f"/api/entries?size={value}")
        refused(answer, 400, "size must be a whole number from 1 to 50.", f"?size={value}")
    listed(page.request.get("/api/entries?page=1&size=50"), "GET /api/entries?page=1&size=50")


@check(8, "The page shows ten entries and leads to the others")
def page_pages(page: Page) -> None:
    newer = page.get_by_role("link", name="Newer entries", exact=True)
    older = page.get_by_role("link", name="Older entries", exact=True)
    fill_book(page, 9)
    page.goto("/")
    expect(page.get_by_text("Page 1 of 2", exact=True), "it says Page 1 of 2").to_be_visible()
    expect(items(page), "the first page has ten entries").to_have_count(10)
    expect(newer, "no newer entries on the first page").to_have_count(0)
    older.click()
    expect(page.get_by_text("Page 2 of 2", exact=True), "it says Page 2 of 2").to_be_visible()
    expect(items(page), "the second page has two entries").to_have_count(2)
    expect(items(page).last, "the oldest entry is the last").to_contain_text("Ada Brandt")
    expect(older, "no older entries on the last page").to_have_count(0)
    expect(page, "the address of the second page ends with ?page=2").to_have_url(re.compile(r"/\?page=2$"))
    page.reload()
    expect(items(page), "a reload stays on the second page with two entries").to_have_count(2)
    page.go_back()
    expect(items(page), "Back leads to the first page with ten entries").to_have_count(10)
    page.goto("/?page=2")
    expect(newer, "there are newer entries on the second page").to_be_visible()
    sign(page, "Mia", "Lovely stay")
    expect(items(page).first, "after signing on page 2 the new entry is at the top").to_contain_text("Lovely stay")
    expect(items(page), "after signing the first page with ten entries is shown").to_have_count(10)
    expect(page.get_by_text("Page 1 of 2", exact=True), "after signing it says Page 1 of 2").to_be_visible()


def tag_of(answer: APIResponse, what: str) -> str:
    status(answer, 200, what)
    tag = header(answer, "ETag")
    require(re.fullmatch(r'"[^"]+"', tag) is not None, f"{what}: a strong ETag", tag or "no ETag")
    return tag


def not_modified(answer: APIResponse, tag: str, what: str) -> None:
    status(answer, 304, what)
    require(answer.body() == b"", f"{what}: no body", f"{len(answer.body())} bytes")
    require(header(answer, "ETag") == tag, f"{what}: the ETag {tag}", header(answer, "ETag") or "no ETag")


@check(9, "What has not changed is not sent again")
def conditional_get(page: Page) -> None:
    mia, token = post_with_token(page, "Mia", "Lovely stay")
    paths = ("/api/entries", "/api/entries?page=2", "/api/entries?size=2", mia)
    tags = {path: tag_of(page.request.get(path), f"GET {path}") for path in paths}
    for path, tag in tags.items():
        same = tag_of(page.request.get(path), f"GET {path} again")
        require(same == tag, f"GET {path} again: the same ETag {tag}", same)
        head = tag_of(page.request.head(path), f"HEAD {path}")
        require(head == tag, f"HEAD {path}: the same ETag {tag}", head)
        for value in (tag, f'"other", {tag}', f'W/{tag}, "other"', "*"):
            answer = page.request.get(path, headers={"If-None-Match": value})
            not_modified(answer, tag, f"GET {path} with If-None-Match: {value}")
        head_again = page.request.head(path, headers={"If-None-Match": tag})
        not_modified(head_again, tag, f"HEAD {path} with If-None-Match: {tag}")
        answer = page.request.get(path, headers={"If-None-Match": '"other"'})
        tag_of(answer, f"GET {path} with another tag in If-None-Match")
    edit = page.request.put(mia, data={"name": "Mia", "message": "Changed"}, headers=bearer(token))
    status(edit, 200, "PUT with the token")
    for path in ("/api/entries", mia):
        answer = page.request.get(path, headers={"If-None-Match": tags[path]})
        tag = tag_of(answer, f"GET {path} with the old tag after a change")
        require(tag != tags[path], f"GET {path}: another ETag after a change", tag)
        require("Changed" in text_of(answer), f"GET {path}: the new content after a change", text_of(answer)[:200])


@check(9, "Nobody overwrites a change that they have not seen")
def conditional_put(page: Page) -> None:
    meantime = "The entry has changed in the meantime."
    mia, token = post_with_token(page, "Mia", "Lovely stay")

    def put(message: str, match: str, secret: str = token) -> APIResponse:
        headers = {**bearer(secret), "If-Match": match}
        return page.request.put(mia, data={"name": "Mia", "message": message}, headers=headers)

    def message_is(wanted: str) -> None:
        seen = body(page.request.get(mia), f"GET {mia}").get("message")
        require(seen == wanted, f"the message is {wanted}", seen)

    old = tag_of(page.request.get(mia), "GET of the entry")
    new = tag_of(put("Second", old), "PUT with the present tag in If-Match")
    require(new != old, "PUT answers with a new ETag", new)
    seen = tag_of(page.request.get(mia), "GET after PUT")
    require(seen == new, f"GET gives the ETag that PUT answered with, {new}", seen)
    refused(put("Third", old), 412, meantime, "PUT with an old tag in If-Match")
    message_is("Second")
    refused(put("Third", f"W/{new}"), 412, meantime, "PUT with the weak form of the tag in If-Match")
    refused(put("Third", new, "wrong"), 403, "This token does not fit.", "PUT with the present tag and a wrong token")
    refused(put("Third", old, "wrong"), 403, "This token does not fit.", "PUT with an old tag and a wrong token")
    newer = tag_of(put("Third", f'"other", {new}'), "PUT with the present tag among others in If-Match")
    message_is("Third")
    tag_of(put("Fourth", "*"), "PUT with If-Match: *")
    message_is("Fourth")
    stale = page.request.delete(mia, headers={**bearer(token), "If-Match": newer})
    refused(stale, 412, meantime, "DELETE with an old tag in If-Match")
    message_is("Fourth")
    present = tag_of(page.request.get(mia), "GET of the entry")
    gone = page.request.delete(mia, headers={**bearer(token), "If-Match": present})
    status(gone, 204, "DELETE with the present tag in If-Match")


def rows(answer: APIResponse, what: str) -> list[list[str]]:
    status(answer, 200, what)
    kind = header(answer, "Content-Type")
    require(kind.split(";")[0].strip() == "text/csv", f"{what}: Content-Type text/csv", kind or "none")
    return list(csv.reader(io.StringIO(text_of(answer), newline="")))


@check(10, "The whole book can be downloaded as CSV")
def csv_download(page: Page) -> None:
    fill_book(page, 8)
    tricky = ('Ann "Annie" Lee', 'Breakfast, garden, view:\n"all good"')
    formulas = (("=1+1", "@home"), ("+49 170", "-5 degrees = fine"))
    for name, message in (tricky, *formulas):
        post(page, name, message)
    answer = page.request.get("/guest-book.csv")
    found = rows(answer, "GET /guest-book.csv")
    head = ["id", "name", "message", "createdAt"]
    require(found[:1] == [head], f"the first line is {','.join(head)}", found[:1])
    require(len(found) == 15, "a first line and 14 entries", f"{len(found)} lines")
    cells = [row[1:3] for row in found[1:4]]
    wanted = [["'+49 170", "'-5 degrees = fine"], ["'=1+1", "'@home"], list(tricky)]
    require(cells == wanted, f"the newest three entries as {wanted}", cells)
    last = ["1", "Ada Brandt", "We <3 the garden & the <b>fresh</b> bread.", "2024-05-03T09:15:00.000Z"]
    require(found[-1] == last, f"the last line is {last}", found[-1])
    text = text_of(answer)
    ended = text.endswith("\r\n") and text.count("\r\n") == 15
    require(ended, "each of the 15 lines ends with CR LF", f"{text.count(chr(13) + chr(10))} CR LF, end {text[-5:]!r}")
    page.goto("/")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download as CSV", exact=True).click()
    name = waiting.value.suggested_filename
    require(name == "guest-book.csv", "the link downloads a file called guest-book.csv", name)


@check(10, "The list comes as JSON or as CSV, as is preferred")
def negotiates(page: Page) -> None:
    fill_book(page, 9)
    whole = rows(page.request.get("/guest-book.csv"), "GET /guest-book.csv")
    for accept, kind in (
        ("text/csv", "text/csv"),
        ("text/*", "text/csv"),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("text/csv, application/json", "application/json"),
        ("text/csv;q=0.5, application/json", "application/json"),
        ("application/json;q=0.2, text/csv;q=0.9", "text/csv"),
        ("text/html, application/xml;q=0.9, */*;q=0.8", "application/json"),
        ("application/json;q=0.3, */*;q=0.5", "text/csv"),
        ("application/json;q=0, */*", "text/csv"),
        ("text/csv;q=0, text/*, application/json;q=0.1", "application/json"),
    ):
        answer = page.request.get("/api/entries", headers={"Accept": accept})
        what = f"GET /api/entries with Accept: {accept}"
        status(answer, 200, what)
        seen = header(answer, "Content-Type").split(";")[0].strip()
        require(seen == kind, f"{what}: Content-Type {kind}", seen or "none")
        vary = {part.strip().lower() for part in header(answer, "Vary").split(",")}
        require("accept" in vary, f"{what}: the header Vary: Accept", header(answer, "Vary") or "none")
        if kind == "text/csv":
            require(rows(answer, what) == whole, f"{what}: the same CSV as /guest-book.csv", text_of(answer)[:200])
    for accept in ("text/html", "image/*, application/xml;q=0.9", "application/json;q=0, text/csv;q=0"):
        answer = page.request.get("/api/entries", headers={"Accept": accept})
        refused(answer, 406, "We have application/json and text/csv.", f"GET /api/entries with Accept: {accept}")


@check(10, "ETags work for the CSV as for the JSON")
def csv_tags(page: Page) -> None:
    as_csv = {"Accept": "text/csv"}
    json_tag = tag_of(page.request.get("/api/entries"), "GET /api/entries")
    csv_tag = tag_of(page.request.get("/api/entries", headers=as_csv), "GET /api/entries as CSV")
    require(csv_tag != json_tag, "the CSV has another ETag than the JSON", csv_tag)
    answer = page.request.get("/api/entries", headers={**as_csv, "If-None-Match": json_tag})
    rows(answer, "GET /api/entries as CSV with the tag of the JSON")
    answer = page.request.get("/api/entries", headers={**as_csv, "If-None-Match": csv_tag})
    not_modified(answer, csv_tag, "GET /api/entries as CSV with its tag")
    vary = {part.strip().lower() for part in header(answer, "Vary").split(",")}
    require("accept" in vary, "the 304 of /api/entries has Vary: Accept too", header(answer, "Vary") or "none")
    file_tag = tag_of(page.request.get("/guest-book.csv"), "GET /guest-book.csv")
    answer = page.request.get("/guest-book.csv", headers={"If-None-Match": file_tag})
    not_modified(answer, file_tag, "GET /guest-book.csv with its tag")
    post(page, "Mia", "Lovely stay")
    answer = page.request.get("/guest-book.csv", headers={"If-None-Match": file_tag})
    require("Mia" in str(rows(answer, "GET /guest-book.csv with the old tag")), "the new entry is in the CSV", "it is not")
