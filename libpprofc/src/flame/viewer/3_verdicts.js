// Verdicts on the changes of functions (libpprofc/src/flame/verdicts.h). All values are recorded amounts.

// Certainty of a change: within noise, with everything else, or by itself.
const QUIET = 0, SHARED = 1, OWN = 2;

const estimateOf = ([word, level, base, delta, low, high, q]) => ({ word, level, base, delta, low, high, q });

// The verdict of each function by its name; null without verdicts.
function readVerdicts(meta, frames) {
  if (!meta.verdicts) return null;
  return new Map((frames.verdicts || []).map(([frame, self, total, partner]) =>
    [frames.name[frame], { self: estimateOf(self), total: estimateOf(total), partner }]));
}

// True if the shown values have verdicts: one sample type, in amounts, of a difference.
const hasVerdicts = (model, state) => !!model.verdicts && model.meta.verdicts.judged > 0
  && state.type === model.meta.verdicts.type && state.tab === "diff" && !state.normal;
const isJudging = (model, state) => state.judged && hasVerdicts(model, state);

// The factors that turn sums over runs into the shown values, for head and base: means per run, or values per operation.
function valueFactors(model, type) {
  const { verdicts, ratio = 1 } = model.meta;
  if (!verdicts) return [ratio, ratio];
  if (type === verdicts.type) return [verdicts.ratio * verdicts.scale, verdicts.ratio];
  return [1 / verdicts.runs[1], 1 / verdicts.runs[0]];
}

// The totals of the profile, or of its range of time, which percentages refer to, whatever filters leave.
function wholeOf(model, type) {
  const { totals } = model.meta, [headFactor, baseFactor] = valueFactors(model, type), other = model.types.length + type;
  const of = (column) => (totals ? totals[column] : model.tree.total[column][0]);
  return { head: model.rangeTotal ?? of(type) * headFactor, base: model.hasBase ? of(other) * baseFactor : 0 };
}

// Returns the factor that makes the total of head equal to the base's, if shares are compared.
function headScale(model, state) {
  const { head, base } = wholeOf(model, state.type);
  return state.normal && head ? base / head : 1;
}

// Returns head - base, or 0 if they differ only by rounding.
function difference(head, base) {
  const delta = head - base;
  return Math.abs(delta) <= 1e-9 * Math.max(Math.abs(head), Math.abs(base)) ? 0 : delta;
}

// The verdict on each node's function, or on its nearest judged caller. In a view from the leaf the parent is not a caller.
function nearestVerdicts(model, view, fromLeaf) {
  if (view.nearest && view.nearestOf === model.verdicts) return view.nearest;
  const nearest = new Array(view.n).fill(null);
  for (let i = 1; i < view.n; i++)
    nearest[i] = model.verdicts.get(model.name[view.frame[i]]) || (fromLeaf ? null : nearest[view.parent[i]]);
  view.nearestOf = model.verdicts;
  return (view.nearest = nearest);
}

// Returns the level of an estimate if it has the direction of `delta`, else QUIET.
const agreed = (estimate, delta) => (estimate.level && estimate.delta > 0 === delta > 0 ? estimate.level : QUIET);

// Returns the certainty of a box's change, from the self or total of its function. A frame without a verdict counts as its caller's own cost.
function certainty(model, view, node, delta, fromLeaf) {
  if (!delta) return QUIET;
  if (node === 0) return agreed(model.meta.verdicts.total, delta);
  const verdict = nearestVerdicts(model, view, fromLeaf)[node];
  if (!verdict) return QUIET;
  const self = agreed(verdict.self, delta);
  return model.verdicts.has(model.name[view.frame[node]]) ? Math.max(self, agreed(verdict.total, delta)) : self;
}

// " ±0.07s"; nothing without an interval, and for equal counts of several runs.
function halfWidth(estimate, unit) {
  const half = (estimate.high - estimate.low) / 2;
  return half > 0 ? " ±" + formatHalf(half, unit, estimate.delta) : "";
}

// "grew: +0.31s ±0.07s (+9.70%), q = 0.0012".
function verdictText(estimate, unit, partner) {
  if (!estimate || !estimate.word) return "";
  const { word, delta, base, q } = estimate;
  const where = partner ? (delta < 0 ? " to " : " from ") + partner : "";
  if (estimate.low === null) return word + where;
  return word + where + ": " + changeText(delta, base, unit) + halfWidth(estimate, unit)
    + (q === null ? "" : ", q " + (q < 1e-4 ? "< 0.0001" : "= " + q.toFixed(q < 0.0995 ? 4 : 2)));
}

// Rows of the inspector: [title, text].
function verdictRows(app, frame) {
  const { model, state } = app;
  if (frame < 0 || frame === model.smaller || !hasVerdicts(model, state)) return [];
  const verdict = model.verdicts.get(model.name[frame]), { unit } = app;
  if (!verdict) return [["certain?", "not judged: counts as a part of its caller"]];
  return [["total: certain?", verdictText(verdict.total, unit)],
    ["self: certain?", verdictText(verdict.self, unit, verdict.partner)]].filter((row) => row[1]);
}
