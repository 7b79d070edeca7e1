// What HTMX does not do: files are sent as they are, fields stand in the address, texts are copied, tables are sorted.
"use strict";

(() => {
  const header = document.querySelector('meta[name="change-header"]').content;
  const token = document.querySelector('meta[name="change-token"]').content;

  document.body.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers[header] = token;
  });
  document.body.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.elt.id !== "estimate") tell(""); });
  document.body.addEventListener("htmx:responseError", (event) => {
    // Why an order is refused matters more than that its time cannot be told.
    if (event.detail.elt.id !== "estimate" || !document.querySelector("#complaint .complaint")) tell(event.detail.xhr.responseText);
  });
  document.body.addEventListener("htmx:sendError", () =>
    tell("The server does not answer. Start it again with the command, and open the link that it prints; runs go on meanwhile."));

  function tell(sentence) {
    const place = document.getElementById("complaint");
    if (!place) return;
    place.replaceChildren();
    if (!sentence) return;
    const told = document.createElement("div");
    told.className = "complaint";
    told.textContent = sentence;
    place.append(told);
    place.scrollIntoView({ block: "nearest" });
  }

  // ---- files ----------------------------------------------------------------------------------------------

  function send(file, purpose, bar) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", `/files?for=${encodeURIComponent(purpose)}&name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader(header, token);
      request.upload.onprogress = (event) => {
        if (event.lengthComputable && bar) { bar.hidden = false; bar.max = event.total; bar.value = event.loaded; }
      };
      request.onload = () => (request.status === 200 ? resolve(JSON.parse(request.responseText).name) : reject(request.responseText));
      request.onerror = () => reject("The file could not be sent: the server does not answer, or it is too large.");
      request.send(file);
    });
  }

  async function take(drop, files) {
    const chosen = [...files].slice(0, "several" in drop.dataset ? files.length : 1);
    if (!chosen.length) return;
    const bar = drop.querySelector("progress");
    const said = drop.querySelector("[data-said]");
    tell("");
    const names = [];
    try {
      for (const file of chosen) {
        said.textContent = `Reading ${file.name} …`;
        names.push(await send(file, drop.dataset.purpose, bar));
      }
      said.textContent = chosen.map((file) => file.name).join(", ");
      taken(drop, names, chosen[0].name);
    } catch (sentence) {
      said.textContent = "";
      tell(sentence);
    } finally {
      if (bar) bar.hidden = true;
    }
  }

  function taken(drop, names, original) {
    if ("go" in drop.dataset) { // without a place: added to what the address holds
      const place = drop.dataset.go || `${location.pathname}${location.search}&file=`;
      location.assign(place + names.map(encodeURIComponent).join("&file="));
      return;
    }
    const [name] = names;
    const field = document.getElementById(drop.dataset.field);
    if (field.tagName === "SELECT") {
      field.add(new Option(original, name, true, true));
      field.dispatchEvent(new Event("change", { bubbles: true }));
      return;
    }
    field.value = name;
    const label = document.getElementById(drop.dataset.label);
    if (label) label.value = original;
    if (drop.dataset.submit) htmx.trigger(document.getElementById(drop.dataset.submit), "submit");
  }

  for (const drop of document.querySelectorAll(".drop")) {
    const input = drop.querySelector('input[type="file"]');
    input.addEventListener("change", () => take(drop, input.files));
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      take(drop, event.dataTransfer.files);
    });
  }

  // ---- fields: buttons that fill them, and the address that holds them, so that Back finds them again --------

  function changed(field, form) {
    field.dispatchEvent(new Event("change", { bubbles: true }));
    if (form) htmx.trigger(form, "submit");
  }

  document.body.addEventListener("click", (event) => {
    const button = event.target.closest("[data-set]");
    if (!button) return;
    const field = document.getElementById(button.dataset.set);
    field.value = button.value;
    changed(field, "again" in button.dataset || field.form.id === "measure" ? field.form : null);
  });

  const order = document.getElementById("order");
  if (order) {
    order.addEventListener("change", (event) => {
      if (event.target.dataset.preset) {
        for (const [name, value] of Object.entries(JSON.parse(event.target.dataset.preset))) order.elements[name].value = value;
      }
      const held = [...new FormData(order)].filter(([name, value]) => value && typeof value === "string" && name !== "thorough");
      history.replaceState(null, "", `/data?${new URLSearchParams(held)}`);
      if ("read" in event.target.dataset) order.submit();
    });
  }
  document.body.addEventListener("change", (event) => {
    for (const button of document.querySelectorAll(`[data-set="${CSS.escape(event.target.id)}"]`)) {
      if (!("again" in button.dataset)) button.setAttribute("aria-pressed", String(button.value === event.target.value));
    }
  });

  // A link to a folded part opens it.
  const unfold = () => {
    const part = location.hash && document.getElementById(location.hash.slice(1));
    const folded = part && (part.closest("details") || part.querySelector("details"));
    if (folded) folded.open = true;
  };
  window.addEventListener("hashchange", unfold);
  unfold();

  // A menu stands beside what opened it, and is not cut off by what scrolls; one is open at a time.
  for (const role of document.querySelectorAll("details.role")) {
    role.addEventListener("toggle", () => {
      if (!role.open) return;
      for (const other of document.querySelectorAll("details.role[open]")) if (other !== role) other.open = false;
      const [box, menu] = [role.getBoundingClientRect(), role.querySelector(".menu")];
      menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
      menu.style.top = `${Math.max(8, Math.min(box.bottom + 4, innerHeight - menu.offsetHeight - 8))}px`;
    });
  }
  const closeMenus = (event) => {
    for (const role of document.querySelectorAll("details.role[open]")) {
      if (event.type !== "click" || !role.contains(event.target)) role.open = false;
    }
  };
  document.addEventListener("click", closeMenus);
  document.addEventListener("scroll", closeMenus, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenus(event); });

  // ---- a run: the connection, and a report that is as high as its content -----------------------------------

  const lost = () => document.getElementById("lost");
  document.body.addEventListener("htmx:sseError", () => {
    if (!lost() || !lost().hidden) return;
    lost().querySelector("span").textContent = `at ${new Date().toTimeString().slice(0, 5)}.`;
    lost().hidden = false;
  });
  document.body.addEventListener("htmx:sseOpen", () => { if (lost()) lost().hidden = true; });
  document.body.addEventListener("click", (event) => { if (event.target.closest("[data-reload]")) location.reload(); });
  window.addEventListener("message", (event) => {
    const height = Number(event.data && event.data.height);
    const frame = [...document.querySelectorAll("iframe.report")].find((one) => one.contentWindow === event.source);
    if (!frame) return;
    const steps = [...document.querySelectorAll("#steps [data-place]")];
    if (height > 0) {
      frame.style.height = `${Math.ceil(height)}px`;
      frame.contentWindow.postMessage({ steps: steps.map((one) => one.dataset.place) }, "*");
    }
    const at = Number(event.data && event.data.at);
    if (navigator.userActivation.isActive && Number.isFinite(at)) scrollTo({ top: scrollY + frame.getBoundingClientRect().top + at - 16 });
    // A report may come from a stranger: it takes no step by itself, only by a click.
    if (event.data.step && navigator.userActivation.isActive) steps.find((one) => one.dataset.place === event.data.step)?.click();
  });

  // ---- results: sort, find, choose what can be compared -----------------------------------------------------

  const table = document.querySelector("[data-sortable]");
  if (table) {
    const rows = [...table.tBodies[0].rows];
    const content = (row, place) => row.cells[place].dataset.order || row.cells[place].textContent.trim();
    for (const button of table.querySelectorAll("button.sort")) {
      button.addEventListener("click", () => {
        const head = button.closest("th");
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const one of table.querySelectorAll("[aria-sort]")) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort((a, b) => content(a, head.cellIndex).localeCompare(content(b, head.cellIndex), undefined, { numeric: true }) * (down ? -1 : 1));
        table.tBodies[0].append(...rows);
      });
    }
    const find = document.getElementById("find");
    const pressed = (name) => (document.querySelector(`button[data-${name}][aria-pressed="true"]`) || { dataset: {} }).dataset[name] || "";
    const show = () => {
      for (const row of rows) {
        const fits = (!pressed("kind") || row.dataset.kind === pressed("kind")) && (!pressed("tag") || row.dataset.tags.split(",").includes(pressed("tag")));
        row.hidden = !fits || !row.textContent.toLowerCase().includes(find.value.trim().toLowerCase());
      }
    };
    find.addEventListener("input", show);
    for (const button of document.querySelectorAll("button[data-kind], button[data-tag]")) {
      button.addEventListener("click", () => {
        const now = button.dataset.kind === "" || button.getAttribute("aria-pressed") !== "true";
        for (const one of button.parentElement.children) one.setAttribute("aria-pressed", "false");
        (now ? button : button.parentElement.querySelector('[data-kind=""]') || button).setAttribute("aria-pressed", String(now || "kind" in button.dataset));
        show();
      });
    }
    const boxes = [...table.querySelectorAll("[data-fits]")];
    const bar = document.querySelector(".chosen");
    const choose = () => {
      const chosen = boxes.filter((box) => box.checked);
      bar.hidden = !chosen.length;
      bar.querySelector("[data-count]").textContent = `${chosen.length} chosen.`;
      bar.querySelector("[data-compare]").disabled = chosen.length < 2;
      let greyed = false;
      for (const box of boxes) {
        box.disabled = chosen.length > 0 && box.dataset.fits !== chosen[0].dataset.fits;
        box.title = box.disabled ? "It has other features than what is chosen" : "";
        greyed ||= box.disabled;
      }
      bar.querySelector("[data-why]").textContent = greyed ? "Greyed boxes: other features, so not comparable with this." : chosen.length < 2 ? "Choose another one to compare it with." : "";
    };
    table.addEventListener("change", choose);
    table.closest("form").addEventListener("reset", () => setTimeout(choose));
    choose();
  }

  // ---- measure: examples, and small inputs in the fragment of the link -------------------------------------

  const form = document.getElementById("measure");
  // Of files only names are known here, which mean nothing elsewhere.
  const FIELDS = form ? [...form.elements].filter((one) => one.name && one.type !== "hidden").map((one) => one.name) : [];

  function fill(values) {
    for (const name of ["first", "second"]) {
      form.elements[`${name}_file`].value = "";
      const said = document.querySelector(`[data-side="${name}"] [data-said]`);
      if (said) said.textContent = "";
    }
    for (const name of FIELDS) {
      form.elements[name].value = values[name] || "";
      changed(form.elements[name]);
    }
    if (values.second_text) form.elements.second_text.closest("details").open = true;
    htmx.trigger(form, "submit");
  }

  function packed() {
    const values = {};
    for (const name of FIELDS) if (form.elements[name].value) values[name] = form.elements[name].value;
    const bytes = new TextEncoder().encode(JSON.stringify(values));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }

  function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  if (form) {
    for (const button of document.querySelectorAll("[data-example]")) {
      button.addEventListener("click", () => fill(JSON.parse(button.dataset.example)));
    }
    for (const name of ["first", "second"]) {
      form.elements[`${name}_text`].addEventListener("input", () => { form.elements[`${name}_file`].value = ""; });
    }
    const opened = () => {
      if (!location.hash.startsWith("#in=")) return;
      try {
        fill(unpacked(location.hash.slice(4)));
      } catch {
        tell("The link does not hold an input that can be read; it may have been cut off.");
      }
    };
    const example = document.querySelector("[data-example][data-now]");
    if (example && !location.hash) document.addEventListener("DOMContentLoaded", () => example.click());
    window.addEventListener("hashchange", opened);
    document.addEventListener("DOMContentLoaded", opened); // by then HTMX, which was loaded before, knows the form
  }

  // ---- copying ---------------------------------------------------------------------------------------------

  document.body.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    let text;
    if (button.dataset.copy === "link") {
      const inside = packed();
      if (inside.length > 8000) { tell("The input is too long for a link; at most about 6,000 characters fit."); return; }
      text = `${location.origin}/measure#in=${inside}`;
    } else {
      text = document.getElementById(button.dataset.copy).textContent;
    }
    if (!navigator.clipboard) { tell(`Copying needs this machine or https; copy it by hand: ${text}`); return; }
    await navigator.clipboard.writeText(text);
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  });
})();
