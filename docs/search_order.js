// What a search shows first: pages that show how to do something, then those that explain, then the reference. A name
// that was typed whole (kuncheva, pareto_front) stays first: titles that equal it have far higher scores.
const SECTIONS = { "how-to/": 12, start: 12, "concepts/": 6, "reference/": -4, changelog: -12, contributing: -12 };

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const section = Object.keys(SECTIONS).find((name) => docname.startsWith(name));
    return score + (section === undefined ? 0 : SECTIONS[section]);
  },
  objNameMatch: 40, // the full name of a function or class
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
