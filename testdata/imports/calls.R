# What R's profiler is recorded with: a parser, a sort and a sum, each in its own function.
parse_words <- function(text) {
  as.integer(strsplit(text, " ")[[1]]) %% 9973L
}

checksum <- function(numbers) {
  total <- 0
  for (n in numbers) total <- (total * 31 + n) %% 1000003
  total
}

work <- function(rounds) {
  text <- paste(seq_len(20000) * 7919, collapse = " ")
  for (i in seq_len(rounds)) {
    last <- checksum(sort(parse_words(text), decreasing = TRUE))
  }
  last
}

Rprof("calls.Rprof", interval = 0.02, line.profiling = TRUE, memory.profiling = TRUE)
work(as.integer(commandArgs(trailingOnly = TRUE)[1]))
Rprof(NULL)
