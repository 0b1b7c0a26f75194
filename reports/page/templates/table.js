// The table: shows rows of one view or of all, writes cost, rank and rate, sorts and filters.

class Table {
  constructor(element, candidates, baselineRow) {
    this.element = element;
    this.body = element.tBodies[0];
    this.headers = [...element.tHead.querySelectorAll("th")];
    this.lines = [...this.body.rows].map((row, index) => this.line(row, candidates, baselineRow, index));
    this.key = "rank";
    this.descending = false;
  }

  line(row, candidates, baselineRow, index) {
    const { view, codec, format } = row.dataset;
    const cells = {};
    for (const cell of row.querySelectorAll("[data-column]")) cells[cell.dataset.column] = cell;
    const values = { codec: codec.toLowerCase(), corpus: row.querySelector("td.corpus").textContent.toLowerCase() };
    for (const [key, cell] of Object.entries(cells)) {
      if (cell.dataset.value !== undefined) values[key] = Number(cell.dataset.value);
      else if (!cell.classList.contains("num")) values[key] = cell.textContent.trim().toLowerCase();
    }
    return {
      row, index, view: Number(view), codec, format, cells, values,
      isBaseline: codec === baselineRow,
      family: row.dataset.family,
      more: row.querySelector(".more"),
      lossy: row.hasAttribute("data-lossy"),
      trusted: row.hasAttribute("data-trusted"),
      rank: row.querySelector("td.rank"),
      candidate: candidates.get(`${view}/${codec}`),
      cost: null,
    };
  }

  /** Write the live columns of a line. */
  write(line, cost, base, unit, weights, faster) {
    line.cost = cost;
    line.values.cost = cost ? cost.value : undefined;
    line.values.rank = cost?.first !== undefined ? cost.value : undefined;
    put(line.rank, cost?.place ?? "–");
    line.row.classList.toggle("first", cost?.first === 1);
    if (line.cells.cost && !line.isBaseline) this.figure(line, cost, base, unit, weights, faster);
    if (line.cells.rate) this.rate(line, cost, weights);
  }

  figure(line, cost, base, [factor, name], weights, faster) {
    if (!line.live) {
      const cell = line.cells.cost;
      if (!cost && !cell.dataset.value) return;
      const number = document.createTextNode("");
      const unit = document.createElement("i");
      const value = document.createElement("span");
      value.className = "v";
      value.append(number, unit);
      const beside = document.createElement("small");
      cell.className = "num";
      cell.replaceChildren(value, beside);
      line.live = { number, unit: unit.appendChild(document.createTextNode("")), beside: beside.appendChild(document.createTextNode("")) };
    }
    if (!cost) {
      for (const node of Object.values(line.live)) write(node, "");
      write(line.live.number, "–");
      return;
    }
    const reach = half(cost);
    write(line.live.number, quantity(cost.value * factor, reach === null ? null : reach * factor));
    write(line.live.unit, ` ${name}`);
    // The interval is that of the figure above, not of the ratio.
    const parts = [reach ? `±${reach < 0.995 * cost.value ? share(reach / cost.value) : ">99%"}` : "", relative(cost, base, faster)];
    write(line.live.beside, cost.first === undefined ? `needs ${bandwidthOf(line, weights)}` : parts.filter(Boolean).join(" · "));
  }

  rate(line, cost, weights) {
    const cell = line.cells.rate;
    line.values.rate = undefined;
    if (!weights.rate || !cost) return put(cell, "");
    const { cores } = load(line.candidate, weights);
    line.values.rate = cores;
    put(cell, `${cores < 0.01 ? "<0.01" : quantity(cores)} cores${weights.bandwidth === null ? "" : `\n${bandwidthOf(line, weights)}`}`);
  }

  /** Put rows in order: those with a value first, the baseline last. */
  sort() {
    const { key } = this;
    const sign = this.descending ? -1 : 1;
    const place = (line) => (line.isBaseline ? 2 : line.values[key] === undefined || line.values[key] === "" || line.values[key] === "–" ? 1 : 0);
    const ordered = [...this.lines].sort((a, b) => {
      const order = place(a) - place(b);
      if (order || place(a)) return order || a.index - b.index;
      const [x, y] = [a.values[key], b.values[key]];
      if (x !== y) return sign * (x < y ? -1 : 1);
      return a.index - b.index;
    });
    if (ordered.every((line, index) => line === this.order?.[index])) return;
    this.order = ordered;
    // Rows that keep their order stay: moving few keeps the focus and costs least.
    const places = new Map([...this.body.rows].map((row, place) => [row, place]));
    const kept = rising(ordered.map(({ row }) => places.get(row)));
    let next = null;
    for (let index = ordered.length - 1; index >= 0; index--) {
      const { row } = ordered[index];
      if (!kept.has(index)) this.body.insertBefore(row, next);
      next = row;
    }
  }

  /** Sort by a column, the best first, and at once again the other way round. */
  choose(key, higher) {
    this.descending = this.key === key ? !this.descending : higher;
    this.key = key;
    this.mark();
  }

  mark() {
    for (const header of this.headers) {
      if (header.querySelector("button").dataset.sort === this.key) {
        header.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      } else header.removeAttribute("aria-sort");
    }
  }
}

/** Return the indices of a longest rising run of numbers, not necessarily neighbours. */
function rising(numbers) {
  const ends = [];
  const before = [];
  numbers.forEach((number, index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    before[index] = low ? ends[low - 1] : -1;
    ends[low] = index;
  });
  const kept = new Set();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index]) kept.add(index);
  return kept;
}

/** The share of the bandwidth that a rate takes. */
function bandwidthOf(line, weights) {
  return `${share(load(line.candidate, weights).line).replace("%", "\u00a0%")} of the bandwidth`;
}

/** How many times another cost a cost is, in parentheses where the two are not distinguishable. */
function relative(cost, base, faster) {
  if (!base) return "";
  if (cost.candidate === base.candidate) return times(1);
  const text = times(ratioOf(cost, base));
  return faster(cost, base) || faster(base, cost) ? text : `(${text})`;
}

/** Half the 95 % interval of a cost. */
function half(cost) {
  const count = cost.pairs.length;
  if (count < 2) return null;
  const reach = quantile(0.05, count - 1) * Math.sqrt(cost.variance / count);
  return (cost.value * (Math.exp(reach) - Math.exp(-reach))) / 2;
}

function put(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
}

function write(node, text) {
  if (node.data !== text) node.data = text;
}
