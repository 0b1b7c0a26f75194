// Numbers as the tables write them: the twin of bakeoff.reports.model.numbers.

const SCALES = {
  second: [[1e9, "ns"], [1e6, "µs"], [1e3, "ms"], [1, "s"]],
  byte: [[1, "B"], [2 ** -10, "KiB"], [2 ** -20, "MiB"], [2 ** -30, "GiB"]],
};

const FORMATTERS = [0, 1, 2, 3, 4, 5, 6].map(
  (places) => new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places }),
);

function decimals(value, half) {
  if (!value || !Number.isFinite(value)) return 0;
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  let significant = 3;
  if (half !== null && half <= 0) significant = 4;
  else if (half !== null && Number.isFinite(half)) {
    significant = Math.min(4, Math.max(2, magnitude - Math.floor(Math.log10(half)) + 1));
  }
  return Math.min(6, Math.max(0, significant - 1 - magnitude));
}

function quantity(value, half = null) {
  return FORMATTERS[decimals(value, half)].format(value);
}

/** Choose one unit for a column by its middle value, the given one unless numbers grow too long in it: [1e6, "µs"]. */
function scale(values, unit, wanted = null) {
  const steps = SCALES[unit];
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  const given = steps.find(([factor, name]) => name === wanted && middle * factor < 1e5);
  if (given) return given;
  const fitting = steps.filter(([factor]) => middle * factor >= 1);
  return fitting.reduce((best, step) => (step[0] < best[0] ? step : best), fitting[0] ?? steps[0]);
}

function amount(value, unit) {
  const [factor, name] = scale([value], unit);
  return `${quantity(value * factor)}\u00a0${name}`;
}

function times(value) {
  if (value >= 99.95) return `${FORMATTERS[0].format(value)}×`;
  if (value > 0 && value < 0.00995) return `${quantity(value, value / 10)}×`;
  return value < 9.995 ? `${value.toFixed(2)}×` : `${value.toFixed(1)}×`;
}

function share(value) {
  const hundredths = Math.abs(value) * 100;
  if (hundredths < 0.1) return "<0.1%";
  return hundredths < 9.95 ? `${hundredths.toFixed(1)}%` : `${FORMATTERS[0].format(hundredths)}%`;
}

function general(value) {
  return Number(value.toPrecision(3)).toLocaleString("en");
}

function lineSpeed(bytes) {
  if (bytes === null) return "none";
  const bits = bytes * 8;
  const [factor, unit] = [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [0, "bit/s"]].find(([f]) => bits >= f);
  return `${general(bits / (factor || 1))}\u00a0${unit}`;
}
