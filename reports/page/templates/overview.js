// The overview of several corpora: filters them by the shape of their records, and writes who leads on each: the
// twin of bakeoff.reports.page.overview.

const UNKNOWN = "–";

class Overview {
  constructor(element) {
    this.rows = new Map();
    for (const row of element?.tBodies[0].rows ?? []) {
      const cells = {};
      for (const cell of row.querySelectorAll("[data-lead]")) {
        cells[cell.dataset.lead] = [cell.querySelector(".v"), cell.querySelector("small")];
      }
      this.rows.set(Number(row.dataset.view), { row, cells, link: row.querySelector("a") });
    }
    this.facets = [...document.querySelectorAll("[data-facet]")];
    this.fitting = new Set(this.rows.keys());
  }

  /** The views that have a row and fit the filters. */
  shown() {
    return [...this.fitting];
  }

  fits({ row }, without = null) {
    return this.facets.every((select) => select === without || !select.value || row.dataset[select.id] === select.value);
  }

  /** Read the filters; a class that no corpus has besides the other filters cannot be chosen. */
  filter() {
    this.fitting = new Set([...this.rows].filter(([, entry]) => this.fits(entry)).map(([view]) => view));
    for (const [view, { row }] of this.rows) row.hidden = !this.fitting.has(view);
    for (const select of this.facets) {
      const left = [...this.rows.values()].filter((entry) => this.fits(entry, select));
      for (const option of select.options) {
        option.disabled = option.value !== "" && !left.some(({ row }) => row.dataset[select.id] === option.value);
      }
    }
  }

  filtered() {
    return this.facets.some((select) => select.value);
  }

  mark(views) {
    for (const [view, { row }] of this.rows) {
      if (views.includes(view)) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  write(leader) {
    const entry = this.rows.get(leader.view);
    const { first, next, others } = leadOf(leader);
    const texts = { first, next, ...others };
    for (const [key, [value, remark]] of Object.entries(texts)) {
      put(entry.cells[key][0], value);
      put(entry.cells[key][1], remark);
    }
  }

  /** Write where leads change: that takes many rankings, so it follows when the sliders rest, row by row. */
  turn(leaders) {
    clearTimeout(this.timer);
    for (const { view } of leaders) this.rows.get(view).row.classList.add("stale");
    const left = [...leaders];
    const step = () => {
      const leader = left.shift();
      if (!leader) return;
      const { row, cells } = this.rows.get(leader.view);
      put(cells.turns[0], turnsOf(leader));
      row.classList.remove("stale");
      this.timer = setTimeout(step);
    };
    this.timer = setTimeout(step, 200);
  }
}

/** Whether codecs could be judged: with few processes there is only a lowest mean. */
const judgedAll = ({ safe, fewest }) => fewest >= state.few || safe.length === 1;

/** Who leads, and how many times its cost that of others is: pairs of a text and a remark. */
function leadOf(leader) {
  const { all, ranked, overfull, safe, contest, fewest, faster } = leader;
  if (!contest) {
    const why = !all.length ? "no cost was measured" : overfull.length ? "needs more than the bandwidth" : ranked.length ? "no safe codec is exact" : "none fits the filters";
    return { first: [UNKNOWN, why], next: [UNKNOWN, ""], others: Object.fromEntries(state.compared.map((name) => [name, [UNKNOWN, ""]])) };
  }
  const { winner, same, unresolved } = contest;
  let level = [winner, ...same, ...unresolved];
  let remark = "";
  if (!judgedAll(leader)) {
    level = [winner];
    remark = `lowest mean of ${fewest === 1 ? "1 process" : `${fewest} processes`}`;
  } else if (unresolved.length) remark = "not distinguishable";
  else if (same.length) remark = `tie within ${Math.round(100 * state.tie)}%`;
  const against = (cost, said) => {
    if (!cost) return [UNKNOWN, ""];
    const text = times(ratioOf(cost, winner));
    return [cost === winner || faster(cost, winner) || faster(winner, cost) ? text : `(${text})`, said];
  };
  const rest = safe.find((cost) => !level.includes(cost));
  // Files of several versions label their codecs.
  const named = (name) => all.find((cost) => cost.candidate.codec.replace(/ (?:#\d+|@\S+)$/, "") === name);
  return {
    first: [few(level.map((cost) => cost.candidate.codec)).map((part) => part.textContent ?? part).join(""), remark],
    next: against(rest, rest?.candidate.codec ?? ""),
    others: Object.fromEntries(state.compared.map((name) => [name, against(named(name), named(name)?.candidate.lossy ? "lossy" : "")])),
  };
}

/** Say from where on, and up to where, another codec is the answer. */
function turnsOf(leader) {
  const { safe, contest, rank } = leader;
  if (!contest || !judgedAll(leader) || safe.length < 2) return UNKNOWN;
  const { candidate } = contest.winner;
  const use = { ...weights };
  const axes = axesOf(candidate, use).filter(({ key }) => key === "reads");
  if (!axes.length) return UNKNOWN;
  const texts = changesOf(candidate, use, rank, axes).map(({ winner, above, end }) => `${winner.codec} ${above ? "from" : "up to"} ${general(end)} reads`);
  return texts.join("; ") || (contest.unresolved.length ? UNKNOWN : "never");
}
