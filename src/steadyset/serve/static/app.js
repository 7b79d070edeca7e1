// What HTMX does not do: files are sent as they are, small inputs travel in the link, texts are copied.
"use strict";

(() => {
  const header = document.querySelector('meta[name="change-header"]').content;
  const token = document.querySelector('meta[name="change-token"]').content;

  document.body.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers[header] = token;
  });
  document.body.addEventListener("htmx:beforeRequest", () => tell(""));
  document.body.addEventListener("htmx:responseError", (event) => tell(event.detail.xhr.responseText));
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
    const file = files[0];
    if (!file) return;
    const bar = drop.querySelector("progress");
    const said = drop.querySelector("[data-said]");
    tell("");
    said.textContent = `Reading ${file.name} …`;
    try {
      const name = await send(file, drop.dataset.purpose, bar);
      said.textContent = file.name;
      taken(drop, name, file.name);
    } catch (sentence) {
      said.textContent = "";
      tell(sentence);
    } finally {
      if (bar) bar.hidden = true;
    }
  }

  function taken(drop, name, original) {
    if (drop.dataset.go) {
      location.assign(drop.dataset.go + encodeURIComponent(name));
      return;
    }
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
    for (const name of FIELDS) form.elements[name].value = values[name] || "";
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
