# Records the answers of R that the tests compare with, in answers_r.json beside this file.
#
#     R with the packages exactRankTests and boot (r-base-core, r-cran-exactranktests and r-cran-boot of Debian)
#     Rscript crates/statistics/tests/answers/record.R
#
# With ties the distribution of rank sums is not symmetric: R's two-sided p then adds both tails as far from the middle, ours is twice the
# smaller tail, so the one-sided p are recorded. Of a shift R takes the order statistics at the next level above the one asked for; that level is recorded, too.

suppressMessages(suppressWarnings(library(exactRankTests)))
library(boot)

numbers <- function(values) paste0("[", paste(sprintf("%.17g", values), collapse = ", "), "]")
record <- function(...) {
    fields <- list(...)
    texts <- sapply(names(fields), function(name) sprintf("\"%s\": %s", name, numbers(fields[[name]])))
    paste0("{", paste(texts, collapse = ", "), "}")
}

twice_smaller <- function(...) {
    tails <- sapply(c("less", "greater"), function(side) suppressWarnings(wilcox.exact(..., alternative = side))$p.value)
    min(1, 2 * min(tails))
}

set.seed(19)
two_samples <- c()
for (sizes in list(c(4, 4), c(5, 7), c(6, 6), c(9, 12), c(20, 18))) {
    for (ties in c(FALSE, TRUE)) {
        control <- rnorm(sizes[1], 100, 5)
        test <- rnorm(sizes[2], 104, 6)
        if (ties) { control <- round(control / 3); test <- round(test / 3) } else { control <- round(control, 6); test <- round(test, 6) }
        p <- twice_smaller(test, control)
        skipped <- max(qwilcox(0.025, sizes[2], sizes[1]), 1) - 1
        level <- 1 - 2 * pwilcox(skipped, sizes[2], sizes[1])
        if (ties) {
            two_samples <- c(two_samples, record(control = control, test = test, p = p))
        } else {
            answer <- wilcox.test(test, control, exact = TRUE, conf.int = TRUE)
            two_samples <- c(two_samples, record(control = control, test = test, p = p, shift = c(answer$estimate, answer$conf.int, level)))
        }
    }
}

pairs <- c()
for (size in c(6, 8, 13, 24)) {
    for (ties in c(FALSE, TRUE)) {
        control <- rnorm(size, 100, 20)
        test <- control + rnorm(size, 1, 3)
        if (ties) { control <- round(control); test <- round(test) } else { control <- round(control, 6); test <- round(test, 6) }
        p <- twice_smaller(test, control, paired = TRUE)
        t <- t.test(test, control, paired = TRUE)$p.value
        skipped <- max(qsignrank(0.025, size), 1) - 1
        level <- 1 - 2 * psignrank(skipped, size)
        if (ties) {
            pairs <- c(pairs, record(control = control, test = test, p = p, t = t))
        } else {
            answer <- wilcox.test(test, control, paired = TRUE, exact = TRUE, conf.int = TRUE)
            pairs <- c(pairs, record(control = control, test = test, p = p, t = t, shift = c(answer$estimate, answer$conf.int, level)))
        }
    }
}

bootstraps <- c()
for (size in c(12, 40)) {
    control <- round(rlnorm(size, 2, 0.3), 6)
    test <- round(rlnorm(size + 3, 2.1, 0.3), 6)
    values <- data.frame(value = c(control, test), side = rep(c(0, 1), c(size, size + 3)))
    difference <- function(data, drawn) {
        drawn <- data[drawn, ]
        mean(drawn$value[drawn$side == 1]) - mean(drawn$value[drawn$side == 0])
    }
    answer <- boot(values, difference, R = 50000, strata = values$side + 1)
    bootstraps <- c(bootstraps, record(control = control, test = test, bca = boot.ci(answer, type = "bca")$bca[4:5]))
}

list_of <- function(name, records) sprintf("\"%s\": [%s]", name, paste(records, collapse = ",\n"))
arguments <- commandArgs(FALSE)
folder <- dirname(sub("--file=", "", arguments[grep("--file=", arguments)]))
text <- paste(list_of("two_samples", two_samples), list_of("pairs", pairs), list_of("bootstraps", bootstraps), sep = ",\n")
writeLines(paste0("{\n", text, "\n}"), file.path(folder, "answers_r.json"))
