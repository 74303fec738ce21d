//! Benchmarks of parse_pr.rs for codspeed-divan-compat.
#[path = "../src/lib.rs"]
mod parse_pr;

const LINES: &str = "A change of one function.\r\n  - It has a test.\n";

fn main() {
    divan::main();
}

#[divan::bench]
fn bench_parse_pr(bencher: divan::Bencher) {
    let body = LINES.repeat(40) + "Fixes #1234\n";
    bencher.bench(|| parse_pr::parse_pr("parse: a change", divan::black_box(&body)));
}

#[divan::bench]
fn bench_parse_title(bencher: divan::Bencher) {
    bencher.bench(|| parse_pr::parse_title(divan::black_box("parse: a change")));
}
