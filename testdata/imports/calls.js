// What calls.cpuprofile and calls.heapprofile are of.
'use strict';

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function parse(text) {
  return text.split(',').map((word) => ({ word, length: word.length }));
}

function sort(items) {
  return items.slice().sort((a, b) => b.length - a.length || (a.word < b.word ? -1 : 1));
}

const kept = [];

function round(i) {
  const text = Array.from({ length: 2000 }, (_, k) => 'w'.repeat((k * i) % 17)).join(',');
  kept.push(sort(parse(text))[0]);
  return fibonacci(20);
}

let sum = 0;
for (let i = 0; i < 60; i++) sum += round(i);
console.log(sum, kept.length);
