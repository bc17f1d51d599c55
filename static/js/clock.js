/* Ages, countdowns and the lease ring, ticked from the database's clock: the page learns the offset of its
   own from data-now and from every "fresh" event, so a wrong clock at the desk changes nothing. */
(() => {
  "use strict";
  let offset = 0;
  const words = (seconds) => {
    const s = Math.max(0, Math.floor(seconds));
    if (s >= 172800) return `${Math.floor(s / 86400)} d`;
    if (s >= 7200) return `${Math.floor(s / 3600)} h`;
    return s >= 120 ? `${Math.floor(s / 60)} min` : `${s} s`;
  };
  const write = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  const set = (databaseNow) => { offset = databaseNow - Date.now() / 1000; };

  const tick = () => {
    const now = Date.now() / 1000 + offset;
    for (const e of document.querySelectorAll("[data-since]")) write(e, words(now - e.dataset.since));
    for (const e of document.querySelectorAll("[data-until]")) write(e, words(e.dataset.until - now));
    for (const e of document.querySelectorAll("[data-due]")) {
      const left = e.dataset.due - now;
      write(e, left > 0 ? `in ${words(left)}` : `late ${words(-left)}`);
    }
    for (const e of document.querySelectorAll("[data-ring]")) {
      if (!e.dataset.ring) continue;
      const share = Math.min(1, Math.max(0, (e.dataset.ring - now) / e.dataset.ttl));
      const arc = e.querySelector(".left");
      arc.setAttribute("stroke-dasharray", `${(share * 100).toFixed(1)} 100`);
      arc.setAttribute("stroke-linecap", share > 0.01 ? "round" : "butt");
    }
  };

  const start = document.getElementById("clock");
  if (start) set(Number(start.dataset.now));
  document.addEventListener("leaseboard:fresh", (event) => { set(event.detail.now); tick(); });
  document.addEventListener("htmx:afterSettle", tick);
  tick();
  setInterval(tick, 1000);
})();
