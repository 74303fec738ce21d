// Tests verdicts in flame graphs in a real browser: noise is grey, a switch shows it in colour, and words describe
// intervals.
//   node verdicts.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { begin, checkQuiet, checking, launch, openPage } from "./browser.mjs";

const { pprofc, testdata, folders, work } = begin("verdicts");

const browser = await launch(folders);
const check = checking(browser);

/** Records a run of 14 functions that vary a little. In the head, f3 takes 20 % more. */
function record(side, run) {
  const lines = [];
  for (let i = 1; i <= 14; i++) {
    const n = Math.floor(400 / i) + (run * (side === "head" ? 5 : 7) * i) % 23 + (side === "head" && i === 3 ? 80 : 0);
    for (let k = 0; k < n; k++) lines.push(`prog 1 ${k}.0: 250000 cpu-clock: \n\t1${i.toString(16)} f${i} (x)\n\t200 caller (x)\n\t300 main (x)\n\n`);
  }
  fs.mkdirSync(path.join(work, side), { recursive: true });
  fs.writeFileSync(path.join(work, side, `run${run}.perf`), lines.join(""));
}
for (const run of [1, 2, 3]) record("base", run), record("head", run);

function make(name, ...args) {
  const file = path.join(work, name);
  execFileSync(pprofc, [`-output=${file}`, ...args], { cwd: work, stdio: "ignore" });
  return pathToFileURL(file).href;
}
const open = async (url) => {
  const page = await openPage(browser, url);
  await page.waitForFunction(() => window.pprofc && document.body.classList.contains("live"));
  return page;
};
const quiet = (page, what) => checkQuiet(check, page, what);

/** Returns the look of the widest box of a function. */
const lookOf = (page, name) => page.evaluate((wanted) => {
  const a = window.pprofc, node = a.nodeOfName(wanted, (i) => a.place.width[i]);
  return a.look(a.view, node, a.place);
}, name);
const GREY = "#d9d9d9";

/** Checks that the largest changes have full names, in two lines if one line is too narrow for the name and its value.
 * value. */
async function testNames() {
  const long = "main.insertWithoutAnyLookupOf";
  for (const side of ["base", "head"]) {
    fs.mkdirSync(path.join(work, `${side}-long`));
    for (const run of fs.readdirSync(path.join(work, side)))
      fs.writeFileSync(path.join(work, `${side}-long`, run), fs.readFileSync(path.join(work, side, run), "utf8").replaceAll(" f3 (x)", ` ${long} (x)`));
  }
  const page = await open(make("long.html", "-flame", "-noise", "-diff_base=base-long", "head-long"));
  const names = await page.$$eval(".pf-changes li span", (all) => all.map((s) => ({ text: s.textContent, cut: s.scrollWidth > s.clientWidth })));
  check(names.length === 1 && names[0].text === long.slice(5) && !names[0].cut, `the name is whole: ${JSON.stringify(names)}`);
  await page.context().close();
}

async function testPage() {
  const page = await open(make("runs.html", "-flame", "-noise", "-diff_base=base", "head"));
  const toggle = page.locator("input[data-flag=judged]");
  check(await toggle.isChecked(), "the switch is on at first");
  const real = await lookOf(page, "f3"), noise = await lookOf(page, "f5");
  check(real.color !== GREY && real.sign === "▲ " && real.bar > 0, `f3 grew: ${JSON.stringify(real)}`);
  check(noise.color === GREY && noise.sign === "" && !noise.bar, `f5 is noise: ${JSON.stringify(noise)}`);
  check((await page.textContent(".pf-legend")).includes("no change beyond noise"), "the legend says what grey is");
  const panel = await page.textContent(".pf-changes");
  check(/Slower.*f3\+\d+\.?\d*ms ±\d+\.?\d*ms.*Faster.*no function by more than noise/s.test(panel), `panel: ${panel}`);
  const banner = await page.textContent(".pf-banner");
  check(banner.includes("1 of 14 functions changed") && banner.includes("Mean of 3 + 3 runs"), `the notes: ${banner}`);
  check((await page.textContent(".pf-totals")).startsWith("mean of 3 + 3 runs: "), "the totals are means");

  // The inspector and the tooltip describe the verdict in words.
  await page.evaluate(() => window.pprofc.select(window.pprofc.nodeOfName("f3", () => 1), true));
  const told = await page.textContent(".pf-inspector");
  check(/self: certain\?.*grew: \+\d+\.?\d*ms \(\+\d\d\.\d+%\) ±\d+\.?\d*ms, q = 0\.0\d+/.test(told), `inspector: ${told}`);
  check((await page.getAttribute("[role=treeitem]", "aria-label")).includes("grew"), "screen readers are told");
  const spot = await page.evaluate(() => {
    const d = window.pprofc.drawing, c = d.canvas.getBoundingClientRect();
    for (const [row, boxes] of d.rows) for (const b of boxes)
      if (window.pprofc.label(d.view.frame[b.node]) === "f5") return { x: c.left + b.x + b.width / 2, y: c.top + d.yOf(row) + 8 };
    return null;
  });
  await page.mouse.move(spot.x, spot.y);
  check(/total: unchanged: .* ±.*q = /.test(await page.textContent(".pf-tip")), `tooltip: ${await page.textContent(".pf-tip")}`);

  // The list has the interval and the verdict, and can be sorted by verdict.
  await page.click("[data-flag=list]");
  const heads = await page.$$eval(".pf-functions thead th", (all) => all.map((e) => e.textContent));
  check(heads.slice(-2).join() === "± self,Certain?", `columns: ${heads}`);
  await page.click(".pf-functions thead th:last-child button");
  check((await page.textContent(".pf-functions tbody tr")).startsWith("f3") && (await page.textContent(".pf-functions tbody tr")).endsWith("grew"), "the real change is first");
  await page.click("[data-flag=list]");

  // Uses the switch by mouse, by key, and in the address.
  await toggle.click();
  check((await lookOf(page, "f5")).color !== GREY && /[▲▼] /.test((await lookOf(page, "f5")).sign), "without the switch every change is shown");
  check(page.url().includes("judged=0"), `address: ${page.url()}`);
  await page.reload();
  await page.waitForFunction(() => window.pprofc);
  check(!(await toggle.isChecked()), "a reload keeps it");
  await page.keyboard.press("o");
  check(await toggle.isChecked() && (await lookOf(page, "f5")).color === GREY, "o switches as well");
  // Verdicts exist for one sample type, and for differences.
  await page.keyboard.press("t");
  check(await toggle.isDisabled() && (await lookOf(page, "f5")).color !== GREY, "another sample type was not judged");
  await page.keyboard.press("t");
  await page.keyboard.press("h");
  check(await toggle.isDisabled(), "head alone has no verdicts");
  await page.keyboard.press("d");
  // Verdicts are also shown in callers and callees and in a reversed tree.
  await page.evaluate(() => window.pprofc.set({ sandwich: "f3" }));
  check((await lookOf(page, "f3")).sign === "▲ ", "callees");
  await page.evaluate(() => window.pprofc.set({ sandwich: "", reverse: true }));
  check((await lookOf(page, "f3")).sign === "▲ " && (await lookOf(page, "f5")).sign === "", "from the leaf");
  quiet(page, "verdicts");
  await page.context().close();

  const plain = await open(make("plain.html", "-flame", "-diff_base=base/run1.perf", "head/run1.perf"));
  check(!(await plain.isVisible(".pf-real")) && !(await plain.textContent(".pf-changes")).includes("±"), "without -noise there are no verdicts");
  await plain.context().close();
}

/** Checks a much smaller head: recorded amounts with verdicts of the same direction, and shares in percent only on
 * request. */
async function testAmounts() {
  const page = await open(make("amounts.html", "-symbolize=none", "-flame", "-noise", `-diff_base=${testdata}/generator_cpu.prof`, `${testdata}/generator_optimized_cpu.prof`));
  const recorded = await page.evaluate(() => {
    const a = window.pprofc, row = (name) => a.functionRows().find((r) => a.label(r.frame) === name);
    return { scale: a.place.scale, base: a.view.base[0], head: a.view.head[0], mallocgc: row("runtime.mallocgc"), mix: row("example.com/generator.mix") };
  });
  check(recorded.scale === 1 && recorded.base === 76730000000 && recorded.head === 5330000000, `totals: ${JSON.stringify(recorded)}`);
  check(recorded.mallocgc.selfBase === 5120000000 && recorded.mallocgc.selfHead === 50000000, "runtime.mallocgc is as recorded");
  check(recorded.mix.selfBase === 0 && recorded.mix.selfHead === 500000000, "generator.mix is as recorded");
  check(/^▼ 71.4s less \(-93%\)\. Nearly everything is faster\./.test(await page.textContent(".pf-banner b")), "one sentence says it");
  check((await lookOf(page, "runtime.mallocgc")).color !== GREY, "what shrank as everything did is not grey");
  await page.click("[data-normal='1']");
  check(/^\+\d+\.\d\d%$/.test(await page.textContent(".pf-changes li b")), "shares are percent");
  check(!(await page.isVisible(".pf-banner")), "shares have no verdicts");
  await page.click("[data-normal='0']");
  const wrong = await page.evaluate(() => {
    const a = window.pprofc, k = a.place.scale, out = [];
    for (let i = 1; i < a.view.n; i++) {
      const sign = a.look(a.view, i, a.place).sign, delta = a.view.head[i] * k - a.view.base[i];
      const verdict = a.model.verdicts.get(a.label(a.view.frame[i]));
      if (sign && verdict && ![verdict.self, verdict.total].some((e) => e.level && e.delta > 0 === delta > 0)) out.push(a.label(a.view.frame[i]));
    }
    return out;
  });
  check(wrong.length === 0, `boxes that say something else than the verdict of their function: ${wrong.slice(0, 3)}`);
  await page.click("input[data-flag=judged]");
  quiet(page, "shares");
  await page.context().close();
}

async function testSvg() {
  const page = await openPage(browser, make("runs.svg", "-flamegraph", "-noise", "-diff_base=base", "head"));
  await page.waitForFunction(() => document.documentElement.classList.contains("live"));
  const box = (name) => page.evaluate((wanted) => {
    const group = [...document.querySelectorAll("#frames > g")].find((g) => g.querySelector("title").textContent.startsWith(wanted + " "));
    return { fill: group.querySelector("rect").getAttribute("fill"), text: group.querySelector("text").textContent, title: group.querySelector("title").textContent };
  }, name);
  check((await box("f3")).text.startsWith("▲ f3") && /self of the function: \+\d+\.?\d*ms ±\d+\.?\d*ms, q = 0\.0\d+, grew/.test((await box("f3")).title), "a real change");
  const noise = await box("f4");
  check(noise.fill === GREY && noise.text.startsWith("f4") && noise.title.includes("unchanged"), `noise: ${JSON.stringify(noise)}`);
  const toggle = page.locator("#realonly");
  check((await toggle.getAttribute("aria-checked")) === "true", "the switch of the picture is on");
  await toggle.click();
  check((await box("f4")).fill !== GREY && (await box("f4")).text.startsWith("▲ f4"), "all changes are shown");
  check(page.url().includes("real=0"), `address: ${page.url()}`);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.classList.contains("live"));
  check((await box("f4")).fill !== GREY, "a reload keeps it");
  await toggle.focus();
  await page.keyboard.press("Enter");
  check((await box("f4")).fill === GREY && (await box("f4")).text.startsWith("f4") && (await box("f3")).text.startsWith("▲ f3"), "Enter switches back");
  quiet(page, "SVG");
  await page.context().close();
}

await testPage();
await testNames();
await testAmounts();
await testSvg();
await browser.close();
console.log(`${check.count} passed, 0 failed`);
