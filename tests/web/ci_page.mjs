// Tests the page of pprofci run in a real browser: on a desktop, on a phone, in dark mode and on paper.
//   node ci_page.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { begin, checkQuiet, checking, findPackages, launch, openPage } from "./browser.mjs";

const { pprofc, testdata, folders, work, shots } = begin("ci");
const browser = await launch(folders);
const check = checking(browser);

/** Creates the artifacts of a run. Returns the URL of its page. */
function make(name, ...args) {
  const failing = typeof args[0] === "boolean" ? args.shift() : false;
  const job = typeof args[0] === "object" ? args.shift() : {};
  const env = { ...process.env, PPROFC_BIN: path.dirname(pprofc) };
  for (const key of Object.keys(env)) if (/^(GITHUB|CI|BITBUCKET|GIT)_|^THRESHOLD_PERCENT$/.test(key)) delete env[key];
  Object.assign(env, job);
  const script = path.join(testdata, "..", "scripts", "ci_profiles.sh");
  const out = path.join(work, name, "ci");
  const run = spawnSync("bash", [script, "-no-fail", "-out", out, ...args], { cwd: work, env, encoding: "utf8" });
  check(run.status === (failing ? 1 : 0), `ci_profiles.sh: ${run.stderr}`);
  return pathToFileURL(path.join(out, "index.html")).href;
}

const shoot = async (page, name, options = {}) => {
  if (shots) await page.screenshot({ path: path.join(shots, name), ...options });
};
const quiet = (page, what) => checkQuiet(check, page, what);
const overflows = (page) => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
const pictures = (page) => page.$$eval("img", (all) => all.map((i) => ({ alt: i.alt, done: i.complete && i.naturalWidth > 500 })));

async function testPage(url) {
  const page = await openPage(browser, url);
  check(/^✗ Setup-2 is 2\.3 times slower: 4\.59\sµs → 10\.5\sµs per operation\.$/.test(await page.textContent("h1")), "one sentence comes first");
  const said = await page.textContent("#verdict p");
  check(/1 of 25 benchmarks got worse · 3 could not be judged · 21 got faster/.test(said), `the counts: ${said}`);
  check(/changes below 4\.5\s% would have been missed \(DecodeJSON\/records=100-2: 74\s%\)/.test(said), "what a pass is worth");
  const fold = await page.$eval("#verdict", (v) => v.getBoundingClientRect().bottom);
  check(fold < 250, "the sentence is above the fold");
  check(/3 regressed, 0 missing/.test(await page.textContent("#method")), "totals of the gate");
  const all = await page.$$eval("#method .units tbody tr", (rows) => rows.map((r) => [...r.children].map((c) => c.textContent.replace(/\s/g, " "))));
  check(all.length === 78 && all[0].join("|") === "Setup-2|time per op|4.59 µs|10.5 µs|+5.94 µs|+129 %|+116 to +144|5.9e-17|10 + 10|regressed", `all measurements: ${all[0]}`);
  check(!/suspiciously/.test(all.map((r) => r[9]).join()), "what is faster is not suspicious in a table either");
  check((await page.$$("#method pre")).length === 1, "no table is preformatted text");
  await page.click("#profiles > summary");
  const sections = await page.$$eval(".pair", (all) => all.map((s) => ({
    title: s.querySelector("h2").textContent, tabs: [...s.querySelectorAll(".tabs > label")].map((x) => x.textContent),
  })));
  check(sections.length === 2 && sections[0].title === "cpu: generator_cpu_diff" && sections[1].title === "mem: generator_mem_diff",
    `pairs: ${JSON.stringify(sections)}`);
  for (const section of sections)
    check(section.tabs.join() === "Base,Head,Diff", `tabs of ${section.title}: ${section.tabs}`);
  await testTabs(page);
  const images = await pictures(page);
  check(images.length === 6 && images.every((i) => i.done && i.alt), `flame graphs: ${JSON.stringify(images)}`);
  const links = await page.$$eval("a", (all) => all.map((a) => a.href.replace(/#.*/, "")));
  for (const link of links) check(fs.existsSync(new URL(link)), `a link leads nowhere: ${link}`);
  for (const kind of [".speedscope.json", ".html", ".svg", ".pb.gz", "_top.txt"])
    check(links.some((l) => l.endsWith(kind)), `links to ${kind}`);
  check(!(await overflows(page)), "nothing is wider than the window");
  check(fs.statSync(new URL(url)).size < 1_500_000, "the page is small");
  await shoot(page, "ci_page.png");
  quiet(page, "page");
  await page.context().close();
}

/** Checks the three tabs of a pair: mouse and keyboard show one of them, each with a picture of the same size and a real
 * table. */
async function testTabs(page) {
  const shown = () => page.$$eval(".pair:first-of-type .panel", (all) => all.map((p) => p.checkVisibility()).join());
  const heights = [];
  check((await shown()) === "false,false,true", "the difference comes first");
  for (const [side, state] of [["Base", "true,false,false"], ["Head", "false,true,false"], ["Diff", "false,false,true"]]) {
    await page.click(`.pair >> nth=0 >> label:text-is("${side}")`);
    check((await shown()) === state, `${side} is shown`);
    const panel = page.locator(".pair").first().locator(".panel:visible");
    heights.push(await panel.locator("img").evaluate((i) => [i.naturalWidth, i.naturalHeight].join()));
    await panel.locator("summary").click();
    const table = await panel.locator("table").evaluate((t) => ({
      heads: [...t.querySelectorAll("thead th")].map((h) => h.textContent.replace(/\s/g, " ")), scope: t.querySelectorAll("tbody th[scope=row]").length,
      first: [...t.querySelector("tbody tr").children].map((c) => c.textContent.replace(/\s/g, " ")), link: t.querySelector("tbody a").getAttribute("href"),
    }));
    const wanted = side === "Diff" ? "Function,Base,Head,Change,Change %" : "Function,Self,Self %,Total,Total %";
    check(table.heads.join().startsWith(wanted) && table.scope === 15, `a table of ${side}: ${JSON.stringify(table)}`);
    check(/^flame\/.*\.html#/.test(table.link), `a function leads into the flame graph: ${table.link}`);
  }
  check(new Set(heights).size === 1, `pictures of one size: ${heights}`);
  await page.focus(".pair input:checked");
  await page.keyboard.press("ArrowLeft");
  check((await shown()) === "false,true,false", "the arrow keys go from tab to tab");
  await page.keyboard.press("ArrowRight");
}

/** Checks that a click on a picture opens the flame graph in its row: from a disk, and in a sandbox without an origin as
 * on GitHub. The page loads the graph from the files in its folder; report.html contains the graph. */
async function testGraphs(url, name) {
  const file = new URL(url.replace("index.html", name)), sandbox = { "Content-Security-Policy": "sandbox allow-scripts", "X-Content-Type-Options": "nosniff" };
  const types = { js: "text/javascript", html: "text/html" }, beside = name === "index.html";
  check(fs.statSync(file).size < 2_000_000, `${name} is small: ${fs.statSync(file).size}`);
  for (const headers of [null, sandbox]) {
    const page = await openPage(browser, "about:blank"), served = [];
    const address = headers ? `https://artifacts.example/${name}?sig=a%2Fb` : file.href;
    if (headers) await page.route("https://artifacts.example/**", (r) => {
      const path = new URL(r.request().url()).pathname.slice(1);
      served.push(path);
      r.fulfill({ body: fs.readFileSync(new URL(path, file)), headers: { "Content-Type": types[path.split(".").pop()], ...headers } });
    });
    const graph = page.locator("#graph canvas.pf-graph"), hash = () => new URL(page.url()).hash;
    await page.goto(address);
    check(!(await page.isVisible("#graph")), "the page comes first");
    await page.click("#profiles > summary");
    const row = page.locator(".tabs").first();
    await row.locator("a.graph:visible").click();
    await graph.waitFor();
    check(hash() === "#flame/generator_cpu_diff.html" && /generator_cpu_diff/.test(await page.textContent("#graph > p")), `the graph: ${hash()}`);
    check(await row.locator("#graph").isVisible() && !(await row.locator("img").last().isVisible()), "the graph is in its row, in place of the picture");
    const fits = (place) => place.evaluate((box) => [...box.querySelectorAll(".pf, canvas, .pf-inspector")].every((x) => x.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom));
    check(await fits(page.locator("#graph")), "the graph stays in its frame");
    check(await row.locator(".panel:visible details").count() === 1, "the tables stay");
    check(!(await overflows(page)), "the graph is not wider than the page");
    await page.keyboard.press("h");
    await page.waitForURL(/tab=head/, { timeout: 5000 }).catch(() => {}); // a loaded browser reports the address late
    check(hash() === "#flame/generator_cpu_diff.html&tab=head", `the address has the state: ${hash()}`);
    check(await row.locator("input[value=head]").isChecked(), "the table is of the same side");
    await page.goBack();
    check(await page.isVisible("#graph") && hash() === "#flame/generator_cpu_diff.html" && await row.locator("input[value=diff]").isChecked(), "back undoes");
    await page.goBack();
    check(!(await page.isVisible("#graph")) && await row.locator("img").last().isVisible(), "back is the page");
    await page.goForward();
    await graph.waitFor();
    await page.click("#graph > p > button");
    check(!(await page.isVisible("#graph")) && !hash(), "the button closes the graph");
    await row.locator("input[value=base]").check({ force: true });
    await row.locator(".panel:visible summary").click();
    await row.locator(".panel:visible tbody a").first().click();
    await graph.waitFor();
    const searched = await page.inputValue("#graph input[type=search]");
    check(/tab=base/.test(hash()) && searched.length > 5, `a function of the base: ${hash()} ${searched}`);
    await page.goto("about:blank");
    await page.goto(address + "#flame/generator_mem_diff.html&search=regexp");
    await graph.waitFor();
    check(await page.inputValue("#graph input[type=search]") === "regexp", "a link from outside opens a graph at a function");
    await page.goto(address + "#flame/other.html");
    await page.waitForSelector("text=This graph is not in the page: open flame/other.html of the artifacts.");
    const wanted = beside ? [name, "flame/viewer.js", "flame/generator_cpu_diff.js", name, "flame/viewer.js", "flame/generator_mem_diff.js"] : [name, name];
    if (headers) check(served.join() === wanted.join(), `${name} requests ${served}`);
    for (const damaged of ["#flame/%.html", "#%", "#b-%E0%A4%A", "#__proto__"]) {
      await page.goto("about:blank");
      await page.goto(address + damaged);
      check(!(await page.isVisible("#graph")) && page.complaints.length === 0, `${damaged}: the page without a graph: ${page.complaints[0]}`);
    }
    await page.goto("about:blank");
    await page.goto(address + '#flame/generator_mem_diff.html&tab=]"&width=__proto__&focus=(');
    await graph.waitFor();
    check((await page.textContent("#graph .pf-path")).includes("focus (: not an expression"), "a state that is not valid shows the usual graph");
    check(page.complaints.length === 0, `${name}: ${page.complaints[0]}`);
    await page.context().close();
  }
  const plain = await openPage(browser, file.href, { javaScriptEnabled: false });
  check((await pictures(plain)).length === 6 && !(await plain.isVisible("#graph")), "without scripts the pictures remain");
  await plain.context().close();
}

/** Checks that the table of a pair and its flame graph show bytes in the same unit: pprof's kB of 1024 bytes. */
async function testUnits(url) {
  const page = await openPage(browser, url + "#flame/generator_mem_diff.html");
  await page.locator("#graph canvas.pf-graph").waitFor();
  const table = await page.$$eval(".live > .panel[data-side=diff] tbody tr", (all) => all.map((r) => [r.querySelector("code").textContent, r.cells[1].textContent]));
  const ranks = new Map(await page.$$eval("#graph .pf-inspector .pf-ranks button", (all) => all.map((r) => [r.querySelector("span").textContent, r.querySelector("b").textContent.split(" → ")[0]])));
  const both = table.filter(([name, amount]) => amount !== "0" && ranks.has(name));
  check(both.length >= 5, `functions of the table and of the graph: ${JSON.stringify([table, [...ranks]])}`);
  for (const [name, amount] of both) {
    const [one, two] = [amount, ranks.get(name)].map((t) => /^([\d.]+)\s?([kMG]?B)$/.exec(t));
    check(one && two && one[2] === two[2] && Math.abs(one[1] - two[1]) < 0.51, `${name} is ${amount} in the table and ${ranks.get(name)} in the graph`);
  }
  await page.context().close();
}

/** Checks that a damaged file of a graph gives a message, and not the graph that was open before. */
async function testDamaged(url) {
  const page = await openPage(browser, "about:blank"), types = { js: "text/javascript", html: "text/html" };
  await page.route("https://artifacts.example/**", (r) => {
    const path = new URL(r.request().url()).pathname.slice(1);
    const body = path === "flame/generator_mem_diff.js" ? "pprofcGraph = pprofcGraph;" : fs.readFileSync(new URL(path, url));
    r.fulfill({ body, headers: { "Content-Type": types[path.split(".").pop()] } });
  });
  await page.goto("https://artifacts.example/index.html#flame/generator_cpu_diff.html");
  await page.locator("#graph canvas.pf-graph").waitFor();
  await page.evaluate(() => { location.hash = "#flame/generator_mem_diff.html"; });
  await page.waitForSelector("text=cannot show the graph: flame/generator_mem_diff.js is damaged");
  check(!(await page.$("#graph canvas.pf-graph")), "a damaged file shows the graph of another file");
  check(page.complaints.length === 0, `damaged: ${page.complaints[0]}`);
  await page.context().close();
}

async function testPhone(url) {
  const page = await openPage(browser, url, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  check(!(await overflows(page)), "nothing is wider than a phone");
  const longer = await page.$eval("#verdict p", (p) => {
    const text = p.innerHTML;
    p.textContent = "Benchmark" + "/long=name".repeat(30);
    const wide = p.scrollWidth > p.clientWidth;
    p.innerHTML = text;
    return wide;
  });
  check(!longer, "a long name is not wider than its box");
  check((await page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize))) >= 14, "text can be read");
  check((await pictures(page)).every((i) => i.done), "pictures on a phone");
  await shoot(page, "ci_page_phone.png");
  for (const width of [768, 900, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    check(!(await overflows(page)), `nothing is wider than ${width} pixels`);
  }
  quiet(page, "phone");
  await page.context().close();
}

async function testDarkAndPaper(url) {
  const page = await openPage(browser, url, { colorScheme: "dark" });
  const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.body).color, matchMedia("(prefers-color-scheme: dark)").matches]);
  check(paper && /2[3-5]\d/.test(ink), `light text in the dark: ${ink}`);
  await shoot(page, "ci_page_dark.png");
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  check(!(await page.isVisible(".links")), "no links on paper");
  check((await page.$eval("pre", (pre) => getComputedStyle(pre).whiteSpace)) === "pre-wrap", "lines are wrapped on paper");
  check(await page.isVisible("#b-1"), "rows on paper");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  check(await page.$eval("#method", (d) => d.open), "how it was measured is on paper");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  check(!(await page.$eval("#method", (d) => d.open)), "and closed again");
  const pdf = await page.pdf({ format: "A4" });
  check(pdf.length > 10000, "it prints");
  if (shots) fs.writeFileSync(path.join(shots, "ci_page.pdf"), pdf);
  quiet(page, "paper");
  await page.context().close();
}

/** Checks that each benchmark is a row: first the regressions, then the inconclusive rows. The other rows are folded. */
async function testBenchmarks(url) {
  const page = await openPage(browser, url);
  const rows = await page.$$eval("#benchmarks > table .item", (all) => all.map((row) => ({
    name: row.querySelector("th").textContent, mark: row.querySelector(".mark").textContent,
    cells: [...row.querySelector("tr").querySelectorAll("td")].map((c) => c.textContent.replace(/\s/g, " ")),
    title: row.querySelector("td div").title, more: row.querySelector(".more summary").textContent, dots: row.querySelectorAll("circle").length,
  })));
  check(rows.map((r) => r.mark).join("") === "✗???", `regressions, then doubts: ${rows.map((r) => r.mark)}`);
  check(rows[0].cells[0] === "4.59 µs → 10.5 µs +129 % (+116 to +144)", `time: ${rows[0].cells[0]}`);
  check(rows[0].cells[1] === "7.58 kB → 12 kB +59 %" && /^8 → 245/.test(rows[0].cells[2]), `memory: ${rows[0].cells}`);
  check(/2\.3 times slower; regressed; Welch p .*, adjusted .*; n 10\+10/.test(rows[0].title), `the tooltip: ${rows[0].title}`);
  check(rows[0].dots === 20, "a dot for each round");
  check(rows[2].name.startsWith("? Sort/records=1000-2") && rows[2].cells[1] === "591 B → 624 B +5.5 %", `more memory, but below the floor: ${rows[2].cells}`);
  check(/near the threshold of 5/.test(rows[2].more), `why it was not judged: ${rows[2].more}`);
  const folded = await page.$eval(".fold.better", (d) => ({ open: d.open, text: d.querySelector("summary").textContent, rows: d.querySelectorAll(".item").length }));
  check(!folded.open && folded.rows === 21 && /^21 faster \(RenderSource\/records=100-2 −98\s%/.test(folded.text), `faster: ${JSON.stringify(folded)}`);
  check(!(await page.isVisible("text=suspiciously")), "no row is suspicious for being faster");
  for (const [key, id] of [["j", "b-1"], ["j", "b-2"], ["k", "b-1"]]) {
    await page.keyboard.press(key);
    check((await page.evaluate(() => document.activeElement.closest(".item").id)) === id, `${key} goes to ${id}`);
  }
  await page.goto(url + "#b-10");
  check(await page.isVisible("#b-10"), "a link to a benchmark opens its list");
  quiet(page, "benchmarks");
  await page.context().close();
}

/** Checks the sentence of the page for other results. */
async function testEndings() {
  const write = (name, ...lines) => {
    fs.writeFileSync(path.join(work, name), [1, 2, 3, 4, 5, 6].flatMap((i) => lines.map((l) => l.replace("N", i))).join("\n") + "\n");
    return path.join(work, name);
  };
  const same = write("same.txt", "BenchmarkParse 1000 100N ns/op", "BenchmarkTitle 1000 200N ns/op");
  const endings = [
    ["same", same, same, /^✓ No regression in 2 benchmarks\.$/, "good"],
    ["zero", write("a.txt", "BenchmarkParse 1000 100N ns/op"), write("b.txt", "BenchmarkParse 1000 0.2N ns/op"), /^\? Parse takes 0\.2\d* ns per operation: was anything measured\?$/, "doubt"],
    ["suite", write("c.txt", "BenchmarkA 1 100N ns/op", "BenchmarkB 1 100N ns/op", "BenchmarkC 1 100N ns/op"),
      write("d.txt", "BenchmarkA 1 10N ns/op", "BenchmarkB 1 10N ns/op", "BenchmarkC 1 10N ns/op"), /^\? Most of 3 benchmarks are more than twice as fast: were they run\?$/, "doubt"],
    ["both", write("i.txt", ..."ABCDE".split("").map((x) => `Benchmark${x} 1 100N ns/op`)),
      write("j.txt", "BenchmarkA 1 300N ns/op", ..."BCDE".split("").map((x) => `Benchmark${x} 1 10N ns/op`)), /^✗ A is 3 times slower/, "bad"],
    ["gone", same, write("e.txt", "BenchmarkParse 1000 100N ns/op"), /^\? Title is missing in the head\.$/, "doubt"],
    ["failed", same, write("f.txt", "BenchmarkOther 1000 100N ns/op"), /^✗ The benchmarks could not be judged: nothing was compared/, "bad"],
    ["bytes", write("g.txt", "BenchmarkParse 1 100N ns/op 0 B/op 0 allocs/op"), write("h.txt", "BenchmarkParse 1 100N ns/op 32 B/op 1 allocs/op"),
      /^✗ Parse allocates now: 0 B → 32 B per operation\.$/, "bad"],
    ["count", write("k.txt", "BenchmarkParse 1 100N ns/op 0 allocs/op"), write("l.txt", "BenchmarkParse 1 100N ns/op 8440 allocs/op"),
      /^✗ Parse allocates now: 0 → 8,440 allocations per operation\.$/, "bad"],
    ["often", write("m.txt", "BenchmarkParse 1 100N ns/op 2 allocs/op"), write("n.txt", "BenchmarkParse 1 100N ns/op 8440 allocs/op"),
      /^✗ Parse allocates 4,220 times as often: 2 → 8,440 allocations per operation\.$/, "bad"],
  ];
  for (const [name, base, head, sentence, mood] of endings) {
    const page = await openPage(browser, make(`ending-${name}`, name === "failed", "-bench-base", base, "-bench-head", head));
    const said = (await page.textContent("h1")).replace(/\s/g, " ");
    check(sentence.test(said), `${name}: ${said}`);
    check(await page.$(`#verdict.${mood}`), `${name} is ${mood}`);
    const also = await page.$$eval(".also", (all) => all.map((p) => p.textContent).join());
    check(also === (name === "both" ? "? Most of 5 benchmarks are more than twice as fast: were they run?" : ""), `${name}: also ${also}`);
    if (mood !== "good") check(!(await page.$(".verdict.good")), `${name} is not green`);
    await page.context().close();
  }
}

/** Checks the line above the sentence: repository, change, branch and commits, from the job or from git. The line must
 * never have a secret or a folder. */
async function testIdentity() {
  const bench = path.join(testdata, "bench_original.txt"), args = ["-bench-base", bench, "-bench-head", bench];
  const id = "0123456789abcdef0123456789abcdef01234567", event = path.join(work, "event.json");
  fs.writeFileSync(event, JSON.stringify({ pull_request: { title: "trim <b>with</b> {html:style} & a regexp" } }));
  const git = (...words) => spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: work, encoding: "utf8" });
  const jobs = [
    ["github", { GITHUB_REPOSITORY: "example/words", GITHUB_SERVER_URL: "https://github.example", GITHUB_REF: "refs/pull/41/merge", GITHUB_HEAD_REF: "faster",
      GITHUB_EVENT_PATH: event, GITHUB_SHA: id, GITHUB_TOKEN: "verysecret" },
    "example/words · pull request 41 trim <b>with</b> {html:style} & a regexp · branch faster",
    ["https://github.example/example/words", "https://github.example/example/words/pull/41", `https://github.example/example/words/commit/${id}`]],
    ["gitlab", { CI_PROJECT_PATH: "group/sub/words", CI_SERVER_URL: "https://gitlab.example", CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_TITLE: "trim",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "faster", CI_COMMIT_SHA: id, CI_JOB_TOKEN: "verysecret", CI_REPOSITORY_URL: "https://ci:verysecret@gitlab.example/a/b" },
    "group/sub/words · merge request 7 trim · branch faster",
    ["https://gitlab.example/group/sub/words", "https://gitlab.example/group/sub/words/-/merge_requests/7", `https://gitlab.example/group/sub/words/-/commit/${id}`]],
    ["script", { GITHUB_REPOSITORY: "a/b", GITHUB_SERVER_URL: "javascript:alert(1)//", GITHUB_REF: "refs/pull/x/merge", GITHUB_SHA: "--help" }, "a/b", []],
    ["password", { GITHUB_REPOSITORY: "a/b", GITHUB_SERVER_URL: "https://user:verysecret@github.example", GITHUB_SHA: id }, "a/b", []],
    ["address", { GITHUB_REPOSITORY: "https://user:verysecret@github.example/a/b", GITHUB_REF: "refs/pull/4/merge" },
      "Benchmarks and profiles of this change", []],
    ["none", {}, "Benchmarks and profiles of this change", []],
    ["titled", { GITHUB_REPOSITORY: "a/b" }, "a/b · My change", ["https://github.com/a/b"], "-title", "My change"],
    ["user", { remote: "https://user:verysecret@github.com/example/shop.git" }, "example/shop · branch topic", ["https://github.com/example/shop", "commit"]],
    ["scp", { remote: "git@code.example:example/shop.git" }, "example/shop · branch topic", ["https://code.example/example/shop"]],
    ["folder", { remote: path.join(work, "secret-folder") }, "Benchmarks and profiles of this change", []],
    ["elsewhere", { remote: "git@code.example:/srv/secret-folder/shop.git" }, "Benchmarks and profiles of this change", []],
  ];
  for (const [name, job, subject, links, ...more] of jobs) {
    if (job.remote && !fs.existsSync(path.join(work, ".git"))) {
      const made = [git("init", "-q", "-b", "topic"), git("commit", "-q", "--allow-empty", "-m", "one"), git("remote", "add", "origin", "x")];
      check(made.every((m) => m.status === 0), `git: ${made.map((m) => m.stderr)}`);
    }
    if (job.remote) git("remote", "set-url", "origin", job.remote);
    delete job.remote;
    const address = make(`identity-${name}`, job, ...args, ...more), page = await openPage(browser, address);
    const shown = await page.textContent(".subject > span"), found = await page.$$eval(".subject a", (all) => all.map((a) => a.href));
    check(shown === subject, `${name}: ${shown}`);
    const wanted = links.map((l) => (l === "commit" ? `${links[0]}/commit/${git("rev-parse", "HEAD").stdout.trim()}` : l));
    check(found.join() === wanted.join(), `${name}: links to ${found}`);
    const files = fs.readdirSync(path.dirname(new URL(address).pathname)).filter((f) => /html$|md$|json$/.test(f));
    for (const file of files) {
      const text = fs.readFileSync(new URL(file, address), "utf8");
      check(!text.includes("verysecret") && !text.includes("secret-folder"), `${name}: a secret in ${file}`);
    }
    check((await page.title()) === await page.textContent("h1"), `${name}: the title is the sentence`);
    quiet(page, name);
    await page.context().close();
  }
  fs.rmSync(path.join(work, ".git"), { recursive: true });
}

/** Checks rules of accessibility with axe. */
async function testAxe(url, options, what) {
  const modules = findPackages(["axe-core@4.14.1"], folders);
  if (!modules) return console.log("not checked: no npm package axe-core");
  const source = fs.readFileSync(createRequire(path.join(modules, "x.js")).resolve("axe-core/axe.min.js"), "utf8");
  const page = await openPage(browser, url, { bypassCSP: true, ...options });
  await page.$$eval("details", (all) => all.forEach((d) => (d.open = true)));
  await page.evaluate(source);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  const serious = found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`);
  check(serious.length === 0, `axe, ${what}: ${serious.join("; ")}`);
  await page.context().close();
}

/** Checks a first run, which has no base: the page shows no verdict and no new function. */
async function testFirst() {
  fs.mkdirSync(path.join(work, "first"));
  fs.copyFileSync(path.join(testdata, "generator_cpu.prof"), path.join(work, "first", "cpu.prof"));
  const page = await openPage(browser, make("first-run", "-head", path.join(work, "first"), "-bench-head", path.join(testdata, "bench_original.txt")));
  check((await page.textContent("h1")) === "? Nothing was compared: no base.", "nothing was compared");
  check(await page.$("#verdict.doubt"), "and that is not green");
  check(/A first run/.test(await page.textContent(".note")), "it says so");
  check((await page.$$("img")).length === 1 && (await page.$$(".tabs > label")).length === 1 && !/New:/.test(await page.textContent("body")), "the head alone");
  quiet(page, "first run");
  await page.context().close();
}

/** Checks pairs that lack a side, and names that contain markup. */
async function testIncomplete() {
  for (const side of ["base", "head"]) fs.mkdirSync(path.join(work, side));
  const copy = (from, ...to) => fs.copyFileSync(path.join(testdata, from), path.join(work, ...to));
  copy("generator_cpu.prof", "base", "it's 50% & more_cpu.prof");
  copy("generator_optimized_cpu.prof", "head", "it's 50% & more_cpu.prof");
  copy("server_mutex.pb.gz", "base", "gone_mutex.pb.gz");
  copy("server_heap.pb.gz", "head", "<img src=x onerror=alert(1)>_heap.pb.gz");
  const page = await openPage(browser, make("incomplete", "-base", path.join(work, "base"), "-head", path.join(work, "head")));
  const notes = await page.$$eval(".note", (all) => all.map((n) => n.textContent.split(":")[0]));
  check(notes.filter((n) => /Gone|New/.test(n)).sort().join() === "Gone,New", `notes: ${notes}`);
  const tabs = await page.$$eval(".tabs", (all) => all.map((t) => [...t.querySelectorAll("label")].map((l) => l.textContent).join("+")));
  check(tabs.sort().join() === "Base,Base+Head+Diff,Head" && (await page.$$("img")).length === 5, `each pair has its tabs and pictures and no other: ${tabs}`);
  check((await pictures(page)).every((i) => i.done), "pictures of pairs that lack a side");
  const links = await page.$$eval("a", (all) => all.map((a) => a.href));
  for (const link of links) check(fs.existsSync(new URL(link)), `a link leads nowhere: ${link}`);
  check((await page.textContent("h1")) === "? No benchmarks were compared.", "no verdict without benchmarks");
  quiet(page, "incomplete");
  await page.context().close();
}

const SCALES = { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1024, MB: 1048576, GB: 1073741824 };
/** Returns the number of "4.59 µs", "+71.4 s" or "−3". */
const amountOf = (text) => {
  const [, number, unit] = /([-+−]?[\d.,]+)\s*([a-zµA-Z]*)/.exec(text);
  return Number(number.replace("−", "-").replaceAll(",", "")) * (SCALES[unit] ?? 1);
};

/** Checks that the page agrees with its sentence: counts, rows, bars for the origin of a change, sentences of profiles.
 * profiles. */
async function testAgreement(url, wanted) {
  const page = await openPage(browser, url), flat = (text) => text.replace(/\s+/g, " ").trim();
  await page.$$eval("details", (all) => all.forEach((d) => (d.open = true)));
  const sentence = flat(await page.textContent("h1")), counts = flat(await page.textContent("#verdict > p"));
  const tally = Object.fromEntries(await page.$$eval(".tally li", (all) => all.map((li) => [li.textContent.replace(/^\d+ /, ""), Number(li.querySelector("strong").textContent)])));
  const marks = await page.$$eval("#benchmarks .item .mark", (all) => all.map((m) => m.textContent));
  const said = (re) => Number(re.exec(counts)?.[1] ?? 0);
  check(tally.worse + tally.unclear + tally.fine + tally.better === marks.length, `the counts add up to ${marks.length}: ${JSON.stringify(tally)}`);
  check(tally.worse === said(/(\d+) of \d+ benchmarks got worse/) && tally.unclear === said(/(\d+) could not be judged/) && tally.better === said(/(\d+) got faster/),
    `the counts of the line ${counts}: ${JSON.stringify(tally)}`);
  check(tally.worse === marks.filter((m) => m === "✗").length && tally.unclear === marks.filter((m) => m === "?").length, `the rows are marked so: ${marks.join("")}`);
  check((tally.worse > 0) === sentence.startsWith("✗"), `the sign of the sentence: ${sentence}`);
  const [, name, base, head] = /^✗ (\S+) is .*: (.*) → (.*) per operation\.$/.exec(sentence) ?? [];
  if (name) {
    const row = await page.$$eval("#benchmarks .item", (all, name) => all.find((r) => r.querySelector("th .anchor").textContent.includes(name)).querySelector(".sides").textContent, name);
    check(flat(row) === `${base} → ${head}` && amountOf(head) > amountOf(base), `the row of ${name}: ${row}`);
  }
  const pairs = await page.$$eval(".pair", (all) => all.map((p) => ({
    title: p.querySelector("h2").textContent, sentence: p.querySelector(".tabs > .panel:last-of-type .sentence")?.textContent ?? "",
    totals: p.querySelector(".origin .sides")?.textContent, segments: [...p.querySelectorAll(".bar > span")].map((s) => [s.className, s.title, s.getBoundingClientRect().width,
      s.firstElementChild.getBoundingClientRect().top < s.getBoundingClientRect().bottom]),
    caption: p.querySelector(".tabs > .panel:last-of-type caption")?.textContent ?? "",
  })));
  for (const { title, sentence: text, totals, segments } of pairs) {
    if (!totals) continue;
    const [before, after] = totals.split("→").map(amountOf), sizes = segments.map(([, words]) => amountOf(words.slice(words.lastIndexOf(" ", words.length - 4))));
    check(after > before && / more /.test(text), `${title}: ${totals} and ${text}`);
    check(Math.abs(sizes.reduce((a, b) => a + b) - after) < 0.01 * after, `${title}: ${segments.map((s) => s[1]).join(", ")} is not ${totals}`);
    check(segments.every(([, , width, words]) => (width < 70 ? !words : width < 90 || words)), `${title}: a part has all its room, or no words: ${JSON.stringify(segments)}`);
    check(segments[0][0] === "before" && segments.at(-1)[0] === "rest" && Math.abs(sizes[0] - before) < 0.01 * before, `${title}: ${JSON.stringify(segments)}`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  const cut = await page.$$eval(".bar > span", (all) => all.map((part) => {
    const amount = document.createRange(), words = part.firstElementChild, box = part.getBoundingClientRect();
    amount.selectNodeContents(words.lastChild);
    return words.getBoundingClientRect().top < box.bottom && amount.getBoundingClientRect().right > box.right + 1 ? `${part.title}: ${box.width}` : "";
  }).filter(Boolean));
  check(!cut.length, `amounts that a phone cuts off: ${cut}`);
  check(pairs.filter((p) => p.totals).length === wanted, `${wanted} bars: ${JSON.stringify(pairs)}`);
  await page.context().close();
}

/** Creates a pair in which one function of 14 grows fourfold, and others grow a little. */
function makeGrowth() {
  for (const [side, times] of [["slow-base", 1], ["slow-head", 4]]) {
    const lines = [...Array(14).keys()].map((i) => `main;fn${i} ${400 + 7 * i + (times > 1 ? i % 3 : 0)}\n`);
    fs.mkdirSync(path.join(work, side));
    fs.writeFileSync(path.join(work, side, "app_cpu.folded"), lines.join("") + `main;trim ${600 * times}\n`);
  }
  const bench = (name) => path.join(testdata, name);
  return make("growth", "-base", path.join(work, "slow-base"), "-head", path.join(work, "slow-head"), "-bench-base", bench("bench_optimized.txt"), "-bench-head", bench("bench_original.txt"));
}

/** Runs in which only library functions grow, most of them below a function of the checkout. */
function makeOwn() {
  const folder = path.join(work, "own"), frame = (name, file) => ({ name, file, line: 3 });
  const frames = [frame("app.main", "app.go"), frame("app.work", "app.go"), ...[...Array(12).keys()].map((i) => frame(`lib.fn${i}`, `/usr/lib/lib${i}.go`))];
  for (const side of ["base", "head"]) for (const run of [1, 2, 3]) {
    const samples = [], weights = [], grown = side === "head";
    for (let i = 0; i < 12; i++) {
      samples.push(i < 8 ? [0, 1, 2 + i] : [0, 2 + i]);
      weights.push((200 + i * 5 + ((run * 7 + i * 3) % 11)) * 1e6 * (grown ? (i < 8 ? 6 : 2) : 1));
    }
    const file = path.join(folder, side, "app_cpu", `run${run}.speedscope.json`), profile = { type: "sampled", name: "cpu", unit: "nanoseconds", startValue: 0, endValue: weights.reduce((a, b) => a + b), samples, weights };
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ $schema: "https://www.speedscope.app/file-format-schema.json", shared: { frames }, profiles: [profile] }));
  }
  fs.writeFileSync(path.join(folder, "app.go"), "package app\n\nfunc work() {\n}\n");
  for (const args of [["init", "-q"], ["add", "app.go"], ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"]]) execFileSync("git", args, { cwd: folder });
  spawnSync(path.join(path.dirname(pprofc), "pprofci"), ["run", "-base", "base", "-head", "head", "-bench-base", path.join(testdata, "bench_optimized.txt"), "-bench-head", path.join(testdata, "bench_original.txt"), "-out", "out"], { cwd: folder });
  return pathToFileURL(path.join(folder, "out", "index.html")).href;
}

const url = make("bundled"), growth = makeGrowth();
await testAgreement(url, 0);
await testAgreement(growth, 1);
const own = makeOwn();
await testAgreement(own, 1);
check(/<span class="cause"[^>]*title="app\.work\s\+8\.91\ss"/.test(fs.readFileSync(new URL(own), "utf8")), "the bar has the function of the line because");
await testPage(url);
await testGraphs(url, "index.html");
await testGraphs(url, "report.html");
await testUnits(url);
await testDamaged(url);
await testBenchmarks(url);
await testPhone(url);
await testDarkAndPaper(url);
await testIncomplete();
await testFirst();
await testEndings();
await testIdentity();
await testAxe(url, {}, "light");
await testAxe(url, { colorScheme: "dark" }, "dark");
await testAxe(url, { viewport: { width: 390, height: 800 } }, "phone");
await browser.close();
console.log(`${check.count} passed, 0 failed`);
