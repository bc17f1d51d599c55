/* A form that acts is sent once: its buttons rest while it is on its way, and come back with the page. */
(() => {
  "use strict";
  const rest = (form, on) => { for (const button of form.querySelectorAll("button")) button.disabled = on; };

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-once]");
    if (!form) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    // A moment later: a button that is disabled now would not be sent with its form.
    setTimeout(() => rest(form, true));
  });

  // The browser's Back may bring the page as it was left.
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("[data-once]")) { delete form.dataset.sent; rest(form, false); }
  });
})();
