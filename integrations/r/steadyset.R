# steadyset from R: source("steadyset.R"). Needs base R and the command `steadyset`; no Python is written or read here.
#
# Data goes to the command as CSV, results come back as JSON. The command is options(steadyset.command = ...), else the
# environment variable STEADYSET, else what PATH has. Options of the command are arguments here: --on-warning fail is
# on_warning = "fail", and an option that may be repeated takes a vector. What is NULL is left to the command.

STEADYSET_NEEDED <- "0.1.0"
STEADYSET_NO <- c(paired = "--independent")  # what is typed for FALSE, where that is not --no- and the name
# Options without a value: an error that names one of them means TRUE.
STEADYSET_FLAGS <- c(
  "known_only", "transpose", "header", "paired", "resume", "all_rows", "predictions", "each_list",
  "spreadsheet_safe", "positive", "quick"
)
# Words that sentences of the command give as the value of an option, apart from numbers.
STEADYSET_WORDS <- c(
  "auto", "bh", "bootstrap", "classes", "count", "exact", "fail", "filter", "holm", "lasso",
  "leave", "median", "nan", "none", "number", "raise", "record", "survival"
)

# How steady selectors are on X and y.
#
# X: matrix, data frame, tibble or sparse Matrix with one row per sample; one with a column per sample is transposed,
# and said so. An ExpressionSet or SummarizedExperiment has its samples in columns as always.
# y: one value per sample, or the name of a column of X (of its phenotype data). A factor, text or logical is classes;
# survival::Surv(time, event) is the time to an event.
# selectors: such as c("lasso:k=20", "jmi:k=20"); NULL takes five that suit y. groups: one value per sample; samples of
# one group stay together. force: covariates that stay in every model, a data frame with one row per sample or the names
# of columns of X; block: one value per sample, such as its batch, which is adjusted for. prepare: such as
# "impute=median, scale", fitted within each run. out: the run folder; NULL takes one that lasts as long as R runs.
# Further options of `steadyset assess` follow by name, such as importance = "selector".
# Returns a list: answer, summary, features, differences, cores, notes, folder.
steadyset_assess <- function(X, y, selectors = NULL, runs = NULL, resampling = NULL, groups = NULL, seed = NULL,
                             out = NULL, samples_in_columns = NULL, force = NULL, block = NULL, prepare = NULL, ...,
                             quiet = FALSE) {
  given <- list(selector = selectors, runs = runs, resampling = resampling, seed = seed, prepare = prepare, ...)
  made <- .steadyset_on_data("assess", X, y, samples_in_columns, groups, force, block, given, out, quiet)
  found <- made$found
  given <- made$given
  structure(
    list(
      answer = unlist(found$answer), about = found$about, task = found$settings$task,
      summary = .steadyset_summary(found$summary), features = steadyset_features(given$out),
      differences = .steadyset_frame(unlist(lapply(found$differences, function(one) {
        lapply(one$tests, function(test) c(list(what = one$what), test))
      }), recursive = FALSE)),
      cores = stats::setNames(
        lapply(found$cores, function(one) as.character(unlist(one$features))), vapply(found$cores, `[[`, "", "name")
      ),
      notes = as.character(unlist(found$notes)), folder = given$out
    ),
    class = "steadyset_assessment"
  )
}

# The features that stand out, with how many of them are false on average (false), or which share of them (fdr).
#
# X, y, groups, force, block and prepare: as for steadyset_assess.
# Returns a list: answer; features, the listed ones with their effects; candidates, the features closest to the cutoff,
# which are not listed; group_members, correlated features of which one is meant; notes, folder.
steadyset_shortlist <- function(X, y, false = NULL, fdr = NULL, groups = NULL, seed = NULL, out = NULL,
                                samples_in_columns = NULL, force = NULL, block = NULL, prepare = NULL, ...,
                                quiet = FALSE) {
  given <- list(false = false, fdr = fdr, seed = seed, prepare = prepare, ...)
  made <- .steadyset_on_data("shortlist", X, y, samples_in_columns, groups, force, block, given, out, quiet)
  features <- .steadyset_frame(
    made$found$shortlist$features,
    feature = character(), tier = character(), effect = numeric()
  )
  .steadyset_result(
    "shortlist", made,
    features = .steadyset_rows(features, features$tier == "listed"),
    candidates = .steadyset_rows(features, features$tier == "candidate"),
    group_members = .steadyset_rows(features, features$tier == "group")
  )
}

# Which configuration of a filter and a model to use: accuracy, stability and size of each.
#
# X, y, groups, force, block and prepare: as for steadyset_assess. trials: the number of configurations to try.
# choose: the rule, such as "margins:0.025,0.1" or "best"; nested: the number of outer folds of an honest score.
# space, objectives, resampling: as the command takes them, such as "bommert:model=lasso,filter=jmi".
# Returns a list: answer; choices, one row per rule (recommended says which is recommended); features, those of the
# recommended configuration, the strongest first; recommended, its number, or NA if no configuration is recommended;
# front, the Pareto optimal configurations; configurations, all that were tried; notes, folder.
steadyset_tune <- function(X, y, trials = NULL, choose = NULL, nested = NULL, space = NULL,
                           objectives = NULL, resampling = NULL, groups = NULL, seed = NULL,
                           out = NULL, samples_in_columns = NULL, force = NULL, block = NULL,
                           prepare = NULL, ..., quiet = FALSE) {
  if (length(objectives)) objectives <- paste(objectives, collapse = ",")
  given <- list(
    trials = trials, choose = choose, nested = nested, space = space, objectives = objectives,
    resampling = resampling, seed = seed, prepare = prepare, ...
  )
  made <- .steadyset_on_data(
    "tune", X, y, samples_in_columns, groups, force, block, given, out, quiet
  )
  found <- made$found
  choices <- .steadyset_frame(lapply(found$choices, .steadyset_configuration), rule = character())
  chosen <- Filter(function(choice) isTRUE(choice$recommended), found$choices)
  features <- .steadyset_rows(data.frame(feature = "", direction = "", frequency = 0), FALSE)
  number <- NA_integer_
  if (length(chosen)) {
    number <- as.integer(chosen[[1]]$number)
    names <- as.character(unlist(chosen[[1]]$features))
    often <- unlist(found$frequencies[[paste("configuration", number)]])
    features <- .steadyset_table(data.frame(
      feature = names, direction = as.character(unlist(chosen[[1]]$directions)),
      frequency = unname(often[names]), stringsAsFactors = FALSE
    ))
  }
  .steadyset_result(
    "tuning", made,
    choices = choices, features = features, recommended = number,
    front = .steadyset_frame(lapply(found$front, .steadyset_configuration), number = numeric()),
    configurations = .steadyset_frame(
      lapply(found$trials$tried, .steadyset_configuration), configuration = numeric()
    )
  )
}

# How many of the selected features another study would select again.
#
# X, y, groups: as for steadyset_assess; or lists of them with a name per study, which are then compared.
# selector: one that selects a fixed number of features, such as "lasso:k=20".
# pairs: the number of pairs of studies of each size.
# Returns a list. Of one study: answer; sizes, the agreement measured with fewer rows; studies, the agreement expected
# of studies of several sizes; features, notes, folder. Of several: answer, studies, pairs, features, notes, folder.
steadyset_replicate <- function(X, y, selector, pairs = NULL, groups = NULL, seed = NULL,
                                out = NULL, samples_in_columns = NULL, ..., quiet = FALSE) {
  given <- list(selector = selector, pairs = pairs, seed = seed, ...)
  made <- .steadyset_on_data(
    "replicate", X, y, samples_in_columns, groups, NULL, NULL, given, out, quiet
  )
  one <- made$found$replication
  several <- made$found$studies
  if (is.null(several)) {
    return(.steadyset_result(
      "replication", made,
      sizes = .steadyset_frame(one$measured, rows = numeric()),
      studies = .steadyset_frame(one$studies, rows = numeric()),
      features = .steadyset_frame(one$features, feature = character())
    ))
  }
  labels <- vapply(several$studies, `[[`, "", "name")
  .steadyset_result(
    "replication", made,
    studies = .steadyset_frame(several$studies, name = character()),
    pairs = .steadyset_frame(several$pairs, first = character(), second = character()),
    features = .steadyset_frame(
      lapply(several$features, .steadyset_per_study, labels), feature = character()
    )
  )
}

# Why reruns differ: because of the data, the randomness of a selector, or the choice of the selector.
#
# X, y, groups, force, block and prepare: as for steadyset_assess. selectors: such as c("lasso:k=20", "jmi:k=20"); NULL
# takes five that suit y. seeds: the number of seeds of a selector with randomness of its own.
# Returns a list: answer; disagreement, the number of features by which two runs differ, of size features; sources, how
# much of it comes from what; samples, those whose presence changes the selection most; notes, folder.
steadyset_why <- function(X, y, selectors = NULL, seeds = NULL, resampling = NULL, groups = NULL,
                          seed = NULL, out = NULL, samples_in_columns = NULL, force = NULL,
                          block = NULL, prepare = NULL, ..., quiet = FALSE) {
  given <- list(
    selector = selectors, seeds = seeds, resampling = resampling, seed = seed,
    prepare = prepare, ...
  )
  made <- .steadyset_on_data(
    "why", X, y, samples_in_columns, groups, force, block, given, out, quiet
  )
  split <- made$found$sources
  samples <- .steadyset_frame(
    split$rows,
    row = numeric(), label = character(), features = numeric(), p_value = numeric()
  )
  samples$row <- samples$row + 1
  if (!is.null(made$samples)) samples$label <- made$samples[samples$row]
  .steadyset_result(
    "sources", made,
    disagreement = split$disagreement, size = split$size,
    sources = .steadyset_frame(split$parts, name = character()), samples = samples
  )
}

# How steady recorded selections are: one row per measure.
#
# runs: a list with one vector per run, of names or of numbers from 1 (as in stabm); or a matrix with a row per run
# and a column per feature, of 0/1, TRUE/FALSE, or importances (0: not selected).
# features: what there was to choose from: their names, or their number. measures: names or aliases; NULL takes all.
# level: such as 0.95 for intervals. similarity: a square matrix between 0 and 1, with threshold = as in stabm.
steadyset_measure <- function(runs, features = NULL, measures = NULL, level = NULL, similarity = NULL, seed = NULL, ...,
                              quiet = FALSE) {
  given <- c(list(measure = measures, level = level, seed = seed), list(...))
  found <- .steadyset_recorded("measure", list(runs = runs), features, similarity, given, quiet)
  table <- .steadyset_frame(found$measures, measure = character())
  table$name <- NULL
  table
}

# Which of several procedures are steadier: a named list of what steadyset_measure takes.
# Returns a list: answer, procedures, tests.
steadyset_compare <- function(procedures, features = NULL, measure = NULL, similarity = NULL, seed = NULL, ...,
                              quiet = FALSE) {
  .steadyset_check_procedures(procedures)
  given <- c(list(measure = measure, seed = seed), list(...))
  found <- .steadyset_recorded("compare", procedures, features, similarity, given, quiet)
  groups <- unlist(found$differences[[1]]$groups)
  table <- .steadyset_summary(found$summary)
  table$group <- unname(groups[table$name])
  structure(
    list(answer = unlist(found$answer), procedures = table, tests = .steadyset_frame(found$differences[[1]]$tests)),
    class = "steadyset_comparison"
  )
}

# The features that several selectors agree on: a named list of what steadyset_measure takes, an assessment, or its run
# folder, whose selectors are then compared.
#
# aggregate: what ranks the features; backing: the share of its runs that a selector needs to back a feature.
# Returns a list: answer; features, with a column of frequencies per selector; backed, how many features are backed by
# how many selectors; agreement of each two selectors; notes.
steadyset_consensus <- function(procedures, features = NULL, aggregate = NULL, backing = NULL,
                                measure = NULL, seed = NULL, ..., quiet = FALSE) {
  given <- list(aggregate = aggregate, backing = backing, measure = measure, seed = seed, ...)
  if (is.character(procedures) || inherits(procedures, "steadyset_assessment")) {
    found <- .steadyset_run("consensus", .steadyset_folder(procedures), given, quiet)
  } else {
    .steadyset_check_procedures(procedures)
    if (length(procedures) < 2) {
      .steadyset_stop("procedures has one selector only. A consensus needs at least two, or an assessment.")
    }
    found <- .steadyset_recorded("consensus", procedures, features, NULL, given, quiet)
  }
  ranking <- lapply(found$ranking, function(row) {
    often <- row$frequencies
    row$frequencies <- NULL
    c(row, stats::setNames(often, paste0("frequency_", names(often))))
  })
  structure(
    list(
      answer = as.character(unlist(found$answer)),
      features = .steadyset_frame(ranking, feature = character()),
      backed = .steadyset_frame(found$backed, methods = numeric()),
      agreement = .steadyset_frame(found$between, first = character(), second = character()),
      notes = as.character(unlist(found$notes))
    ),
    class = "steadyset_consensus"
  )
}

# Paragraphs for a paper on what was done and what came of it, with the references.
#
# result: what steadyset_assess, steadyset_shortlist, steadyset_tune, steadyset_replicate or steadyset_why returned, or
# its folder. bibtex = "refs.bib", csl, docx and pdf write files too.
# Returns a list: paragraphs, results, references and checklist (TRIPOD+AI), both data frames.
steadyset_methods <- function(result, ..., quiet = FALSE) {
  found <- .steadyset_run("methods", .steadyset_folder(result), list(...), quiet)
  structure(
    list(
      paragraphs = as.character(unlist(found$paragraphs)),
      results = as.character(unlist(found$results)),
      references = .steadyset_frame(lapply(found$references, .steadyset_reference), id = character()),
      checklist = .steadyset_frame(found$tripod_ai, items = character(), sentence = character())
    ),
    class = "steadyset_methods"
  )
}

# The table of features of an assessment, or of its run folder: how often each was selected.
steadyset_features <- function(assessment) {
  file <- file.path(.steadyset_folder(assessment), "features.csv")
  if (!file.exists(file)) .steadyset_stop(file, " does not exist; expected the run folder of a finished assessment.")
  texts <- c("feature", "direction", "model_direction", "stand_ins")  # names may look like numbers
  texts <- stats::setNames(rep("character", length(texts)), texts)
  .steadyset_table(utils::read.csv(
    file, colClasses = texts, encoding = "UTF-8", na.strings = "", check.names = FALSE
  ))
}

# Write the HTML report of an assessment, a shortlist, a tuning or another result, or of its folder.
steadyset_report <- function(assessment, file = "report.html", ..., quiet = FALSE) {
  .steadyset_call("report", .steadyset_folder(assessment), list(out = path.expand(file), ...), quiet)
  invisible(normalizePath(file))
}

# The version of the command.
steadyset_version <- function() {
  said <- .steadyset_system(.steadyset_command(), "--version")
  if (said$status != 0) .steadyset_stop(.steadyset_sentence(said))
  package_version(sub("^.* ", "", said$out[[1]]))
}

# ---- printing: numbers are rounded here only ------------------------------------------------------------------------
print.steadyset_table <- function(x, ...) {
  rounded <- .steadyset_rounded(as.data.frame(x))
  if (nrow(x)) print(rounded, row.names = FALSE, ...) else print(rounded, ...)
  invisible(x)
}

print.steadyset_assessment <- function(x, ...) {
  cat(x$about, "\n", sep = "")
  cat("y is taken as ", x$task, ".\n", sep = "")
  .steadyset_say(x$answer)
  .steadyset_show(x$summary, leave_out = "note", ...)
  for (name in names(x$cores)) {
    core <- x$cores[[name]]
    features <- if (length(core)) .steadyset_some(core) else "no feature"
    .steadyset_say(paste0("Stable core of ", name, ": ", features))
  }
  .steadyset_end(x, "$features has the table of features; the run folder is ")
}

print.steadyset_shortlist <- function(x, ...) {
  .steadyset_say(x$answer)
  columns <- c("feature", "direction", "effect", "effect_low", "effect_high", "frequency", "q_value")
  .steadyset_show(x$features[intersect(columns, names(x$features))], ...)
  .steadyset_end(x, "$features and $candidates have all columns; the folder is ")
}

print.steadyset_tuning <- function(x, ...) {
  .steadyset_say(x$answer)
  .steadyset_show(x$choices, leave_out = "settings", ...)
  of <- "$features has the features of the recommended configuration; the folder is "
  .steadyset_end(x, if (is.na(x$recommended)) "The folder is " else of)
}

print.steadyset_replication <- function(x, ...) {
  .steadyset_say(x$answer)
  .steadyset_show(x$studies, ...)
  .steadyset_end(x, "$features has the features; the folder is ")
}

print.steadyset_sources <- function(x, ...) {
  .steadyset_say(x$answer)
  .steadyset_show(x$sources, ...)
  .steadyset_end(x, "$samples has the samples that change the selection most; the folder is ")
}

print.steadyset_consensus <- function(x, ...) {
  .steadyset_say(x$answer)
  columns <- c("feature", "rank", "methods", "runs", "frequency", "direction")
  .steadyset_show(x$features[intersect(columns, names(x$features))], ...)
  .steadyset_end(x)
}

print.steadyset_comparison <- function(x, ...) {
  .steadyset_say(x$answer)
  .steadyset_show(x$procedures, ...)
  .steadyset_show(x$tests, ...)
  .steadyset_end(x)
}

print.steadyset_methods <- function(x, ...) {
  for (paragraph in c(x$paragraphs, x$results)) cat(strwrap(paragraph), "", sep = "\n")
  cat("$references has the ", nrow(x$references), " references.\n", sep = "")
  invisible(x)
}

.steadyset_say <- function(sentences) cat(strwrap(sentences, exdent = 2), sep = "\n")

# The rows of a table that fit on a screen, without columns that have no value in them.
.steadyset_show <- function(table, leave_out = NULL, most = 20, ...) {
  if (!nrow(table)) return(invisible())
  table <- as.data.frame(table)
  is_empty <- vapply(table, function(column) all(is.na(column) | column == ""), NA)
  is_zero <- names(table) %in% c("failures", "warned", "tied") & vapply(table, function(column) {
    all(column %in% 0)
  }, NA)
  table <- table[!is_empty & !is_zero & !names(table) %in% leave_out]
  print(.steadyset_rounded(utils::head(table, most)), row.names = FALSE, ...)
  if (nrow(table) > most) cat("... and", nrow(table) - most, "more rows\n")
}

# The last lines of a printed result: its notes and, where it has one, its folder.
.steadyset_end <- function(x, folder = NULL) {
  if (length(x$notes)) .steadyset_say(paste("Note:", x$notes))
  if (!is.null(x$folder)) cat(folder, x$folder, "\n", sep = "")
  invisible(x)
}

# Numbers as text with three decimals; small ones with two digits.
.steadyset_rounded <- function(table, decimals = 3) {
  table[] <- lapply(table, function(column) {
    if (!is.numeric(column)) return(column)
    whole <- is.na(column) | column == round(column)
    if (all(whole)) return(column)
    small <- !whole & abs(column) < 10^-decimals
    text <- formatC(column, format = "f", digits = decimals)
    text[small] <- formatC(column[small], format = "g", digits = 2)
    text[is.na(column)] <- "NA"
    text
  })
  table
}

# ---- data ------------------------------------------------------------------------------------------------------------
# What a command finds in X and y, the options that it was given, and the names of the samples of a single study.
.steadyset_on_data <- function(command, X, y, samples_in_columns, groups, force, block, given, out, quiet) {
  several <- command == "replicate" && is.list(X) && !is.data.frame(X)
  if (several) .steadyset_check_studies(X, y, groups)
  study <- function(X, y, groups) {
    .steadyset_study(X, y, samples_in_columns, groups, force, block, quiet)
  }
  studies <- if (several) {
    lapply(names(X), function(name) study(X[[name]], y[[name]], groups[[name]]))
  } else {
    list(study(X, y, groups))
  }
  taken <- unlist(lapply(studies, function(one) names(one$columns)))
  role <- function(usual) {
    free <- setdiff(usual, taken)
    name <- if (length(free)) free[[1]] else utils::tail(make.unique(c(taken, usual[[1]])), 1)
    taken <<- c(taken, name)
    name
  }
  first <- studies[[1]]
  # y goes by its own name where it is a column of X, else by one that no feature has.
  roles <- lapply(first$roles, function(part) role(c(part$name, part$usual)))
  names(roles) <- vapply(first$roles, `[[`, "", "option")
  if ("target" %in% names(roles)) {
    # The labels of a factor may look like numbers, which a file cannot say.
    if (is.null(given$task) && !is.numeric(first$y)) given$task <- "classes"
  }
  given[names(roles)] <- roles
  if (length(first$force)) given$force <- paste(first$force, collapse = ",")
  files <- .steadyset_scratch()
  on.exit(unlink(files, recursive = TRUE), add = TRUE)
  stems <- if (several) .steadyset_stems(names(X)) else "data"
  paths <- file.path(files, paste0(stems, ".csv"))
  for (i in seq_along(studies)) {
    values <- stats::setNames(lapply(studies[[i]]$roles, `[[`, "values"), unlist(roles))
    .steadyset_write_csv(c(studies[[i]]$columns, values), paths[[i]])
  }
  given$out <- if (is.null(out)) file.path(tempfile("steadyset-"), "runs") else path.expand(out)
  dir.create(dirname(given$out), recursive = TRUE, showWarnings = FALSE)
  for (one in if (!quiet) studies) {
    count <- length(one$columns) - length(one$force)
    message("steadyset: ", length(one$y), " samples, ", count, " features; running ...")
  }
  found <- .steadyset_run(command, paths, given, quiet)
  if (several) found <- .steadyset_renamed_all(found, stems, names(X))
  list(found = found, given = given, samples = if (!several) first$samples)
}

# One study as columns of a file: features and covariates by name, and the parts of y, groups and block as roles.
.steadyset_study <- function(X, y, samples_in_columns, groups, force, block, quiet) {
  name <- if (is.character(y) && length(y) == 1) y else if (is.data.frame(y)) names(y)[[1]]
  followed <- if (inherits(y, "Surv")) .steadyset_followed(y)
  if (!is.null(followed)) y <- followed$time
  data <- .steadyset_data(X, y, samples_in_columns, quiet)
  n <- length(data$y)
  roles <- list()
  add <- function(option, values, usual, what, name = NULL) {
    if (length(values) != n) .steadyset_stop(what, " must have one value per sample (", n, ").")
    values <- .steadyset_plain(values, what)
    roles[[length(roles) + 1]] <<- list(option = option, values = values, usual = usual, name = name)
  }
  if (is.null(followed)) {
    values <- if (is.logical(data$y)) factor(data$y) else data$y
    add("target", values, c("y", "outcome", "target"), "y", name)
  } else {
    add("time", data$y, c("time", "time of y"), "y")
    add("event", followed$event, c("event", "event of y"), "y")
  }
  for (option in c("groups", "block")) {
    values <- if (option == "groups") groups else block
    if (is.null(values)) next
    values <- .steadyset_in_order(values, data$samples, option, quiet)
    usual <- sub("s$", "", option)
    # A missing value stays missing: as text it would be a group or a batch of its own.
    labels <- ifelse(is.na(values), NA_character_, paste(usual, as.character(values)))
    add(option, labels, c(usual, paste(usual, "of samples")), option)
  }
  covariates <- .steadyset_covariates(force, data$X, data$samples, n, quiet)
  list(
    columns = c(data$X, covariates$columns), roles = roles, y = data$y, samples = data$samples,
    force = covariates$names
  )
}

# The names of the covariates, and the columns of those that X does not have.
.steadyset_covariates <- function(force, columns, samples, n, quiet) {
  if (is.null(force)) return(list(names = character(), columns = list()))
  if (is.character(force) && is.null(dim(force))) {
    unknown <- setdiff(force, names(columns))
    if (length(unknown)) {
      .steadyset_stop(
        "X has no column ", .steadyset_some(unknown), ". force takes names of columns of X, or a data frame."
      )
    }
    covariates <- list()
    names <- unique(unname(force))
  } else {
    if (is.matrix(force)) force <- as.data.frame(force, stringsAsFactors = FALSE)
    if (!is.list(force) || is.null(names(force)) || !all(nzchar(names(force)))) {
      .steadyset_stop(
        "force has no names of covariates. Give a data frame with one row per sample, such as ",
        "force = data.frame(age = age)."
      )
    }
    if (is.data.frame(force)) {
      labels <- if (is.character(attr(force, "row.names"))) rownames(force)
      force <- force[.steadyset_order(labels, samples, "force", quiet), , drop = FALSE]
    }
    names <- names(force)
    lengths <- lengths(force)
    if (any(lengths != n)) {
      wrong <- names[lengths != n][[1]]
      .steadyset_stop(
        "force has ", lengths[lengths != n][[1]], " values of ", sQuote(wrong, FALSE), " for ", n,
        " samples. Give one row per sample."
      )
    }
    covariates <- Map(.steadyset_plain, force, names)
  }
  if (any(grepl(",", names, fixed = TRUE))) .steadyset_stop("The names of force must have no comma.")
  # A covariate that is a column of X already stays what it is called: that column is the covariate.
  both <- intersect(names(covariates), names(columns))
  for (name in both) {
    if (!isTRUE(all.equal(covariates[[name]], columns[[name]], tolerance = 0, check.attributes = FALSE))) {
      .steadyset_stop(
        "force and X both have a column ", sQuote(name, FALSE), ", with different values. Rename one of them, or ",
        "give force = \"", name, "\" to take that of X."
      )
    }
  }
  if (length(both) && !quiet) {
    message("Columns of X that are covariates, and not features: ", .steadyset_some(both), ".")
  }
  list(names = names, columns = covariates[setdiff(names(covariates), both)])
}

.steadyset_check_studies <- function(X, y, groups) {
  named <- function(part) is.list(part) && setequal(names(part), names(X))
  if (is.null(names(X)) || any(!nzchar(names(X))) || anyDuplicated(names(X)) || length(X) < 2) {
    .steadyset_stop("Several studies need a name each, such as X = list(first = X1, second = X2).")
  }
  if (!named(y) || !(is.null(groups) || named(groups))) {
    .steadyset_stop("y and groups must be lists with the names of the studies in X: ", .steadyset_some(names(X)), ".")
  }
}

# Times and events of a Surv object, whose columns they are.
.steadyset_followed <- function(y) {
  kind <- attr(y, "type")
  if (!identical(kind, "right")) .steadyset_stop("y is a Surv of type ", kind, "; only right censoring is modelled.")
  values <- unclass(y)
  list(time = unname(values[, "time"]), event = as.integer(values[, "status"]))
}

# X as a named list of columns, one value per sample, and y in the order of its rows.
.steadyset_data <- function(X, y, samples_in_columns, quiet) {
  phenotype <- NULL
  if (inherits(X, "ExpressionSet")) {
    phenotype <- Biobase::pData(X)
    X <- Biobase::exprs(X)
    samples_in_columns <- TRUE
  } else if (inherits(X, "SummarizedExperiment")) {
    phenotype <- as.data.frame(SummarizedExperiment::colData(X))
    X <- SummarizedExperiment::assay(X)
    samples_in_columns <- TRUE
  } else if (inherits(X, "Matrix")) {
    X <- as.matrix(X)
  }
  if (!is.matrix(X) && !is.data.frame(X)) .steadyset_stop("X must be a matrix or data frame (got ", class(X)[[1]], ").")
  if (is.data.frame(y) && ncol(y) == 1) y <- y[[1]]
  if (is.character(y) && length(y) == 1 && max(dim(X)) > 1) {
    from <- if (is.null(phenotype)) X else phenotype
    if (!y %in% colnames(from)) .steadyset_stop("There is no column ", sQuote(y, FALSE), " to predict.")
    outcome <- if (is.data.frame(from)) from[[y]] else from[, y]
    if (is.null(phenotype)) X <- X[, colnames(X) != y, drop = FALSE]
    y <- outcome
  }
  if (!is.atomic(y) && !is.factor(y)) .steadyset_stop("y must be a vector or a factor (got ", class(y)[[1]], ").")
  X <- .steadyset_samples_in_rows(X, length(y), samples_in_columns, quiet)
  samples <- if (is.data.frame(X) && .row_names_info(X) < 0) NULL else rownames(X)
  y <- .steadyset_in_order(y, samples, "y", quiet)
  columns <- if (is.matrix(X)) lapply(seq_len(ncol(X)), function(j) X[, j]) else as.list(X)
  names(columns) <- if (is.null(colnames(X))) paste0("V", seq_len(ncol(X))) else colnames(X)
  if (anyNA(names(columns)) || any(!nzchar(names(columns)))) .steadyset_stop("X has a feature without a name.")
  repeated <- names(columns)[duplicated(names(columns))]
  if (length(repeated)) .steadyset_stop("X has features of the same name: ", .steadyset_some(repeated), ".")
  list(X = Map(.steadyset_plain, columns, names(columns)), y = y, samples = samples)
}

.steadyset_samples_in_rows <- function(X, n, samples_in_columns, quiet) {
  size <- paste(nrow(X), "rows and", ncol(X), "columns")
  if (is.null(samples_in_columns)) {
    samples_in_columns <- nrow(X) != n && ncol(X) == n
    if (samples_in_columns && !quiet) message("X has ", size, " and y ", n, " values: its columns are the samples.")
    if (nrow(X) == n && ncol(X) == n && !quiet) {
      message("X is square: its rows are taken as the samples; samples_in_columns = TRUE takes its columns.")
    }
  }
  if ((if (samples_in_columns) ncol(X) else nrow(X)) != n) {
    .steadyset_stop("X has ", size, ", but y has ", n, " values; expected one value per sample.")
  }
  if (samples_in_columns) t(as.matrix(X)) else X
}

# Values in the order of the samples.
.steadyset_in_order <- function(values, samples, what, quiet) {
  values[.steadyset_order(names(values), samples, what, quiet, length(values))]
}

# Samples are matched by name where both sides have names: the same position need not be the same sample.
.steadyset_order <- function(labels, samples, what, quiet, n = length(labels)) {
  if (is.null(labels) || is.null(samples) || identical(labels, samples)) {
    return(if (is.null(labels) && n == 0) TRUE else seq_len(n))
  }
  if (!setequal(labels, samples) || anyDuplicated(samples) || anyDuplicated(labels)) {
    alone <- c(setdiff(labels, samples), setdiff(samples, labels))
    repeated <- c(samples[duplicated(samples)], labels[duplicated(labels)])
    wrong <- .steadyset_some(unique(c(alone, repeated)))
    told <- paste0("The names of ", what, " are not the names of the samples in X (", wrong, ")")
    by_position <- if (what == "force") "as.data.frame(force, row.names = NULL)" else paste0("unname(", what, ")")
    .steadyset_stop(told, "; ", by_position, " matches by position.")
  }
  if (!quiet) message(what, " has the samples of X in another order: matched by name.")
  match(samples, labels)
}

# A column as numbers or text.
.steadyset_plain <- function(column, name) {
  if (is.logical(column)) return(as.integer(column))
  if (is.factor(column)) return(as.character(column))
  if (inherits(column, c("Date", "POSIXt", "difftime")) || !(is.numeric(column) || is.character(column))) {
    .steadyset_stop(sQuote(name, FALSE), " holds ", class(column)[[1]], " values; expected numbers, text or a factor.")
  }
  as.vector(column)
}

# ---- recorded selections ---------------------------------------------------------------------------------------------
.steadyset_recorded <- function(command, procedures, features, similarity, given, quiet) {
  files <- .steadyset_scratch()
  on.exit(unlink(files, recursive = TRUE), add = TRUE)
  if (is.numeric(features) && length(features) != 1) .steadyset_stop("features must be names, or one number.")
  if (is.null(features) && !is.null(similarity)) features <- colnames(similarity)
  stems <- .steadyset_stems(names(procedures))
  paths <- file.path(files, paste0(stems, ".csv"))
  tables <- lapply(procedures, .steadyset_long_table, features, positions = !is.null(similarity))
  Map(.steadyset_write_csv, tables, paths)
  if (is.numeric(features) && any(vapply(tables, function(table) !anyNA(table$run), NA))) given$features <- features
  if (!is.null(similarity)) {
    given$similarity <- file.path(files, "similarity.csv")
    similarity <- as.matrix(similarity)
    columns <- lapply(seq_len(ncol(similarity)), function(j) similarity[, j])
    .steadyset_write_csv(stats::setNames(columns, .steadyset_numbered(length(columns))), given$similarity)
  }
  .steadyset_renamed_all(.steadyset_run(command, paths, given, quiet), stems, names(procedures))
}

.steadyset_check_procedures <- function(procedures) {
  if (!is.list(procedures) || is.null(names(procedures)) || any(!nzchar(names(procedures)))) {
    .steadyset_stop("procedures must be a named list, such as list(lasso = runs, forest = runs).")
  }
}

# Names of files, of which the command makes labels.
.steadyset_stems <- function(names) {
  make.unique(gsub("[^A-Za-z0-9_ =-]", "_", names), sep = "_")
}

# The columns run, feature and, where known, weight; rows with one of the two declare features and runs.
# positions: features are called by their number, to be matched by position whatever their names are.
.steadyset_long_table <- function(runs, features, positions) {
  weights <- NULL
  if (is.data.frame(runs)) runs <- as.matrix(runs)
  if (is.matrix(runs)) {
    if (!(is.numeric(runs) || is.logical(runs)) || anyNA(runs)) {
      .steadyset_stop("The matrix of runs must hold numbers or TRUE and FALSE, none of them missing.")
    }
    if (is.null(features)) features <- if (is.null(colnames(runs))) ncol(runs) else colnames(runs)
    if ((if (is.numeric(features)) features else length(features)) != ncol(runs)) {
      .steadyset_stop("The matrix of runs has ", ncol(runs), " columns; features says otherwise.")
    }
    if (!all(runs %in% c(0, 1))) weights <- lapply(seq_len(nrow(runs)), function(i) runs[i, runs[i, ] != 0])
    sets <- lapply(seq_len(nrow(runs)), function(i) which(runs[i, ] != 0))
    labels <- rownames(runs)
  } else if (is.list(runs)) {
    sets <- lapply(runs, function(run) if (is.factor(run)) as.character(run) else run)
    labels <- names(runs)
  } else {
    .steadyset_stop("runs must be a list with one vector per run, or a matrix with one row per run.")
  }
  numbers <- !any(vapply(sets, is.character, NA))
  if (numbers && is.null(features)) .steadyset_stop("The runs are numbers; give features, how many there were in all.")
  every <- if (is.character(features)) features else if (numbers) .steadyset_numbered(features)
  sets <- lapply(sets, .steadyset_names_of, every)
  if (positions && !is.null(every)) {
    sets <- lapply(sets, function(run) .steadyset_numbered(length(every))[match(run, every)])
    every <- .steadyset_numbered(length(every))
  }
  if (is.null(labels)) labels <- paste("unlabelled", seq_along(sets))
  table <- list(
    run = c(rep(NA_character_, length(every)), labels, rep(labels, lengths(sets))),
    feature = c(every, rep(NA_character_, length(sets)), unlist(sets))
  )
  if (!is.null(weights)) table$weight <- c(rep(NA_real_, length(every) + length(sets)), unlist(weights))
  table
}

# What features without names are called.
.steadyset_numbered <- function(p) paste0("x", sprintf("%d", seq_len(p) - 1L))

# A run as names; numbers count from 1.
.steadyset_names_of <- function(run, every) {
  if (anyNA(run)) .steadyset_stop("A run holds a missing value.")
  if (is.character(run)) {
    unknown <- if (!is.null(every)) setdiff(run, every)
    if (length(unknown)) .steadyset_stop("A run selects ", .steadyset_some(unknown), ", not among features.")
    return(run)
  }
  if (length(run) == 0) return(character())
  if (!is.numeric(run) || any(run != round(run)) || any(run < 1) || any(run > length(every))) {
    .steadyset_stop("A run must hold names, or whole numbers from 1 to the number of features.")
  }
  every[run]
}

# ---- the command -----------------------------------------------------------------------------------------------------
.steadyset_checked <- new.env(parent = emptyenv())

.steadyset_run <- function(command, files, given, quiet) {
  said <- .steadyset_call(command, files, c(given, list(format = "json")), quiet)
  found <- .steadyset_read_json(paste(said, collapse = "\n"))
  for (part in c("answer", "notes")) {
    found[[part]] <- lapply(found[[part]], .steadyset_in_r, command)
  }
  found
}

.steadyset_call <- function(command, files, given, quiet) {
  where <- .steadyset_command()
  key <- paste(where, collapse = " ")
  if (is.null(.steadyset_checked[[key]])) {
    version <- steadyset_version()
    if (version < STEADYSET_NEEDED) .steadyset_stop("steadyset ", version, " is older than ", STEADYSET_NEEDED, ".")
    assign(key, version, envir = .steadyset_checked)
  }
  said <- .steadyset_system(where, c(command, .steadyset_options(given), "--", path.expand(files)))
  for (file in files) said$err <- gsub(file, basename(file), said$err, fixed = TRUE)
  if (identical(basename(files), "data.csv")) {
    said$err <- gsub("data.csv: ", "", said$err, fixed = TRUE)
    said$err <- gsub("data.csv", "X", said$err, fixed = TRUE)
  }
  said$err <- .steadyset_in_r(said$err, command)
  if (said$status != 0) .steadyset_stop(.steadyset_sentence(said))
  if (!quiet) for (line in said$err) message(line)
  said$out
}

# What a sentence of the command says of its options, as arguments of the function of R:
# "give --false 2" as "give false = 2", "--known-only" as "known_only = TRUE". What stands between backticks is for a
# terminal and stays, but for commands that have a function here.
.steadyset_in_r <- function(text, command) {
  unknown <- paste0("steadyset_", command, " has no argument --\\1.")
  text <- gsub("No such option: --([a-z0-9-]+)\\.?", unknown, text)
  text <- gsub("The closest option of `[^`]*` is", "The closest argument is", text)
  text <- gsub("It is an option of", "It is an argument of", text, fixed = TRUE)
  text <- gsub(" ?`[^`]* --help` lists the options of this command\\.", "", text)
  text <- gsub("For `steadyset [a-z]+` use --", "Use --", text)
  functions <- "assess|shortlist|tune|replicate|why|measure|compare|consensus|report|methods"
  called <- paste0("`steadyset (", functions, ")")
  text <- gsub(paste0(called, " \\.\\.\\. (--[^`]*)`"), "steadyset_\\1(..., \\2)", text)
  text <- gsub(paste0(called, "[^`]*`"), "steadyset_\\1(...)", text)
  text <- gsub(", or st\\.\\w+ in Python", "", text)
  text <- sub("To continue, run: .*", "To continue, give the same out and resume = TRUE.", text)
  text <- gsub("the same command", "the same call", text, fixed = TRUE)
  parts <- strsplit(text, "`", fixed = TRUE)
  closed <- grepl("`$", text)
  translated <- vapply(parts, function(pieces) {
    outside <- seq_along(pieces) %% 2 == 1
    pieces[outside] <- .steadyset_arguments(pieces[outside], command)
    paste(pieces, collapse = "`")
  }, "")
  paste0(translated, ifelse(closed, "`", ""))
}

.steadyset_arguments <- function(text, command) {
  words <- paste(STEADYSET_WORDS, collapse = "|")
  value <- paste0(
    '"[^"]*"|-?[0-9](?:[0-9.]*[0-9])?(?![\\w.:=]*[:=])|[A-Z][A-Z_]*(?![\\w])',
    "|[\\w.]+[:=][\\w:=.,+-]*\\w|(?:", words, ")\\b"
  )
  option <- paste0("(?<![\\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[ =](", value, "))?")
  places <- gregexpr(option, text, perl = TRUE)
  regmatches(text, places) <- lapply(regmatches(text, places), function(found) {
    vapply(found, .steadyset_argument, "", option, command, USE.NAMES = FALSE)
  })
  # An option that is repeated is a vector.
  again <- '\\b(\\w+) = (?:c\\(([^()]*)\\)|("[^"]*")) \\1 = ("[^"]*")'
  while (any(grepl(again, text, perl = TRUE))) {
    text <- gsub(again, "\\1 = c(\\2\\3, \\4)", text, perl = TRUE)
  }
  text
}

# "--task classes" as 'task = "classes"'.
.steadyset_argument <- function(typed, option, command) {
  name <- gsub("-", "_", sub(option, "\\1", typed, perl = TRUE), fixed = TRUE)
  value <- sub(option, "\\2", typed, perl = TRUE)
  rest <- if (nzchar(value)) paste0(" ", value) else ""
  yes <- "TRUE"
  opposite <- names(STEADYSET_NO)[STEADYSET_NO == paste0("--", gsub("_", "-", name))]
  if (length(opposite)) {
    name <- opposite
    yes <- "FALSE"
  } else if (sub("^no_", "", name) %in% STEADYSET_FLAGS && startsWith(name, "no_")) {
    name <- sub("^no_", "", name)
    yes <- "FALSE"
  }
  is_flag <- name %in% STEADYSET_FLAGS
  on_data <- !command %in% c("measure", "compare", "consensus", "report", "methods")
  if (on_data) {
    name <- switch(name,
      transpose = "samples_in_columns", target = "y", time = "the time of y",
      event = "the event of y", name
    )
  } else {
    name <- switch(name, universe = "features", name)
  }
  if (name == "selector" && command %in% c("assess", "why")) name <- "selectors"
  if (name == "measure" && command == "measure") name <- "measures"
  if (is_flag) return(paste0(name, " = ", yes, rest))
  if (!nzchar(value) || grepl("^(y|the .* of y)$", name)) return(name)
  if (!grepl('^"|^-?[0-9][0-9.]*$|^[A-Z][A-Z_]*$', value)) value <- paste0('"', value, '"')
  paste(name, "=", value)
}

.steadyset_command <- function() {
  where <- getOption("steadyset.command", Sys.getenv("STEADYSET"))
  if (!any(nzchar(where))) where <- unname(Sys.which("steadyset"))
  if (!any(nzchar(where))) {
    example <- 'options(steadyset.command = "/path/to/steadyset")'
    .steadyset_stop("The command steadyset was not found; install it, or say where it is: ", example, ".")
  }
  where[[1]] <- path.expand(where[[1]])
  if (!nzchar(Sys.which(where[[1]]))) .steadyset_stop("The command ", where[[1]], " does not exist or cannot be run.")
  where
}

# Standard output and error as UTF-8 lines, and the exit status.
.steadyset_system <- function(where, arguments) {
  files <- .steadyset_scratch()
  on.exit(unlink(files, recursive = TRUE), add = TRUE)
  changed <- c(PYTHONUTF8 = "1", LD_LIBRARY_PATH = .steadyset_library_path())
  before <- Sys.getenv(names(changed), NA, names = TRUE)
  do.call(Sys.setenv, as.list(changed))
  on.exit(for (name in names(before)) {
    if (is.na(before[[name]])) Sys.unsetenv(name) else do.call(Sys.setenv, as.list(before[name]))
  }, add = TRUE)
  out <- file.path(files, "out")
  err <- file.path(files, "err")
  arguments <- shQuote(enc2utf8(c(where[-1], arguments)))
  status <- suppressWarnings(system2(where[[1]], arguments, stdout = out, stderr = err))
  lines <- function(path) if (file.exists(path)) readLines(path, warn = FALSE, encoding = "UTF-8") else character()
  list(status = status, out = lines(out), err = lines(err))
}

# LD_LIBRARY_PATH without what R itself put in front, from which Python might load libraries of another Python.
.steadyset_library_path <- function() {
  folders <- strsplit(Sys.getenv("LD_LIBRARY_PATH"), ":", fixed = TRUE)[[1]]
  script <- file.path(R.home("etc"), "ldpaths")
  if (!length(folders) || !file.exists(script)) return(paste(folders, collapse = ":"))
  asked <- paste("unset LD_LIBRARY_PATH; .", shQuote(script), '; echo "$LD_LIBRARY_PATH"')
  added <- strsplit(system2("sh", c("-c", shQuote(asked)), stdout = TRUE)[[1]], ":", fixed = TRUE)[[1]]
  if (identical(utils::head(folders, length(added)), added)) folders <- folders[-seq_along(added)]
  paste(folders, collapse = ":")
}

.steadyset_sentence <- function(said) {
  told <- sub("^steadyset: ", "", said$err[nzchar(said$err)])
  if (length(told)) paste(utils::tail(told, 20), collapse = "\n") else paste("The exit code is", said$status)
}

# list(on_warning = "fail", resume = TRUE, score = c("a", "b")) as --on-warning=fail --resume --score=a --score=b.
.steadyset_options <- function(given) {
  if (length(given) && (is.null(names(given)) || any(!nzchar(names(given))))) {
    .steadyset_stop("Further options need names, such as impute = \"median\".")
  }
  unlist(lapply(seq_along(given), function(i) {
    value <- given[[i]]
    option <- gsub("_", "-", names(given)[[i]], fixed = TRUE)
    if (isTRUE(value)) return(paste0("--", option))
    if (isFALSE(value)) return(if (option %in% names(STEADYSET_NO)) STEADYSET_NO[[option]] else paste0("--no-", option))
    if (is.numeric(value)) value <- vapply(value, .steadyset_number, "")
    if (length(value)) paste0("--", option, "=", as.character(value))
  }))
}

# ---- files -----------------------------------------------------------------------------------------------------------
.steadyset_scratch <- function() {
  folder <- tempfile("steadyset-")
  dir.create(folder)
  folder
}

# Blocks of rows, so that the text of a large table is never in memory as a whole; numbers keep their last bit.
.steadyset_write_csv <- function(columns, path) {
  n <- length(columns[[1]])
  to <- file(path, "wb")
  on.exit(close(to))
  writeLines(paste(.steadyset_quoted(names(columns)), collapse = ","), to, useBytes = TRUE)
  block <- max(1, 1e6 %/% length(columns))
  for (start in seq(1, n, by = block)) {
    rows <- start:min(n, start + block - 1)
    cells <- lapply(columns, function(column) .steadyset_cells(column[rows]))
    writeLines(do.call(paste, c(unname(cells), sep = ",")), to, useBytes = TRUE)
  }
}

.steadyset_cells <- function(values) {
  if (is.character(values)) return(ifelse(is.na(values), "", .steadyset_quoted(values)))
  text <- if (is.integer(values)) sprintf("%d", values) else sprintf("%.17g", values)
  text[is.na(values)] <- ""
  text
}

.steadyset_quoted <- function(text) paste0('"', gsub('"', '""', enc2utf8(text), fixed = TRUE), '"')

.steadyset_number <- function(x) if (x == round(x) && abs(x) < 1e15) sprintf("%.0f", x) else sprintf("%.17g", x)

# JSON as nested lists, by jsonlite where it is installed, else by the reader below: both give the same.
.steadyset_read_json <- function(text) {
  if (requireNamespace("jsonlite", quietly = TRUE)) return(jsonlite::fromJSON(text, simplifyVector = FALSE))
  .steadyset_parse_json(text)
}

.steadyset_parse_json <- function(text) {
  pattern <- '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|[][{}:,]|[^][{}:,"\\s]++'
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE, useBytes = TRUE))[[1]]
  Encoding(tokens) <- "UTF-8"
  first <- substr(tokens, 1, 1)
  tokens[first == '"'] <- .steadyset_json_unescaped(tokens[first == '"'])
  at <- 0L
  value <- function() {
    at <<- at + 1L
    switch(first[[at]],
      "{" = members("}"), "[" = members("]"), '"' = tokens[[at]], t = TRUE, f = FALSE, n = NULL,
      .steadyset_json_number(tokens[[at]])
    )
  }
  members <- function(end) {
    found <- list()
    keys <- character()
    while (first[[at + 1L]] != end) {
      if (first[[at + 1L]] == ",") at <<- at + 1L
      if (end == "}") {
        keys[[length(keys) + 1L]] <- tokens[[at + 1L]]
        at <<- at + 2L
      }
      found[length(found) + 1L] <- list(value())
    }
    at <<- at + 1L
    if (end == "}") stats::setNames(found, keys) else found
  }
  value()
}

# Whole numbers without a decimal point are integers where R has them, as jsonlite reads them.
.steadyset_json_number <- function(text) {
  number <- as.numeric(text)
  if (grepl("^-?[0-9]+$", text) && abs(number) <= .Machine$integer.max) as.integer(number) else number
}

.steadyset_json_unescaped <- function(texts) {
  texts <- substr(texts, 2, nchar(texts) - 1)
  escaped <- grepl("\\", texts, fixed = TRUE)
  pairs <- "\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4}|\\\\."
  places <- gregexpr(pairs, texts[escaped])
  regmatches(texts[escaped], places) <- lapply(regmatches(texts[escaped], places), function(marks) {
    vapply(marks, .steadyset_json_character, "", USE.NAMES = FALSE)
  })
  texts
}

.steadyset_json_character <- function(mark) {
  kind <- substr(mark, 2, 2)
  if (kind != "u") return(switch(kind, n = "\n", t = "\t", r = "\r", b = "\b", f = "\f", kind))
  codes <- strtoi(strsplit(substring(mark, 3), "\\u", fixed = TRUE)[[1]], 16L)
  intToUtf8(if (length(codes) == 2) (codes[[1]] - 0xD800) * 0x400 + (codes[[2]] - 0xDC00) + 0x10000 else codes)
}

# ---- tables ----------------------------------------------------------------------------------------------------------
# Records as a data frame: null is NA, and several values are one text. Without records it has the columns `...`.
.steadyset_frame <- function(records, ...) {
  if (!length(records)) return(.steadyset_table(data.frame(..., stringsAsFactors = FALSE)))
  keys <- unique(unlist(lapply(records, names)))
  columns <- lapply(stats::setNames(nm = keys), function(key) {
    values <- unlist(lapply(records, function(record) .steadyset_cell(record[[key]])))
    # Missing in all records: a number that could not be computed.
    if (is.logical(values) && all(is.na(values))) as.numeric(values) else values
  })
  .steadyset_table(as.data.frame(
    columns, check.names = FALSE, stringsAsFactors = FALSE, optional = TRUE
  ))
}

.steadyset_cell <- function(value) {
  if (is.null(value)) return(NA)
  if (is.list(value) || length(value) != 1) paste(unlist(value), collapse = ", ") else value
}

# A data frame whose numbers are rounded when it is printed, and only then.
.steadyset_table <- function(frame) {
  class(frame) <- c("steadyset_table", "data.frame")
  frame
}

.steadyset_rows <- function(table, rows) {
  table <- table[rows, , drop = FALSE]
  rownames(table) <- NULL
  .steadyset_table(table)
}

# A result of a command on data: its answer first, its notes and folder last.
.steadyset_result <- function(class, made, ...) {
  found <- made$found
  structure(
    c(
      list(answer = as.character(unlist(found$answer))), list(...),
      list(notes = as.character(unlist(found$notes)), folder = made$given$out)
    ),
    class = paste0("steadyset_", class)
  )
}

# A configuration of a tuning as one row: its parameters, objectives and what it reached are columns.
.steadyset_configuration <- function(record) {
  nested <- intersect(c("params", "parameters", "objectives", "reached"), names(record))
  plain <- record[setdiff(names(record), c(nested, "features", "directions", "on_front"))]
  c(plain, unlist(unname(record[nested]), recursive = FALSE))
}

# What a feature is in each of several studies, as columns with their names.
.steadyset_per_study <- function(record, studies) {
  for (part in c("selected", "directions", "effects")) {
    values <- record[[part]]
    record[[part]] <- NULL
    record[paste0(part, "_", studies)] <- values
  }
  record
}

# A reference (CSL-JSON) as one row.
.steadyset_reference <- function(record) {
  people <- vapply(record$author, function(one) {
    paste(unlist(one[intersect(c("given", "family", "literal"), names(one))]), collapse = " ")
  }, "")
  list(
    id = record$id, authors = paste(people, collapse = ", "),
    year = unlist(record$issued[["date-parts"]])[1], title = record$title,
    journal = record[["container-title"]], doi = record$DOI
  )
}

# The summary with a column for each score, as in the csv of the command.
.steadyset_summary <- function(rows) {
  .steadyset_frame(lapply(rows, function(row) {
    scores <- row$scores
    row <- row[!vapply(row, is.list, NA)]
    for (name in names(scores)) {
      row[name] <- list(scores[[name]]$mean)
      for (part in c("se", "blind", "random")) row[paste0(name, "_", part)] <- list(scores[[name]][[part]])
    }
    row
  }))
}

# The same for everything that was found, and for the names within sentences.
.steadyset_renamed_all <- function(found, from, to) {
  found <- .steadyset_renamed(found, from, to)
  for (i in which(from != to)) {
    for (part in c("answer", "notes")) {
      found[[part]] <- lapply(found[[part]], function(one) gsub(from[[i]], to[[i]], one, fixed = TRUE))
    }
  }
  found
}

# Labels that the command made of file names, as the caller named them.
.steadyset_renamed <- function(found, from, to) {
  if (is.list(found)) {
    if (!is.null(names(found))) names(found) <- .steadyset_renamed(names(found), from, to)
    return(lapply(found, .steadyset_renamed, from, to))
  }
  known <- match(found, from)
  if (is.character(found)) ifelse(is.na(known), found, to[known]) else found
}

.steadyset_folder <- function(result) {
  if (is.list(result) && is.character(result$folder)) return(result$folder)
  if (!is.character(result) || length(result) != 1) {
    .steadyset_stop("A result of steadyset, or its folder, is needed (got ", class(result)[[1]], ").")
  }
  path.expand(result)
}

.steadyset_some <- function(names) {
  shown <- paste(sQuote(utils::head(names, 5), FALSE), collapse = ", ")
  if (length(names) > 5) paste(shown, "and", length(names) - 5, "more") else shown
}

.steadyset_stop <- function(...) stop(..., call. = FALSE)
