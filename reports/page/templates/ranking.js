// What a record costs, and the verdict on the codecs: the twin of bakeoff.bench.verdict and
// bakeoff.bench.stats.

const LANCZOS = [
  76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2,
  -0.5395239384953e-5,
];

function logGamma(x) {
  let sum = 1.000000000190015;
  LANCZOS.forEach((weight, index) => { sum += weight / (x + 1 + index); });
  const t = x + 5.5;
  return (x + 0.5) * Math.log(t) - t + Math.log((2.5066282746310005 * sum) / x);
}

const gammas = new Map();

/** Chance of a t value at least this far from 0 (both sides): the incomplete beta function, after Lentz. */
function tails(t, degrees) {
  if (!(degrees > 0)) return 1;
  if (!Number.isFinite(t)) return 0;
  degrees = Math.min(degrees, 200);
  const x = degrees / (degrees + t * t);
  if (x >= 1) return 1;
  const [a, b] = [degrees / 2, 0.5];
  if (!gammas.has(degrees)) gammas.set(degrees, logGamma(a + b) - logGamma(a) - logGamma(b));
  const front = Math.exp(gammas.get(degrees) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

const quantiles = new Map();

/** The t value that is exceeded, on both sides together, with a chance of alpha: the twin of bakeoff.bench.stats.student. */
function quantile(alpha, degrees) {
  const key = `${alpha} ${degrees}`;
  if (!quantiles.has(key)) {
    let [low, high] = [0, Math.PI / 2];
    for (let halving = 0; halving < 60; halving++) {
      const middle = (low + high) / 2;
      if (tails(Math.sqrt(degrees) * Math.tan(middle), degrees) > alpha) low = middle;
      else high = middle;
    }
    quantiles.set(key, Math.sqrt(degrees) * Math.tan(low));
  }
  return quantiles.get(key);
}

function fraction(x, a, b) {
  const tiny = 1e-300;
  const guarded = (value) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1));
  let h = d;
  for (let m = 1; m < 200; m++) {
    let step = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + step * d);
    c = guarded(1 + step / c);
    h *= d * c;
    step = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + step * d);
    c = guarded(1 + step / c);
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-10) break;
  }
  return h;
}

function moments(values) {
  let mean = 0;
  for (const value of values) mean += value;
  mean /= values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return [mean, values.length > 1 ? squares / (values.length - 1) : 0];
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** How noisy costs are, see bench.noise: gives what is expected of two of them, [variance, degrees], or null. */
function noise(costs) {
  const pairs = costs.length ? costs[0].pairs.filter((pair) => costs.every((cost) => cost.pairs.includes(pair))) : [];
  const own = pairs.length - 1;
  if (costs.length < 4 || own < 1) return () => null;
  const around = costs.map((cost) => {
    const values = pairs.map((pair) => cost.paired[cost.pairs.indexOf(pair)]);
    const [mean] = moments(values);
    return values.map((value) => value - mean);
  });
  const level = pairs.map((_, process) => median(around.map((values) => values[process])));
  const kept = costs.length / (costs.length - 1);
  const found = around.map((values) => kept * moments(values.map((value, process) => value - level[process]))[1]);
  const common = median(found) / (1 - 2 / (9 * own)) ** 3;
  if (!(common > 0)) return () => null;
  const most = Math.max(0.5 * own * (costs.length - 1), own);
  const cells = new Map(costs.map((cost, index) => [
    cost, [Math.max(found[index], common), found[index] <= 1.5 * common ? most : own],
  ]));
  return (a, b) => {
    const [[one, ones], [other, others]] = [cells.get(a), cells.get(b)];
    return [one + other, Math.min((one + other) ** 2 / (one ** 2 / ones + other ** 2 / others), most)];
  };
}

/** Estimate a log ratio from two costs: paired by process where possible, else as two sessions. */
function compare(a, b, expected = () => null) {
  let count = 0;
  let mean = 0;
  let squares = 0;
  for (let index = 0; index < a.pairs.length; index++) {
    const other = a.pairs === b.pairs || a.pairs[index] === b.pairs[index] ? index : b.pairs.indexOf(a.pairs[index]);
    if (other < 0) continue;
    const difference = a.paired[index] - b.paired[other];
    const step = difference - mean;
    mean += step / ++count;
    squares += step * (difference - mean);
  }
  if (count > 1) {
    let [variance, degrees] = [squares / (count - 1), count - 1];
    const prior = expected(a, b);
    if (variance < 1e-20) variance = 0;
    else if (prior) {
      if (variance < prior[0]) variance = (8 * prior[0] + degrees * variance) / (8 + degrees);
      degrees = Math.max(degrees, Math.floor(prior[1]));
    }
    return { mean, error: Math.sqrt(variance / count), degrees, count };
  }
  if (count === 1 && a.pairs.length === 1 && b.pairs.length === 1) return { mean, error: 0, degrees: 0, count };
  count = Math.min(a.pairs.length, b.pairs.length);
  const [deviation, freedom] = state.session;
  const parts = [...[a, b].map(({ variance, pairs }) => [variance / pairs.length, pairs.length - 1]), [deviation ** 2, freedom]];
  const total = parts.reduce((sum, [variance]) => sum + variance, 0);
  const spread = parts.reduce((sum, [variance, own]) => sum + variance ** 2 / own, 0);
  return { mean: a.mean - b.mean, error: Math.sqrt(total), degrees: count > 1 ? Math.floor(total ** 2 / spread) : 0, count };
}

/** How many times another cost a cost is. */
const ratioOf = (cost, base) => (cost.candidate === base.candidate ? 1 : Math.exp(compare(cost, base).mean));

/**
 * Judge all pairs as bench.stats.verdicts does: whether cost a is surely lower than cost b, or the same, with the
 * log ratio of both and half its interval, which is 0 if unknown.
 */
function judge(costs, alpha, tie) {
  const size = costs.length;
  const expected = noise(costs);
  const band = Math.log1p(tie);
  const at = new Map(costs.map((cost, index) => [cost, index]));
  const sure = new Uint8Array(size * size);
  const alike = new Uint8Array(size * size);
  const ratios = new Float64Array(size * size);
  const known = [];
  const pairs = [];
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) {
      const { mean, error, degrees, count } = compare(costs[i], costs[j], expected);
      const away = Math.abs(mean);
      let p = 1;
      let same = false;
      if (count >= state.few) {
        p = error > 0 ? tails(away / error, degrees) : away > 0 ? 0 : 1;
        same = away <= band && (error === 0 || tails((band - away) / error, degrees) <= alpha);
      }
      pairs.push({ i, j, mean, p, same });
      ratios[i * size + j] = mean;
      ratios[j * size + i] = -mean;
      known[i * size + j] = known[j * size + i] = { error, degrees: count >= state.few ? degrees : 0, same };
    }
  }
  pairs.sort((a, b) => a.p - b.p);
  const end = pairs.findIndex(({ p }, position) => p >= alpha / (pairs.length - position));
  const level = end < 0 ? alpha : alpha / (pairs.length - end);
  for (const { i, j, mean, p, same } of pairs) {
    if (same) alike[i * size + j] = alike[j * size + i] = 1;
    else if (p < level) sure[mean < 0 ? i * size + j : j * size + i] = 1;
  }
  const place = (a, b) => at.get(a) * size + at.get(b);
  return {
    faster: (a, b) => sure[place(a, b)] === 1,
    same: (a, b) => alike[place(a, b)] === 1,
    ratio: (a, b) => ratios[place(a, b)],
    reach: (a, b) => {
      const { error, degrees, same } = known[place(a, b)];
      return error > 0 && degrees > 0 ? error * quantile(same ? alpha : level, Math.min(degrees, 200)) : 0;
    },
  };
}

/** The ranks that each of some costs may have, see bench.verdict.Judgment.rank_ranges. */
function placesOf(costs, { faster }) {
  return costs.map((cost) => {
    const first = 1 + costs.filter((other) => faster(other, cost)).length;
    const last = costs.length - costs.filter((other) => faster(cost, other)).length;
    return { first, last };
  });
}

/** Who of some costs may win, see bench.verdict.Judgment.contest; null where there are none. */
function contestOf(costs, judged, { reads }) {
  if (!costs.length) return null;
  const places = placesOf(costs, judged);
  const leading = costs.filter((_, index) => places[index].first === 1);
  const [cheapest, ...others] = leading.length ? leading : costs.slice(0, 1);
  const same = others.filter((cost) => judged.same(cost, cheapest));
  const key = ({ candidate: { taste, size, means, codec } }) => [
    ...taste, size ?? 0, Number((means.dump + reads * ((means.load ?? 0) + (means.fix ?? 0))).toPrecision(2)), codec,
  ];
  const [winner] = [cheapest, ...same].sort((a, b) => ascending(key(a), key(b)));
  return {
    winner,
    same: [cheapest, ...same].filter((cost) => cost !== winner),
    unresolved: others.filter((cost) => !same.includes(cost)),
  };
}

/** Compare two keys part by part. */
function ascending(a, b) {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return 0;
  return a[at] < b[at] ? -1 : 1;
}

/** How often a payload crosses the line: the twin of CostModel.transfers. */
const transfers = ({ reads, perRead }) => (perRead ? reads : 1);

/** Add a candidate's operations up, process by process. Null when a part has no figure. */
function costOf(candidate, weights) {
  const { dump, load, fix, size } = candidate;
  const { reads, bandwidth } = weights;
  const sent = bandwidth === null ? 0 : transfers(weights);
  if (!candidate.ranked || !dump || (reads > 0 && !load) || (sent > 0 && size === null)) return null;
  const wire = sent > 0 ? (sent * size) / bandwidth : 0;
  const parts = reads > 0 ? [load, fix].filter(Boolean) : [fix].filter(Boolean);
  const simple = parts.every((part) => part.pair.length === dump.pair.length && part.pair.every((p, i) => p === dump.pair[i]));
  const kept = simple ? dump.pair : dump.pair.filter((pair) => parts.every((part) => part.pair.includes(pair)));
  if (!kept.length) return null;
  const values = new Float64Array(kept.length);
  const paired = new Float64Array(kept.length);
  kept.forEach((pair, index) => {
    const at = simple ? index : dump.pair.indexOf(pair);
    let value = dump.value[at];
    let relative = dump.paired[at];
    for (const part of parts) {
      const there = simple ? index : part.pair.indexOf(pair);
      value += reads * part.value[there];
      relative += reads * part.paired[there];
    }
    values[index] = Math.log(value + wire);
    paired[index] = Math.log(relative + wire * (dump.paired[at] / dump.value[at] || 1));
  });
  const [mean, variance] = moments(values);
  return { candidate, pairs: kept, paired, mean, variance, value: Math.exp(mean) };
}

/**
 * Rank the candidates of one view: costs cheapest first, each with its ranks and its place on the front.
 * All of them are judged together; those that do not take part have no rank, and change no verdict on others.
 */
function ranking(candidates, weights, alpha, tie, takesPart = () => true) {
  const all = candidates.map((candidate) => costOf(candidate, weights)).filter(Boolean);
  all.sort((a, b) => ascending([a.value, a.candidate.codec], [b.value, b.candidate.codec]));
  const judged = judge(all, alpha, tie);
  const costs = all.filter((cost) => takesPart(cost.candidate));
  const full = costs.filter((cost) => !overfull(cost.candidate, weights));
  placesOf(full, judged).forEach(({ first, last }, index) => {
    const cost = full[index];
    const { size } = cost.candidate;
    const beats = (other) => {
      const theirs = other.candidate.size;
      if (theirs === null || theirs > size) return false;
      return judged.faster(other, cost) || (theirs < size && other.value <= cost.value);
    };
    const front = size !== null && !full.some(beats);
    Object.assign(cost, { first, front, place: first === last ? `${first}` : `${first} to ${last}` });
  });
  let lowest = Infinity;
  [...full].sort((a, b) => a.candidate.size - b.candidate.size || a.value - b.value).forEach((cost) => {
    cost.edge = cost.front && cost.value < lowest;
    if (cost.edge) lowest = cost.value;
  });
  const safe = full.filter((cost) => !cost.candidate.drawback);
  return {
    all,
    ranked: full,
    safe,
    overfull: costs.filter((cost) => overfull(cost.candidate, weights)),
    contest: contestOf(safe, judged, weights),
    fewest: Math.min(...all.map((cost) => cost.pairs.length)),
    faster: judged.faster,
    judged,
  };
}

/** What the chosen rate takes: busy processors, and the share of the line. */
function load(candidate, weights) {
  const { reads, bandwidth, rate } = weights;
  const seconds = candidate.means.dump + reads * ((candidate.means.load ?? 0) + (candidate.means.fix ?? 0));
  return { cores: rate * seconds, line: bandwidth === null ? 0 : (rate * transfers(weights) * candidate.size) / bandwidth };
}

function overfull(candidate, weights) {
  return weights.rate > 0 && load(candidate, weights).line > 1;
}

// Where another codec would be the answer: the twin of bakeoff.reports.model.breakeven

/** What a ranking says of its candidates, of which some may have no cost. */
function answerOf({ all, safe, contest, judged }) {
  const of = new Map(all.map((cost) => [cost.candidate, cost]));
  const ask = (question, a, b) => of.has(a) && of.has(b) && judged[question](of.get(a), of.get(b));
  const level = contest ? [contest.winner, ...contest.same, ...contest.unresolved].map((cost) => cost.candidate) : [];
  const cheaper = (a, b) => ask("faster", a, b);
  return {
    eligible: safe.map((cost) => cost.candidate),
    cheaper,
    reach: (a, b) => ask("reach", a, b) || 0,
    overtaking: (codec) => {
      if (level.includes(codec)) return null;
      const less = level.some((other) => cheaper(other, codec) && ask("ratio", other, codec) < -Math.log1p(state.tie));
      return less ? level[0] : null;
    },
  };
}

function printed(value, up) {
  const exponent = Math.floor(Math.log10(value)) - 2;
  const count = value / Number(`1e${exponent}`);
  return Number(`${up ? Math.ceil(count) : Math.floor(count)}e${exponent}`);
}

/** The weights that may change, as Axis in Python; the bandwidth is in bits per second. */
function axesOf(own, weights) {
  const read = ({ means }) => (means.load ?? 0) + (means.fix ?? 0);
  const wire = ({ size }) => (weights.bandwidth === null ? 0 : size / weights.bandwidth);
  const { reads, perRead, rate } = weights;
  const axes = [];
  const [low, high] = state.plausible.bandwidth;
  if (own.means.load) {
    axes.push({
      key: "reads",
      now: reads,
      ends: state.plausible.reads,
      weighing: (value) => ({ ...weights, reads: value }),
      line: (c) => (perRead ? [c.means.dump, read(c) + wire(c)] : [c.means.dump + wire(c), read(c)]),
      least: () => 0,
    });
  }
  if (own.size && transfers(weights)) {
    axes.push({
      key: "bandwidth",
      now: weights.bandwidth === null ? Infinity : 8 * weights.bandwidth,
      ends: [8 * low, 8 * high],
      weighing: (value) => ({ ...weights, bandwidth: value / 8 }),
      line: (c) => [8 * c.size * transfers(weights), c.means.dump + reads * read(c)],
      least: (c) => (rate > 0 ? printed(8 * rate * transfers(weights) * c.size, true) : 0),
    });
  }
  return axes;
}

/**
 * Find the nearest change of the answer on each side of each weight.
 * `chooser` ranks with other weights; `own` is the candidate that is the answer now.
 */
function changesOf(own, weights, chooser, axes = axesOf(own, weights)) {
  const found = [];
  const known = new Map();
  for (const axis of axes) {
    const ask = (value) => {
      const key = `${axis.key} ${value}`;
      if (!known.has(key)) known.set(key, answerOf(chooser(value === axis.now ? weights : axis.weighing(value))));
      return known.get(key);
    };
    for (const above of [true, false]) {
      const search = searchOf(axis, ask, above);
      const change = search.change(own, axis.now);
      if (change) found.push({ ...change, key: axis.key, above, until: search.held(change.winner, change.end) });
    }
  }
  return found;
}

function searchOf({ ends: [low, high], line, least }, ask, above) {
  const TIE = Math.log1p(state.tie);
  const FURTHER = 1.15;
  const FURTHEST = 20;
  const before = (one, other) => (above ? one < other : one > other);
  const limitOf = (codec) => (above ? high : Math.max(low, least(codec)));

  /** The printed value at which the means of two codecs have a ratio; null if nowhere. */
  const point = (one, other, logRatio, up) => {
    const times = Math.exp(logRatio);
    const [[fixed, slope], [theirs, their]] = [line(one), line(other).map((part) => part * times)];
    const at = (fixed - theirs) / (their - slope);
    return their !== slope && at > 0 ? printed(at, up) : null;
  };

  const endOf = (one, other, far, limit) => {
    const at = point(one, other, -far, above);
    return at === null || before(limit, at) ? limit : Math.min(Math.max(at, low), high);
  };

  function change(codec, start) {
    const limit = limitOf(codec);
    if (!before(start, limit)) return null;
    const last = ask(limit);
    if (!last.overtaking(codec)) return null;
    const here = ask(start);
    const rivals = last.eligible.filter((other) => last.cheaper(other, codec));
    const guesses = rivals.map((other) => endOf(other, codec, Math.max(TIE, here.reach(other, codec)), limit));
    const rival = rivals[guesses.indexOf((above ? Math.min : Math.max)(...guesses))];
    let [held, end, far] = [start, limit, TIE];
    for (; far < FURTHEST; far *= FURTHER) {
      end = endOf(rival, codec, far, limit);
      if (!before(start, end)) continue;
      const there = ask(end);
      if (there.overtaking(codec)) break;
      [held, far] = [end, Math.max(far, there.reach(rival, codec))];
    }
    return withStart(codec, start, far < FURTHEST ? end : limit, held);
  }

  /** Find where a codec is last known to cost less than the one that has overtaken it. */
  function withStart(codec, start, end, held) {
    const last = ask(end);
    const winner = last.overtaking(codec);
    for (let far = Math.max(TIE, last.reach(winner, codec)); far < FURTHEST; far *= FURTHER) {
      const at = point(winner, codec, far, !above);
      if (at === null || !before(start, at) || at < low || at > high) break;
      if (!before(at, end)) continue;
      const there = ask(at);
      if (there.overtaking(codec)) return withStart(codec, start, at, before(held, at) ? held : start);
      if (there.cheaper(codec, winner)) return { winner, start: at, end, held: before(held, at) ? at : held };
      far = Math.max(far, there.reach(winner, codec));
    }
    return { winner, start, end, held };
  }

  function held(codec, start) {
    const then = change(codec, start);
    if (then) return then.held;
    const limit = limitOf(codec);
    return limit === low || limit === high ? null : limit;
  }

  return { change, held };
}
