/* Small comforts that every page has and that nothing depends on: / finds the search, forms of one choice
   send themselves, sentences are copied, the menu closes, the browser's own time zone is offered. */
(() => {
  "use strict";
  const typing = (element) => element.matches("input, select, textarea, [contenteditable]");

  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("[data-search]"), menu = document.getElementById("menu");
    const on = document.documentElement.dataset.shortcuts !== "off";
    if (on && event.key === "/" && search && !typing(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
      search.select();
    }
    if (event.key === "Escape" && menu?.open) { menu.open = false; menu.querySelector("summary").focus(); }
  });

  document.addEventListener("click", (event) => {
    const menu = document.getElementById("menu");
    if (menu?.open && !menu.contains(event.target)) menu.open = false;
    const copy = event.target.closest("[data-copy]");
    if (!copy) return;
    navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent).then(() => {
      copy.textContent = "copied";
      setTimeout(() => { copy.textContent = "copy"; }, 2000);
    });
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.submit();
  });

  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;

  const zones = document.querySelector("[data-zones]"), mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zones && mine && ![...zones.options].some((option) => option.value === mine)) zones.append(new Option(`${mine} (this computer)`, mine));
})();
