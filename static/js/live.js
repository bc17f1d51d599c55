/* The stream's connection. htmx's extension opens it and swaps what comes; this names, at each opening, where
   the page stands and what it shows (the extension reconnects with a bare URL), pauses, and asks by polling
   where no stream gets through. */
(() => {
  "use strict";
  const QUIET_MS = 9000, HIDDEN_MS = 60000, ASLEEP_MS = 3600000, POLL_MS = 5000;
  const first = document.getElementById("stream"), button = document.getElementById("pause");
  if (!first || !button) return;
  const template = first.cloneNode(true), dead = { readyState: 0, addEventListener() {}, close() {} };
  let after = first.dataset.after, source = null, heard = Date.now(), paused = false, over = false, hiddenAt = 0, turn = 0, turned = Date.now();

  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`leaseboard:${name}`, { detail }));
  const show = (state) => tell("state", { state });
  const asked = (base) => {
    const url = new URL(base, location.href), rows = [...document.querySelectorAll("[data-print]")];
    url.searchParams.set("after", after);
    url.searchParams.set("prints", rows.map((row) => row.id.split("-").pop() + row.dataset.print).join(""));
    return url;
  };
  const noted = (event) => { heard = Date.now(); after = event.lastEventId || after; };
  const fresh = (event) => { const told = JSON.parse(event.data); tell("fresh", told); tell("state", told); };

  htmx.createEventSource = (base) => {
    // The extension may still mean to reopen a stream that was paused or replaced since: that one stays shut.
    if (paused || over || Number(new URL(base, location.href).searchParams.get("turn")) !== turn) return dead;
    source?.close();
    source = new EventSource(asked(base));
    // A browser reconnects to the old URL by itself. Closed, it leaves that to the extension, which comes here.
    source.addEventListener("error", (event) => { event.target.close(); if (!paused && !over) show("reconnecting"); });
    source.addEventListener("update", noted);
    source.addEventListener("fresh", (event) => { noted(event); fresh(event); });
    source.addEventListener("end", () => { over = true; show("final"); button.hidden = true; });
    return source;
  };

  const stop = () => { source?.close(); document.getElementById("stream")?.remove(); };
  const go = () => {
    stop();
    const stream = template.cloneNode(true), url = new URL(stream.getAttribute("sse-connect"), location.href);
    url.searchParams.set("turn", ++turn);
    stream.setAttribute("sse-connect", url.href);
    document.getElementById("clock").after(stream);
    heard = Date.now();
    htmx.process(stream);
  };
  const pause = (on) => {
    paused = on;
    button.setAttribute("aria-pressed", String(on));
    button.setAttribute("aria-label", on ? "Resume live updates" : "Pause live updates");
    button.querySelector("use").setAttribute("href", on ? "#i-play" : "#i-pause");
    show(on ? "paused" : "reconnecting");
    if (on) stop(); else go();
  };
  const poll = () => {
    // A machine that slept as a whole sent no sign of it but this gap: what it shows is as old as after a hidden hour.
    const gap = Date.now() - turned;
    turned = Date.now();
    if (gap > ASLEEP_MS && !paused) { location.reload(); return; }
    if (paused || over || document.hidden || Date.now() - heard < QUIET_MS) return;
    htmx.ajax("GET", asked(first.dataset.poll).href, { source: "#clock", target: "#clock", swap: "none" });
  };
  // A poll that came through tells its own state and time by HX-Trigger.
  document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.elt.id === "clock" && !detail.successful) show("reconnecting"); });

  button.hidden = false;
  button.addEventListener("click", () => pause(!paused));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { hiddenAt = Date.now(); return; }
    const away = Date.now() - hiddenAt;
    if (away > ASLEEP_MS && !paused) location.reload();
    else if (away > HIDDEN_MS && !paused && !over) go();
  });
  setInterval(() => { if (document.hidden && hiddenAt && Date.now() - hiddenAt > HIDDEN_MS) source?.close(); }, 10000);
  setInterval(poll, POLL_MS);
})();
