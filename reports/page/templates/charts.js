// The live charts: where they are drawn, their tips, their tables, and their files.

const tip = document.getElementById("tip");

function showTip(event) {
  const text = event.target.closest?.("[data-tip]")?.dataset.tip ?? "";
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(8, event.clientY - height - 12)}px`;
}

/** One drawing on the page: drawn again when its rows or its width change. */
class Chart {
  constructor(element, paint) {
    Object.assign(this, { element, paint, rows: [], width: 0 });
    element.addEventListener("pointermove", showTip);
    element.addEventListener("pointerleave", showTip);
    new ResizeObserver(() => { if (this.room() !== this.width) this.show(); }).observe(element);
  }

  room() {
    return Math.floor(this.element.clientWidth);
  }

  draw(rows, text) {
    this.rows = rows;
    if (text !== undefined) this.element.setAttribute("aria-label", text);
    this.show();
  }

  /** What is hidden has no width; it is drawn when it is shown. */
  show() {
    this.width = this.room();
    if (!this.width || !this.rows.length) return;
    this.svg = this.paint(this.rows, this.width);
    this.element.innerHTML = this.svg;
  }
}

/** Hand a drawing out as a file of its own: colours written out, on its ground, under a title. */
async function picture(chart, title, kind) {
  const { width, height } = chart.element.firstElementChild.viewBox.baseVal;
  const [head, side] = [34, 12];
  const box = { x: -side, y: -head, width: width + 2 * side, height: height + head + side };
  const ground = tag("rect", { ...box, fill: SURFACE });
  const heading = words(title, 0, 8 - head / 2, INK, { "font-family": FONT, "font-size": 14, "font-weight": "600" });
  const size = { width: box.width, height: box.height, viewBox: Object.values(box).map(px).join(" ") };
  const whole = tag("svg", { xmlns: "http://www.w3.org/2000/svg", ...size }, ground + heading + chart.svg);
  const text = whole.replace(/var\((--[\w-]+)\)/g, (_, name) => colour(name));
  const file = `bakeoff-${title.replace(/\W+/g, "-")}.${kind}`;
  if (kind === "svg") return save(file, "image/svg+xml", text);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * box.width, height: 2 * box.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  // Not `toBlob`: where a page is never idle, Chromium puts that off for up to 7 s.
  const [, data] = canvas.toDataURL("image/png").split(",");
  save(file, "image/png", Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
}

/** The colour that a variable has now, light or dark. */
function colour(variable) {
  tip.style.color = `var(${variable})`;
  const value = getComputedStyle(tip).color;
  tip.style.color = "";
  return value;
}

/** Fill a chart's table when it is opened. */
function fillTable(details, rows) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  const columns = details.hasAttribute("data-front") ? ["codec", "corpus", "size", "cost", "front"] : ["codec", "figure"];
  for (const name of columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    const texts = details.hasAttribute("data-front")
      ? [row.corpus, amount(row.size, "byte"), amount(row.cost, "second"), row.front ? "on the front" : ""]
      : [row.label];
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = row.codec;
    line.append(name);
    for (const text of texts) line.insertCell().textContent = text;
  }
  details.querySelector(".fill").replaceChildren(table);
}
