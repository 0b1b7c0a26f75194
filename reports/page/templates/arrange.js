// Where points of size against cost are drawn, and where their names find room: the twin of
// bakeoff.reports.page.arrange.

const [MARGIN, LETTER, HALF, SAME, STEP, ROWS] = [34, 6.3, 5.5, 5, 9, 30];
const NEAR = [
  [10, 0, "left"], [-10, 0, "right"], [8, -11, "left"], [8, 11, "left"],
  [-8, -11, "right"], [-8, 11, "right"], [0, -15, "center"], [0, 15, "center"],
];
const FAR = [18, 44, 80];

function arranged(rows, width, height, least) {
  const [x, y] = [ends(rows.map((row) => row.x), width, least), ends(rows.map((row) => row.y), height, least)];
  const found = rows.map((row) => ({ ...row, px: shareOf(row.x, x) * width, py: height - shareOf(row.y, y) * height }));
  sideBySide(found);
  name(found, width, height);
  return { rows: found, x, y };
}

function ends(values, pixels, least) {
  const logs = values.map(Math.log);
  let [low, high] = [Math.min(...logs), Math.max(...logs)];
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const margin = ((high - low) * MARGIN) / (pixels - 2 * MARGIN);
  return [Math.exp(low - margin), Math.exp(high + margin)];
}

function shareOf(value, [low, high]) {
  return Math.log(value / low) / Math.log(high / low);
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
function name(rows, width, height) {
  const marks = rows.map(({ px, py }) => [px - HALF, py - HALF, px + HALF, py + HALF]);
  const names = [];
  const key = (row) => [row.front ? 0 : 1, -row.py, row.px, row.codec];
  const order = rows.map((row, index) => [key(row), index]).sort(([a], [b]) => ascending(a, b));
  for (const [, index] of order) {
    const row = rows[index];
    Object.assign(row, { nx: null, ny: null, align: "left", lx: null });
    if (!row.name) continue;
    const long = LETTER * [...row.name].length + 4;
    let best = null;
    for (const place of places(row.px, row.py)) {
      const box = boxOf(place, long);
      if (box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height) continue;
      best ??= [place, box];
      if (names.some((other) => touch(box, other)) || marks.some((other, mark) => mark !== index && touch(box, other))) continue;
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

function boxOf([x, y, align], long) {
  const left = x - { left: 0, center: long / 2, right: long }[align];
  return [left, y - HALF, left + long, y + HALF];
}

function touch(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
