// Prices a list of orders; shop.js ROUNDS. Each function has about a tenth of the time.
const { discount } = require('rules');

function parse(lines) {
  const rows = [];
  for (const line of lines) {
    const fields = line.split(',');
    rows.push({ id: fields[0], item: fields[1], price: Number(fields[2]), count: Number(fields[3]) });
  }
  return rows;
}

function index(rows) {
  const found = new Map();
  for (const row of rows) {
    found.set(row.item, (found.get(row.item) || 0) + row.count);
  }
  return found.size;
}

function total(rows) {
  let amount = 0;
  for (const row of rows) {
    for (let k = 0; k < 60; k++) {
      amount += row.price * (row.count ^ k) % 7;
    }
  }
  return amount;
}

function render(rows) {
  const parts = [];
  for (const row of rows) {
    parts.push(`${row.id}: ${row.count} of ${row.item}`);
  }
  return parts.join('\n');
}

function clean(rows) {
  let size = 0;
  for (const row of rows) {
    size += row.item.toUpperCase().trim().length;
  }
  return size;
}

function order(rows) {
  const keys = rows.map((row) => row.price * 7919 % 1009);
  keys.sort((a, b) => a - b);
  return keys[keys.length >> 1];
}

function encode(rows) {
  let size = 0;
  for (const row of rows.slice(0, 300)) {
    size += JSON.stringify(row).length;
  }
  return size;
}

function price(rows) {
  let amount = 0;
  for (const row of rows) {
    amount += discount(row.count, 60);
  }
  return amount;
}

function checksum(text) {
  let value = 1;
  for (let at = 0; at < text.length; at++) {
    value = (value * 31 + text.charCodeAt(at)) % 65521;
  }
  return value;
}

function main(rounds) {
  const lines = [];
  for (let n = 0; n < 1000; n++) lines.push(`${n},item-${n * 7919 % 512},${n * 31 % 97},${n % 13 + 1}`);
  let seen = 0;
  for (let i = 0; i < rounds; i++) {
    const rows = parse(lines);
    seen += index(rows) + total(rows) + clean(rows) + order(rows) + encode(rows) + price(rows);
    seen += checksum(render(rows));
  }
  console.log(Math.round(seen));
}

main(Number(process.argv[2]));
