/* What a person opened, scrolled, focused or selected survives the swap of the fragment around it. htmx puts the new
   element in place of the old one by id; this remembers what stood inside and gives it back. */
(() => {
  "use strict";
  const kept = new Map();

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const old = event.detail.target;
    if (!old || !old.id) return;
    const active = old.contains(document.activeElement) ? document.activeElement.id : "";
    const scrolled = [...old.querySelectorAll("[id]")].filter((e) => e.scrollLeft || e.scrollTop).map((e) => [e.id, e.scrollLeft, e.scrollTop]);
    kept.set(old.id, { active, scrolled, open: [...old.querySelectorAll("details[open][id]")].map((d) => d.id), text: selected(old), picked: [...old.querySelectorAll("input[type=checkbox][id]:checked")].map((box) => box.id) });
  });

  document.addEventListener("htmx:oobAfterSwap", (event) => {
    for (const [id, was] of kept) {
      const now = document.getElementById(id);
      if (!now) continue;
      kept.delete(id);
      for (const box of was.picked) { const now = document.getElementById(box); if (now) now.checked = true; }
      for (const open of was.open) document.getElementById(open)?.setAttribute("open", "");
      for (const [part, left, top] of was.scrolled) document.getElementById(part)?.scrollTo(left, top);
      if (was.active) document.getElementById(was.active)?.focus({ preventScroll: true });
      if (was.text) select(now, was.text);
    }
    for (const button of document.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
  });

  // A selection is kept as offsets into the fragment's text, and only if that text still stands there.
  function selected(root) {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!root.contains(range.commonAncestorContainer)) return null;
    const before = range.cloneRange();
    before.selectNodeContents(root);
    before.setEnd(range.startContainer, range.startOffset);
    return { start: before.toString().length, text: range.toString() };
  }

  function select(root, { start, text }) {
    if (root.textContent.slice(start, start + text.length) !== text) return;
    const range = document.createRange();
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let at = 0;
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const end = at + node.length;
      if (start >= at && start <= end) range.setStart(node, start - at);
      if (start + text.length <= end) { range.setEnd(node, start + text.length - at); break; }
      at = end;
    }
    document.getSelection().removeAllRanges();
    document.getSelection().addRange(range);
  }
})();
