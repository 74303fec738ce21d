// Verdicts on the changes of functions (libpprofc/src/flame/verdicts.h). All values are recorded amounts.

// Certainty of a change: within noise, only by the factor that all functions share, or by more than that.
const QUIET = 0, SHARED = 1, OWN = 2;

const estimateOf = ([word, level, base, delta, low, high, q]) => ({ word, level, base, delta, low, high, q });

// Returns a map from function names to verdicts, or null if there are no verdicts.
function readVerdicts(meta, frames) {
  if (!meta.verdicts) return null;
  return new Map((frames.verdicts || []).map(([frame, self, total, partner]) =>
    [frames.name[frame], { self: estimateOf(self), total: estimateOf(total), partner }]));
}

// True if the shown values have verdicts: the judged sample type of a difference, as amounts and not as shares.
const hasVerdicts = (model, state) => !!model.verdicts && model.meta.verdicts.judged > 0
  && state.type === model.meta.verdicts.type && state.tab === "diff" && !state.normal;
const isJudging = (model, state) => state.judged && hasVerdicts(model, state);

// Returns the factors [head, base] that convert sums over runs to the shown values: means per run, or values per operation.
function valueFactors(model, type) {
  const { verdicts, ratio = 1 } = model.meta;
  if (!verdicts) return [ratio, ratio];
  if (type === verdicts.type) return [verdicts.ratio * verdicts.scale, verdicts.ratio];
  return [1 / verdicts.runs[1], 1 / verdicts.runs[0]];
}

// Returns the totals to which percentages refer: of the profile, or of the range of time. Filters do not change these totals.
function wholeOf(model, type) {
  const { totals } = model.meta, [headFactor, baseFactor] = valueFactors(model, type), other = model.types.length + type;
  const of = (column) => (totals ? totals[column] : model.tree.total[column][0]);
  return { head: model.rangeTotal ?? of(type) * headFactor, base: model.hasBase ? of(other) * baseFactor : 0 };
}

// Returns the factor for values of the head: it makes the totals equal if shares are compared, and is 1 otherwise.
function headScale(model, state) {
  const { head, base } = wholeOf(model, state.type);
  return state.normal && head ? base / head : 1;
}

// Returns head - base, or 0 if they differ only by rounding.
function difference(head, base) {
  const delta = head - base;
  return Math.abs(delta) <= 1e-9 * Math.max(Math.abs(head), Math.abs(base)) ? 0 : delta;
}

// Returns for each node the verdict on its function, or else on its nearest judged caller. If the view begins at the leaves
// (`fromLeaf`), parents are not callers, so only the function of the node counts.
function nearestVerdicts(model, view, fromLeaf) {
  if (view.nearest && view.nearestOf === model.verdicts) return view.nearest;
  const nearest = new Array(view.n).fill(null);
  for (let i = 1; i < view.n; i++)
    nearest[i] = model.verdicts.get(model.name[view.frame[i]]) || (fromLeaf ? null : nearest[view.parent[i]]);
  view.nearestOf = model.verdicts;
  return (view.nearest = nearest);
}

// Returns the certainty of an estimate if the estimate has the same sign as `delta`, else QUIET.
const agreed = (estimate, delta) => (estimate.level && estimate.delta > 0 === delta > 0 ? estimate.level : QUIET);

// Returns the certainty of a box's change. A function without a verdict counts as self value of its caller.
function certainty(model, view, node, delta, fromLeaf) {
  if (!delta) return QUIET;
  if (node === 0) return agreed(model.meta.verdicts.total, delta);
  const verdict = nearestVerdicts(model, view, fromLeaf)[node];
  if (!verdict) return QUIET;
  const self = agreed(verdict.self, delta);
  return model.verdicts.has(model.name[view.frame[node]]) ? Math.max(self, agreed(verdict.total, delta)) : self;
}

// Returns a text such as " ±0.07s", or "" if there is no interval or its width is 0.
function halfWidth(estimate, unit) {
  const half = (estimate.high - estimate.low) / 2;
  return half > 0 ? " ±" + formatHalf(half, unit, estimate.delta) : "";
}

// Returns a text such as "grew: +0.31s (+9.70%) ±0.07s, q = 0.0012".
function verdictText(estimate, unit, partner) {
  if (!estimate || !estimate.word) return "";
  const { word, delta, base, q } = estimate;
  const where = partner ? (delta < 0 ? " to " : " from ") + partner : "";
  if (estimate.low === null) return word + where;
  return word + where + ": " + changeText(delta, base, unit) + halfWidth(estimate, unit)
    + (q === null ? "" : ", q " + (q < 1e-4 ? "< 0.0001" : "= " + q.toFixed(q < 0.0995 ? 4 : 2)));
}

// Returns the rows [title, text] about the verdict for the inspector.
function verdictRows(app, frame) {
  const { model, state } = app;
  if (frame < 0 || frame === model.smaller || !hasVerdicts(model, state)) return [];
  const verdict = model.verdicts.get(model.name[frame]), { unit } = app;
  const plain = (text) => (text === "rare" ? "too few samples to judge" : text);
  if (!verdict) return [["certain?", "not judged: counts as a part of its caller"]];
  return [["total: certain?", plain(verdictText(verdict.total, unit))],
    ["self: certain?", plain(verdictText(verdict.self, unit, verdict.partner))]].filter((row) => row[1]);
}
