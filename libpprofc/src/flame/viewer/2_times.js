// Reads the times of samples: when each stack ran, by thread. pack_times.c packs these times.

// Reads the events, one thread after the other, each in the order of time. An end is a sample with events. It has the last node
// of its stack, its values, and the sum of its durations. The timeline draws an event up to `until`.
function readTimes(bytes, meta) {
  if (!meta.tracks) return null;
  const input = new Varints(bytes), duration = Math.max(1, input.next()), bucket = input.next(), ends = input.next(), events = input.next();
  const t = {
    duration, bucket, from: new Float64Array(events), to: new Float64Array(events), node: new Int32Array(events), end: new Int32Array(events),
    tracks: [], byType: [], endNode: new Int32Array(ends), sum: new Float64Array(ends), values: meta.types.map(() => new Float64Array(ends)),
  };
  for (let e = 0, node = 0; e < ends; e++) {
    t.endNode[e] = node += input.signed();
    for (const values of t.values) values[e] = input.signed();
  }
  let i = 0;
  for (const name of meta.tracks) {
    const first = i, last = i + input.next();
    for (let at = 0, e = 0; i < last; i++) {
      t.from[i] = at += input.signed();
      t.to[i] = at += input.next();
      t.end[i] = e += input.signed();
      t.node[i] = t.endNode[e];
      t.sum[e] += t.to[i] - t.from[i];
    }
    if (i > first) t.tracks.push({ name, number: t.tracks.length, first, end: i });
  }
  t.until = bucket ? t.to : extendInstants(t);
  return (t.all = t);
}

// Returns only the events whose samples have a value of a sample type.
function timesOf({ all }, type) {
  const values = all.values[type], index = [];
  if (!values.includes(0)) return all;
  if (all.byType[type]) return all.byType[type];
  const tracks = all.tracks.map((track) => {
    const first = index.length;
    for (let i = track.first; i < track.end; i++) if (values[all.end[i]]) index.push(i);
    return { ...track, first, end: index.length };
  }).filter(({ first, end }) => end > first);
  const t = { ...all, tracks };
  for (const name of ["from", "to", "node", "end"]) t[name] = all[name].constructor.from(index, (i) => all[name][i]);
  t.until = t.bucket ? t.to : extendInstants(t);
  return (all.byType[type] = t);
}

// Returns the time up to which each event is drawn. For an instant (1 ns), this is the start of the next event of its thread.
// If no event follows within twice the median distance, it is the median distance after the instant.
function extendInstants({ duration, from, to, tracks }) {
  const until = Float64Array.from(to), isInstant = (i) => to[i] - from[i] === 1;
  for (const { first, end } of tracks) {
    const gaps = [];
    for (let i = first; i + 1 < end; i++) if (isInstant(i)) gaps.push(from[i + 1] - from[i]);
    if (!gaps.length) continue;
    const median = Float64Array.from(gaps).sort()[gaps.length >> 1];
    for (let i = first; i < end; i++) {
      const gap = i + 1 < end ? from[i + 1] - from[i] : Infinity;
      if (isInstant(i)) until[i] = Math.max(to[i], Math.min(duration, from[i] + (gap <= 2 * median ? gap : median)));
    }
  }
  return until;
}

// ---- a range of time ----

const SECONDS = { h: 3600e9, m: 60e9, s: 1e9, ms: 1e6, us: 1e3, "µs": 1e3, ns: 1 };

// Returns the nanoseconds of "2.1s", "1m30s" or "2100000000"; NaN for other texts.
function parseTime(text) {
  if (/^\d+$/.test(text)) return Number(text);
  const parts = text.match(/\d*\.?\d+(h|ms|us|µs|ns|m|s)/g);
  if (!parts || parts.join("") !== text) return NaN;
  return parts.reduce((sum, part) => sum + parseFloat(part) * SECONDS[part.replace(/[\d.]+/, "")], 0);
}

const unitOf = (ns) => ["s", "ms", "us"].find((unit) => ns >= SECONDS[unit]) ?? "ns";

// Returns a time as text that parseTime reads.
function exactTime(ns) {
  const unit = unitOf(ns);
  return Number((ns / SECONDS[unit]).toPrecision(15)) + unit;
}

// Returns a time as text for the user, with enough decimals to distinguish two times at the distance `step`.
function timeText(ns, step) {
  const unit = unitOf(Math.max(ns, step)), digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / SECONDS[unit]) - 1e-9)));
  return grouped((ns / SECONDS[unit]).toFixed(digits)) + (unit === "us" ? "µs" : unit);
}

// Returns the chosen range { from, to }, or null if the whole time is shown.
function rangeOf(model, state) {
  if (!model.times || !(state.t0 || state.t1)) return null;
  const { duration } = model.times, from = state.t0 ? parseTime(state.t0) : 0, to = Math.min(state.t1 ? parseTime(state.t1) : duration, duration);
  return from < to && (from > 0 || to < duration) ? { from, to } : null;
}

// Returns the self values of the nodes in a range of time. A sample counts with the share of its time that is in the range.
function valuesInRange({ from, to, end, endNode, sum, values }, type, range, nodes) {
  const inside = new Float64Array(sum.length), self = new Float64Array(nodes);
  for (let i = 0; i < end.length; i++) {
    const part = Math.min(to[i], range.to) - Math.max(from[i], range.from);
    if (part > 0) inside[end[i]] += part;
  }
  for (let e = 0; e < sum.length; e++) if (inside[e]) self[endNode[e]] += values[type][e] * (inside[e] / sum[e]);
  return self;
}

// Returns a text such as "2.1s to 3.4s of 12s".
function rangeText(model, range) {
  const { duration } = model.times;
  if (!range) return formatValue(duration, "ns") + " recorded";
  const step = 10 ** Math.floor(Math.log10(range.to - range.from) - 1.5);
  return timeText(range.from, step) + " to " + timeText(range.to, step) + " of " + formatValue(duration, "ns");
}

// Returns round values for an axis that begins at `from`, at least `room` pixels apart: { step, at: [[value, pixels]] }.
function ticksOf(from, span, width, room = 80) {
  const most = Math.floor(width / room), at = [];
  if (!(span > 0) || most < 1) return { step: span, at };
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough)), step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  for (let i = 0, value = 0; i <= most && (value = (Math.floor(from / step) + 1 + i) * step) < from + span * 0.98; i++)
    at.push([value, (value - from) / span * width]);
  return { step, at };
}
