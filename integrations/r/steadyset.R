# steadyset from R: source("steadyset.R"). Needs base R and the command `steadyset`; no Python is written or read here.
#
# Data goes to the command as CSV, results come back as JSON. The command is options(steadyset.command = ...), else the
# environment variable STEADYSET, else what PATH has. Options of the command are arguments here: --on-warning fail is
# on_warning = "fail", and an option that may be repeated takes a vector. What is NULL is left to the command.

STEADYSET_NEEDED <- "0.1.0"
STEADYSET_NO <- c(paired = "--independent")  # what is typed for FALSE, where that is not --no- and the name

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
# X, y, groups, force, block and prepare: as for steadyset_assess. Returns a list: answer, features, candidates, notes,
# folder.
steadyset_shortlist <- function(X, y, false = NULL, fdr = NULL, groups = NULL, seed = NULL, out = NULL,
                                samples_in_columns = NULL, force = NULL, block = NULL, prepare = NULL, ...,
                                quiet = FALSE) {
  given <- list(false = false, fdr = fdr, seed = seed, prepare = prepare, ...)
  made <- .steadyset_on_data("shortlist", X, y, samples_in_columns, groups, force, block, given, out, quiet)
  listed <- made$found$shortlist
  structure(
    list(
      answer = unlist(made$found$answer), features = .steadyset_frame(.steadyset_flat(listed$features)),
      candidates = .steadyset_frame(.steadyset_flat(listed$candidates)),
      notes = as.character(unlist(made$found$notes)), folder = made$given$out
    ),
    class = "steadyset_shortlist"
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
  table <- .steadyset_frame(found$measures)
  table$name <- NULL
  table
}

# Which of several procedures are steadier: a named list of what steadyset_measure takes.
# Returns a list: answer, procedures, tests.
steadyset_compare <- function(procedures, features = NULL, measure = NULL, similarity = NULL, seed = NULL, ...,
                              quiet = FALSE) {
  if (!is.list(procedures) || is.null(names(procedures)) || any(!nzchar(names(procedures)))) {
    .steadyset_stop("procedures must be a named list, such as list(lasso = runs, forest = runs).")
  }
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

# The table of features of an assessment, or of its run folder: how often each was selected.
steadyset_features <- function(assessment) {
  file <- file.path(.steadyset_folder(assessment), "features.csv")
  if (!file.exists(file)) .steadyset_stop(file, " does not exist; expected the run folder of a finished assessment.")
  texts <- c("feature", "direction", "model_direction", "stand_ins")  # names may look like numbers
  texts <- setNames(rep("character", length(texts)), texts)
  utils::read.csv(file, colClasses = texts, encoding = "UTF-8", na.strings = "", check.names = FALSE)
}

# Write the HTML report of an assessment, or of its run folder.
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

print.steadyset_assessment <- function(x, ...) {
  cat(x$about, "\n", sep = "")
  cat("y is taken as ", x$task, ".\n", sep = "")
  cat(strwrap(x$answer), sep = "\n")
  print(x$summary[names(x$summary) != "note"], row.names = FALSE, ...)
  for (name in names(x$cores)) {
    cat(strwrap(paste0("Steady core of ", name, ": ", .steadyset_some(x$cores[[name]])), exdent = 2), sep = "\n")
  }
  if (length(x$notes)) cat(strwrap(paste("Note:", x$notes), exdent = 2), sep = "\n")
  cat("$features has the table of features; the run folder is ", x$folder, "\n", sep = "")
  invisible(x)
}

print.steadyset_shortlist <- function(x, ...) {
  cat(strwrap(x$answer), sep = "\n")
  if (length(x$notes)) cat(strwrap(paste("Note:", x$notes), exdent = 2), sep = "\n")
  cat("$features has the listed features; the folder is ", x$folder, "\n", sep = "")
  invisible(x)
}

print.steadyset_comparison <- function(x, ...) {
  cat(strwrap(x$answer), sep = "\n")
  print(x$procedures, row.names = FALSE, ...)
  print(x$tests, row.names = FALSE, ...)
  invisible(x)
}

# ---- data ------------------------------------------------------------------------------------------------------------
# What a command finds in X and y, and the options that it was given.
.steadyset_on_data <- function(command, X, y, samples_in_columns, groups, force, block, given, out, quiet) {
  followed <- if (inherits(y, "Surv")) .steadyset_followed(y)
  data <- .steadyset_data(X, if (is.null(followed)) y else followed$time, samples_in_columns, quiet)
  files <- .steadyset_scratch()
  on.exit(unlink(files, recursive = TRUE), add = TRUE)
  columns <- data$X
  n <- length(data$y)
  n_features <- length(columns)
  add <- function(name, values, what) {
    if (length(values) != n) .steadyset_stop(what, " must hold one value per sample.")
    name <- .steadyset_new_name(name, names(columns))
    columns[[name]] <<- .steadyset_plain(values, what)
    name
  }
  if (is.null(followed)) {
    given$target <- add("outcome", if (is.logical(data$y)) factor(data$y) else data$y, "y")
    # The labels of a factor may look like numbers, which a file cannot say.
    if (is.null(given$task) && !is.numeric(data$y)) given$task <- "classes"
  } else {
    given$time <- add("time", data$y, "y")
    given$event <- add("event", followed$event, "y")
  }
  if (!is.null(groups)) given$groups <- add("group", paste0("group ", as.character(groups)), "groups")
  if (!is.null(block)) given$block <- add("block", paste0("block ", as.character(block)), "block")
  if (is.character(force) && is.null(names(force))) {
    unknown <- setdiff(force, names(data$X))
    if (length(unknown)) .steadyset_stop("force names ", .steadyset_some(unknown), ", which X has not.")
    given$force <- force
    n_features <- n_features - length(force)
  } else if (!is.null(force)) {
    given$force <- vapply(names(as.list(force)), function(name) add(name, as.list(force)[[name]], "force"), "")
  }
  if (any(grepl(",", given$force, fixed = TRUE))) .steadyset_stop("The names of force must have no comma.")
  if (length(given$force)) given$force <- paste(given$force, collapse = ",")
  file <- file.path(files, "data.csv")
  .steadyset_write_csv(columns, file)
  given$out <- if (is.null(out)) file.path(tempfile("steadyset-"), "runs") else path.expand(out)
  dir.create(dirname(given$out), recursive = TRUE, showWarnings = FALSE)
  if (!quiet) message("steadyset: ", n, " samples, ", n_features, " features; running ...")
  list(found = .steadyset_run(command, file, given, quiet), given = given)
}

# Times and events of a Surv object, whose columns they are.
.steadyset_followed <- function(y) {
  kind <- attr(y, "type")
  if (!identical(kind, "right")) .steadyset_stop("y is a Surv of type ", kind, "; only right censoring is modelled.")
  values <- unclass(y)
  list(time = unname(values[, "time"]), event = as.integer(values[, "status"]))
}

# Records of which single values are kept, and several are written as one text.
.steadyset_flat <- function(records) {
  lapply(records, function(one) lapply(one, function(value) {
    if (is.list(value) || length(value) != 1) paste(unlist(value), collapse = ", ") else value
  }))
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
  y <- .steadyset_in_order(y, X, quiet)
  columns <- if (is.matrix(X)) lapply(seq_len(ncol(X)), function(j) X[, j]) else as.list(X)
  names(columns) <- if (is.null(colnames(X))) paste0("V", seq_len(ncol(X))) else colnames(X)
  if (anyNA(names(columns)) || any(!nzchar(names(columns)))) .steadyset_stop("X has a feature without a name.")
  repeated <- names(columns)[duplicated(names(columns))]
  if (length(repeated)) .steadyset_stop("X has features of the same name: ", .steadyset_some(repeated), ".")
  list(X = Map(.steadyset_plain, columns, names(columns)), y = y)
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

# Samples are matched by name where both sides have names: the same position need not be the same sample.
.steadyset_in_order <- function(y, X, quiet) {
  samples <- if (is.data.frame(X) && .row_names_info(X) < 0) NULL else rownames(X)
  if (is.null(names(y)) || is.null(samples) || identical(names(y), samples)) return(y)
  if (!setequal(names(y), samples) || anyDuplicated(samples)) {
    alone <- c(setdiff(names(y), samples), setdiff(samples, names(y)), samples[duplicated(samples)])
    told <- paste0("The names of y are not the names of the samples in X (", .steadyset_some(alone), ")")
    .steadyset_stop(told, "; unname(y) matches by position.")
  }
  if (!quiet) message("y has the samples of X in another order: matched by name.")
  y[samples]
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
  stems <- make.unique(gsub("[^A-Za-z0-9_ =-]", "_", names(procedures)), sep = "_")  # of which the command makes labels
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
  found <- .steadyset_renamed(.steadyset_run(command, paths, given, quiet), stems, names(procedures))
  for (i in which(stems != names(procedures))) {
    found$answer <- lapply(found$answer, function(one) gsub(stems[[i]], names(procedures)[[i]], one, fixed = TRUE))
  }
  found
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
  .steadyset_read_json(paste(said, collapse = "\n"))
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
  if (said$status != 0) .steadyset_stop(.steadyset_sentence(said))
  if (!quiet) for (line in said$err) message(line)
  said$out
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
      as.numeric(tokens[[at]])
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
# Records with the same keys as a data frame; null is NA.
.steadyset_frame <- function(records) {
  if (!length(records)) return(data.frame())
  columns <- lapply(stats::setNames(nm = names(records[[1]])), function(key) {
    unlist(lapply(records, function(record) if (is.null(record[[key]])) NA else record[[key]]))
  })
  as.data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE, optional = TRUE)
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

# Labels that the command made of file names, as the caller named them.
.steadyset_renamed <- function(found, from, to) {
  if (is.list(found)) {
    if (!is.null(names(found))) names(found) <- .steadyset_renamed(names(found), from, to)
    return(lapply(found, .steadyset_renamed, from, to))
  }
  known <- match(found, from)
  if (is.character(found)) ifelse(is.na(known), found, to[known]) else found
}

.steadyset_folder <- function(assessment) {
  if (inherits(assessment, "steadyset_assessment")) assessment$folder else path.expand(assessment)
}

.steadyset_new_name <- function(wanted, taken) rev(make.unique(c(taken, wanted)))[[1]]

.steadyset_some <- function(names) {
  shown <- paste(sQuote(utils::head(names, 5), FALSE), collapse = ", ")
  if (length(names) > 5) paste(shown, "and", length(names) - 5, "more") else shown
}

.steadyset_stop <- function(...) stop(..., call. = FALSE)
