/* Reads what a pull request says: the issue that it fixes, and its title. */

export function parseIssueFixed(body) {
  const found = body.indexOf("fixes #");
  if (found < 0) return null;
  return Number.parseInt(body.slice(found + "fixes #".length), 10);
}

export function parseBody(body) {
  return { issue: parseIssueFixed(body), lines: body.split("\n").length };
}

export function prepareParsingBody(body) {
  return parseBody(body.split("\n").map((line) => line.trim().toLowerCase()).join("\n"));
}

export function parseTitle(title) {
  const [kind, text] = title.split(": ");
  return { kind, title: text };
}

export function parsePr(title, body) {
  return { ...parseTitle(title), ...prepareParsingBody(body) };
}
