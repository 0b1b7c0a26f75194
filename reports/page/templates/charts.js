// The live charts, drawn as SVG from rows. Colours are CSS variables, so that one drawing is light, dark and print.

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

const SPACE = "http://www.w3.org/2000/svg";
const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
const pen = document.createElement("canvas").getContext("2d");

function drawn(kind, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function sheet(width, height, ...children) {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  return drawn("svg", { ...size, "font-family": FONT, "aria-hidden": "true" }, ...children);
}

function words(text, x, y, attributes = {}) {
  return drawn("text", { x, y, "font-size": 11.5, fill: "var(--muted)", "dominant-baseline": "central", ...attributes }, text);
}

function wide(text, size = 12) {
  pen.font = `${size}px ${FONT}`;
  return pen.measureText(text).width;
}

function shortened(text, most) {
  if (wide(text) <= most) return text;
  let kept = text.length;
  while (kept > 1 && wide(`${text.slice(0, kept)}…`) > most) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

const look = (format) => state.charts.looks[format] ?? { color: "var(--muted)", shape: "M-1,-1H1V1H-1Z" };

/** A mark of a format; hollow where something is lost. */
function mark(x, y, size, format, { hollow = false, ...attributes } = {}) {
  const { color, shape } = look(format);
  const [fill, stroke] = hollow ? ["var(--surface)", color] : [color, "var(--surface)"];
  return drawn("path", { d: shape, transform: `translate(${x},${y}) scale(${size})`, fill, stroke, "stroke-width": (hollow ? 1.5 : 1) / size, ...attributes });
}

/** Bars of one operation, each with its interval and its figure in words. */
function bars(rows, width) {
  const left = Math.min(140, Math.max(...rows.map((row) => wide(row.codec)))) + 7;
  const beside = (row) => wide(row.label, 11.5) + 9;
  // The room that leaves every figure on the drawing, however narrow that is.
  const room = Math.max(24, Math.min(...rows.map((row) => (width - left - beside(row)) / Math.max(row.end, 0.05))));
  const across = Math.min(room, width - left - 60);
  const parts = rows.flatMap((row, index) => {
    const y = 19 * index + 10;
    const bar = (share, color, attributes = {}) => drawn("rect", { x: left, y: y - 6, width: share * across, height: 12, fill: color, ...attributes });
    const { color } = look(row.format);
    const whole = "part" in row
      ? [bar(row.length, "var(--rule)"), bar(row.part, color)]
      : [bar(row.length, row.lossy ? "var(--surface)" : color, { stroke: color, "stroke-width": 1.25 })];
    if (row.cut !== null) {
      const x = left + row.cut * across;
      whole.push(drawn("path", { d: `M${x - 5},${y + 8}L${x + 1},${y - 8}H${x + 5}L${x - 1},${y + 8}Z`, fill: "var(--surface)" }));
    }
    if (row.low !== null) whole.push(drawn("path", { d: `M${left + row.low * across},${y}H${left + row.high * across}`, stroke: "var(--ink)", "stroke-width": 1.5 }));
    return [
      words(shortened(row.codec, 140), left - 7, y, { "text-anchor": "end", "font-size": 12, fill: "var(--ink)" }),
      ...whole,
      words(row.label, left + row.end * across + 7, y),
    ];
  });
  return sheet(width, 19 * rows.length + 2, ...parts);
}

/** Steps of a logarithmic axis: decades and what is between them, or even steps where the axis is short. */
function ticks([low, high]) {
  for (const steps of [[1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]]) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      found.push(...steps.map((step) => step * 10 ** power).filter((value) => value >= low && value <= high));
    }
    if (found.length > 2) return found;
  }
  const rough = (high - low) / 8;
  const step = [1, 2, 5, 10].map((factor) => factor * 10 ** Math.floor(Math.log10(rough))).find((value) => value >= rough);
  return Array.from({ length: 12 }, (_, index) => (Math.ceil(low / step) + index) * step).filter((value) => value <= high);
}

/** Size against cost, with the line of codecs that nothing beats in both. */
function front(rows, whole) {
  const { span } = state.charts;
  // Names that do not fit side by side need lines of their own.
  const height = whole < 500 ? Math.max(state.charts.height, 20 * rows.filter((row) => row.name).length) : state.charts.height;
  const left = 62;
  const width = whole - left - 2;
  const found = arranged(rows, width, height, span);
  const back = [];
  let last = -Infinity;
  for (const value of ticks(found.x)) {
    const x = left + shareOf(value, found.x) * width;
    back.push(drawn("path", { d: `M${x},0V${height}`, stroke: "var(--rule)" }));
    const text = general(value);
    const half = wide(text, 11.5) / 2;
    if (x - half < last + 8 || x + half > whole) continue;
    last = x + half;
    back.push(words(text, x, height + 13, { "text-anchor": "middle" }));
  }
  last = Infinity;
  for (const value of ticks(found.y)) {
    const y = height - shareOf(value, found.y) * height;
    if (y > last - 15) continue;
    last = y;
    const [factor, unit] = scale([value * 1.001], "second");
    back.push(words(`${general(value * factor)}\u00a0${unit}`, left - 8, y, { "text-anchor": "end" }));
  }
  const titles = [
    words("bytes per record, logarithmic", left + width / 2, height + 33, { "text-anchor": "middle", "font-size": 12 }),
    words("cost per record, logarithmic", 0, 0, { "text-anchor": "middle", "font-size": 12, transform: `translate(7,${height / 2}) rotate(-90)` }),
  ];
  const marks = found.rows.map((row) => mark(left + row.px, row.py, row.front ? 6.2 : 5.4, row.format, { hollow: row.lossy, "data-tip": row.tip }));
  const named = found.rows.filter((row) => row.nx !== null);
  const anchor = { left: "start", center: "middle", right: "end" };
  const names = named.map((row) => words(row.name, left + row.nx, row.ny, {
    "text-anchor": anchor[row.align], fill: "var(--ink)",
    stroke: "var(--surface)", "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke",
  }));
  const leaders = named.filter((row) => row.lx !== null).map((row) => drawn("path", {
    d: `M${left + row.px},${row.py}L${left + row.lx},${row.ny}`, stroke: look(row.format).color, "stroke-opacity": 0.6,
  }));
  const [legend, deep] = legendOf(rows, whole, height + 58);
  return sheet(whole, deep, ...back, ...titles, ...edges(found.rows, left), ...leaders, ...marks, ...names, ...legend);
}

/** The line of each corpus through what nothing beats in both. */
function edges(rows, left) {
  const corpora = Map.groupBy(rows.filter((row) => row.edge), (row) => row.corpus);
  return [...corpora.values()].map((edge) => {
    const [first, ...others] = edge.sort((a, b) => a.px - b.px);
    const steps = others.map((row) => `H${left + row.px}V${row.py}`).join("");
    return drawn("path", { d: `M${left + first.px},${first.py}${steps}`, fill: "none", stroke: "var(--ink)", "stroke-width": 1.25, "stroke-opacity": 0.55 });
  });
}

function legendOf(rows, width, top) {
  let [x, y] = [8, top];
  const shown = new Set(rows.map((row) => row.format));
  const parts = Object.keys(state.charts.looks).filter((format) => shown.has(format)).flatMap((format) => {
    const room = wide(format) + 34;
    if (x + room > width && x > 8) [x, y] = [8, y + 20];
    const entry = [mark(x, y, 5, format), words(format, x + 10, y, { "font-size": 12, fill: "var(--ink)" })];
    x += room;
    return entry;
  });
  return [parts, y + 12];
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
    if (this.width && this.rows.length) this.element.replaceChildren(this.paint(this.rows, this.width));
  }
}

/** Hand a drawing out as a file of its own: colours written out, on its ground, under a title. */
async function picture(chart, title, kind) {
  const svg = chart.element.firstElementChild.cloneNode(true);
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const head = 34;
  const box = [-12, -head, width + 24, height + head + 12];
  const whole = drawn(
    "svg", { width: box[2], height: box[3], viewBox: box.join(" ") },
    drawn("rect", { x: box[0], y: box[1], width: box[2], height: box[3], fill: "var(--surface)" }),
    words(title, 0, 8 - head / 2, { "font-family": FONT, "font-size": 14, "font-weight": 600, fill: "var(--ink)" }),
    svg,
  );
  const text = new XMLSerializer().serializeToString(whole).replace(/var\((--[\w-]+)\)/g, (_, name) => colour(name));
  const file = `bakeoff-${title.replace(/\W+/g, "-")}.${kind}`;
  if (kind === "svg") return save(file, "image/svg+xml", text);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * box[2], height: 2 * box[3] });
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
