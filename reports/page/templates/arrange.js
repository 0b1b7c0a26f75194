// Where points of size against cost are drawn, and where their names find room: the twin of
// bakeoff.reports.page.arrange.

const [HEIGHT, MARGIN, NAME_SIZE, HALF, CLEAR, SAME, STEP, ROWS] = [400, 34, 11.5, 5.5, 3, 5, 9, 30];
const [NARROW, WIDE, LETTERS] = [new Set(" !'()*,-./:;I[]fijlrt|"), new Set("%@MWmw→"), [0.3, 0.57, 0.87]];
const NEAR = [
  [10, 0, "left"], [-10, 0, "right"], [8, -11, "left"], [8, 11, "left"],
  [-8, -11, "right"], [-8, 11, "right"], [0, -15, "center"], [0, 15, "center"],
];
const FAR = [18, 44, 80];

function arranged(rows, width, height) {
  const [x, y] = [axisOf(rows.map((row) => row.x), width), axisOf(rows.map((row) => row.y), height)];
  const found = rows.map((row) => ({ ...row, px: shareOf(row.x, x) * width, py: height - shareOf(row.y, y) * height }));
  sideBySide(found);
  const fronts = frontsOf(found);
  name(found, fronts, width, height);
  return { rows: found, fronts, x, y };
}

/** An axis for values, linear where they are near each other: the twin of bakeoff.reports.page.axis. */
function axisOf(values, pixels) {
  const [SHORT, { least }] = [2, state.axes];
  let [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [1, 1];
  if (high < least * low) {
    const middle = Math.sqrt(low * high);
    [low, high] = [middle / Math.sqrt(least), middle * Math.sqrt(least)];
  }
  const logarithmic = high > SHORT * low;
  if (logarithmic) [low, high] = [Math.log(low), Math.log(high)];
  const more = ((high - low) * MARGIN) / (pixels - 2 * MARGIN);
  return { low: low - more, high: high + more, logarithmic };
}

function shareOf(value, { low, high, logarithmic }) {
  return ((logarithmic ? Math.log(value) : value) - low) / (high - low);
}

function ticks(axis) {
  const [FEWEST, MOST] = [3, 8];
  const [low, high] = axis.logarithmic ? [Math.exp(axis.low), Math.exp(axis.high)] : [axis.low, axis.high];
  for (const steps of axis.logarithmic ? [[1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]] : []) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.floor(Math.log10(high)); power++) {
      found.push(...steps.map((step) => step * 10 ** power).filter((value) => value >= low && value <= high));
    }
    if (found.length >= FEWEST) return found;
  }
  const rough = (high - low) / MOST;
  const step = [1, 2, 5, 10].map((factor) => factor * 10 ** Math.floor(Math.log10(rough))).find((value) => value >= rough);
  return Array.from({ length: MOST + 1 }, (_, index) => (Math.ceil(low / step) + index) * step).filter((value) => value <= high);
}

/** The line of each corpus through what nothing beats in both, in steps to the right and down. */
function frontsOf(rows) {
  const corpora = new Map();
  for (const row of rows) if (row.edge) corpora.set(row.corpus, [...(corpora.get(row.corpus) ?? []), row]);
  return [...corpora.values()].map((edge) => {
    const places = edge.sort((a, b) => a.px - b.px).map((row) => [row.px, row.py]);
    return places.flatMap(([x, y], index) => (index ? [[x, places[index - 1][1]], [x, y]] : [[x, y]]));
  });
}

function wide(text, size = NAME_SIZE) {
  const [narrow, other, broad] = LETTERS;
  return size * [...text].reduce((sum, one) => sum + (NARROW.has(one) ? narrow : WIDE.has(one) || one >= "\u2e80" ? broad : other), 0);
}

/** Draw marks that would hide each other side by side. */
function sideBySide(rows) {
  let left = [...rows].sort((a, b) => ascending([-a.py, a.px, a.codec, a.corpus], [-b.py, b.px, b.codec, b.corpus]));
  while (left.length) {
    const [first] = left;
    const same = left.filter((row) => Math.abs(row.px - first.px) < SAME && Math.abs(row.py - first.py) < SAME);
    left = left.filter((row) => !same.includes(row));
    same.forEach((row, index) => { row.px += (index - (same.length - 1) / 2) * STEP; });
  }
}

/** Put each name where it covers nothing, those of the front first, then from the cheapest up. */
function name(rows, fronts, width, height) {
  const lines = fronts.flatMap((front) => front.slice(1).map((corner, index) => lineOf(front[index], corner)));
  const marks = rows.map(({ px, py }) => [px - HALF, py - HALF, px + HALF, py + HALF]);
  const names = [];
  const key = (row) => [row.front ? 0 : 1, -row.py, row.px, row.codec];
  const order = rows.map((row, index) => [key(row), index]).sort(([a], [b]) => ascending(a, b));
  for (const [, index] of order) {
    const row = rows[index];
    Object.assign(row, { nx: null, ny: null, align: "left", lx: null });
    if (!row.name) continue;
    const long = wide(row.name) + 4;
    const taken = [...names, ...lines, ...marks.filter((_, mark) => mark !== index)];
    let best = null;
    for (const place of places(row.px, row.py)) {
      const box = boxOf(place, long);
      if (box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height) continue;
      best ??= [place, box];
      const nearer = !place[3] && rows.some((other) => away(place, other) < away(place, row));
      if (nearer || taken.some((other) => touch(box, other))) continue;
      best = [place, box];
      break;
    }
    const [[x, y, align, led], box] = best ?? [[row.px, row.py, "center", false], marks[index]];
    names.push(box);
    Object.assign(row, { nx: x, ny: y, align, lx: led ? x : null });
  }
}

/** Where a name may be, the best first, and whether a line leads there. */
function* places(x, y) {
  for (const [aside, down, align] of NEAR) yield [x + aside, y + down, align, false];
  for (let number = 1; number < ROWS; number++) {
    for (const aside of FAR) {
      for (const down of [-14 * number, 14 * number]) {
        yield [x + aside, y + down, "left", true];
        yield [x - aside, y + down, "right", true];
      }
    }
  }
}

function away([x, y], { px, py }) {
  return (x - px) ** 2 + (y - py) ** 2;
}

function boxOf([x, y, align], long) {
  const left = x - { left: 0, center: long / 2, right: long }[align];
  return [left, y - HALF, left + long, y + HALF];
}

function lineOf(a, b) {
  const [left, right, top, bottom] = [Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1])];
  return [left - CLEAR, top - CLEAR, right + CLEAR, bottom + CLEAR];
}

function touch(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
