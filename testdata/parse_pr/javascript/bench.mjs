import { withCodSpeed } from "@codspeed/tinybench-plugin";
import { Bench } from "tinybench";
import { parsePr, parseTitle } from "./parse_pr.mjs";

const body = "A change of one function.\r\n  - It has a test.\n".repeat(40) + "Fixes #1234\n";
const bench = withCodSpeed(new Bench({ time: 10 }));
bench.add("parsePr", () => parsePr("parse: a change", body));
bench.add("parseTitle", () => parseTitle("parse: a change"));
await bench.run();
