// Search: finds the matching boxes, adds up their cost, and steps through them.

// Fills app.hits (frames) and app.matches (boxes, from left to right). A match below a match counts once.
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

// "3 of 17, 4.32s, 54.9%"; of a difference both sides.
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

// Selects the next match. A box that is too narrow to be seen is zoomed to.
function stepMatch(app, direction) {
  const { matches } = app;
  if (!matches.length) return;
  const at = matches.indexOf(app.selected), count = matches.length;
  const node = matches[at < 0 ? (direction > 0 ? 0 : count - 1) : (at + direction + count) % count];
  app.approach(node);
}

// Keeps only stacks through the matches of the search: as a filter of the page around, if that has filters.
function keepMatches(app) {
  const { search } = app.state;
  if (app.options.filter) app.options.filter(search);
  else app.set({ focus: search });
}
