/* The freshness chip: what the stream says of itself, and the database's time of what is on the screen. */
(() => {
  "use strict";
  const chip = document.getElementById("chip");
  if (!chip) return;
  const words = {
    live: "live", paused: "paused", reconnecting: "reconnecting…", polling: "every 5 s", final: "final",
    delayed: "delayed by a long transaction",
  };

  document.addEventListener("leaseboard:state", ({ detail }) => {
    chip.dataset.state = detail.state;
    chip.querySelector("[data-chip-word]").textContent = words[detail.state] + (detail.detail ? ` (${detail.detail})` : "");
    if (!detail.now) return;
    const at = chip.querySelector("time"), moment = new Date(detail.now * 1000);
    at.textContent = moment.toLocaleTimeString("en-GB", { timeZone: document.documentElement.dataset.zone });
    at.dateTime = moment.toISOString();
  });
})();
