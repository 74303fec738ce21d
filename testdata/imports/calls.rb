# What the Ruby profilers are recorded with: a parser, a sort, a sum and a recursion.
def parse(text)
  text.split.map { |word| word.to_i % 9973 }
end

def sort(numbers)
  numbers.sort_by { |n| -n }
end

def checksum(numbers)
  numbers.inject(0) { |total, n| (total * 31 + n) % 1_000_003 }
end

def fibonacci(n)
  n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
end

def work(rounds)
  text = Array.new(20_000) { |i| i * 7919 }.join(" ")
  rounds.times { checksum(sort(parse(text))) }
  fibonacci(18)
end

def run(seconds)
  stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
  work(2) while Process.clock_gettime(Process::CLOCK_MONOTONIC) < stop
end

run(ARGV[0].to_f) if $PROGRAM_NAME == __FILE__
