// The live charts: compiled Vega specifications, fed with rows. Colours are CSS variables.

const tip = document.getElementById("tip");

function showTip(_handler, event, _item, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(8, event.clientY - height - 12)}px`;
}

/** One drawing on the page: the still picture until the library is there, then a live view. */
class Chart {
  constructor(element, spec, data) {
    Object.assign(this, { element, spec, data, rows: [], view: null, due: false });
  }

  /** Replace the picture by a live view of the rows, as soon as there are any: an axis of nothing has no ends. */
  async start() {
    this.due = !this.rows.length;
    if (this.due) return;
    const holder = document.createElement("div");
    holder.setAttribute("aria-hidden", "true");
    const options = {
      mode: "vega", renderer: "svg", width: this.room(), actions: false, defaultStyle: false, tooltip: showTip,
      // Interpreted expressions are a little slower, but the page need not allow scripts to evaluate text.
      ast: true,
      logLevel: 1,
    };
    const data = this.spec.data.map((set) => (set.name === this.data ? { ...set, values: this.rows.map((row) => ({ ...row })) } : set));
    const signals = this.spec.signals?.map((signal) => (signal.name === "legendColumns" ? { ...signal, value: this.columns() } : signal));
    const { view } = await window.vegaEmbed(holder, { ...this.spec, data, signals }, options);
    // One frame holds either the still picture or the live one, never nothing.
    this.element.replaceChildren(holder);
    this.element.classList.add("live-drawn");
    this.view = view;
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  room() {
    return Math.max(260, Math.floor(this.element.clientWidth));
  }

  columns() {
    return Math.max(2, Math.floor(this.room() / 100));
  }

  fit() {
    // What is hidden has no width; it is fitted when it is shown.
    if (!this.element.clientWidth || this.view.width() === this.room()) return;
    if (this.spec.signals?.some(({ name }) => name === "legendColumns")) this.view.signal("legendColumns", this.columns());
    this.view.width(this.room()).resize().runAsync();
  }

  /** Say what differs from the rows drawn last, so that marks are moved rather than made again. */
  changes(rows) {
    const changes = this.view.changeset();
    const gone = new Map(this.view.data(this.data).map((row) => [`${row.corpus}/${row.codec}`, row]));
    for (const row of rows) {
      const key = `${row.corpus}/${row.codec}`;
      const known = gone.get(key);
      if (known) {
        gone.delete(key);
        for (const name of Object.keys(row)) if (known[name] !== row[name]) changes.modify(known, name, row[name]);
      } else changes.insert({ ...row });
    }
    changes.remove([...gone.values()]);
    return changes;
  }

  draw(rows, words) {
    this.rows = rows;
    if (words !== undefined) this.element.setAttribute("aria-label", words);
    if (this.view) this.view.change(this.data, this.changes(rows)).run();
    else if (this.due) this.start();
  }
}

/** Hand a drawing out as a file of its own: colours written out, on its ground, under a title. */
async function picture(chart, title, kind) {
  const svg = new DOMParser().parseFromString(await chart.view.toSVG(), "image/svg+xml").documentElement;
  const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
  const head = 34;
  const whole = document.createElementNS(svg.namespaceURI, "svg");
  const box = [-12, -head, width + 24, height + head + 12];
  for (const [name, value] of Object.entries({ width: box[2], height: box[3], viewBox: box.join(" ") })) whole.setAttribute(name, value);
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  for (const [name, value] of Object.entries({ x: box[0], y: box[1], width: box[2], height: box[3], fill: "var(--surface)" })) ground.setAttribute(name, value);
  const words = document.createElementNS(svg.namespaceURI, "text");
  for (const [name, value] of Object.entries({ y: 14 - head / 2, "font-family": "sans-serif", "font-size": 14, "font-weight": 600, fill: "var(--ink)" })) words.setAttribute(name, value);
  words.textContent = title;
  whole.append(ground, words, svg);
  const text = new XMLSerializer().serializeToString(whole).replace(/var\((--[\w-]+)\)/g, (_, name) => colour(name));
  const file = `bakeoff-${title.replace(/\W+/g, "-")}.${kind}`;
  if (kind === "svg") return save(file, "image/svg+xml", text);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * box[2], height: 2 * box[3] });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(file, "image/png", blob));
}

/** The colour that a variable has now, light or dark. */
function colour(variable) {
  tip.style.color = `var(${variable})`;
  const value = getComputedStyle(tip).color;
  tip.style.color = "";
  return value;
}

/** Unpack and compile the library, once the page is there to be read. */
async function loadLibrary() {
  const packed = Uint8Array.from(atob(document.getElementById("library").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
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
      : [row.label.replace("» ", "")];
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = row.codec;
    line.append(name);
    for (const text of texts) line.insertCell().textContent = text;
  }
  details.querySelector(".fill").replaceChildren(table);
}
