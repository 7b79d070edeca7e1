// The page works without this script. It adds sorting, filters, downloads, the slider of the steady core and the search.
// Names only ever become text: no markup is made from them.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const LISTS = ["shortlist", "list", "consensus", "kept"];
  const FIRST_ROWS = 10, SPECIALISTS_ROWS = 25, FEW_MORE = 5, MOST_MATCHES = 8, MOST_NAMES = 200, STEPS = 200, MOST_SPANS = 12;
  // The same rule as for the csv files that the library writes.
  const FORMULA = /^'*[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;
  let share = data.core, chosen = null;

  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const button = (text, act) => {
    const element = make("button", text, { type: "button" });
    element.addEventListener("click", act);
    return element;
  };
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
  const names = [...data.features, ...data.procedures.map((one) => one.name)].filter((name) => RIGHT_TO_LEFT.test(name));
  const pattern = names.length ? new RegExp(`(${names.slice(0, 2000).sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "u") : null;
  // A text in which names that are written from right to left stand apart from what surrounds them.
  const isolated = (element, text) => {
    element.replaceChildren(...(pattern === null ? [text] : text.split(pattern).map((one, place) => (place % 2 ? make("bdi", one) : one))));
    return element;
  };
  const every = (selector) => [...document.querySelectorAll(selector)];
  const percent = (value) => `${Math.min(Math.max(Math.round(1000 * value) / 10, 0.1), 100)}%`;
  const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const needed = (runs) => Math.ceil(share * runs - 1e-9);

  // ---- tables ------------------------------------------------------------------------------------------------------

  class Table {
    constructor(element) {
      this.element = element;
      this.name = element.dataset.table;
      this.content = data.tables[this.name];
      this.body = element.tBodies[0];
      this.rows = [...this.body.rows];
      const isFolded = element.closest(".specialists") !== null;
      const most = this.name === "summary" ? Infinity : isFolded ? SPECIALISTS_ROWS : FIRST_ROWS;
      this.first = this.rows.length <= most + FEW_MORE ? this.rows.length : most;
      this.most = this.first;
      this.filter = "";
      this.sorted = null;
      this.addButtons();
      this.addTools();
    }

    addButtons() {
      [...this.element.tHead.rows[0].cells].forEach((head, column) => {
        const sort = button("", () => this.sort(column));
        sort.append(...head.childNodes);
        head.append(sort);
      });
    }

    addTools() {
      const tools = make("div", undefined, { class: "tools" });
      if (this.content.cells.length > 8) {
        const label = make("label", "Filter");
        const input = make("input", undefined, { type: "search", autocomplete: "off" });
        input.setAttribute("aria-label", `Filter the table: ${this.element.caption.textContent}`);
        input.addEventListener("input", () => { this.filter = input.value.trim().toLowerCase(); this.show(); });
        label.append(input);
        tools.append(label);
      }
      const download = button("Download CSV", () => this.download());
      download.setAttribute("aria-label", `Download as CSV: ${this.element.caption.textContent}`);
      tools.append(download);
      this.status = make("span", "", { role: "status" });
      if (this.content.cells.length > this.most) {
        this.more = button("", () => { this.most = this.most === Infinity ? this.first : Infinity; this.show(); });
        tools.append(this.more);
      }
      tools.append(this.status);
      if (this.content.cells.length > 8) this.element.parentElement.before(tools);
      else this.element.parentElement.after(tools);
      this.tell(this.content.cells.length);
    }

    complete() {
      for (let place = this.rows.length; place < this.content.cells.length; place++) {
        const row = make("tr");
        this.content.cells[place].forEach((text, column) => {
          row.append(isolated(make("td", undefined, column && this.content.text[column] ? { class: "text" } : {}), text));
        });
        this.rows.push(row);
      }
      this.showCore();
    }

    sort(column) {
      const same = this.sorted && this.sorted.column === column;
      const descending = same ? !this.sorted.descending : !this.content.text[column];
      this.sorted = { column, descending };
      [...this.element.tHead.rows[0].cells].forEach((head, place) => {
        if (place === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      this.show();
    }

    order() {
      const places = [...this.content.cells.keys()].filter((place) => this.has(place));
      if (!this.sorted) return places;
      const { column, descending } = this.sorted;
      const value = (place) => this.content.values[place][column][0];
      const empty = (place) => value(place) === null || value(place) === "";
      const last = (place) => this.name === "summary" && this.content.procedures[place] === null;
      const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
        : String(a).localeCompare(String(b), undefined, { numeric: true });
      return places.sort((a, b) => last(a) - last(b) || empty(a) - empty(b)
        || (descending ? -1 : 1) * compare(value(a), value(b)) || a - b);
    }

    has(place) {
      const procedure = this.content.procedures[place];
      if (chosen !== null && procedure !== null && procedure !== chosen) return false;
      return !this.filter || this.content.cells[place].some((text) => text.toLowerCase().includes(this.filter));
    }

    show() {
      this.complete();
      const places = this.order();
      this.body.replaceChildren(...places.slice(0, this.most).map((place) => this.rows[place]));
      this.tell(places.length);
    }

    tell(n) {
      const all = this.content.cells.length;
      if (this.more) {
        this.more.textContent = this.most === Infinity ? `Show the first ${this.first}` : `Show all ${all}`;
      }
      const shown = Math.min(n, this.most);
      this.status.textContent = shown < all ? `${shown} of ${counted(all, "row")}` : "";
    }

    showCore() {
      const { core, selected, runs, values, cells, procedures } = this.content;
      if (core === null) return;
      values.forEach((row, place) => {
        if (selected.length) {
          const inside = selected[place] >= needed(runs);
          row[core] = [Number(inside)];
          cells[place][core] = inside ? "yes" : "";
        } else if (procedures[place] !== null) {
          const n = coreSize(data.procedures[procedures[place]]);
          row[core] = [n];
          cells[place][core] = String(n);
        }
        if (this.rows[place]) {
          this.rows[place].cells[core].textContent = cells[place][core];
          this.rows[place].classList.toggle("in-core", selected.length > 0 && row[core][0] === 1);
        }
      });
    }

    // One name per line, as tools for enrichment take them.
    names() {
      const { selected, runs, values } = this.content;
      const steady = [...values.keys()].filter((place) => !selected.length || selected[place] >= needed(runs));
      return (steady.length ? steady : [...values.keys()]).map((place) => values[place][0][0]);
    }

    download() {
      const lines = [this.content.keys.flat(), ...this.order().map((place) => this.content.values[place].flat())];
      const text = lines.map((line) => line.map(csvCell).join(",")).join("\n") + "\n";
      const link = make("a", undefined, { download: `${this.name}.csv` });
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
  }

  const csvCell = (value) => {
    if (value === null) return "";
    let text = String(value);
    if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const tables = every("table[data-table]").map((element) => new Table(element));

  const list = tables.find((one) => LISTS.includes(one.name));
  const copied = async (text) => {
    // A browser may not let pages do that, and never does where the page stands in a frame.
    const written = parent === window && (await navigator.clipboard?.writeText(text).then(() => true, () => false));
    if (!written) {
      const place = make("textarea");
      place.value = text;
      document.body.append(place);
      place.select();
      document.execCommand("copy");
      place.remove();
    }
    every("[data-copied]").forEach((one) => { one.textContent = "Copied."; });
  };
  every("[data-copy-names]").forEach((one) => {
    one.hidden = !list;
    one.addEventListener("click", () => copied(list.names().join("\n")));
  });

  // ---- the steady core ---------------------------------------------------------------------------------------------

  const coreSize = (procedure) => {
    const least = needed(procedure.runs);
    return procedure.levels.reduce((n, [count, features]) => n + (count >= least ? features : 0), 0);
  };

  const coreWords = (procedure, most = MOST_NAMES) => {
    if (procedure.note.startsWith("all ")) return procedure.note;
    const least = needed(procedure.runs), n = coreSize(procedure);
    const names = [];
    for (let i = 0; i < procedure.listed.length && procedure.counts[i] >= least && names.length < most; i++) {
      names.push(data.features[procedure.listed[i]]);
    }
    const left = n - names.length;
    const words = names.length ? names.join(", ") + (left ? ` and ${left} more` : "") : "none";
    return procedure.note ? `${words} (${procedure.note})` : words;
  };

  const boundOf = (procedure) => procedure.bounds.length ? procedure.bounds[Math.round(share * STEPS)] : null;

  const meaning = (shown) => {
    const lines = shown.map((procedure) => {
      const who = procedure.name && data.procedures.length > 1 ? `${procedure.name}: ` : "";
      const bound = boundOf(procedure);
      const n = coreSize(procedure);
      const size = `${counted(n, "feature")} in at least ${needed(procedure.runs)} of ${counted(procedure.runs, "run")}`;
      if (bound === null || !n) return `${who}${size}.`;
      if (bound >= n) return `${who}${size}; the bound on false selections, ${bound}, leaves open whether all of them are false.`;
      return `${who}${size}; at most ${bound} of them are expected to be false.`;
    });
    const whys = shown.filter((one) => boundOf(one) === null).map((one) => one.why_none || "the share has to be above one half of the runs");
    if (whys.length < shown.length) {
      lines.push("The bound on false selections (Meinshausen and Bühlmann 2010) holds if noise features are exchangeable and the selector is no worse than guessing.");
    }
    return [...lines, ...[...new Set(whys)].map((why) => `No bound on false selections holds: ${why}.`)];
  };

  const places = () => [...data.procedures.keys()].filter((place) => chosen === null || place === chosen);

  const showCore = () => {
    every("[data-share]").forEach((element) => { element.textContent = element.textContent.replace(/[\d.]+%/, percent(share)); });
    every("#core dd").forEach((element, i) => {
      const place = element.dataset.core === undefined ? i : Number(element.dataset.core);
      if (data.procedures[place]) isolated(element, coreWords(data.procedures[place]));
    });
    every("[data-core-of]").forEach((element) => {
      const procedure = data.procedures[Number(element.dataset.coreOf)];
      if (procedure) isolated(element, coreWords(procedure, data.named));
    });
    const box = document.getElementById("meaning");
    if (box) box.replaceChildren(...meaning(places().map((place) => data.procedures[place])).map((line) => isolated(make("p", undefined, { class: "small" }), line)));
    tables.forEach((table) => {
      table.showCore();
      if (table.sorted && table.sorted.column === table.content.core) table.show();
    });
    every("[data-copy-names]").forEach((one) => { if (list) one.textContent = `Copy the ${counted(list.names().length, "name")}`; });
    every(".share .pass").forEach((line) => ["x1", "x2"].forEach((end) => line.setAttribute(end, 3 + 104 * share)));
    pictures.change({ share });
  };

  // ---- pictures ----------------------------------------------------------------------------------------------------

  const tip = document.getElementById("tip");
  const tooltip = (handler, event, item, value) => {
    const known = value !== null && value !== undefined && value !== "";
    tip.hidden = !known;
    if (!known) return;
    const lines = typeof value === "object" ? Object.entries(value).map(([key, one]) => [`${key}: `, one]) : [["", value]];
    tip.replaceChildren(...lines.map(([key, one]) => {
      const line = make("div", key);
      line.append(make("bdi", String(one)));
      return line;
    }));
    tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(8, Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8))}px`;
  };
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  const pictures = livePictures(data, tooltip);

  // ---- one procedure, one feature ----------------------------------------------------------------------------------

  const choose = (place) => {
    chosen = place;
    pictures.change({ chosen });
    every("[data-procedure]").forEach((element) => {
      const other = chosen !== null && Number(element.dataset.procedure) !== chosen;
      element.hidden = other;
      if (element instanceof HTMLDetailsElement) element.open = chosen !== null && !other;
    });
    every("[data-core]").forEach((element) => {
      const other = chosen !== null && Number(element.dataset.core) !== chosen;
      element.hidden = other;
      element.previousElementSibling.hidden = other;
    });
    tables.forEach((table) => { if (table.content.procedures.some((one) => one !== null)) table.show(); });
    showCore();
  };

  const details = (place) => {
    // The tables of features by procedure; the first is over all where there are several.
    const names = Object.keys(data.tables).filter((name) => name.startsWith("features"));
    return data.tables[names[names.length > 1 ? place + 1 : place]];
  };

  const runsOf = (bits, n) => [...Array(n).keys()].filter((run) => (parseInt(bits[run >> 2], 16) >> (3 - (run & 3))) & 1);

  const runsWords = (runs) => {
    const spans = [];
    runs.forEach((run) => {
      if (spans.length && spans.at(-1)[1] === run - 1) spans.at(-1)[1] = run;
      else spans.push([run, run]);
    });
    const words = spans.slice(0, MOST_SPANS).map(([from, to]) => (from === to ? `${from + 1}` : `${from + 1}–${to + 1}`));
    return words.join(", ") + (spans.length > MOST_SPANS ? " …" : "");
  };

  const cell = (value) => {
    if (Array.isArray(value)) return make("td", runsWords(value), { class: "text" });
    return isolated(make("td"), value === undefined ? "" : String(value));
  };

  const featureRow = (procedure, place, feature) => {
    const at = procedure.listed.indexOf(feature);
    const row = { selector: procedure.name, frequency: 0, interval: "", core: "" };
    if (at < 0) {
      row.interval = procedure.left_out ? `not among the first ${procedure.listed.length}` : "never selected";
      return row;
    }
    const count = procedure.counts[at];
    const [, , low, high] = procedure.levels.find(([one]) => one === count);
    row.frequency = `${(count / procedure.runs).toFixed(2)} (${count} of ${counted(procedure.runs, "run")})`;
    row.interval = `${low.toFixed(2)} to ${high.toFixed(2)}`;
    row.core = count >= needed(procedure.runs) ? "yes" : "no";
    if (procedure.taken[at]) row.runs = runsOf(procedure.taken[at], procedure.runs);
    const table = details(place);
    const found = table ? table.cells.findIndex((cells) => cells[0] === data.features[feature]) : -1;
    if (found >= 0) {
      table.keys.forEach((keys, column) => {
        const title = { importance: "importance", direction: "direction", model_direction: "in the model", stand_ins: "stand-ins", with_stand_ins: "with stand-ins", all_rows: "on all rows" }[keys[0]];
        if (title) row[title] = table.cells[found][column];
      });
    }
    return row;
  };

  const showFeature = (feature) => {
    const name = data.features[feature], box = document.getElementById("feature");
    const rows = data.procedures.map((procedure, place) => featureRow(procedure, place, feature));
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((key) => key !== "selector" || rows.length > 1);
    const table = make("table"), head = make("tr"), body = make("tbody");
    table.append(make("caption", "Where it is selected"), make("thead"), body);
    table.tHead.append(head);
    columns.forEach((key) => head.append(make("th", { core: "steady core" }[key] ?? key, { scope: "col" })));
    rows.forEach((row) => {
      const line = make("tr");
      columns.forEach((key) => line.append(cell(row[key])));
      body.append(line);
    });
    const wide = make("div", undefined, { class: "wide" });
    wide.append(table);
    const close = button("Close", () => { box.hidden = true; pictures.change({ feature: null }); document.getElementById("search").focus(); });
    const heading = make("h2");
    heading.append(make("bdi", name));
    box.replaceChildren(heading, wide, close);
    box.hidden = false;
    pictures.change({ feature: name });
  };

  const search = document.getElementById("search"), matches = document.getElementById("matches");
  const find = () => {
    const asked = search.value.trim().toLowerCase(), found = [];
    if (asked) {
      const rank = (name) => (name === asked ? 0 : name.startsWith(asked) ? 1 : name.includes(asked) ? 2 : 3);
      data.features.forEach((name, place) => {
        const r = rank(name.toLowerCase());
        if (r < 3) found.push([r, place]);
      });
      found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    }
    return found.map(([, place]) => place);
  };
  const showMatches = () => {
    const found = find();
    matches.replaceChildren(...found.slice(0, MOST_MATCHES).map((place) => {
      const line = make("li");
      line.append(button("", () => pick(place)));
      line.firstChild.append(make("bdi", data.features[place]));
      return line;
    }));
    if (found.length > MOST_MATCHES) matches.append(make("li", `${found.length - MOST_MATCHES} more`, { class: "small" }));
    if (!found.length && search.value.trim()) matches.append(make("li", "No selected feature has this name.", { class: "small" }));
  };
  const pick = (place) => {
    matches.replaceChildren();
    showFeature(place);
  };

  // ---- start -------------------------------------------------------------------------------------------------------

  const controls = document.getElementById("controls");
  if (controls) {
    controls.hidden = false;
    document.getElementById("share").addEventListener("input", (event) => {
      share = Number(event.target.value) / STEPS;
      showCore();
    });
    const procedure = document.getElementById("procedure");
    if (procedure) procedure.addEventListener("change", () => choose(procedure.value === "" ? null : Number(procedure.value)));
    search.addEventListener("input", showMatches);
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") matches.replaceChildren();
      if (event.key === "Enter" && find().length) pick(find()[0]);
    });
    showCore();
  }
  const long = tables.filter((table) => table.rows.length > table.first);
  long.forEach((table) => table.show());
  if (parent !== window) {  // the page of the server shows a report as high as it is
    document.documentElement.classList.add("framed");
    new ResizeObserver(() => parent.postMessage({ height: document.body.offsetHeight }, "*")).observe(document.body);
    // The page answers with the steps that it can take.
    addEventListener("message", (event) => {
      if (event.source !== parent || !Array.isArray(event.data.steps)) return;
      for (const button of every("[data-step]")) button.hidden = !event.data.steps.includes(button.dataset.step);
    });
    every("[data-step]").forEach((button) => button.addEventListener("click", () => parent.postMessage({ step: button.dataset.step }, "*")));
  }
  // A link to a folded part opens it; a frame without a scroll bar asks the page around it to go there.
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const part = link && document.getElementById(link.getAttribute("href").slice(1));
    if (part && part.tagName === "DETAILS") part.open = true;
    // Once the frame has become as high as what was opened in it.
    if (part && parent !== window) setTimeout(() => parent.postMessage({ at: part.getBoundingClientRect().top }, "*"), 100);
  });
  addEventListener("toggle", () => pictures.change({}), true);
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = every("details:not([hidden]):not([open])");
    closed.forEach((element) => { element.open = true; });
    long.forEach((table) => { table.most = Infinity; table.show(); });
  });
  addEventListener("afterprint", () => {
    closed.forEach((element) => { element.open = false; });
    long.forEach((table) => { table.most = table.first; table.show(); });
  });
})();
