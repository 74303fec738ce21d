// Tests the strip of recordings (-every) in a real browser, with a service whose profile changes.
//   node http_every.mjs PPROFC TESTDATA FOLDER ...      (the last folder takes npm packages)
import { spawn } from "node:child_process";
import http from "node:http";
import path from "node:path";
import { becomes, begin, checking, launch, skip } from "./browser.mjs";

const servers = [];
const { pprofc, folders, work, shots } = begin("every", servers);
const service = { asked: 0, down: false };
const server = http.createServer((request, response) => {
  const n = ++service.asked;
  response.writeHead(service.down ? 500 : 200, { "content-type": "text/plain" });
  response.end(service.down ? "out of order" : `main;old 10\nmain;step${n} ${20 * n}\n`);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const child = spawn(pprofc, ["-http=localhost:", "-no_browser", "-every=2s", `http://127.0.0.1:${server.address().port}/debug/pprof/heap`], {
  env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work, TZ: "UTC" },
});
servers.push(child);
let said = "";
child.stderr.on("data", (data) => (said += data));
await becomes(() => /UI on \S+/.test(said) || child.exitCode !== null);
if (/libmicrohttpd|libcurl/.test(said)) skip(said.trim());
const views = `${/UI on (\S+)/.exec(said)[1]}/ui/`;

const browser = await launch(folders);
const check = checking(browser);
const until = async (test, what) => check(await becomes(test), what);

async function open(view, options = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })).newPage();
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (m) => { if (m.type() === "error") page.complaints.push(m.text()); });
  await page.goto(views + view);
  await page.waitForSelector("html.live");
  return page;
}

const parameter = (page, name) => new URL(page.url()).searchParams.get(name);
const newest = (page) => page.$eval("#rec .bars a", (bar) => Number(bar.id.slice(4)));
const words = (page, place) => page.textContent(place);
const shoot = async (page, name) => { if (shots) await page.screenshot({ path: path.join(shots, `every-${name}.png`) }); };

/** Checks that a page shows the newest recording: strip, totals and rows, without a new entry of the history. */
async function testFollows(page) {
  const first = await newest(page), entries = await page.evaluate(() => history.length);
  await until(async () => await newest(page) > first, "new bars come");
  await until(async () => Number(/step(\d+)/.exec(await words(page, "#view"))?.[1]) > first, "the view shows a new recording");
  check(await page.evaluate(() => history.length) === entries, "the history does not grow");
}

/** Checks that a new recording keeps typed text and open menus. */
async function testBusy(page) {
  await page.click("#options summary");
  const first = await newest(page);
  await until(async () => await newest(page) > first, "the strip goes on beside an open menu");
  check(await page.$eval("#options", (menu) => menu.open), "the menu stays open");
  await page.keyboard.press("Escape");
  await page.$eval("#options", (menu) => (menu.open = false));
  await page.fill("#search input[name=f]", "ol");
  const second = await newest(page);
  await until(async () => await newest(page) > second, "the strip goes on beside a search");
  check(await page.inputValue("#search input[name=f]") === "ol", "typed text stays");
  await page.fill("#search input[name=f]", "");
}

async function testBase(page) {
  const base = await newest(page), bar = `#rec-${base}`, total = 10 + 20 * base;
  await page.focus(bar);
  await until(async () => await newest(page) > base, "new bars come");
  check(await page.evaluate((id) => `#${document.activeElement.id}` === id, bar), "the focused bar keeps the focus");
  await page.click(bar);
  await until(() => parameter(page, "base") === String(base), "a click chooses the base");
  await until(async () => (await words(page, "#pills")).includes(` ${total}, head`), "the totals of both are shown");
  await until(() => page.$(`${bar}[aria-current]`), "the base is marked");
  const second = await newest(page);
  await until(async () => await newest(page) > second && (await words(page, "#rec p")).includes("base"), "the base stays while the head moves");
  await shoot(page, "base");
  await page.click(bar);
  await until(() => parameter(page, "base") === null, "a second click removes it");
}

async function testPause(page) {
  await page.click("#rec nav a");
  await until(async () => parameter(page, "head") && (await words(page, "#rec p")).startsWith("Paused"), "a link pauses the page");
  const view = await words(page, "#view"), first = await newest(page);
  await until(async () => await newest(page) > first + 1, "the strip goes on");
  check(await words(page, "#view") === view, "the view stays");
  check(parameter(page, "head"), "the address has the head");
  await page.focus("#rec-pin");
  const second = await newest(page);
  await until(async () => await newest(page) > second, "new bars come");
  check(await page.evaluate(() => document.activeElement.id) === "rec-pin", "the focused button keeps the focus");
  await page.click("#rec nav a");
  await until(async () => !parameter(page, "head") && (await words(page, "#rec p")).startsWith("Live"), "it goes on");
}

async function testPin(page) {
  await page.click("#rec nav button");
  await until(async () => (await page.$("#rec .pinned")) && parameter(page, "base"), "a button pins the head as the base");
  await until(async () => await words(page, "#rec nav button") === "Unpin base", "and then unpins it");
  await page.click("#rec nav button");
  await until(async () => !(await page.$("#rec .pinned")), "unpinned");
  check(parameter(page, "base"), "the base is still the base");
}

/** Checks that the flame graph shows the new recording at the same zoom. */
async function testFlame() {
  const page = await open("flamegraph");
  await page.waitForSelector("#flame.drawn");
  const shows = (n) => page.evaluate((name) => Boolean(window.eval("page").flame?.stats(name)), `step${n}`);
  const showsAfter = async (n) => {
    for (const last = await newest(page) + 5; n < last; n++) if (await shows(n + 1)) return true;
    return false;
  };
  const first = await newest(page), canvases = (await page.$$("#flame canvas")).length;
  await until(() => showsAfter(first), "the picture follows");
  check(!(await shows(first)), "the old picture is gone");
  check((await page.$$("#flame canvas")).length === canvases, "one picture is there");
  await shoot(page, "flame");
  check(!page.complaints.length, page.complaints[0]);
  await page.context().close();
}

async function testDown(page) {
  service.down = true;
  await until(async () => (await page.$("#rec .why")) && (await words(page, "#rec .why")).includes("500 Internal Server Error"), "the strip has the reason");
  check(await page.$("#rec .bars span"), "and a gap");
  await shoot(page, "down");
  service.down = false;
  await until(async () => !(await page.$("#rec .why")), "the next recording ends it");
}

const page = await open("top");
await testFollows(page);
await testBusy(page);
await testBase(page);
await testPause(page);
await testPin(page);
await testFlame();
check(!page.complaints.length, page.complaints[0]);
await testDown(page);
for (const [name, options] of [["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 800 } }]]) {
  const small = await open(`top?base=${await newest(page)}`, options);
  check(await small.$("#rec [aria-current]"), `${name}: the base is marked`);
  check(await small.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing sticks out`);
  await shoot(small, name);
  await small.context().close();
}
console.log(`${check.count} checks`);
await browser.close();
server.close();
process.exit(0);
