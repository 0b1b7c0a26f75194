"use strict";
const tip = document.getElementById("tip"), REACH = 24;
const show = (event) => {
  const picture = event.target.closest(".history");
  let mark, least = REACH;
  for (const each of picture ? picture.querySelectorAll("[data-text]") : []) {
    const box = each.getBoundingClientRect();
    const away = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
    if (away <= least) [mark, least] = [each, away];
  }
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.text;
  const at = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(at.left + 12, innerWidth - own.width - 8))}px`;
  tip.style.top = `${at.top > own.height + 12 ? at.top - own.height - 8 : at.bottom + 8}px`;
};
for (const name of ["pointermove", "pointerdown"]) document.addEventListener(name, show);
