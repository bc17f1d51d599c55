/* Picking rows: one box for all of a page, and how many are picked. Without this every box and button works. */
(() => {
  "use strict";
  const bar = document.querySelector("[data-bulk]"), all = document.querySelector("[data-pick-all]");
  if (!bar || !all) return;
  const boxes = () => [...document.querySelectorAll('input[name="run"][form="bulk"]')];

  const tell = () => {
    const every = boxes(), picked = every.filter((box) => box.checked).length;
    bar.querySelector("[data-picked]").textContent = picked;
    bar.hidden = picked === 0;
    all.checked = picked > 0 && picked === every.length;
    all.indeterminate = picked > 0 && picked < every.length;
  };

  all.hidden = false;
  all.addEventListener("change", () => { for (const box of boxes()) box.checked = all.checked; tell(); });
  document.addEventListener("change", (event) => { if (event.target.name === "run") tell(); });
  document.addEventListener("htmx:oobAfterSwap", tell);
  tell();
})();
