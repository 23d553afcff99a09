"use strict";
// The state of a page (axes, filters, order, sliders) in its address after #, so that a link leads to it.
const fragment = (() => {
  const read = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  return {
    get: (key) => read().get(key),
    set: (key, value, initial) => {
      const all = read();
      if (String(value) === String(initial)) all.delete(key); else all.set(key, value);
      history.replaceState(null, "", all.size ? `#${all}` : location.pathname + location.search);
    },
  };
})();
window.addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); });
