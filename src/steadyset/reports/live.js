"use strict";
// Pictures that answer: where one comes into view, Vega draws it in place of the drawing that the page brings along.
// Names only ever become text: no markup is made from them.
const livePictures = (data, tooltip) => {
  const state = { share: data.core, chosen: null, feature: null };
  const known = new Set(data.procedures.map((procedure) => procedure.name));
  const NARROWEST = 160, BESIDE = 120, LONGEST = 230, NARROW = 640; // pixels: of a plot, of names beside it, of a box
  const MOST_COLUMNS = 40, MOST_ROWS = 30, NAMED = 5; // of the overlap of cores
  let specifications = null;

  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const needed = (runs) => Math.ceil(state.share * runs - 1e-9);
  const percent = (value) => `${Math.min(Math.max(Math.round(1000 * value) / 10, 0.1), 100)}%`;
  const parts = (view) => ["concat", "hconcat", "vconcat", "layer"].flatMap((kind) => view[kind] ?? []);
  const everyView = (view) => [view, ...parts(view).flatMap(everyView)];

  // ---- one procedure -----------------------------------------------------------------------------------------------

  const rowsOf = (specification, view) => view.data?.values ?? (specification.datasets ?? {})[view.data?.name];

  const tellsProcedures = (rows) => Array.isArray(rows) && rows.some((row) => known.has(row.selector));

  const filtered = (specification, name) => {
    const stays = (row) => !known.has(row.selector) || row.selector === name;
    const emptied = new Set();
    everyView(specification).forEach((view) => {
      const rows = rowsOf(specification, view);
      if (!tellsProcedures(rows)) return;
      const left = rows.filter(stays);
      view.data = { values: left };
      if (!left.some((row) => row.selector === name)) emptied.add(view);
    });
    const isEmpty = (view) => {
      const shown = everyView(view).filter((one) => tellsProcedures(rowsOf(specification, one)) || emptied.has(one));
      return shown.length > 0 && shown.every((one) => emptied.has(one));
    };
    everyView(specification).forEach((view) => ["concat", "hconcat", "vconcat"].forEach((kind) => {
      if (view[kind]) view[kind] = view[kind].filter((part) => !isEmpty(part));
    }));
    shorten(specification, stays);
  };

  // Scales that list all procedures list the one that is left.
  const shorten = (part, stays) => {
    if (Array.isArray(part)) part.forEach((one) => shorten(one, stays));
    else if (part !== null && typeof part === "object") {
      const { domain, range } = part.scale ?? {};
      if (Array.isArray(domain) && domain.some((one) => known.has(one))) {
        const kept = domain.map((one) => stays({ selector: one }));
        part.scale.domain = domain.filter((_, place) => kept[place]);
        if (Array.isArray(range) && range.length === domain.length) part.scale.range = range.filter((_, place) => kept[place]);
      }
      Object.entries(part).forEach(([key, one]) => { if (key !== "datasets" && key !== "data") shorten(one, stays); });
    }
  };

  // ---- the overlap of cores at another share -----------------------------------------------------------------------

  const coreOf = (procedure) => {
    const least = needed(procedure.runs);
    const inside = procedure.listed.filter((_, place) => procedure.counts[place] >= least);
    return { name: procedure.name, inside, complete: !procedure.left_out || inside.length < procedure.listed.length };
  };

  const overlap = () => {
    const cores = data.procedures.map(coreOf);
    if (!cores.every((core) => core.complete)) return null;
    const largest = [...cores].sort((a, b) => b.inside.length - a.inside.length).slice(0, MOST_ROWS);
    const members = new Map();
    largest.forEach((core, row) => core.inside.forEach((feature) => members.set(feature, [...(members.get(feature) ?? []), row])));
    const together = new Map();
    members.forEach((rows, feature) => {
      const key = rows.join();
      if (!together.has(key)) together.set(key, { rows, features: [] });
      together.get(key).features.push(feature);
    });
    const chosen = state.chosen === null ? null : data.procedures[state.chosen].name;
    const columns = [...together.values()]
      .filter(({ rows }) => chosen === null || rows.some((row) => largest[row].name === chosen))
      .sort((a, b) => b.features.length - a.features.length || b.rows.length - a.rows.length);
    const rows = columns.slice(0, MOST_COLUMNS).flatMap((column, intersection) => largest.map((core, row) => ({
      intersection, row, features: column.features.length, named: listed(column.features), selector: core.name,
      inside: column.rows.includes(row), core: core.inside.length,
    })));
    return { rows, columns: Math.min(columns.length, MOST_COLUMNS), left: columns.length - MOST_COLUMNS, chosen };
  };

  const listed = (features) => {
    const names = features.slice(0, NAMED).map((feature) => data.features[feature]);
    if (features.length > NAMED) return `${names.join(", ")} and ${features.length - NAMED} more`;
    return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  };

  const withOverlap = (specification, figure) => {
    const found = overlap();
    if (found === null) {
      figure.tell(`With so small a share the cores are too large to follow: the picture shows them at ${percent(data.core)}.`);
      return;
    }
    everyView(specification).forEach((view) => {
      if (rowsOf(specification, view)) view.data = { values: found.rows };
      if (view.width?.step) view.width.step = Math.max(14, Math.min(26, 520 / Math.max(1, found.columns)));
    });
    const of = found.chosen === null ? "" : ` that are in the core of ${found.chosen}`;
    const left = found.left > 0 ? ` Left out: ${found.left} smaller set${found.left === 1 ? "" : "s"}.` : "";
    figure.tell(found.rows.length ? "" : "At this share there is no such feature.");
    figure.say(`Features in at least ${percent(state.share)} of the runs${of}, counted once each.${left}`);
  };

  const COMPUTED = { core_overlap: withOverlap };

  // ---- figures -----------------------------------------------------------------------------------------------------

  class Figure {
    constructor(box) {
      this.box = box;
      this.name = box.dataset.drawing;
      this.kind = box.closest("[data-picture]").dataset.picture;
      this.isOfOne = box.closest("[data-procedure]") !== null;
      this.note = box.parentElement.querySelector(".note");
      this.said = this.note.textContent;
      this.told = box.parentElement.querySelector(".told");
      this.shown = this.view = this.busy = null;
      this.broken = false;
    }

    get parameter() {
      return (specifications[this.name].params ?? []).find((one) => one.name === "core_share");
    }

    get follows() {
      return this.kind in COMPUTED || (specifications !== null && this.parameter !== undefined);
    }

    tell(text) { this.told.textContent = text; }
    say(text) { this.note.textContent = text; }

    wanted() {
      const chosen = this.isOfOne ? null : state.chosen;
      return JSON.stringify([this.columns, this.isNarrow, specifications?.[this.name].usermeta?.fill ? this.box.clientWidth : 0, chosen, this.kind in COMPUTED ? state.share : null]);
    }

    get isNarrow() { return this.box.clientWidth < NARROW; }

    // How many plots of a row there is room for.
    get columns() {
      const { concat, usermeta } = specifications[this.name];
      const fill = usermeta?.fill;
      if (fill) return Math.max(1, Math.min(concat?.length ?? 1, 4, Math.floor(this.box.clientWidth / (fill.least + fill.beside))));
      const width = concat?.[0]?.width;
      if (typeof width !== "number") return null;
      return Math.max(1, Math.min(concat.length, Math.floor(this.box.clientWidth / (width + BESIDE))));
    }

    adapted() {
      const specification = structuredClone(specifications[this.name]);
      this.tell("");
      this.say(this.said);
      if (this.kind in COMPUTED) COMPUTED[this.kind](specification, this);
      else if (state.chosen !== null && !this.isOfOne) {
        if (everyView(specification).some((view) => tellsProcedures(rowsOf(specification, view)))) {
          filtered(specification, data.procedures[state.chosen].name);
        } else this.tell("This picture is about all of them.");
      }
      const parameter = (specification.params ?? []).find((one) => one.name === "core_share");
      if (parameter) parameter.value = state.share;
      if (this.columns !== null) specification.columns = this.columns;
      if (specification.usermeta?.fill) {
        this.fill(specification, specification.usermeta.fill);
        return specification;
      }
      if (this.isNarrow) {
        const most = Math.max(NARROWEST, this.box.clientWidth - LONGEST);
        everyView(specification).forEach((view) => {
          if (typeof view.width === "number") view.width = Math.min(view.width, most);
        });
      }
      return specification;
    }

    // Plots as wide as the box leaves them; what stands beside each has a width of its own.
    fill(specification, { beside, narrow }) {
      if (this.isNarrow && narrow && specification.concat) specification.concat.length = Math.min(specification.concat.length, narrow);
      const width = Math.floor((this.box.clientWidth - 8) / this.columns - beside - (this.columns > 1 ? 8 : 0));
      const views = parts(specification).length && !specification.layer ? everyView(specification).slice(1) : [specification];
      views.forEach((view) => { if (typeof view.width === "number") view.width = width; });
    }

    draw() {
      if (specifications === null || this.broken || this.busy || this.shown === this.wanted()) return;
      const wanted = this.wanted();
      this.box.setAttribute("aria-busy", "true");
      this.busy = this.embedded().then(() => { this.shown = wanted; }, () => {
        this.broken = true;
        this.box.classList.remove("drawn");
      }).then(() => {
        this.busy = null;
        this.box.removeAttribute("aria-busy");
        this.follow();
      });
    }

    async embedded() {
      const place = document.createElement("div");
      place.className = "live";
      const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, logLevel: 1, tooltip };
      const { view } = await vegaEmbed(place, this.adapted(), options);
      this.box.querySelector(".live")?.remove();
      this.view?.finalize();
      this.view = view;
      this.box.append(place);
      this.box.classList.add("drawn");
    }

    // What has changed since the figure was drawn.
    follow() {
      const moved = this.follows && state.share !== data.core;
      if (this.broken || specifications === null) {
        if (this.follows) this.tell(moved ? `This picture shows the core at ${percent(data.core)}.` : "");
        return;
      }
      if (this.shown === null && !this.isOfOne && (moved || state.chosen !== null)) this.draw();
      if (this.shown === null || this.busy) return;
      if (this.shown !== this.wanted()) {
        this.draw();
        return;
      }
      if (this.parameter) {
        this.view.signal("core_share", state.share).run();
        this.say(this.said.replace(/[\d.]+%/, percent(state.share)));
      }
      this.mark();
    }

    mark() {
      const name = state.feature;
      this.box.querySelectorAll(".live [aria-label]").forEach((mark) => {
        const label = `; ${mark.getAttribute("aria-label")}; `;
        mark.classList.toggle("found", name !== null && label.includes(`; feature: ${name}; `));
      });
      this.box.querySelectorAll(".live text").forEach((text) => {
        text.classList.toggle("found", name !== null && text.textContent === name);
      });
    }
  }

  const figures = [...document.querySelectorAll(".picture[data-drawing]")].map((box) => new Figure(box));
  const followed = (changed) => {
    Object.assign(state, changed);
    figures.forEach((figure) => figure.follow());
  };

  const start = async () => {
    const packed = document.getElementById("drawings");
    if (!packed || !window.vegaEmbed || !window.DecompressionStream) return;
    specifications = await unpacked(packed.textContent);
    const near = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => {
      figures.find((figure) => figure.box === one.target).draw();
    }), { rootMargin: "600px" });
    figures.forEach((figure) => near.observe(figure.box));
    let resized = 0;
    addEventListener("resize", () => {
      clearTimeout(resized);
      resized = setTimeout(() => followed({}), 200);
    });
    followed({});
  };
  start().catch(() => { specifications = null; });
  return { change: followed };
};
