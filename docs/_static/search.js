"use strict";

// Words of questions, which say nothing about a page.
const QUESTION = /\b(?:which|what|why|how|when|where|is|are|do|does|can|should|i|we|my|a|an|the|to|of|for|in|vs|versus)\b/gi;

const asked = new URLSearchParams(location.search).get("q") || "";

function withScripts(urls, then) {
  if (urls.length === 0) return then();
  const script = document.createElement("script");
  script.src = urls[0];
  script.onload = () => withScripts(urls.slice(1), then);
  document.head.append(script);
}

if (location.protocol === "file:") {
  withScripts(["_static/language_data.js", "_static/searchtools.js", "searchindex.js"], () => {});
} else {
  withScripts(["pagefind/pagefind-ui.js"], () => {
    const search = new PagefindUI({
      element: "#search",
      showImages: false,
      showSubResults: true,
      excerptLength: 24,
      processTerm: (term) => term.replace(QUESTION, " ").trim() || term,
      // It would list them below the result.
      processResult: (result) => {
        delete result.meta.leads;
        return result;
      },
      ranking: { pageLength: 0.4, termFrequency: 1, termSimilarity: 2, metaWeights: { title: 2, leads: 10 } },
    });
    if (asked) search.triggerSearch(asked);
    document.querySelector("#search input").focus();
  });
}
