"use strict";
const tip = document.getElementById("tip");
document.addEventListener("pointerover", (event) => {
  const text = event.target.dataset?.text;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const mark = event.target.getBoundingClientRect(), own = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(mark.left + 12, innerWidth - own.width - 8))}px`;
  tip.style.top = `${mark.top > own.height + 12 ? mark.top - own.height - 8 : mark.bottom + 8}px`;
});
