// Search: finds the matching boxes, adds up their cost, and steps through them.

// Sets app.hits (frames), app.matches (boxes, from left to right) and app.matched (their sum, without matches below matches).
function findMatches(app) {
  const { view, place } = app;
  app.hits = matcher(app.model, app.state.search);
  app.matches = [];
  app.matched = { head: 0, base: 0 };
  if (!app.hits) return;
  const covered = new Uint8Array(view.n);
  for (let i = 1; i < view.n; i++) {
    const hit = app.hits[view.frame[i]], above = covered[view.parent[i]];
    covered[i] = above || hit;
    if (hit && !above) app.matched.head += view.head[i] * place.scale, app.matched.base += view.base[i];
    if (hit && place.width[i] > 0) app.matches.push(i);
  }
  app.matches.sort((a, b) => place.x[a] - place.x[b] || view.depth[a] - view.depth[b]);
}

// Returns a text such as "3 of 17, 4.32s, 54.9%". In a difference, it has the values of base and head.
function matchedText(app) {
  const { matches, matched, unit, state } = app, at = matches.indexOf(app.selected);
  if (!state.search) return "";
  if (!app.hits) return "not an expression";
  if (!matches.length) return "no match";
  const count = (at < 0 ? "" : at + 1 + " of ") + matches.length + (at < 0 ? (matches.length > 1 ? " matches" : " match") : "");
  const side = (value, whole) => formatValue(value, unit) + (unit.whole || unit === "%" ? "" : ", " + percent(value, whole));
  const { head, base } = app.whole;
  if (state.tab === "diff") return count + ", " + formatValue(matched.base, unit) + " → " + formatValue(matched.head, unit);
  return count + ", " + (state.tab === "base" ? side(matched.base, base) : side(matched.head, head));
}

function showMatched(app) {
  const { matched, keep } = app.parts, text = matchedText(app);
  matched.textContent = text;
  keep.hidden = !app.matches.length;
  if (app.options.onMatched) app.options.onMatched(text, app.matches.length);
}

// Selects the next or previous match. Zooms to the box if it is too narrow to see.
function stepMatch(app, direction) {
  const { matches } = app;
  if (!matches.length) return;
  const at = matches.indexOf(app.selected), count = matches.length;
  const node = matches[at < 0 ? (direction > 0 ? 0 : count - 1) : (at + direction + count) % count];
  app.approach(node);
}

// Keeps only the stacks that contain a match. If the page around the viewer has filters, sets its filter instead.
function keepMatches(app) {
  const { search } = app.state;
  if (app.options.filter) app.options.filter(search);
  else app.set({ focus: search });
}
