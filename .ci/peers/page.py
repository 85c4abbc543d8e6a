#!/usr/bin/env python3
"""Shows pages of `heavytail report` and `heavytail manual --html` in Chromium, headless, and expects of each that it

- loads nothing but itself, and writes nothing to the console;
- does not scroll sideways, on a screen and on a phone 375 pixels wide;
- is light or dark as the reader's system is, with texts of a contrast of at least 4.5;
- names every picture, gives every table a caption and heads, and has no identifier twice.

    page.py PAGE.html… [--pictures FOLDER]    FOLDER gets a screenshot of each view

Chromium is controlled through its debugging pipe, so that nothing but Python is needed.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

VIEWS = {  # name: width, height, pixel ratio, colour scheme, medium
    "light": (1200, 900, 1, "light", ""),
    "dark": (1200, 900, 1, "dark", ""),
    "phone": (375, 812, 2, "light", ""),
    "phone-dark": (375, 812, 2, "dark", ""),
    "print": (794, 1123, 1, "dark", "print"),
}

# JavaScript that measures a page.
MEASURE = r"""(() => {
  const faults = [], root = document.documentElement;
  if (root.scrollWidth > window.innerWidth) {
    const wide = [...document.querySelectorAll('main *, header *')].filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > window.innerWidth + 1);
    faults.push(`scrolls sideways: ${root.scrollWidth} of ${window.innerWidth} pixels: ${wide.slice(0, 3).map(e => e.outerHTML.slice(0, 80))}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of new Set(ids)) if (ids.filter(other => other === id).length > 1) faults.push(`identifier ${id} is there twice`);
  for (const link of document.querySelectorAll('nav a')) if (!document.getElementById(link.getAttribute('href').slice(1))) faults.push(`link to ${link.hash} leads nowhere`);
  for (const svg of document.querySelectorAll('svg.figure')) {
    const named = (svg.getAttribute('aria-labelledby') || '').split(' ').map(id => document.getElementById(id)?.textContent || '');
    if (svg.getAttribute('role') !== 'img' || named.length < 2 || named.includes('')) faults.push(`a picture has no name: ${svg.outerHTML.slice(0, 120)}`);
  }
  for (const table of document.querySelectorAll('table'))
    if (!table.caption?.textContent || [...table.tBodies[0].rows].some(row => row.cells[0].scope !== 'row')) faults.push('a table has no caption or rows without heads');
  const channel = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(Number); return .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b); };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratio = c => { const [a, b] = [light(c), paper].sort((x, y) => y - x); return (a + .05) / (b + .05); };
  const low = new Set();
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    if (e.closest('title, desc, style')) continue;
    const style = getComputedStyle(e), colour = e instanceof SVGElement ? style.fill : style.color;
    if (ratio(colour) < 4.5) low.add(`${e.tagName}.${e.getAttribute('class')} ${colour}`);
  }
  for (const text of low) faults.push(`contrast below 4.5: ${text}`);
  return JSON.stringify({faults, paper, height: root.scrollHeight, letters: document.body.innerText.length});
})()"""


class Chromium:
    """A browser with one page, driven by the pipe."""

    def __init__(self, profile):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not program:
            sys.exit("page.py: there is no Chromium")
        theirs_in, self.out = os.pipe()
        self.into, theirs_out = os.pipe()

        def wires():  # Chromium expects the pipe at descriptors 3 and 4
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=wires, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.into, 1 << 20)
            if not piece:
                sys.exit("page.py: Chromium ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            m = self.message()
            if m.get("id") == self.number:
                if "error" in m:
                    sys.exit(f"page.py: {method}: {m['error']}")
                return m["result"]
            self.events.append(m)

    def wait(self, method):
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.message())

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def show(browser, page, view, folder):
    """Shows a page in a view, and returns what is wrong with it, and its ground."""
    width, height, ratio, scheme, medium = VIEWS[view]
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.events = []
    url = pathlib.Path(page).resolve().as_uri()
    browser.call("Page.navigate", url=url)
    browser.wait("Page.loadEventFired")
    found = json.loads(browser.call("Runtime.evaluate", expression=MEASURE)["result"]["value"])
    faults = found["faults"]
    for e in browser.events:
        p = e.get("params", {})
        if e["method"] == "Network.requestWillBeSent" and p["request"]["url"] != url and not p["request"]["url"].startswith("data:"):
            faults.append("asks for " + p["request"]["url"])
        if e["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            faults.append("console: " + json.dumps(p)[:300])
    if found["letters"] < 200:
        faults.append(f"only {found['letters']} letters")
    if folder:
        shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "height": min(found["height"], 16000 // ratio), "scale": 1})
        path = pathlib.Path(folder) / f"{pathlib.Path(page).stem}-{view}.png"
        path.write_bytes(base64.b64decode(shot["data"]))
    return faults, found


def main():
    args, folder = sys.argv[1:], None
    if "--pictures" in args:
        at = args.index("--pictures")
        folder = args[at + 1]
        del args[at:at + 2]
        os.makedirs(folder, exist_ok=True)
    if not args:
        sys.exit(__doc__)
    wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile)
        for page in args:
            grounds = {}
            for view in VIEWS:
                faults, found = show(browser, page, view, folder)
                grounds[view] = found["paper"]
                for fault in faults:
                    print(f"{page}, {view}: {fault}")
                wrong += len(faults)
            if not (grounds["light"] > 0.5 > grounds["dark"] and grounds["print"] > 0.5):
                print(f"{page}: the ground is {grounds}")
                wrong += 1
            print(f"{page}: {os.path.getsize(page):,} bytes, {found['height']} pixels high")
        browser.close()
    sys.exit(1 if wrong else 0)


main()
