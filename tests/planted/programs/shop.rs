// Prices a list of orders; shop ROUNDS. Each function has about a tenth of the time.
#![allow(unused_imports)]
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

#[derive(Clone)]
struct Row {
    id: String,
    item: String,
    price: i64,
    count: i64,
}

#[inline(never)]
fn parse(lines: &[String]) -> Vec<Row> {
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        rows.push(Row {
            id: fields[0].to_string(),
            item: fields[1].to_string(),
            price: fields[2].parse().unwrap(),
            count: fields[3].parse().unwrap(),
        });
    }
    rows
}

#[inline(never)]
fn index(rows: &[Row]) -> usize {
    let mut found: HashMap<&str, i64> = HashMap::with_capacity(1024);
    for row in rows {
        *found.entry(row.item.as_str()).or_insert(0) += row.count;
    }
    found.len()
}

#[inline(never)]
fn total(rows: &[Row]) -> i64 {
    let mut amount = 0;
    for row in rows {
        for k in 0..60 {
            amount += row.price * (row.count ^ black_box(k)) % 7;
        }
    }
    amount
}

#[inline(never)]
fn lookup(rows: &[Row], wanted: &HashMap<String, i64>) -> usize {
    let mut hits = 0;
    for row in rows {
        hits += wanted.contains_key(row.item.as_str()) as usize;
        hits += wanted.contains_key(row.id.as_str()) as usize;
    }
    hits
}

#[inline(never)]
fn render(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        out.push_str(&format!("{}: {} of ", row.id, row.count));
        out.push_str(&row.item);
    }
    out
}

#[inline(never)]
fn clean(rows: &[Row]) -> usize {
    let mut size = 0;
    for row in rows {
        size += row.item.to_uppercase().len();
    }
    size
}

#[inline(never)]
fn order(rows: &[Row]) -> i64 {
    let mut keys: Vec<i64> = rows.iter().map(|row| row.price * 7919 % 1009).collect();
    keys.sort_unstable();
    keys[keys.len() / 2]
}

#[inline(never)]
fn encode(rows: &[Row]) -> usize {
    let mut size = 0;
    for row in rows {
        let mut text = String::with_capacity(64);
        for c in row.item.bytes() {
            text.push(black_box(c) as char);
        }
        size += text.len();
    }
    size
}

#[inline(never)]
fn price(rows: &[Row]) -> f64 {
    let mut amount = 0.0;
    for row in rows {
        amount += discount(row.count, 30);
    }
    amount
}

#[inline(never)]
fn discount(count: i64, steps: i64) -> f64 {
    let mut factor = 1.0;
    for step in 0..steps {
        if count > black_box(step) {
            factor *= 0.99;
        }
    }
    factor
}

#[inline(never)]
fn checksum(text: &str) -> u32 {
    let mut value: u32 = 1;
    for c in text.bytes() {
        value = (value * 31 + c as u32) % 65521;
    }
    value
}

fn main() {
    let rounds: usize = std::env::args().nth(1).map_or(1, |word| word.parse().unwrap());
    let lines: Vec<String> =
        (0..1000).map(|n| format!("{},item-{},{},{}", n, n * 7919 % 512, n * 31 % 97, n % 13 + 1)).collect();
    let wanted: HashMap<String, i64> = (0..1000).map(|n| (format!("item-{}", n * 3 % 512), n)).collect();
    let unused: BTreeMap<i64, i64> = BTreeMap::new();
    let mut seen = unused.len();
    for _ in 0..rounds {
        let rows = parse(&lines);
        seen += index(&rows) + total(&rows) as usize + lookup(&rows, &wanted) + clean(&rows);
        seen += order(&rows) as usize + encode(&rows) + price(&rows) as usize;
        seen += checksum(&render(&rows)) as usize;
    }
    println!("{}", seen);
}
