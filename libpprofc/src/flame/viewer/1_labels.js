// Makes short forms of function names for boxes: the whole name, then shorter forms, then its last part. label.c has the same
// rules. tests/flame/labels.txt tests both.
"use strict";

const OPENING = "([{<", CLOSING = ")]}>";
const isWord = (c) => c !== undefined && (c === "_" || c === "$" || /[0-9A-Za-z]/.test(c) || c > "\x7f");

// Returns the index of the bracket that closes the bracket at `at`, or the length of the text.
function closingOf(text, at) {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === ">" && (text[i - 1] === "-" || text[i - 1] === "=")) continue; // "->", "=>"
    if (OPENING.includes(text[i])) depth++;
    else if (CLOSING.includes(text[i]) && --depth === 0) return i;
  }
  return text.length;
}

// True if the bracket at `at` is part of an operator's name, such as "operator()" or "operator<<".
const afterOperator = (text, at) => /(^|[^0-9A-Za-z_])operator$/.test(text.slice(0, at)) ||
  (text[at] === "<" && /(^|[^0-9A-Za-z_])operator<$/.test(text.slice(0, at)));
// True if the text before `at` is the whole name of an operator.
const isOperator = (text, at) => /(^|[^0-9A-Za-z_])operator[^0-9A-Za-z_: ]{0,16}$/.test(text.slice(0, at));

// Calls each(index) for each character outside brackets.
function eachOutside(text, each) {
  for (let i = 0; i < text.length; i++) {
    if (OPENING.includes(text[i]) && !afterOperator(text, i)) i = closingOf(text, i);
    else each(i);
  }
}

// Removes the suffixes of compilers: "::h0123456789abcdef", " [clone .cold]", ".isra.0".
const withoutSuffix = (text) =>
  text.replace(/ \[clone [^\]]*\]/g, "").replace(/::h[0-9a-f]{16}$/, "").replace(/(\.(isra|part|constprop|llvm|cold)(\.[0-9]+)?)+$/, "");

// Removes a trait: "<Vec<T> as Extend<T>>::extend" becomes "Vec<T>::extend".
function withoutTrait(text) {
  const end = text[0] === "<" ? closingOf(text, 0) : text.length;
  if (!text.startsWith("::", end + 1)) return text;
  let inner = text.slice(1, end), as = -1;
  eachOutside(inner, (i) => { if (as < 0 && inner.startsWith(" as ", i)) as = i; });
  if (as >= 0) inner = inner.slice(0, as);
  return inner.replace(/^[&*]*(mut |const |dyn )*/, "") + text.slice(end + 1);
}

// Removes parameters and the text after them: "f(int) const" becomes "f".
function withoutParameters(text) {
  let out = "", cut = false;
  for (let i = 0; i < text.length; i++) {
    const next = text.startsWith("::", i) || text[i] === ".";
    if (cut && !next) continue;
    cut = false;
    if (!OPENING.includes(text[i]) || afterOperator(text, i)) { out += text[i]; continue; }
    const end = closingOf(text, i), before = text[i - 1];
    const last = end + 1 >= text.length && before === " ";
    const group = text[i] === "(" && i > 0 && (isWord(before) || before === ">" || before === "]" || isOperator(text, i) || last);
    if (group) cut = true, out = last ? out.trimEnd() : out;
    else out += text.slice(i, end + 1);
    i = end;
  }
  return out;
}

// Removes the arguments of templates and generic types.
function withoutArguments(text) {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (!OPENING.includes(c) || afterOperator(text, i)) { out += c; continue; }
    const end = closingOf(text, i), behind = isWord(out[out.length - 1]), path = c === "<" && out.endsWith("::");
    if ((c === "<" || c === "[") && (behind || path)) out = path ? out.slice(0, -2) : out;
    else out += text.slice(i, end + 1);
    i = end;
  }
  return out;
}

// Removes the return type: "void f" becomes "f". Only names that had parameters have a return type.
function withoutType(text) {
  let from = 0;
  eachOutside(text, (i) => { if (text[i] === " " && !isOperator(text, i)) from = i + 1; });
  return text.slice(from);
}

function withoutPath(text) {
  let from = 0;
  eachOutside(text, (i) => { if (text[i] === "/") from = i + 1; });
  return text.slice(from);
}

// Matches parts of a name that mean nothing without the previous part, such as a closure or the end of a file name.
const WEAK = new RegExp("^(func[0-9]*|[0-9]+|gowrap[0-9]+|deferwrap[0-9]+|call|call_once|call_mut|lambda.*|_?init|new|main|" +
  "[\\[({<].*|operator\\(\\).*|(c|cc|cpp|cxx|h|hpp|go|rs|py|js|mjs|ts|java|kt|rb|s|S|so|out|php|asm)(:[0-9]+)?)$");

// Returns the indices at which the parts of a name begin, without the first part. "a::b.c" has 3 parts.
function partsOf(text) {
  const starts = [];
  eachOutside(text, (i) => {
    if (i > 0 && text.startsWith("::", i)) starts.push(i + 2);
    else if (i > 0 && text[i] === "." && text[i + 1] !== "." && i + 1 < text.length) starts.push(i + 1);
  });
  return starts;
}

// Returns all forms of a name, longest first.
function labelForms(name) {
  const forms = [name];
  const add = (text) => {
    if (text && text.length < forms[forms.length - 1].length) forms.push(text);
    return text || forms[forms.length - 1];
  };
  let text = add(withoutSuffix(name));
  text = add(withoutTrait(text));
  const bare = withoutParameters(text), called = bare !== text;
  text = add(bare);
  text = add(withoutArguments(text));
  if (called) text = add(withoutType(text));
  text = add(withoutPath(text));
  const starts = partsOf(text);
  for (let end = text.length; starts.length; end = starts.pop())
    if (!WEAK.test(text.slice(starts[starts.length - 1], end).replace(/(::|\.)$/, ""))) break;
  for (const start of starts) add(text.slice(start));
  return forms;
}

const TIGHT = 2; // pixels that small labels have in addition, because their margins are half as wide
const FEWEST = 4; // minimum number of leading letters that identify a name

// Returns the label of a box. This is the longest form that fits, else the longest form that fits in small letters,
// else the first letters of the shortest form. Returns null if fewer than four letters fit. `whole`: the label is a
// complete form.
// `measure` returns the width of a text in normal or small letters.
function fitLabel(forms, room, measure, sign = "") {
  const fits = (text, small) => measure(sign + text, small) <= room + (small ? TIGHT : 0);
  for (const small of [false, true]) {
    const text = forms.find((form) => fits(form, small));
    if (text !== undefined) return { text, whole: true, small };
  }
  const letters = [...forms[forms.length - 1]], first = (n) => letters.slice(0, n).join("");
  let low = FEWEST, high = letters.length - 1;
  if (low > high || !fits(first(low), true)) return null;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(first(middle), true)) low = middle;
    else high = middle - 1;
  }
  return { text: first(low), whole: false, small: true };
}
