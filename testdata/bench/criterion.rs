use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use std::time::Duration;

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("checksum");
    group.sample_size(10).warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(200));
    for size in [100u64, 400] {
        let numbers: Vec<u64> = (0..size).map(|i| i * 7919 % 9973).collect();
        group.throughput(Throughput::Elements(size));
        group.bench_with_input(BenchmarkId::new("sum", size), &numbers, |b, n| b.iter(|| calls::sum(n)));
    }
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
