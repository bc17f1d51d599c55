/* The stream's connection. htmx's extension opens it and swaps what comes; this names, at each opening, where
   the page stands and what it shows (the extension reconnects with a bare URL), shows the state on the chip,
   pauses, and asks by polling where no stream gets through. */
(() => {
  "use strict";
  const QUIET_MS = 15000, HIDDEN_MS = 60000, ASLEEP_MS = 3600000, POLL_MS = 5000;
  const chip = document.getElementById("chip"), button = document.getElementById("pause");
  const first = document.getElementById("stream");
  if (!first || !chip) return;
  const template = first.cloneNode(true);
  let after = first.dataset.after, source = null, heard = Date.now(), paused = false, over = false, hiddenAt = 0;

  const show = (state, words) => { chip.dataset.state = state; chip.querySelector("[data-chip-word]").textContent = words; };
  const asked = (base) => {
    const url = new URL(base, location.href);
    const rows = [...document.querySelectorAll("[data-print]")];
    url.searchParams.set("after", after);
    url.searchParams.set("prints", rows.map((row) => row.id.split("-").pop() + row.dataset.print).join(""));
    return url;
  };
  const fresh = (event) => {
    const told = JSON.parse(event.data);
    if (told.state === "delayed") show("delayed", `delayed by a long transaction (${told.detail})`);
    else show("live", "live");
    time(told.now);
    document.dispatchEvent(new CustomEvent("leaseboard:fresh", { detail: told }));
  };
  const time = (seconds) => {
    const at = chip.querySelector("time"), zone = document.documentElement.dataset.zone;
    at.textContent = new Date(seconds * 1000).toLocaleTimeString("en-GB", { timeZone: zone });
    at.dateTime = new Date(seconds * 1000).toISOString();
  };
  const noted = (event) => { heard = Date.now(); if (event.lastEventId) after = event.lastEventId; };

  htmx.createEventSource = (base) => {
    if (source) source.close();
    source = new EventSource(asked(base));
    // A browser reconnects to the old URL by itself. Closed, it leaves that to the extension, which comes here.
    source.addEventListener("error", (event) => { event.target.close(); if (!paused && !over) show("reconnecting", "reconnecting…"); });
    source.addEventListener("update", noted);
    source.addEventListener("fresh", (event) => { noted(event); fresh(event); });
    source.addEventListener("end", () => { over = true; show("final", "final"); if (button) button.hidden = true; });
    return source;
  };

  const stop = () => { source?.close(); document.getElementById("stream")?.remove(); };
  const go = () => {
    stop();
    const stream = template.cloneNode(true);
    document.getElementById("clock").after(stream);
    heard = Date.now();
    htmx.process(stream);
  };
  const pause = (on) => {
    paused = on;
    button.setAttribute("aria-pressed", String(on));
    button.setAttribute("aria-label", on ? "Resume live updates" : "Pause live updates");
    button.querySelector("use").setAttribute("href", on ? "#i-play" : "#i-pause");
    if (on) { stop(); show("paused", "paused"); } else { show("reconnecting", "reconnecting…"); go(); }
  };
  const poll = () => {
    if (paused || over || document.hidden || Date.now() - heard < QUIET_MS) return;
    htmx.ajax("GET", asked(first.dataset.poll).href, { target: "#clock", swap: "none" })
      .then(() => show("polling", "every 5 s")).catch(() => show("reconnecting", "reconnecting…"));
  };

  if (button) { button.hidden = false; button.addEventListener("click", () => pause(!paused)); }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { hiddenAt = Date.now(); return; }
    const away = Date.now() - hiddenAt;
    if (away > ASLEEP_MS && !paused) location.reload();
    else if (away > HIDDEN_MS && !paused && !over) go();
  });
  setInterval(() => { if (document.hidden && hiddenAt && Date.now() - hiddenAt > HIDDEN_MS) source?.close(); }, 10000);
  setInterval(poll, POLL_MS);
})();
