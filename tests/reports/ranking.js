// Runs the page's ranking over tables from stdin, for test_ranking_script.py: one line of JSON in, one out.
const fs = require("node:fs");

const { script, state: given, tables } = JSON.parse(fs.readFileSync(0, "utf-8"));
const run = new Function("state", `${fs.readFileSync(script, "utf-8")}\nreturn { ranking, moments, changesOf, ratioOf };`);
const { ranking, moments, changesOf, ratioOf } = run(given);

const names = (costs) => costs.map((cost) => cost.candidate.codec);

/** A candidate as page.js gathers it. */
function candidate({ samples, ...facts }) {
  const means = {};
  for (const [part, { value }] of Object.entries(samples)) means[part] = Math.exp(moments(value.map(Math.log))[0]);
  return { ...facts, ...samples, means, ranked: true };
}

for (const { candidates, weights, alpha, shown, advised } of tables) {
  const all = candidates.map(candidate);
  const rank = (other) => ranking(all, other, alpha, given.tie, ({ codec }) => shown.includes(codec));
  const { ranked, contest, faster } = rank(weights);
  const sure = ranked.flatMap((a) => ranked.filter((b) => faster(a, b)).map((b) => [a.candidate.codec, b.candidate.codec]));
  console.log(JSON.stringify({
    order: names(ranked),
    places: Object.fromEntries(ranked.map((cost) => [cost.candidate.codec, cost.place])),
    sure,
    times: ranked.flatMap((a) => ranked.filter((b) => a !== b).map((b) => ratioOf(a, b))),
    contest: contest && { winner: contest.winner.candidate.codec, same: names(contest.same), unresolved: names(contest.unresolved) },
    changes: contest && advised ? changesOf(contest.winner.candidate, weights, rank).map(({ winner, key, above, start, end, until }) => [
      winner.codec, key, above, Number.isFinite(start) ? start : null, end, until,
    ]) : [],
  }));
}
