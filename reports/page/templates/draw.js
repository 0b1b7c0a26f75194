// Charts as SVG, drawn as text from rows: the twin of bakeoff.reports.page.draw. Colors are CSS variables.

const FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
const FRONTIER = "frontier: nothing is both smaller and faster";
const [INK, MUTED, RULE, SURFACE] = ["ink", "muted", "rule", "surface"].map((name) => `var(--${name})`);
const [LEFT, BAR, LONGEST, SHARE] = [62, 19, 160, 0.36];
const TITLE = { "text-anchor": "middle", "font-size": 12 };

const px = (value) => String(Math.round(value * 10) / 10 + 0);
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function tag(kind, attributes, body = "") {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${typeof value === "string" ? escaped(value) : px(value)}"`);
  return body ? `<${kind}${written.join("")}>${body}</${kind}>` : `<${kind}${written.join("")}/>`;
}

function sheet(width, height, parts) {
  const size = { width, height, viewBox: `0 0 ${px(width)} ${px(height)}` };
  return tag("svg", { ...size, "font-family": FONT, "aria-hidden": "true" }, parts.join(""));
}

function words(text, x, y, fill, attributes = {}) {
  return tag("text", { x, y: y + 4, fill, "font-size": NAME_SIZE, ...attributes }, escaped(text));
}

function stroke(d, color, thick = "1", attributes = {}) {
  return tag("path", { d, fill: "none", stroke: color, "stroke-width": thick, ...attributes });
}

const pathOf = (corners, left) => `M${corners.map(([x, y]) => `${px(left + x)},${px(y)}`).join("L")}`;

function shortened(text, most, size = 12) {
  if (wide(text, size) <= most) return text;
  const letters = [...text];
  let kept = letters.length;
  while (kept > 1 && wide(`${letters.slice(0, kept).join("")}…`, size) > most) kept -= 1;
  return `${letters.slice(0, kept).join("")}…`;
}

const colorOf = (format) => state.charts.looks[format]?.color ?? MUTED;

/** The mark of a row's format; hollow where something is lost. */
function mark(row, x, y, size, hollow = false) {
  const color = colorOf(row.format);
  const [fill, edge] = hollow ? [SURFACE, color] : [color, SURFACE];
  const transform = `translate(${px(x)},${px(y)}) scale(${px(size)})`;
  const more = "tip" in row ? { "data-tip": row.tip } : {};
  return tag("path", { d: state.charts.looks[row.format].shape, transform, fill, stroke: edge, "stroke-width": ((hollow ? 1.5 : 1) / size).toFixed(2), ...more });
}

/** Size against cost, with the line of codecs that nothing beats in both. */
function front(rows, width) {
  // Names that do not fit side by side need lines of their own.
  const height = width < 500 ? Math.max(HEIGHT, 20 * rows.filter((row) => row.name).length) : HEIGHT;
  const across = width - LEFT - 2;
  const found = arranged(rows, across, height);
  const title = (axis, text) => (axis.logarithmic ? `${text}, logarithmic` : text);
  const titles = [
    words(title(found.x, "bytes per record"), LEFT + across / 2, height + 33, MUTED, TITLE),
    words(title(found.y, "cost per record"), 0, 0, MUTED, { ...TITLE, transform: `translate(7,${px(height / 2)}) rotate(-90)` }),
  ];
  const lines = found.fronts.map((corners) => stroke(pathOf(corners, LEFT), INK, "1.25", { "stroke-opacity": ".55" }));
  const leaders = found.rows.filter((row) => row.lx !== null).map((row) => stroke(
    `M${px(LEFT + row.px)},${px(row.py)}L${px(LEFT + row.lx)},${px(row.ny)}`, colorOf(row.format), "1", { "stroke-opacity": ".8" },
  ));
  const marks = found.rows.map((row) => mark(row, LEFT + row.px, row.py, row.front ? 6.2 : 5.4, row.lossy));
  const anchor = { left: "start", center: "middle", right: "end" };
  const names = found.rows.filter((row) => row.nx !== null).map((row) => words(row.name, LEFT + row.nx, row.ny, INK, { "text-anchor": anchor[row.align] }));
  const halo = { stroke: SURFACE, "stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke" };
  const joined = found.fronts.some((corners) => corners.length > 1);
  const [key, deep] = keyOf(rows, width, height + 58, joined ? FRONTIER : "");
  return sheet(width, deep, [...lowerSteps(found.x, across, height, width), ...leftSteps(found.y, height), ...titles, ...lines, ...leaders, ...marks, tag("g", halo, names.join("")), ...key]);
}

/** The steps of the lower axis; a label that would touch the one before it is left out. */
function lowerSteps(axis, length, height, end) {
  let last = -Infinity;
  return ticks(axis).flatMap((value) => {
    const x = LEFT + shareOf(value, axis) * length;
    const text = general(value);
    const half = wide(text) / 2;
    const line = stroke(`M${px(x)},0V${px(height)}`, RULE);
    if (x - half < last + 8 || x + half > end) return [line];
    last = x + half;
    return [line, words(text, x, height + 13, MUTED, { "text-anchor": "middle" })];
  });
}

function leftSteps(axis, height) {
  let last = Infinity;
  return ticks(axis).flatMap((value) => {
    const y = height - shareOf(value, axis) * height;
    if (y > last - 15) return [];
    last = y;
    const [factor, unit] = scale([value * 1.001], "second");
    return [words(`${general(value * factor)} ${unit}`, LEFT - 8, y, MUTED, { "text-anchor": "end" })];
  });
}

/** What line and marks mean, and the height of the drawing with it. */
function keyOf(rows, width, top, line) {
  let [x, y] = [8, top];
  const shown = new Set(rows.map((row) => row.format));
  const formats = Object.keys(state.charts.looks).filter((format) => shown.has(format));
  const parts = [...(line ? [[line, null]] : []), ...formats.map((format) => [format, { format }])].flatMap(([text, row]) => {
    const aside = row ? 10 : 16;
    const room = wide(text, 12) + aside + 18;
    if (x + room - 18 > width && x > 8) [x, y] = [8, y + 20];
    const sign = row ? mark(row, x, y, 5) : stroke(`M${px(x - 6)},${px(y)}H${px(x + 10)}`, INK, "1.25", { "stroke-opacity": ".55" });
    const entry = [sign, words(text, x + aside, y, INK, { "font-size": 12 })];
    x += room;
    return entry;
  });
  return [parts, y + 12];
}

/** Bars of one operation, each with its interval and its figure in words. */
function bars(rows, width) {
  const longest = Math.max(LONGEST, SHARE * width);
  const left = Math.min(longest, Math.max(...rows.map((row) => wide(row.codec, 12)))) + 7;
  // The space that leaves every figure on the drawing, however narrow that is.
  const room = Math.min(...rows.map((row) => (width - left - wide(row.label) - 9) / Math.max(row.end, 0.05)));
  const across = Math.min(Math.max(24, room), width - left - 60);
  const parts = rows.flatMap((row, index) => {
    const [y, color] = [BAR * index + 10, colorOf(row.format)];
    const bar = (share, fill, more = {}) => tag("rect", { x: left, y: y - 6, height: 12, width: share * across, fill, ...more });
    const whole = "part" in row
      ? [bar(row.length, RULE, { stroke: MUTED }), bar(row.part, color)]
      : [bar(row.length, row.lossy ? SURFACE : color, { stroke: color, "stroke-width": "1.25" })];
    if (row.cut !== null) {
      const x = left + row.cut * across;
      whole.push(tag("path", { d: pathOf([[x - 5, y + 8], [x + 1, y - 8], [x + 5, y - 8], [x - 1, y + 8]], 0), fill: SURFACE }));
    }
    if (row.low !== null) whole.push(stroke(`M${px(left + row.low * across)},${px(y)}H${px(left + row.high * across)}`, INK, "1.5"));
    return [
      words(shortened(row.codec, longest), left - 7, y, INK, { "text-anchor": "end", "font-size": 12 }),
      ...whole,
      words(row.label, left + row.end * across + 7, y, MUTED),
    ];
  });
  return sheet(width, BAR * rows.length + 2, parts);
}
