// What a record costs and who is surely cheaper: the twin of bakeoff.reports.cost, bakeoff.bench.stats and
// bakeoff.bench.student.

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

/** The sum of 1 / (x + k) ** power up to where the asymptotic series is good; and where that is. */
function shifted(x, power) {
  let found = 0;
  while (x < 8) found += 1 / x++ ** power;
  return [found, x, 1 / (x * x)];
}

function digamma(x) {
  const [found, y, square] = shifted(x, 1);
  return Math.log(y) - 0.5 / y - square * (1 / 12 - square * (1 / 120 - square / 252)) - found;
}

function trigamma(x) {
  const [found, y, square] = shifted(x, 2);
  return found + 1 / y + square / 2 + ((1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))) * square) / y;
}

/** What variances say of one: [variance, degrees], null when they are too few. Smyth 2004. */
function pooled(variances, degrees) {
  const middle = [...variances].sort((a, b) => a - b)[Math.floor(variances.length / 2)];
  if (variances.length < 4 || degrees < 1 || !(middle > 0)) return null;
  const own = degrees / 2;
  const kept = variances.map((variance) => Math.max(variance, 1e-5 * middle));
  const [mean, spread] = moments(kept.map((variance) => Math.log(variance) - digamma(own) + Math.log(own)));
  const excess = spread - trigamma(own);
  const most = degrees * variances.length;
  if (excess <= trigamma(most / 2)) return [moments(kept)[0], most];
  let [low, high] = [Math.log(1e-3), Math.log(1e6)];
  for (let halving = 0; halving < 60; halving++) {
    const half = (low + high) / 2;
    if (trigamma(Math.exp(half)) > excess) low = half;
    else high = half;
  }
  const half = Math.exp(low);
  return [Math.exp(mean + digamma(half) - Math.log(half)), 2 * half];
}

/** What the costs of a table say of each other's noise, see bench.stats.common. */
function common(costs) {
  if (!costs.length) return null;
  const pairs = costs[0].pairs.filter((pair) => costs.every((cost) => cost.pairs.includes(pair)));
  if (pairs.length < 2) return null;
  const logs = costs.map((cost) => pairs.map((pair) => cost.paired[cost.pairs.indexOf(pair)]));
  const levels = pairs.map((_, place) => moments(logs.map((own) => own[place]))[0]);
  return pooled(logs.map((own) => moments(own.map((value, place) => value - levels[place]))[1]), pairs.length - 1);
}

/** Estimate a log ratio from two costs: paired by process where possible, else as two sessions. */
function compare(a, b, prior) {
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
    if (prior && variance > 0) {
      variance = (prior[1] * 2 * prior[0] + degrees * variance) / (prior[1] + degrees);
      degrees = Math.max(1, Math.floor(prior[1] + degrees));
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

/** Judge all pairs as bench.stats.verdicts does: whether row a is surely cheaper than row b, or the same. */
function cheaper(costs, alpha, tie) {
  const size = costs.length;
  const prior = common(costs);
  const band = Math.log1p(tie);
  const sure = new Uint8Array(size * size);
  const alike = new Uint8Array(size * size);
  const pairs = [];
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j < size; j++) {
      const { mean, error, degrees, count } = compare(costs[i], costs[j], prior);
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
    if (same) alike[i * size + j] = alike[j * size + i] = 1;
    if (!same && highest < alpha) sure[mean < 0 ? i * size + j : j * size + i] = 1;
  });
  return { sure, alike };
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
  const { sure, alike } = cheaper(full, alpha, tie);
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
  full.forEach((cost, a) => {
    const rank = shared.get(cost.rank) ?? { number: 0, same: true };
    rank.same &&= rank.number === 0 || alike[(cost.rank - 1) * count + a] === 1;
    rank.number += 1;
    shared.set(cost.rank, rank);
  });
  let lowest = Infinity;
  [...full].sort((a, b) => a.candidate.size - b.candidate.size || a.value - b.value).forEach((cost) => {
    const { number, same } = shared.get(cost.rank);
    cost.place = number === 1 ? `${cost.rank}` : same ? `${cost.rank}=` : `${cost.rank} to ${cost.rank + number - 1}`;
    cost.edge = cost.front && cost.value < lowest;
    if (cost.edge) lowest = cost.value;
  });
  const places = new Map(full.map((cost, place) => [cost.candidate, place]));
  /** Whether two costs are told apart: as their ranks are, or on their own where one has no rank. */
  const apart = (a, b) => {
    const [i, j] = [places.get(a.candidate), places.get(b.candidate)];
    if (i !== undefined && j !== undefined) return Boolean(sure[i * count + j] || sure[j * count + i]);
    return cheaper([a, b], alpha, tie).sure.some(Boolean);
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
