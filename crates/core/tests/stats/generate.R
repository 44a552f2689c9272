# Writes the reference vectors that come from R. In this folder: Rscript generate.R
# Only R itself is needed. Untied values throughout: with ties wilcox.test falls back to an approximation.

source_line <- paste0("Rscript generate.R, ", R.version.string)

json <- function(x) {
  if (is.list(x) && !is.null(names(x))) {
    paste0("{", paste0("\"", names(x), "\": ", vapply(x, json, ""), collapse = ", "), "}")
  } else if (is.list(x)) {
    paste0("[\n    ", paste(vapply(x, json, ""), collapse = ",\n    "), "\n  ]")
  } else if (is.character(x)) {
    paste0("\"", x, "\"")
  } else if (inherits(x, "AsIs") || length(x) > 1) {
    paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
  } else {
    sprintf("%.17g", x)
  }
}

write_vectors <- function(name, call, cases) {
  text <- paste0("{\n  \"source\": ", json(source_line), ",\n  \"call\": ", json(call), ",\n  \"cases\": ", json(cases), "\n}\n")
  cat(text, file = file.path("vectors", paste0(name, ".json")))
}

# Differences of logarithms as on a noisy device: a small shift, normal noise, now and then a spike.
differences <- function(n) rnorm(n, 0.02, 0.03) + rbinom(n, 1, 0.1) * rexp(n, 2)
times <- function(n, typical, spread) typical * exp(rnorm(n, 0, spread))

set.seed(19450601)
write_vectors("hodges_lehmann", "wilcox.test(values, conf.int = TRUE, exact = TRUE, conf.level = level)",
  unlist(lapply(c(8, 12, 20, 48, 49, 120, 200, 300), function(n) {
    values <- differences(n)
    stopifnot(!anyDuplicated(abs(values)), all(values != 0))
    lapply(c(0.99, if (n == 20) 0.95), function(level) {
      test <- wilcox.test(values, conf.int = TRUE, exact = TRUE, conf.level = level)
      list(level = level, values = values, estimate = unname(test$estimate), low = test$conf.int[1], high = test$conf.int[2])
    })
  }), recursive = FALSE))

sizes <- c(1:60, seq(65, 200, 5), 201, 250, 300, 500, 1000)
write_vectors("signed_rank", "qsignrank(tail, n) for every n of sizes",
  lapply(c(0.005, 0.025, 0.01 / 12, 0.0005), function(tail) {
    list(tail = tail, sizes = sizes, critical = vapply(sizes, function(n) qsignrank(tail, n), 0))
  }))

set.seed(19080301)
write_vectors("welch", "t.test(log(launches), log(baseline), conf.level = level)",
  lapply(list(c(2, 2), c(5, 5), c(5, 9), c(12, 7), c(40, 30)), function(n) {
    launches <- times(n[1], 1.06, 0.02)
    baseline <- times(n[2], 1, 0.05)
    level <- if (n[1] == 12) 0.99 else 0.95
    test <- t.test(log(launches), log(baseline), conf.level = level)
    list(level = level, launches = launches, baseline = baseline, log = unname(test$estimate[1] - test$estimate[2]),
      low = test$conf.int[1], high = test$conf.int[2], degrees_of_freedom = unname(test$parameter))
  }))

# Whole microseconds among them, so that values tie as clock readings do.
set.seed(19770101)
samples <- c(lapply(c(6, 7, 8, 9, 12, 100, 201), function(n) times(n, 5e6, 0.3)),
  lapply(c(10, 37, 400), function(n) round(times(n, 20, 0.6)) * 1000))

write_vectors("summary", "mean(values), sd(values), min(values), max(values)",
  lapply(samples, function(values) list(values = values, mean = mean(values), sd = sd(values), min = min(values), max = max(values))))

shares <- c(0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)
write_vectors("order", "median(values), quantile(values, shares, type = 1), sort(values)[k] for k = qbinom(tail, n, 1/2) and n + 1 - k",
  lapply(samples, function(values) {
    k <- qbinom(0.025, length(values), 0.5)
    ends <- sort(values)[c(k, length(values) + 1 - k)]
    list(values = values, median = median(values), shares = shares, quantiles = unname(quantile(values, shares, type = 1)),
      low = ends[1], high = ends[2])
  }))

# Geyer's initial monotone sequence: sums of neighbouring pairs of coefficients, as long as they are positive, none above the one before.
autocorrelation_time <- function(values) {
  coefficients <- acf(rank(values), lag.max = length(values) - 1, plot = FALSE)$acf
  pairs <- colSums(matrix(coefficients[seq_len(2 * (length(coefficients) %/% 2))], 2))
  later <- cummin(pairs[-1])
  1 + 2 * coefficients[2] + 2 * sum(later[cumprod(later > 0) == 1])
}

write_vectors("rank", "acf(rank(values), lag.max = 1, plot = FALSE), and Geyer's initial monotone sequence over all lags",
  lapply(c(samples, lapply(c(0.8, -0.5), function(p) as.vector(arima.sim(list(ar = p), 80)))), function(values) {
    list(values = values, coefficient = acf(rank(values), lag.max = 1, plot = FALSE)$acf[2], time = autocorrelation_time(values))
  }))

write_vectors("tukey", "length(boxplot.stats(values, coef = 1.5)$out), and 3",
  lapply(c(samples, lapply(c(24, 48, 120), differences)), function(values) {
    outside <- function(coef) length(boxplot.stats(values, coef = coef)$out)
    list(values = values, mild = outside(1.5) - outside(3), severe = outside(3))
  }))

write_vectors("rank_sum", "wilcox.test(first, second, exact = FALSE, correct = TRUE)$p.value, and the interval of exact = TRUE, conf.int = TRUE",
  lapply(list(c(8, 9, 0), c(12, 30, 0.02), c(40, 40, 0.01), c(48, 45, 0)), function(case) {
    first <- differences(case[1]) + case[3]
    second <- differences(case[2])
    exact <- wilcox.test(first, second, exact = TRUE, conf.int = TRUE, conf.level = 0.99)
    list(first = first, second = second, p = wilcox.test(first, second, exact = FALSE, correct = TRUE)$p.value,
      shift = unname(exact$estimate), low = exact$conf.int[1], high = exact$conf.int[2])
  }))

write_vectors("rank_sum_ties", "wilcox.test(first, second, exact = FALSE, correct = TRUE)$p.value",
  lapply(list(c(5, 7, 0), c(60, 200, 0.01)), function(case) {
    # To two decimals, so that many values are equal.
    first <- round(differences(case[1]) + case[3], 2)
    second <- round(differences(case[2]), 2)
    list(first = first, second = second, p = wilcox.test(first, second, exact = FALSE, correct = TRUE)$p.value)
  }))
