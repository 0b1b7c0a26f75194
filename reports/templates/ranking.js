// What a record costs and who is surely cheaper: the twin of bakeoff.reports.cost and bakeoff.bench.stats.

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
  const x = degrees / (degrees + t * t);
  if (x >= 1) return 1;
  const [a, b] = [degrees / 2, 0.5];
  if (!gammas.has(degrees)) gammas.set(degrees, logGamma(a + b) - logGamma(a) - logGamma(b));
  const front = Math.exp(gammas.get(degrees) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
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

/** Estimate a log ratio from two costs: paired by process where possible, else as two sessions. */
function compare(a, b) {
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
  if (count > 1) return { mean, error: Math.sqrt(squares / (count - 1) / count), degrees: count - 1, count };
  if (count === 1 && a.pairs.length === 1 && b.pairs.length === 1) return { mean, error: 0, degrees: 0, count };
  count = Math.min(a.pairs.length, b.pairs.length);
  const error = Math.sqrt(a.variance / a.pairs.length + b.variance / b.pairs.length + state.session ** 2);
  return { mean: a.mean - b.mean, error, degrees: count - 1, count };
}

/** Judge all pairs as bench.stats.verdicts does; the result says whether row a is surely cheaper than row b. */
function cheaper(costs, alpha, tie) {
  const size = costs.length;
  const band = Math.log1p(tie);
  const sure = new Uint8Array(size * size);
  const pairs = [];
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) {
      const { mean, error, degrees, count } = compare(costs[i], costs[j]);
      const away = Math.abs(mean);
      let p = 1;
      let same = false;
      if (count >= state.few) {
        p = error > 0 ? tails(away / error, degrees) : away > 0 ? 0 : 1;
        same = away <= band && (error === 0 || tails((band - away) / error, degrees) <= alpha);
      }
      pairs.push({ i, j, mean, p, same });
    }
  }
  pairs.sort((a, b) => a.p - b.p);
  let highest = 0;
  pairs.forEach(({ i, j, mean, p, same }, position) => {
    highest = Math.max(highest, Math.min(1, p * (pairs.length - position)));
    if (!same && highest < alpha) sure[mean < 0 ? i * size + j : j * size + i] = 1;
  });
  return sure;
}

/** Add an candidate's operations up, process by process. Null when a part has no figure. */
function costOf(candidate, weights) {
  const { dump, load, fix, size } = candidate;
  const { reads, bandwidth } = weights;
  if (!candidate.ranked || !dump || (reads > 0 && !load) || (bandwidth !== null && size === null)) return null;
  const wire = bandwidth === null ? 0 : size / bandwidth;
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

/** Rank the candidates of one view: costs cheapest first, each with rank, tie and place on the front. */
function ranking(candidates, weights, alpha, tie) {
  const costs = candidates.map((candidate) => costOf(candidate, weights)).filter(Boolean);
  const full = costs.filter((cost) => !overfull(cost.candidate, weights));
  full.sort((a, b) => a.value - b.value);
  const sure = cheaper(full, alpha, tie);
  const count = full.length;
  let first = 0;
  full.forEach((cost, a) => {
    if (sure[first * count + a]) first = a;
    let beaten = cost.candidate.size === null;
    full.forEach((other, b) => {
      if (other.candidate.size === null || beaten) return;
      if (other.candidate.size <= cost.candidate.size && sure[b * count + a]) beaten = true;
      else if (other.candidate.size < cost.candidate.size && other.value <= cost.value) beaten = true;
    });
    cost.rank = first + 1;
    cost.front = !beaten;
  });
  const shared = new Map();
  full.forEach((cost) => shared.set(cost.rank, (shared.get(cost.rank) ?? 0) + 1));
  let lowest = Infinity;
  [...full].sort((a, b) => a.candidate.size - b.candidate.size || a.value - b.value).forEach((cost) => {
    cost.tied = shared.get(cost.rank) > 1;
    cost.edge = cost.front && cost.value < lowest;
    if (cost.edge) lowest = cost.value;
  });
  const places = new Map(full.map((cost, place) => [cost.candidate, place]));
  /** Whether two costs are told apart: as their ranks are, or on their own where one has no rank. */
  const apart = (a, b) => {
    const [i, j] = [places.get(a.candidate), places.get(b.candidate)];
    if (i !== undefined && j !== undefined) return Boolean(sure[i * count + j] || sure[j * count + i]);
    return cheaper([a, b], alpha, tie).some(Boolean);
  };
  return { ranked: full, overfull: costs.filter((cost) => overfull(cost.candidate, weights)), apart };
}

/** What the chosen rate takes: busy processors, and the share of the line. */
function load(candidate, { reads, bandwidth, rate }) {
  const seconds = candidate.means.dump + reads * ((candidate.means.load ?? 0) + (candidate.means.fix ?? 0));
  return { cores: rate * seconds, line: bandwidth === null ? 0 : (rate * candidate.size) / bandwidth };
}

function overfull(candidate, weights) {
  return weights.rate > 0 && load(candidate, weights).line > 1;
}

/** Where the cheapest codec stops being it, on both sides of both weights. */
function limits(ranked, weights) {
  const [first, ...others] = ranked;
  const found = { reads: [null, null], bandwidth: [null, null] };
  if (!first) return found;
  const cpu = ({ means }) => [means.dump, (means.load ?? 0) + (means.fix ?? 0)];
  const wire = ({ size }) => (weights.bandwidth === null ? 0 : size / weights.bandwidth);
  const [dump, read] = cpu(first.candidate);
  const nearest = (key, at, candidate, now) => {
    if (!(at >= state.plausible[key][0] && at <= state.plausible[key][1])) return;
    const side = at > now ? 1 : 0;
    const known = found[key][side];
    if (!known || (side ? at < known.at : at > known.at)) found[key][side] = { at, candidate };
  };
  for (const { candidate } of others) {
    const [theirDump, theirRead] = cpu(candidate);
    const reads = (theirDump + wire(candidate) - dump - wire(first.candidate)) / (read - theirRead);
    nearest("reads", reads, candidate, weights.reads);
    if (candidate.size === null || first.candidate.size === null) continue;
    const seconds = theirDump + weights.reads * theirRead - dump - weights.reads * read;
    const line = (first.candidate.size - candidate.size) / seconds;
    nearest("bandwidth", line, candidate, weights.bandwidth ?? Infinity);
  }
  return found;
}
