"use strict";
// The search hides the sections that lack one of the words.
const label = document.querySelector(".search"), field = label.querySelector("input"), found = document.querySelector(".found");
const sections = [...document.querySelectorAll("main section")].map(e => ({element: e, text: e.textContent.toLowerCase()}));
const entries = [...document.querySelectorAll("nav li")];
function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(w => w);
  let hits = 0;
  for (const s of sections) {
    s.element.hidden = !words.every(w => s.text.includes(w));
    hits += !s.element.hidden;
  }
  for (const a of document.querySelectorAll("article")) a.hidden = !a.querySelector("section:not([hidden])");
  for (const e of entries) {
    const ids = [...e.querySelectorAll("a")].map(a => document.getElementById(a.hash.slice(1)));
    e.hidden = words.length > 0 && !ids.some(h => h && !h.closest("section").hidden);
  }
  found.textContent = words.length ? (hits === 1 ? "1 section has" : hits + " sections have") + " these words" : "";
}
label.hidden = false;
field.addEventListener("input", search);
// A link into a hidden section shows everything again.
addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.closest("[hidden]")) {
    field.value = "";
    search();
    target.scrollIntoView();
  }
});
document.addEventListener("keydown", e => {
  if (e.key === "/" && document.activeElement !== field) {
    e.preventDefault();
    field.focus();
  }
});
