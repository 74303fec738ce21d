// What is said of the changes of functions: which ones are more than noise (libpprofc/src/flame/verdicts.h).

const estimateOf = ([word, changed, base, delta, low, high, q]) => ({ word, changed: !!changed, base, delta, low, high, q });

// The verdict of each function by its name; null where nothing was judged.
function readVerdicts(meta, frames) {
  if (!meta.verdicts) return null;
  return new Map((frames.verdicts || []).map(([frame, self, total, partner]) =>
    [frames.name[frame], { self: estimateOf(self), total: estimateOf(total), partner }]));
}

// Whether there are verdicts on what is shown: they are of one sample type, and of differences.
const hasVerdicts = (model, state) => !!model.verdicts && model.meta.verdicts.judged > 0
  && state.type === model.meta.verdicts.type && state.tab === "diff";
const isJudging = (model, state) => state.judged && hasVerdicts(model, state);

// What the values of head are multiplied by.
function headScale(model, view, state) {
  if (state.normal) return view.head[0] ? view.base[0] / view.head[0] : 1;
  return isJudging(model, state) ? model.meta.verdicts.scale : 1;
}

// For each node the verdict of its function, or of its nearest caller that was judged. Where a view begins at the leaf, the
// node above is no caller.
function nearestVerdicts(model, view, fromLeaf) {
  if (view.nearest && view.nearestOf === model.verdicts) return view.nearest;
  const nearest = new Array(view.n).fill(null);
  for (let i = 1; i < view.n; i++)
    nearest[i] = model.verdicts.get(model.name[view.frame[i]]) || (fromLeaf ? null : nearest[view.parent[i]]);
  view.nearestOf = model.verdicts;
  return (view.nearest = nearest);
}

const agrees = (estimate, delta) => estimate.changed && estimate.delta > 0 === delta > 0;

// Whether a box may be shown as changed: its function changed, in self or in total, and the box went the same way. A frame
// that was not judged counts as its caller's own cost.
function isReal(model, view, node, delta, fromLeaf) {
  if (node <= 0 || !delta) return false;
  const verdict = nearestVerdicts(model, view, fromLeaf)[node];
  if (!verdict) return false;
  if (agrees(verdict.self, delta)) return true;
  return model.verdicts.has(model.name[view.frame[node]]) && agrees(verdict.total, delta);
}

// "grew: +0.31s ±0.07s (+9.70% ±2.10%), q = 0.0012".
function verdictText(estimate, unit, partner) {
  if (!estimate || !estimate.word) return "";
  const { word, delta, base, q } = estimate, half = (estimate.high - estimate.low) / 2;
  const where = partner ? (delta < 0 ? " to " : " from ") + partner : "";
  if (q === null) return word + where;
  const share = base > 0 ? " (" + signed(percent(delta, base), delta) + " ±" + percent(half, base) + ")" : "";
  return word + where + ": " + signed(formatValue(delta, unit), delta) + " ±" + formatValue(half, unit) + share
    + ", q " + (q < 1e-4 ? "< 0.0001" : "= " + q.toFixed(q < 0.0995 ? 4 : 2));
}

// Rows of the inspector: [what, text].
function verdictRows(app, frame) {
  const { model, state } = app;
  if (frame < 0 || frame === model.smaller || !hasVerdicts(model, state)) return [];
  const verdict = model.verdicts.get(model.name[frame]), unit = app.type.unit;
  if (!verdict) return [["verdict", "not judged: counts as its caller's own"]];
  return [["verdict on total", verdictText(verdict.total, unit)],
    ["verdict on self", verdictText(verdict.self, unit, verdict.partner)]].filter((row) => row[1]);
}
