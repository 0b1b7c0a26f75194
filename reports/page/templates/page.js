// Joins the sliders and filters to the ranking, the table and the charts.

const byId = (id) => document.getElementById(id);
const state = JSON.parse(byId("state").textContent);
const machines = byId("packed") ? await unpack(byId("packed").textContent) : JSON.parse(byId("result").textContent);
for (const { cells } of machines) for (const { samples } of cells) if (samples) spread(samples);
const GOOD = new Set(["ok", "lossy"]);

const candidates = collect();
const table = new Table(byId("table"), candidates, state.baselineRow);
const overview = new Overview(byId("leaders"));
const weights = { reads: 1, bandwidth: null, perRead: false, rate: 0 };
const charts = { front: new Chart(byId("front"), front), bars: new Map() };
for (const panel of document.querySelectorAll(".panel[data-operation]")) {
  charts.bars.set(panel.dataset.operation, { panel, chart: new Chart(panel.querySelector(".drawing"), bars) });
}
const placed = [...document.querySelectorAll(".panel[data-placed]")].map((panel, index) => {
  const chart = new Chart(panel.querySelector(".drawing"), bars);
  chart.draw(state.charts.placed[index]);
  return [panel, chart];
});
const chartOf = new Map([...[...charts.bars.values()].map(({ panel, chart }) => [panel, chart]), ...placed]);

/** A page of many rows packs them, its bars and its data; put the rows and bars where they belong. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { result, views, bars: heights, rows } = JSON.parse(await new Response(stream).text());
  state.views = views;
  state.charts.rows = heights;
  byId("table").tBodies[0].insertAdjacentHTML("beforeend", rows);
  return result;
}

/** A value that all samples share stands once in the data; give every sample its own. */
function spread(samples) {
  const { count } = samples;
  delete samples.count;
  for (const [name, values] of Object.entries(samples)) {
    if (!Array.isArray(values)) samples[name] = Array(count).fill(values);
  }
}

/** Gather what the ranking needs of every codec, by "view/codec". */
function collect() {
  const found = new Map();
  state.views.forEach(({ machine, corpus }, view) => {
    const { cells } = machines.find((entry) => entry.machine === machine);
    for (const cell of cells) {
      if (cell.corpus !== corpus || cell.codec === state.baselineRow) continue;
      const key = `${view}/${cell.codec}`;
      const known = state.views[view].codecs[cell.codec];
      if (!found.has(key)) found.set(key, { view, codec: cell.codec, size: null, ranked: true, lossy: false, means: {}, ...known });
      const candidate = found.get(key);
      if (cell.outcome === "lossy" || cell.loss?.length) candidate.lossy = true;
      if (!state.parts.includes(cell.operation)) continue;
      if (!GOOD.has(cell.outcome)) candidate.ranked = false;
      if (!cell.samples) continue;
      const { value } = cell.samples;
      if (cell.operation === "size") [candidate.size] = moments(value);
      else {
        candidate[cell.operation] = cell.samples;
        candidate.means[cell.operation] = Math.exp(moments(value.map(Math.log))[0]);
      }
    }
  });
  return found;
}

/** The views of an option of the corpus selector. */
function viewsOf(option) {
  if (!option.startsWith("all ")) return [Number(option)];
  return state.views.flatMap(({ machine }, view) => (`all ${machine}` === option ? [view] : []));
}

/** The views whose tables are shown: of all corpora those that fit the filters of records, if any does. */
function shownViews() {
  const views = viewsOf(byId("corpus").value);
  const fitting = views.filter((view) => overview.fitting.has(view));
  return fitting.length ? fitting : views;
}

/** Whether a line takes part: filters by nature rank those that are left, the search only hides. */
function takesPart(line) {
  const format = byId("format").value;
  return (!format || line.format === format)
    && !(byId("exact").checked && line.lossy)
    && !(byId("untrusted").checked && line.trusted);
}

const unfolded = new Set();
let folded = new Set();

/** The lines that folding hides: of each codec's variants all but the cheapest. A search shows them all. */
function variants(lines, search) {
  const hidden = new Set();
  const groups = new Map();
  for (const line of lines) {
    if (!line.more) continue;
    line.more.hidden = true;
    if (!byId("fold").checked || search || !takesPart(line)) continue;
    const key = `${line.view}/${line.family}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  const order = (line) => [line.cost?.value ?? Infinity, line.index];
  for (const [key, group] of groups) {
    const [best, ...others] = group.sort((a, b) => ascending(order(a), order(b)));
    if (!others.length) continue;
    const open = unfolded.has(key);
    if (!open) for (const line of others) hidden.add(line);
    best.more.hidden = false;
    best.more.setAttribute("aria-expanded", open);
    best.more.setAttribute("aria-label", `${others.length} more of ${best.family}`);
    put(best.more, open ? "−" : `+${others.length}`);
  }
  return hidden;
}

/** Rank, write, sort and draw. Everything that a slider moves happens here, within a frame. */
function update() {
  performance.mark("bakeoff-begin");
  const views = shownViews();
  const search = byId("search").value.trim().toLowerCase();
  const lines = table.lines.filter((line) => views.includes(line.view));
  const points = [];
  const leaders = views.map(leaderOn);
  for (const result of leaders) {
    const { view } = result;
    const mine = lines.filter((line) => line.view === view);
    const costs = new Map([...result.overfull, ...result.ranked].map((cost) => [cost.candidate, cost]));
    const base = state.baseline === null
      ? result.ranked[0] ?? result.overfull[0]
      : result.all.find((cost) => cost.candidate.codec === state.baseline);
    const unit = scale([...costs.values()].map((cost) => cost.value), "second", state.views[view].unit);
    for (const line of mine) table.write(line, costs.get(line.candidate) ?? null, base, unit, weights, result.faster);
  }
  const known = new Map(leaders.map((leader) => [leader.view, leader]));
  const overall = overview.shown().map((view) => known.get(view) ?? leaderOn(view));
  for (const leader of overall) overview.write(leader);
  overview.turn(overall);
  const before = folded;
  folded = variants(lines, search);
  for (const line of lines) {
    if (line.cost?.first !== undefined && line.candidate.size > 0 && !folded.has(line)) points.push(point(line, line.cost));
  }
  let count = 0;
  for (const line of table.lines) {
    const shown = views.includes(line.view) && (line.isBaseline ? !search : takesPart(line)) && !folded.has(line) && line.codec.toLowerCase().includes(search);
    line.row.hidden = !shown;
    if (shown && !line.isBaseline) count += 1;
  }
  table.sort();
  const total = lines.filter((line) => !line.isBaseline).length;
  put(byId("count"), count === total ? `${total} rows` : `${count} of ${total} rows`);
  byId("nothing").hidden = count > 0;
  if (before.size !== folded.size || [...before].some((line) => !folded.has(line))) drawBars(byId("corpus").value);
  place(points, views.length > 1);
  charts.front.draw(points, frontWords(points));
  blank(points, leaders);
  say(leaders);
  remember();
  performance.measure("bakeoff-update", "bakeoff-begin");
}

/** Rank the codecs of a view that take part. */
function leaderOn(view) {
  const mine = table.lines.filter((line) => line.view === view && line.candidate);
  const chosen = new Set(mine.filter(takesPart).map((line) => line.candidate));
  const all = mine.map((line) => line.candidate);
  const rank = (other) => ranking(all, other, state.alpha[view], state.tie, (candidate) => chosen.has(candidate));
  return { view, rank, ...rank(weights) };
}

function point(line, cost) {
  const { codec, size } = line.candidate;
  return {
    codec, size, format: line.format, corpus: state.views[line.view].label, cost: cost.value,
    lossy: line.lossy, front: cost.front, edge: cost.edge,
    tip: `${codec}: ${amount(size, "byte")}, ${amount(cost.value, "second")} a record`,
  };
}

/** Say where on the axes points are and what they are called: the twin of bakeoff.reports.page.chart_rows. */
function place(points, many) {
  if (!points.length) return;
  for (const row of points) row.name = many ? "" : row.codec;
  for (const [axis, figure, unit, arrow] of [["x", "size", "byte", "→"], ["y", "cost", "second", "↑"]]) {
    const [end, off] = reach(points.map((row) => row[figure]));
    for (const row of points) {
      row[axis] = row[figure] > end ? off : row[figure];
      if (row[figure] > end && !many) row.name += ` ${arrow} ${amount(row[figure], unit)}`;
    }
  }
  if (!many) return;
  // Of many fronts each is named once, at its smallest point.
  const firsts = new Map();
  for (const row of points.filter((row) => row.edge).sort((a, b) => b.size - a.size)) firsts.set(row.corpus, row);
  for (const [corpus, row] of firsts) row.name = corpus;
}

/** Where an axis ends, and where points beyond are drawn: those few behind a gap that would squeeze the others. */
function reach(values) {
  const { gap, fewest, beyond, least } = state.axes;
  const sorted = [...values].sort((a, b) => a - b);
  const logs = sorted.map(Math.log);
  const count = logs.length;
  const span = logs[count - 1] - logs[0];
  for (let few = 1; few <= Math.max(1, Math.floor(count / 8)) && count - few >= fewest; few++) {
    const end = logs[count - few - 1];
    if (logs[count - few] - end > gap * span) {
      return [sorted[count - few - 1], Math.exp(end + beyond * Math.max(end - logs[0], Math.log(least)))];
    }
  }
  return [sorted[count - 1], sorted[count - 1]];
}

/** Say why nothing is drawn, and offer what changes that. */
function blank(points, leaders) {
  const full = leaders.some(({ overfull }) => overfull.length);
  const [why, what] = obstacle(full);
  byId("blank").hidden = points.length > 0;
  byId("front").hidden = !points.length;
  byId("front").parentElement.querySelector(".below").hidden = !points.length;
  put(byId("blank").querySelector("span"), why);
  byId("widen").hidden = !what;
  put(byId("widen"), what);
}

function obstacle(full) {
  if (full) return ["At this rate the bandwidth is too low for every codec: choose a higher one, or fewer records per second.", "Any rate"];
  if (filtered()) return ["No codec that fits these filters has a cost.", "Clear the filters"];
  return ["No codec has both a size and a cost here.", ""];
}

function filtered() {
  return byId("format").value !== "" || byId("exact").checked || byId("untrusted").checked;
}

function frontWords(points) {
  const front = points.filter((row) => row.front).sort((a, b) => a.size - b.size);
  if (!front.length) return "No codec has both a size and a cost.";
  const parts = front.map((row) => `${row.codec} at ${amount(row.size, "byte")} and ${amount(row.cost, "second")}`);
  return `Nothing is both smaller and cheaper than: ${parts.join("; ")}.`;
}

// Words

const bold = (text) => Object.assign(document.createElement("b"), { textContent: text });

/** Names as in a sentence, where they are many the first ones: the twin of bakeoff.reports.model.lists. */
function few(names) {
  return names.length > 4 ? [...names.slice(0, 3).flatMap((name, index) => (index ? [", ", bold(name)] : [bold(name)])), ` and ${names.length - 3} others`] : listed(names);
}

function listed(names) {
  return names.flatMap((name, index) => (index ? [index === names.length - 1 ? " and " : ", ", bold(name)] : [bold(name)]));
}

function useWords() {
  const { reads, bandwidth } = weights;
  const count = reads === 1 ? "one read" : `${general(reads)} reads`;
  const each = transfers(weights) === 1 ? "" : ", each";
  return `one write and ${count}${bandwidth === null ? "" : `${each} over ${lineSpeed(bandwidth)}`}`;
}

/** The words of the verdict on one view: the twin of bakeoff.reports.tables.sentence. */
function verdictWords({ ranked, overfull, safe, contest, fewest, faster }) {
  if (!ranked.length) return [obstacle(overfull.length > 0)[0]];
  const parts = ["For ", useWords(), ", "];
  if (!contest) return [...parts, bold(ranked[0].candidate.codec), ` costs least but ${ranked[0].candidate.drawback}.`];
  const { winner, same, unresolved } = contest;
  const next = safe.find((cost) => cost !== winner);
  if (fewest < state.few && next) {
    return [`${fewest === 1 ? "1 process is" : `${fewest} processes are`} too few to distinguish codecs.`];
  }
  const names = few([winner, ...same, ...unresolved].map((cost) => cost.candidate.codec));
  const took = `${amount(winner.value, "second")} a record`;
  if (unresolved.length) parts.push(...names, ` are not distinguishable at the top, at ${took}.`);
  else if (same.length) parts.push(...names, ` cost the same, within ${Math.round(100 * state.tie)}%, at ${took}; `, bold(winner.candidate.codec), " comes first.");
  else {
    parts.push(...names, ` costs least: ${took}`);
    if (!next) parts.push(".");
    else {
      const level = safe.filter((cost) => cost === next || (cost.value > next.value && !faster(next, cost)));
      const at = times(ratioOf(next, winner));
      parts.push("; ", ...few(level.map((cost) => cost.candidate.codec)), level.length > 1 ? ` come next, the first at ${at} that.` : ` comes next at ${at} that.`);
    }
  }
  const better = ranked.find((cost) => faster(cost, winner));
  if (better) parts.push(" ", bold(better.candidate.codec), ` is faster but ${better.candidate.drawback}.`);
  return parts;
}

let hinted = 0;

/** Say who is first; what would change that takes many rankings, and follows when the sliders rest. */
function say(leaders) {
  const verdict = byId("verdict");
  const parts = [];
  if (leaders.length === 1) parts.push(...verdictWords(leaders[0]));
  else {
    const won = new Map();
    for (const { contest } of leaders) {
      for (const { candidate } of contest ? [contest.winner, ...contest.same, ...contest.unresolved] : []) {
        won.set(candidate.codec, (won.get(candidate.codec) ?? 0) + 1);
      }
    }
    const most = [...won].sort((a, b) => b[1] - a[1]).slice(0, 3);
    parts.push("For ", useWords(), ": ");
    most.forEach(([codec, count], index) => parts.push(index ? ", " : "", bold(codec), ` first on ${count} of ${leaders.length} corpora`));
    parts.push(most.length ? "." : "no codec that may be recommended has a cost.");
  }
  const text = parts.map((part) => part.textContent ?? part).join("");
  if (verdict.textContent !== text) verdict.replaceChildren(...parts);
  headline(text);
  clearTimeout(hinted);
  hinted = setTimeout(() => hint(leaders), 150);
}

/** A range of a weight with its unit. */
function spanWords(key, low, high) {
  const [first, last] = key === "reads" ? [low, high].map(general) : [low, high].map((bits) => lineSpeed(bits / 8));
  const unit = key === "reads" ? " reads for each write" : "";
  return `${first === last ? last : `${first} to ${last}`}${unit}`;
}

/** Round to two digits so that a sentence about all numbers beyond stays true. */
function rounded(value, way) {
  const exponent = Math.floor(Math.log10(value)) - 1;
  return general(Number(`${way(Number((value / 10 ** exponent).toPrecision(9)))}e${exponent}`));
}

function readsWords({ above, end, until }) {
  const few = end < 1 && !above;
  if (until === null) {
    return few ? `less than once per ${rounded(1 / end, Math.ceil)} writes` : `${above ? "more" : "less"} than ${general(end)} times per write`;
  }
  const [fewest, most] = [rounded(1 / end, Math.ceil), rounded(1 / until, Math.floor)];
  if (few && Number(fewest.replaceAll(",", "")) <= Number(most.replaceAll(",", ""))) return `once per ${ranged(fewest, most)} writes`;
  return `${ranged(...[end, until].sort((a, b) => a - b).map(general))} times per write`;
}

const ranged = (first, last) => (first === last ? last : `${first} to ${last}`);

/** From where on the present answer is not known to cost less. */
function undecidedWords({ key, above, start, end }) {
  if (!(start > 0 && Number.isFinite(start)) || start === end) return "";
  if (key !== "reads") return ` (undecided from ${lineSpeed(start / 8)})`;
  if (start < 1 && !above) return ` (undecided from once per ${rounded(1 / start, Math.floor)} writes)`;
  return ` (undecided from ${general(start)}${end < 1 && !above ? " times" : ""})`;
}

/** When another codec is the answer: the twin of bakeoff.reports.model.turning. */
function changeWords(change) {
  const { key, above, end, until } = change;
  const about = until === end ? "about " : "";
  if (key === "reads") return `you read ${about}${readsWords(change)}${undecidedWords(change)}`;
  const line = until === null ? `is ${above ? "faster" : "slower"} than ${lineSpeed(end / 8)}` : `has ${about}${spanWords(key, ...[end, until].sort((a, b) => a - b))}`;
  return `the network ${line}${undecidedWords(change)}`;
}

function hint(leaders) {
  const lines = [];
  const [{ safe, contest, fewest, rank }] = leaders;
  if (leaders.length === 1 && safe.length > 1 && fewest >= state.few) {
    const { candidate } = contest.winner;
    const use = { ...weights };
    const changes = changesOf(candidate, use, rank);
    for (const change of changes) lines.push([bold(change.winner.codec), ` wins if ${changeWords(change)}.`]);
    const asked = axesOf(candidate, use).map(({ key, ends }) => spanWords(key, ...ends));
    if (!changes.length && asked.length) {
      const band = `${Math.round(100 * state.tie)}%`;
      lines.push(["No codec costs less than ", bold(candidate.codec), ` by more than ${band} at ${asked.join(" or ")}.`]);
    }
  }
  for (const { view, overfull } of leaders) {
    if (overfull.length) lines.push([`At this rate the bandwidth is too low for ${overfull.length} of the codecs on ${state.views[view].label}.`]);
  }
  const texts = lines.map((parts) => parts.map((part) => part.textContent ?? part).join("")).join("\n");
  const list = byId("hints");
  if (list.dataset.text === texts) return;
  list.dataset.text = texts;
  list.replaceChildren(...lines.map((parts) => {
    const item = document.createElement("li");
    item.append(...parts);
    return item;
  }));
}

// Controls

let pending = false;

function later() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    update();
  });
}

const SHOWN = {
  reads: (value) => general(value),
  bandwidth: (value) => (value === null ? "not counted" : lineSpeed(value)),
  rate: (value) => (value ? general(value) : "any"),
};

function readSlider(id) {
  const input = byId(id);
  const value = state.sliders[id].stops[Number(input.value)];
  const text = SHOWN[id](value);
  weights[id] = value;
  put(byId(`${id}-shown`), text);
  input.setAttribute("aria-valuetext", text.replace("\u00a0", " "));
  if (id !== "rate") return;
  table.element.classList.toggle("rated", value > 0);
  for (const cell of document.querySelectorAll('#table [data-column="rate"]')) cell.hidden = !value;
}

function readCrossings() {
  weights.perRead = byId("per-read").checked;
}

function changeView() {
  const views = shownViews();
  const chosen = byId("corpus").value;
  const many = viewsOf(chosen).length > 1;
  const label = many ? byId("corpus").selectedOptions[0].textContent : state.views[views[0]].label;
  table.element.classList.toggle("many", many);
  for (const scope of document.querySelectorAll(".scope")) scope.textContent = label;
  for (const note of document.querySelectorAll(".summary-note")) note.hidden = !many;
  for (const note of document.querySelectorAll(".one-view")) note.hidden = many;
  for (const element of document.querySelectorAll("[data-views]")) {
    element.hidden = !element.dataset.views.split(" ").some((view) => views.includes(Number(view)));
  }
  overview.mark(many ? [] : views);
  drawBars(chosen);
  later();
}

/** Show the corpora that fit the filters of records; a corpus that does not fit makes way for the first that does. */
function filterRecords() {
  overview.filter();
  const { fitting, rows } = overview;
  const fits = (option) => !fitting.size || viewsOf(option).some((view) => fitting.has(view));
  const select = byId("corpus");
  for (const option of select.options) option.hidden = option.disabled = !fits(option.value);
  if (!fits(select.value)) select.value = String(overview.shown()[0]);
  for (const card of document.querySelectorAll("#corpora article")) card.hidden = fitting.size > 0 && !fitting.has(Number(card.dataset.view));
  byId("no-corpus").hidden = fitting.size > 0;
  if (overview.facets.length) {
    byId("any-records").hidden = !overview.filtered();
    put(byId("corpora-count"), fitting.size === rows.size ? `${rows.size} rows` : `${fitting.size} of ${rows.size} rows`);
  }
  changeView();
}

function drawBars(chosen) {
  const views = shownViews();
  // A bar over several corpora stands for all of them: one that is left out takes it along.
  const partial = views.length < viewsOf(chosen).length;
  const out = new Set(table.lines.filter((line) => views.includes(line.view) && (!takesPart(line) || folded.has(line))).map((line) => line.codec));
  for (const [operation, { panel, chart }] of charts.bars) {
    const rows = (partial ? [] : state.charts.rows[operation][chosen] ?? []).filter((row) => row.codec === state.baselineRow || !out.has(row.codec));
    const ends = rows.length ? `: ${rows.length} bars from ${rows[0].codec} (${rows[0].label}) to ${rows.at(-1).codec} (${rows.at(-1).label}).` : ": no figure.";
    chart.draw(rows, panel.querySelector("h3").textContent + ends);
    const said = partial ? "Means are of all corpora: choose one corpus, or clear the filters of records." : state.charts.unseen[operation][chosen] ?? "";
    panel.querySelector(".unseen").hidden = !said && rows.length > 0;
    put(panel.querySelector(".unseen"), said || "No codec that fits these filters has a figure.");
    panel.hidden = !rows.length && !said && !filtered();
    for (const part of panel.querySelectorAll(".drawing, .below")) part.hidden = !rows.length;
    const details = panel.querySelector("details");
    if (details.open) fillTable(details, rows);
  }
}

function announce(text) {
  byId("announcer").textContent = text;
}

for (const id of Object.keys(state.sliders)) {
  byId(id).addEventListener("input", () => {
    readSlider(id);
    later();
  });
}
byId("per-read").addEventListener("change", () => {
  readCrossings();
  later();
});
byId("widen").addEventListener("click", () => {
  if (weights.rate > 0 && !byId("widen").textContent.startsWith("Clear")) set("rate", "0");
  else for (const id of FILTERS) set(id, "");
});
for (const id of ["format", "exact", "untrusted"]) {
  byId(id).addEventListener("change", () => {
    drawBars(byId("corpus").value);
    later();
  });
}
byId("search").addEventListener("input", later);
byId("fold")?.addEventListener("change", later);
byId("full").addEventListener("change", ({ target }) => {
  table.element.classList.toggle("full", target.checked);
  remember();
});
table.body.addEventListener("click", ({ target }) => {
  const line = table.lines.find(({ more }) => more && more === target);
  if (!line) return;
  const key = `${line.view}/${line.family}`;
  if (!unfolded.delete(key)) unfolded.add(key);
  later();
});
byId("corpus").addEventListener("change", changeView);
for (const select of overview.facets) select.addEventListener("change", filterRecords);
byId("any-records")?.addEventListener("click", () => {
  for (const { id } of overview.facets) set(id, "");
  overview.facets[0].focus();
});
for (const [view, { link }] of overview.rows) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    opened = true;
    set("corpus", corpusName(view));
    remember();
    byId("results-title").focus({ preventScroll: true });
    byId("results").scrollIntoView();
  });
  // For those who copy it or open it in another tab.
  for (const before of ["focus", "pointerenter"]) link.addEventListener(before, () => { link.href = addressOf(view); });
}

table.element.tHead.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  table.choose(button.dataset.sort, "higher" in button.dataset);
  table.sort();
  remember();
  announce(`Sorted by ${button.textContent}, ${table.descending ? "descending" : "ascending"}.`);
});

for (const details of document.querySelectorAll("details.figures")) {
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    fillTable(details, (chartOf.get(details.closest(".panel")) ?? charts.front).rows);
  });
}

const THEMES = ["system", "light", "dark"];
byId("theme").addEventListener("click", ({ target }) => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? "system") + 1) % THEMES.length];
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  target.textContent = `Theme: ${next}`;
});

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", () => {
    const code = button.parentElement.querySelector("code");
    getSelection().selectAllChildren(code);
    const done = navigator.clipboard ? navigator.clipboard.writeText(code.textContent) : Promise.reject();
    done.then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Selected"; });
  });
}

// The address keeps what was chosen, so that a view can be sent on

const FILTERS = ["format", "exact", "untrusted", "search"];
const LAYOUT = ["fold", "full"].filter((id) => byId(id));
const RECORDS = overview.facets.map(({ id }) => id);
const CONTROLS = [...RECORDS, "corpus", ...FILTERS, ...LAYOUT, ...Object.keys(state.sliders), "per-read"];
let addressed = 0;
/** Whether a row was opened, so that the address names it even if it is the first. */
let opened = false;

/** What a control says, in words that outlive this page: the corpus by name, a slider by its value. */
function chosen(id) {
  const input = byId(id);
  if (id in state.sliders) return String(state.sliders[id].stops[Number(input.value)]);
  if (input.type === "checkbox") return input.checked ? "yes" : "";
  return id === "corpus" ? optionName(input.selectedOptions[0]) : input.value;
}

/** An option of the corpus selector, with its machine if there are several. */
function optionName({ value, textContent }) {
  const { machine } = state.views[viewsOf(value)[0]];
  return machine ? `${textContent} · ${machine}` : textContent;
}

const corpusName = (view) => optionName([...byId("corpus").options].find(({ value }) => value === String(view)));

/** Put a control on a value, as `chosen` gives it; what there is not stays as it is. */
function set(id, value) {
  const input = byId(id);
  const known = chosen(id);
  if (id in state.sliders) {
    const at = state.sliders[id].stops.map(String).indexOf(value);
    if (at >= 0) input.value = String(at);
  } else if (input.type === "checkbox") input.checked = value === "yes";
  else if (input.tagName === "SELECT") {
    const named = (option) => (id === "corpus" ? [optionName(option), option.textContent] : [option.value]).includes(value);
    const option = [...input.options].find((one) => named(one) && !(id === "corpus" && one.disabled));
    if (option) input.value = option.value;
  } else input.value = value;
  if (chosen(id) !== known) input.dispatchEvent(new Event(id in state.sliders || id === "search" ? "input" : "change", { bubbles: true }));
}

const sorted = () => `${table.descending ? "-" : ""}${table.key}`;
const initial = new Map(CONTROLS.map((id) => [id, chosen(id)]));
const inOrder = `${state.sort.descending ? "-" : ""}${state.sort.key}`;

/** What differs from the page as it was made. */
function address(also = {}) {
  const told = CONTROLS.filter((id) => chosen(id) !== initial.get(id) || (id === "corpus" && opened));
  const words = new URLSearchParams(told.map((id) => [id, chosen(id)]));
  if (sorted() !== inOrder) words.set("sort", sorted());
  for (const [key, value] of Object.entries(also)) words.set(key, value);
  return words.size ? `#${words}` : "";
}

const addressOf = (view) => address({ corpus: corpusName(view) });

/** Keep it in the address; a moment later, as browsers count such calls. */
function remember() {
  clearTimeout(addressed);
  addressed = setTimeout(() => {
    const hash = address();
    // An anchor that somebody followed stays.
    if (hash !== location.hash && (hash || location.hash.includes("="))) history.replaceState(null, "", hash || location.pathname + location.search);
  }, 250);
}

function recall() {
  if (location.hash && !location.hash.includes("=")) return;
  const words = new URLSearchParams(location.hash.slice(1));
  for (const id of CONTROLS) set(id, words.get(id) ?? initial.get(id));
  const sort = words.get("sort") ?? inOrder;
  const key = sort.replace(/^-/, "");
  if (!table.headers.some((header) => header.querySelector("button").dataset.sort === key)) return;
  table.key = key;
  table.descending = sort.startsWith("-");
  table.mark();
  table.sort();
}

/** Show the row that an address names. */
function showRow() {
  const entry = overview.rows.get(Number(byId("corpus").value));
  opened = Boolean(entry) && new URLSearchParams(location.hash.slice(1)).has("corpus");
  if (!opened) return;
  entry.row.scrollIntoView({ block: "center" });
  entry.link.focus({ preventScroll: true });
}

function follow() {
  recall();
  showRow();
}

addEventListener("hashchange", follow);

const first = { text: byId("headline").textContent, long: byId("headline").classList.contains("long") };

/** The headline is that of the page as it was made until the use, the corpus or a filter is another. */
function headline(text) {
  const moved = CONTROLS.some((id) => id !== "search" && ![...LAYOUT, ...RECORDS].includes(id) && chosen(id) !== initial.get(id));
  const line = byId("headline");
  put(line, moved ? text : first.text);
  // Once is enough: the headline has the answer for the first use.
  byId("verdict").hidden = !moved && state.views.length === 1;
  line.classList.toggle("long", moved ? text.length > 150 : first.long);
  for (const part of document.querySelectorAll(".first-use")) part.hidden = moved;
}

// Data

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Keep a spreadsheet from running a name or an error text as a formula: the twin of bakeoff.reports.tables.csv_json. */
function inert(value) {
  if (typeof value !== "string") return value;
  const text = value.trim().replace(/\s+/g, " ");
  return /^[=+@-]/.test(text) ? `'${text}` : text;
}

function csv() {
  const columns = ["machine", "corpus", "operation", "codec", "outcome", "unit", "process", "value", "raw", "reason"];
  const quoted = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  const lines = [columns];
  for (const { machine, cells } of machines) {
    for (const cell of cells) {
      const place = [machine, cell.corpus, cell.operation, cell.codec, cell.outcome, cell.unit];
      const { pair = [], value = [], raw = [] } = cell.samples ?? {};
      if (!value.length) lines.push([...place, "", "", "", cell.reason ?? ""]);
      value.forEach((figure, index) => lines.push([...place, pair[index], figure, raw[index], cell.reason ?? ""]));
    }
  }
  return lines.map((line) => line.map(inert).map(quoted).join(",")).join("\r\n") + "\r\n";
}

byId("save-json").addEventListener("click", () => save("bakeoff.json", "application/json", JSON.stringify(machines, null, 1)));
byId("save-csv").addEventListener("click", () => save("bakeoff.csv", "text/csv", csv()));

// Start

for (const id of Object.keys(state.sliders)) readSlider(id);
readCrossings();
table.key = state.sort.key;
table.descending = state.sort.descending;
table.mark();
if (overview.rows.size) filterRecords();
else changeView();
follow();
for (const button of document.querySelectorAll("[data-save]")) {
  const panel = button.closest(".panel");
  const chart = chartOf.get(panel) ?? charts.front;
  button.addEventListener("click", () => {
    const scope = document.querySelector(".scope")?.textContent ?? state.views[0].label;
    const title = panel ? `${panel.querySelector("h3").textContent}: ${panel.dataset.placed ?? scope}` : `size against time: ${scope}; ${useWords()}`;
    picture(chart, title, button.dataset.save);
  });
}
document.documentElement.dataset.ready = "true";
